"""The SQL engine below the catalog: connections, transactions and plain errors (DESIGN §4).

SQLite gets write-ahead logging, enforced foreign keys and transactions that take the write
lock at their start, so that writers queue instead of failing half-way. Any other SQLAlchemy
URL (PostgreSQL) runs through the same two context managers.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from rag.errors import DiskFull, StoreError, StoreLocked

BUSY_TIMEOUT_MS = 30_000
"""How long SQLite waits for another process's write. Chosen by us: longer than any of our
transactions (publishing 5,000 chunks takes about a second, benchmarks/bench_store.py)."""

POOL_SIZE = 16
MAX_OVERFLOW = 64
"""Connections kept open, and how many more 50 streaming sessions may open for a moment."""

_FULL = ("database or disk is full", "no space left", "disk full")
_FULL_IN_DISGUISE = ("disk i/o error", "unable to open database file")
_NO_SPACE_BYTES = 256 << 10
"""SQLite reports a full disk as one of the second kind where it cannot grow its index of the
log; it needs 32 KB for that. Chosen by us, with some room."""
_LOCKED = ("database is locked", "database table is locked")


class Database:
    """One engine and the two ways to use it. Thread-safe.

    Args:
        url_or_path: a path of a SQLite file (its folder is created), or an SQLAlchemy URL.
    """

    def __init__(self, url_or_path: str | Path) -> None:
        url = _url(url_or_path)
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self._writer = threading.RLock()
        self._local = threading.local()
        self._folder: Path | None = None
        if self.is_sqlite and url.database:
            path = Path(url.database)
            self._folder = path.parent
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                # Conversations and password hashes live here: the owner alone may read it.
                path.touch(mode=0o600)
        self.engine = _engine(url, self.is_sqlite)

    @property
    def url(self) -> str:
        """The URL with its password hidden."""
        return self.engine.url.render_as_string(hide_password=True)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one consistent snapshot; within `write`, the writer's own.

        Raises:
            StoreError: the database cannot be read.
        """
        current = getattr(self._local, "connection", None)
        if current is not None:
            yield current
            return
        with plain_errors(self._folder), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction: committed at the end, rolled back on any exception. May be nested,
        the outermost commits.

        Raises:
            DiskFull: no space is left; nothing was changed.
            StoreLocked: another process kept the database busy for `BUSY_TIMEOUT_MS`.
            StoreError: any other failure of the database.
        """
        current = getattr(self._local, "connection", None)
        if current is not None:
            yield current
            return
        with self._turn(), plain_errors(self._folder), self.engine.connect() as plain:
            connection = plain.execution_options(zhiwen_write=True)
            with connection.begin():
                self._local.connection = connection
                try:
                    yield connection
                finally:
                    self._local.connection = None

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Threads of this process queue here, which is fair; SQLite's own waiting is not."""
        if not self.is_sqlite:
            yield
            return
        with self._writer:
            yield

    def close(self) -> None:
        """Close all connections; SQLite then folds its log into the database file."""
        self.engine.dispose()


@contextmanager
def plain_errors(folder: Path | None = None) -> Iterator[None]:
    """Turn the database's failures into errors that people can read.

    Args:
        folder: where SQLite keeps its files, to tell a full disk from a broken one.
    """
    try:
        yield
    except (sa.exc.OperationalError, sa.exc.DatabaseError, sqlite3.Error) as error:
        raise _readable(error, folder) from error


def _is_full(folder: Path | None) -> bool:
    try:
        return folder is not None and shutil.disk_usage(folder).free < _NO_SPACE_BYTES
    except OSError:
        return False


def _readable(error: Exception, folder: Path | None) -> Exception:
    if isinstance(error, sa.exc.IntegrityError | sa.exc.ProgrammingError):
        return error
    text = str(getattr(error, "orig", error)).lower()
    disguised = any(mark in text for mark in _FULL_IN_DISGUISE) and _is_full(folder)
    if disguised or any(mark in text for mark in _FULL):
        return DiskFull(
            "磁盘空间不足，没有保存。",
            "请腾出空间后重试。",
            message_en="The disk is full; nothing was saved.",
            remedy_en="Free some space and try again.",
            detail=text,
        )
    if any(mark in text for mark in _LOCKED):
        return StoreLocked(
            "数据库正被另一个程序占用，没有保存。",
            "请关闭另一个程序后重试。",
            message_en="Another program keeps the database busy; nothing was saved.",
            remedy_en="Close the other program and try again.",
            detail=text,
        )
    return StoreError(
        "数据库无法使用。",
        "请检查数据目录的权限和磁盘，或在管理页面查看健康报告。",
        message_en="The database cannot be used.",
        remedy_en="Check the data directory's permissions and disk, or see the health report.",
        detail=text,
    )


def _url(url_or_path: str | Path) -> sa.URL:
    if isinstance(url_or_path, str) and "://" in url_or_path:
        return sa.make_url(url_or_path)
    return sa.URL.create("sqlite", database=str(Path(url_or_path).expanduser().resolve()))


def _engine(url: sa.URL, is_sqlite: bool) -> Engine:
    options: dict[str, Any] = {"pool_size": POOL_SIZE, "max_overflow": MAX_OVERFLOW}
    if not is_sqlite:
        options["pool_pre_ping"] = True
    engine = sa.create_engine(url, json_serializer=_json, **options)
    if is_sqlite:
        sa.event.listen(engine, "connect", _configure_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # Half a surrogate pair is storable only as an escape.
        return json.dumps(value, separators=(",", ":"))
    return text


def _configure_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    # The driver would open transactions itself, at the wrong moment; _begin_sqlite does it.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "journal_mode=WAL",
        # Killed processes lose nothing; a power cut can lose the last moments, never the file.
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "temp_store=MEMORY",
        "cache_size=-32000",
        "journal_size_limit=67108864",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later would fail with "database is locked"
    # at once when another process wrote in between: writers take the lock at their start.
    write = connection.get_execution_options().get("zhiwen_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
