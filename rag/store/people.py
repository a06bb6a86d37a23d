"""Accounts, browser sessions, failed logins and the audit log in the catalog.

Rules (who may do what, how passwords are checked) are in rag.access; this is the storage.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import sqlalchemy as sa

from rag.errors import NameTaken, NotFound
from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.store.knowledge_bases import name_key, valid_name

AccountRole = Literal["member", "editor", "admin"]

SEEN_EVERY = timedelta(minutes=10)
"""How often a session's last use is written down: not at every click."""


@dataclass(frozen=True)
class Account:
    """A stored account. `password_hash` is argon2's own text."""

    id: str
    name: str
    password_hash: str
    role: AccountRole
    disabled: bool
    created_at: datetime


@dataclass(frozen=True)
class AuditEntry:
    """One recorded act. `detail` never holds a secret."""

    id: int
    at: datetime
    person_id: str
    person_name: str
    role: str
    action: str
    target: str
    detail: str


AccountList = list[Account]
AuditList = list[AuditEntry]


class AccountRows:
    """Repository of accounts. Thread-safe."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    def create(self, name: str, password_hash: str, role: AccountRole) -> Account:
        """A new account.

        Raises:
            InvalidInput: the name is empty, too long or holds control characters.
            NameTaken: an account of this name exists (without regard to case and width).
        """
        name, account_id = valid_name(name), "u" + secrets.token_hex(8)
        table = schema.accounts
        with self._database.write() as connection:
            taken = sa.select(table.c.id).where(table.c.name_key == name_key(name))
            if connection.execute(taken).first():
                raise NameTaken(
                    f"已有名为“{name}”的账号。",
                    "请换一个名称。",
                    message_en=f"There is already an account named “{name}”.",
                    remedy_en="Choose another name.",
                )
            connection.execute(
                table.insert().values(
                    id=account_id,
                    name=name,
                    name_key=name_key(name),
                    password_hash=password_hash,
                    role=role,
                    disabled=False,
                    created_at=self._now(),
                )
            )
        return self.get(account_id)

    def get(self, account_id: str) -> Account:
        """One account.

        Raises:
            NotFound: there is none with this id.
        """
        found = self._first(schema.accounts.c.id == account_id)
        if found is None:
            raise _missing()
        return found

    def find(self, name: str) -> Account | None:
        """The account of this name (without regard to case and width), or None."""
        return self._first(schema.accounts.c.name_key == name_key(name))

    def list(self) -> AccountList:
        """All accounts, oldest first."""
        table = schema.accounts
        with self._database.read() as connection:
            rows = connection.execute(sa.select(table).order_by(table.c.created_at, table.c.id))
            return [_account(row) for row in rows.mappings()]

    def update(
        self,
        account_id: str,
        *,
        password_hash: str | None = None,
        role: AccountRole | None = None,
        disabled: bool | None = None,
    ) -> Account:
        """Change the given fields.

        Raises:
            NotFound: there is none with this id.
        """
        given = {"password_hash": password_hash, "role": role, "disabled": disabled}
        values = {name: value for name, value in given.items() if value is not None}
        table = schema.accounts
        with self._database.write() as connection:
            changed = connection.execute(
                table.update().where(table.c.id == account_id).values(**values)
            )
            if not changed.rowcount:
                raise _missing()
        return self.get(account_id)

    def count(self, role: AccountRole | None = None) -> int:
        """How many accounts there are (of one role), disabled ones included."""
        query = sa.select(sa.func.count()).select_from(schema.accounts)
        if role is not None:
            query = query.where(schema.accounts.c.role == role)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def _first(self, condition: sa.ColumnElement[bool]) -> Account | None:
        with self._database.read() as connection:
            row = connection.execute(sa.select(schema.accounts).where(condition)).mappings()
            found = row.first()
        return None if found is None else _account(found)


class SessionRows:
    """Which browser session is signed in as whom. Thread-safe."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    def bind(self, session_id: str, account_id: str) -> None:
        """Sign the session in (as someone else, if it was signed in before)."""
        table, hashed, now = schema.sessions, hash_of(session_id), self._now()
        with self._database.write() as connection:
            connection.execute(table.delete().where(table.c.id_hash == hashed))
            connection.execute(
                table.insert().values(
                    id_hash=hashed, account_id=account_id, created_at=now, seen_at=now
                )
            )

    def account_id(self, session_id: str, idle: timedelta) -> str | None:
        """Whose session it is; None when unknown or not used for longer than `idle`."""
        table, hashed, now = schema.sessions, hash_of(session_id), self._now()
        with self._database.read() as connection:
            row = connection.execute(sa.select(table).where(table.c.id_hash == hashed)).first()
        if row is None or now - row.seen_at > idle:
            return None
        if now - row.seen_at > SEEN_EVERY:
            with self._database.write() as connection:
                connection.execute(
                    table.update().where(table.c.id_hash == hashed).values(seen_at=now)
                )
        return str(row.account_id)

    def remove(self, session_id: str) -> None:
        """Sign the session out; nothing happens when it was not signed in."""
        self._delete(schema.sessions.c.id_hash == hash_of(session_id))

    def remove_account(self, account_id: str) -> None:
        """Sign an account out everywhere."""
        self._delete(schema.sessions.c.account_id == account_id)

    def remove_idle(self, idle: timedelta) -> None:
        """Forget sessions that were not used for longer than `idle`."""
        self._delete(schema.sessions.c.seen_at < self._now() - idle)

    def _delete(self, condition: sa.ColumnElement[bool]) -> None:
        with self._database.write() as connection:
            connection.execute(schema.sessions.delete().where(condition))


class LoginFailures:
    """Counts of failed logins by name or session, which survive a restart. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: str) -> tuple[int, datetime] | None:
        """How many failures in a row and when the last one was; None without any."""
        table = schema.login_failures
        with self._database.read() as connection:
            row = connection.execute(sa.select(table).where(table.c.key == key)).first()
        return None if row is None else (int(row[1]), row.last_at)

    def add(self, key: str, at: datetime, forget_before: datetime) -> int:
        """Count one more failure (the first again, if the last one is older than
        `forget_before`); returns the new count."""
        table = schema.login_failures
        with self._database.write() as connection:
            connection.execute(table.delete().where(table.c.last_at < forget_before))
            row = connection.execute(sa.select(table).where(table.c.key == key)).first()
            count = (int(row[1]) if row else 0) + 1
            connection.execute(table.delete().where(table.c.key == key))
            connection.execute(table.insert().values(key=key, count=count, last_at=at))
        return count

    def clear(self, key: str) -> None:
        """Forget the failures after a success."""
        table = schema.login_failures
        with self._database.write() as connection:
            connection.execute(table.delete().where(table.c.key == key))


class AuditRows:
    """The audit log: appended, never changed. Thread-safe."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    def append(
        self,
        *,
        person_id: str,
        person_name: str,
        role: str,
        action: str,
        target: str = "",
        detail: str = "",
    ) -> None:
        """Write down one act."""
        self.append_all(
            [(target, detail)],
            person_id=person_id,
            person_name=person_name,
            role=role,
            action=action,
        )

    def append_all(
        self,
        done_to: Iterable[tuple[str, str]],
        *,
        person_id: str,
        person_name: str,
        role: str,
        action: str,
    ) -> None:
        """Write down the same act on several targets (target, detail), all or none."""
        common = {
            "at": self._now(),
            "person_id": person_id,
            "person_name": person_name,
            "role": role,
            "action": action,
        }
        rows = [{**common, "target": target, "detail": detail} for target, detail in done_to]
        if rows:
            with self._database.write() as connection:
                connection.execute(schema.audit.insert(), rows)

    def list(self, limit: int = 200, before: int | None = None) -> AuditList:
        """The newest entries first, `limit` of them, older than the entry `before`."""
        table = schema.audit
        query = sa.select(table).order_by(table.c.id.desc()).limit(limit)
        if before is not None:
            query = query.where(table.c.id < before)
        with self._database.read() as connection:
            return [AuditEntry(**row) for row in connection.execute(query).mappings()]


def hash_of(secret: str) -> str:
    """SHA-256 of a random secret, in hexadecimal; for session ids and the setup code, whose
    own randomness makes a slow hash needless."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _account(row: sa.RowMapping) -> Account:
    return Account(**{name: row[name] for name in Account.__dataclass_fields__})


def _missing() -> NotFound:
    return NotFound(
        "这个账号不存在，可能已被删除。",
        "请刷新页面查看现有的账号。",
        message_en="This account does not exist; it may have been deleted.",
        remedy_en="Reload the page to see the accounts that exist.",
    )
