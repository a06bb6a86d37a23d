"""Follows the result of an SQL query: its rows become records of one document."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from time import monotonic
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from rag.errors import InvalidInput, NotAllowed, NotFound, TooLarge, ZhiwenError
from rag.ingest.sources.community import load_rows
from rag.ingest.sources.found import Found, Look

KEY = "rows"
"""The key of the only item of such a source."""
_LONGEST_QUERY = 20_000
_BLOCK = r"/\*(?![!M]).*?\*/"
"""A comment, but for those of MySQL and MariaDB that are carried out (/*! … */, /*M! … */)."""
_COMMENT = re.compile(rf"--[^\n]*|{_BLOCK}", re.DOTALL)
_COMMENT_OF_MYSQL = re.compile(rf"--(?=\s|$)[^\n]*|#[^\n]*|{_BLOCK}", re.DOTALL)
"""There "#" begins a comment, elsewhere an operator; and "--" only before white space."""
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]]*\]", re.DOTALL)
_QUOTED_WITH_BACKSLASHES = re.compile(
    r"'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\"\"|\\.)*\"|`[^`]*`|\[[^\]]*\]", re.DOTALL
)
_CHANGING = re.compile(
    r"\b(?:insert|update|delete|merge|replace\s+into|into|create|alter|drop|truncate|grant|revoke|call"
    r"|exec|execute|do|copy|load|attach|detach|pragma|vacuum|set|lock|handler|begin|commit"
    r"|for\s+(?:no\s+key\s+)?update|for\s+share)\b",
    re.IGNORECASE,
)
LONGEST_S = 300
"""Seconds that a query may take; chosen by us: a report's takes minutes at most."""
_READ_ONLY = {
    "sqlite": "PRAGMA query_only = ON",
    "postgresql": "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}
"""What makes a new connection one that only reads, by dialect."""
_LIMITS_OF_MYSQL = (
    f"SET SESSION max_execution_time = {LONGEST_S * 1000}",
    f"SET SESSION max_statement_time = {LONGEST_S}",
)
"""MySQL's and MariaDB's; either may be reached by the other's name and knows only its own."""
_LIMITS = {
    "postgresql": (f"SET SESSION statement_timeout = {LONGEST_S * 1000}",),
    "mysql": _LIMITS_OF_MYSQL,
    "mariadb": _LIMITS_OF_MYSQL,
}
"""What ends a query after `LONGEST_S`, by dialect."""
_STEPS = 100_000
"""Steps of SQLite's machine between two looks at the clock: some milliseconds."""
_DRIVERS = {"postgresql": "psycopg[binary]", "mysql": "pymysql", "mariadb": "pymysql"}
_EXACT = 2.0**53
"""Below it a float tells each whole number from the next (IEEE 754)."""
_ID_NAMES = ("id", "编号", "主键", "key", "code", "代码")
_TITLE_NAMES = ("title", "标题", "名称", "name", "question", "问题", "主题", "subject")


class QueryFailed(ZhiwenError):
    """The database cannot be reached, or doesn't understand the query."""

    code = "query_failed"


class SqlConfig(BaseModel):
    """What is followed: the rows of `query` in the database at `url` (SQLAlchemy's form,
    without a password; that is the secret `source:<id>`).

    `id_column` and `title_column` name the columns that identify and head a record; found by
    their usual names when empty. `text_columns` are the ones that make its text, all the
    others when empty.
    """

    model_config = ConfigDict(extra="forbid")

    url: str = Field(min_length=1, max_length=2000)
    query: str = Field(min_length=1, max_length=_LONGEST_QUERY)
    id_column: str = ""
    title_column: str = ""
    text_columns: tuple[str, ...] = ()
    removal: str = Field(default="hide", pattern="^(keep|hide|remove)$")


def checked_query(query: str, dialect: str = "") -> str:
    """One reading statement without its final semicolon.

    What it may do is bounded by the connection too; this is the understandable refusal.

    Args:
        dialect: SQLAlchemy's name of the database's kind, whose comments are understood.

    Raises:
        InvalidInput: it is no single SELECT.
    """
    stripped = query.strip().rstrip(";").strip()
    if not all(_only_reads(bare) for bare in _readings(stripped, dialect)):
        raise InvalidInput(
            "只能使用一条只读的 SELECT 查询。",
            "请去掉修改数据的语句和多余的分号。",
            message_en="Only one reading SELECT statement can be used.",
            remedy_en="Leave out statements that change data, and further semicolons.",
        )
    return stripped


def _only_reads(bare: str) -> bool:
    selects = re.match(r"\s*\(*\s*(?:select|with)\b", bare, re.IGNORECASE)
    return selects is not None and ";" not in bare and _CHANGING.search(bare) is None


def _readings(query: str, dialect: str) -> Iterator[str]:
    """The query without comments and quoted text, in each way that databases of its kind may
    take it: whether a backslash hides a quote depends on their settings."""
    comment = _COMMENT_OF_MYSQL if dialect in ("mysql", "mariadb") else _COMMENT
    for quoted in (_QUOTED, _QUOTED_WITH_BACKSLASHES):
        yield re.sub(
            f"({quoted.pattern})|{comment.pattern}",
            lambda match: "''" if match[1] is not None else " ",
            query,
            flags=re.DOTALL,
        )


def checked_url(url: str, data: Path) -> Any:
    """An SQLAlchemy URL without password.

    Args:
        data: our data directory, whose own databases are not for reading.

    Raises:
        InvalidInput: it is no database address, or holds a password.
        NotAllowed: it is one of our own databases.
        NotFound: there is no such database file.
    """
    import sqlalchemy as sa

    try:
        parsed = sa.engine.make_url(url)
    except (sa.exc.ArgumentError, ValueError) as error:
        raise _bad_url() from error
    if parsed.password:
        raise InvalidInput(
            "数据库地址里不要写密码。",
            "请把密码填在密码栏里，它会单独加密保管。",
            message_en="Don't write the password into the database address.",
            remedy_en="Type it into the password field; it is kept apart.",
        )
    if parsed.get_backend_name() == "sqlite":
        _check_file(parsed.database or "", data)
    return parsed


def look_at(
    config: SqlConfig,
    password: str,
    *,
    name: str,
    data: Path,
    max_rows: int,
    stop: threading.Event | None = None,
) -> Look:
    """The query's rows as one JSONL document.

    Args:
        name: the source's name, which the document gets.
        max_rows: more rows are an error, never cut silently.
        stop: ends a query in an SQLite file early; others end after `LONGEST_S`.

    Raises (while it is read):
        InvalidInput, NotAllowed, NotFound: as for `checked_query` and `checked_url`.
        TooLarge: there are more rows.
        QueryFailed: the database says no.
    """

    def found() -> Iterator[Found]:
        url = checked_url(config.url, data)
        query = checked_query(config.query, url.get_backend_name())
        with _engine(url, password, stop) as engine, _told(url.get_backend_name()):
            bounded = _bounded(query, url.get_backend_name(), max_rows + 1)
            rows = load_rows(engine, bounded, max_rows + 1)
            lines = _records(rows, config, max_rows)
            content = ("\n".join(lines) + "\n").encode() if lines else b""
        place = f"{url.get_backend_name()}://{url.host or ''}/{Path(url.database or '').name}"
        yield Found(
            KEY,
            name=f"{name}.jsonl",
            stated={"source": place, "title": name},
            content=(lambda: content) if lines else None,
            gone=not lines,
        )

    return Look(found())


def _bounded(query: str, dialect: str, most: int) -> str:
    """The query with a limit where it has none, so that a driver which fetches everything at
    once doesn't fill the memory."""
    bare = next(_readings(query, dialect))
    limited = re.search(r"\b(?:limit|fetch|offset|top)\b", bare, re.IGNORECASE)
    return query if limited or dialect not in _READ_ONLY else f"{query}\nLIMIT {most}"


def _records(rows: Iterable[Mapping[str, Any]], config: SqlConfig, most: int) -> list[str]:
    lines: list[str] = []
    for number, row in enumerate(rows, start=1):
        if number > most:
            raise TooLarge(
                f"查询结果超过 {most} 行。",
                "请在查询里加上条件，或拆成几个来源。",
                message_en=f"The query has more than {most} rows.",
                remedy_en="Add conditions, or split it into several sources.",
            )
        if record := _record(row, number, config):
            lines.append(json.dumps(record, ensure_ascii=False))
    return lines


def _record(row: Mapping[str, Any], number: int, config: SqlConfig) -> dict[str, Any] | None:
    """One row as {id, title, text, metadata}; None when it holds no text."""
    values = {column: _as_text(value) for column, value in row.items()}
    id_column = _column(config.id_column, values, _ID_NAMES)
    title_column = _column(config.title_column, values, _TITLE_NAMES)
    for wanted in (config.id_column, config.title_column, *config.text_columns):
        if wanted and wanted not in values:
            raise InvalidInput(
                f"查询结果里没有“{wanted}”这一列。",
                f"现有的列：{'、'.join(values)}。",
                message_en=f"The query has no column {wanted}.",
                remedy_en=f"It has {', '.join(values)}.",
            )
    # A number that only counts rows says nothing; codes ("SB-002") are what people ask by.
    unsaid = {title_column, id_column if isinstance(row.get(id_column), int) else title_column}
    shown = config.text_columns or [column for column in values if column not in unsaid]
    text = "\n".join(f"{column}：{values[column]}" for column in shown if values[column])
    title = values.get(title_column, "")
    if not text and not title:
        return None
    identity = values.get(id_column) or str(number)
    metadata = {column: value for column, value in values.items() if value and len(value) <= 200}
    return {"id": identity, "title": title, "text": text or title, "metadata": metadata}


def _column(stated: str, values: Mapping[str, str], usual: tuple[str, ...]) -> str:
    if stated:
        return stated
    lower = {column.lower(): column for column in values}
    return next((lower[name] for name in usual if name in lower), "")


def _as_text(value: Any) -> str:
    """A value as people write it; "" for nothing and for binary data."""
    if value is None or isinstance(value, bytes | bytearray | memoryview):
        return ""
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d" if value.time() == time() else "%Y-%m-%d %H:%M:%S")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return str(value).strip()


@contextmanager
def _engine(url: Any, password: str, stop: threading.Event | None = None) -> Iterator[Any]:
    """An engine whose connections can only read, for a bounded time."""
    import sqlalchemy as sa

    dialect = url.get_backend_name()
    if dialect == "sqlite":
        path = Path(url.database).resolve().as_posix()
        url = url.set(database=f"file:{_uri_path(path)}", query={"mode": "ro", "uri": "true"})
    if password:
        url = url.set(password=password)
    with _told(dialect):
        # The loader reads its rows after it has given the connection back: it must stay open.
        engine = sa.create_engine(url, pool_size=1, max_overflow=0, pool_reset_on_return=None)

    @sa.event.listens_for(engine, "connect")
    def only_read(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        if dialect in _READ_ONLY:
            cursor.execute(_READ_ONLY[dialect])
        for command in _LIMITS.get(dialect, ()):
            with suppress(Exception):  # each driver has errors of its own
                cursor.execute(command)
        cursor.close()
        if dialect == "postgresql":
            connection.commit()
        if dialect == "sqlite":
            deadline = monotonic() + LONGEST_S
            connection.set_progress_handler(
                lambda: monotonic() > deadline or (stop is not None and stop.is_set()), _STEPS
            )

    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def _told(dialect: str) -> Iterator[None]:
    """Database errors as ones that people understand; never with the password in them."""
    import sqlalchemy as sa

    try:
        yield
    except ModuleNotFoundError as error:
        driver = _DRIVERS.get(dialect, str(error.name))
        raise QueryFailed(
            f"没有安装连接 {dialect} 的驱动。",
            f"请运行 pip install {driver}，然后重新启动。",
            message_en=f"The driver for {dialect} is not installed.",
            remedy_en=f"Run pip install {driver} and start again.",
        ) from error
    except sa.exc.SQLAlchemyError as error:
        cause = getattr(error, "orig", None)
        raise QueryFailed(
            "数据库查询失败。",
            "请检查数据库地址、账号、密码和查询语句。",
            message_en="The database query failed.",
            remedy_en="Check the address, account, password and query.",
            detail=f"{type(error).__name__}: {str(cause or '')[:300]}",
        ) from error


def _check_file(path: str, data: Path) -> None:
    if path in ("", ":memory:") or path.startswith("file:"):
        raise _bad_url()
    resolved = Path(path).resolve()
    if data.resolve() in resolved.parents:
        raise NotAllowed(
            "不能读取本程序自己的数据库。",
            "请选择其他数据库文件。",
            message_en="The program's own databases can't be a source.",
            remedy_en="Choose another database file.",
        )
    if not resolved.is_file():
        raise NotFound(
            f"找不到数据库文件“{path}”。",
            "请确认服务器上的路径。",
            message_en=f"There is no database file {path}.",
            remedy_en="Check the path on the server.",
        )


def _uri_path(path: str) -> str:
    from urllib.parse import quote

    return quote(path)


def _bad_url() -> InvalidInput:
    return InvalidInput(
        "数据库地址不正确。",
        "请写成 sqlite:////data/orders.db 或 postgresql+psycopg://用户@主机/库名 这样。",
        message_en="The database address is wrong.",
        remedy_en="Write it like sqlite:////data/orders.db or postgresql+psycopg://user@host/name.",
    )
