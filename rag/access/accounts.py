"""Accounts: first administrator, passwords, browser sessions (DESIGN §7)."""

from __future__ import annotations

import math
import secrets
import threading
from datetime import timedelta
from typing import TYPE_CHECKING

from rag.access.audit import Audit
from rag.access.policy import require_admin
from rag.errors import InvalidInput, NotAllowed
from rag.store.catalog import Catalog
from rag.store.clock import Clock, utc_now
from rag.store.knowledge_bases import name_key
from rag.store.people import Account, AccountRole, hash_of
from rag.types import Person

if TYPE_CHECKING:
    from argon2 import PasswordHasher

PASSWORD_MIN, PASSWORD_MAX = 8, 200
"""Length of a password in characters; the lower bound is that of NIST SP 800-63B."""

FREE_FAILURES = 5
"""Wrong passwords in a row for one name before the next attempt has to wait."""

FIRST_WAIT_S, LONGEST_WAIT_S = 5, 60
"""Seconds to wait after that, doubled with each further failure. The bound keeps a stranger
from shutting somebody out, and still allows no more than 1,440 guesses a day."""

FAILURES_FORGOTTEN = timedelta(hours=24)
SESSION_IDLE = timedelta(days=14)
"""How long a browser stays signed in without being used."""

_SETUP_FACT = "setup_code_hash"
_SETUP_KEY = "\0setup"
_CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_CODE_LENGTH = 12


class Accounts:
    """Signs people in and keeps their accounts. Thread-safe.

    Args:
        catalog: where accounts and sessions are kept.
        now: the clock.
    """

    def __init__(self, catalog: Catalog, now: Clock = utc_now) -> None:
        self._catalog = catalog
        self._now = now
        self._audit = Audit(catalog)
        self._code: str | None = None
        self._hasher: PasswordHasher | None = None
        # One password at a time: each check takes 64 MiB, and a burst of guesses could
        # otherwise pass before the first failure is counted.
        self._checking = threading.Lock()

    # --- The first administrator ------------------------------------------------------

    def setup_needed(self) -> bool:
        """Whether there is no administrator yet."""
        return self._catalog.accounts.count("admin") == 0

    def setup_code(self) -> str:
        """The code that creates the first administrator, once; to be printed on the console.

        Made anew at each start (by the first call) and kept in the catalog as a hash only.

        Raises:
            NotAllowed: there is an administrator already.
        """
        if not self.setup_needed():
            raise _already_set_up()
        with self._checking:
            if self._code is None:
                letters = "".join(secrets.choice(_CODE_LETTERS) for _ in range(_CODE_LENGTH))
                self._code = "-".join(letters[i : i + 4] for i in range(0, _CODE_LENGTH, 4))
                self._catalog.facts.set(_SETUP_FACT, hash_of(_plain_code(self._code)))
            return self._code

    def create_admin(self, code: str, name: str, password: str) -> Person:
        """Create the first administrator with the setup code.

        Raises:
            NotAllowed: the code is wrong or used, or too many wrong ones were tried.
            InvalidInput: the name or password cannot be used.
        """
        if not self.setup_needed():
            raise _already_set_up()
        self._check_password_form(name, password)
        with self._checking:
            self._refuse_while_waiting(_SETUP_KEY)
            expected = self._catalog.facts.get(_SETUP_FACT)
            if not expected or not secrets.compare_digest(hash_of(_plain_code(code)), expected):
                self._count_failure(_SETUP_KEY)
                raise NotAllowed(
                    "设置码不正确。",
                    "请输入程序启动时在控制台打印的设置码；重新启动会得到一个新的。",
                    message_en="The setup code is wrong.",
                    remedy_en="Enter the code printed on the console at start; a restart "
                    "prints a new one.",
                )
            hashed = self._hash(password)
            with self._catalog.database.write():
                if not self.setup_needed():
                    raise _already_set_up()
                account = self._catalog.accounts.create(name, hashed, "admin")
                self._catalog.facts.set(_SETUP_FACT, "")
                self._catalog.login_failures.clear(_SETUP_KEY)
            self._code = None
        person = _person(account)
        self._audit.record(person, "account.setup", account.id, account.name)
        return person

    # --- Signing in and out -----------------------------------------------------------

    def login(self, session_id: str, name: str, password: str) -> Person:
        """Sign a browser session in.

        Raises:
            NotAllowed: wrong name or password (it is not said which), a disabled account, or
                too many failures for this name; the message tells how long to wait.
        """
        key = name_key(name)[:160]
        with self._checking:
            self._refuse_while_waiting(key)
            account = self._catalog.accounts.find(name)
            if not self._matches(account, password) or account is None or account.disabled:
                self._count_failure(key)
                if account is not None:
                    self._audit.record(_person(account), "refused.login", account.id)
                raise NotAllowed(
                    "用户名或密码不正确。",
                    "请检查后重试；忘记密码时请联系管理员。",
                    message_en="Wrong name or password.",
                    remedy_en="Check both and try again, or ask an administrator.",
                )
            self._catalog.login_failures.clear(key)
        self._catalog.sessions.remove_idle(SESSION_IDLE)
        self._catalog.sessions.bind(session_id, account.id)
        return _person(account)

    def logout(self, session_id: str) -> None:
        """Sign a browser session out; nothing happens when it was not signed in."""
        self._catalog.sessions.remove(session_id)

    def person(self, session_id: str) -> Person:
        """Who the browser session belongs to; a guest of its own when not signed in."""
        account_id = self._catalog.sessions.account_id(session_id, SESSION_IDLE)
        if account_id is not None:
            account = self._catalog.accounts.get(account_id)
            if not account.disabled:
                return _person(account)
        # A hash, so that ids in the log and catalog don't give the session away.
        return Person(id="guest-" + hash_of(session_id)[:40], role="guest")

    # --- Administration ---------------------------------------------------------------

    def list(self, admin: Person) -> AccountList:
        """All accounts, oldest first.

        Raises:
            NotAllowed: the asking person is not an administrator.
        """
        require_admin(admin)
        return self._catalog.accounts.list()

    def create(
        self, admin: Person, name: str, password: str, role: AccountRole = "member"
    ) -> Person:
        """Create an account.

        Raises:
            NotAllowed: the asking person is not an administrator.
            InvalidInput: the name or password cannot be used.
            NameTaken: an account of this name exists.
        """
        require_admin(admin)
        self._check_password_form(name, password)
        with self._checking:
            hashed = self._hash(password)
        account = self._catalog.accounts.create(name, hashed, role)
        self._audit.record(admin, "account.create", account.id, f"{account.name} ({role})")
        return _person(account)

    def disable(self, admin: Person, account_id: str) -> None:
        """Sign an account out everywhere and let it in no more.

        Raises:
            NotAllowed: the asking person is not an administrator, or it is the last one.
            NotFound: there is no such account.
        """
        require_admin(admin)
        with self._catalog.database.write():
            self._keep_one_admin(account_id)
            account = self._catalog.accounts.update(account_id, disabled=True)
            self._catalog.sessions.remove_account(account_id)
        self._audit.record(admin, "account.disable", account_id, account.name)

    def enable(self, admin: Person, account_id: str) -> None:
        """Let a disabled account in again.

        Raises:
            NotAllowed: the asking person is not an administrator.
            NotFound: there is no such account.
        """
        require_admin(admin)
        account = self._catalog.accounts.update(account_id, disabled=False)
        self._audit.record(admin, "account.enable", account_id, account.name)

    def set_role(self, admin: Person, account_id: str, role: AccountRole) -> None:
        """Give an account another role.

        Raises:
            NotAllowed: the asking person is not an administrator, or it is the last one.
            NotFound: there is no such account.
        """
        require_admin(admin)
        with self._catalog.database.write():
            if role != "admin":
                self._keep_one_admin(account_id)
            account = self._catalog.accounts.update(account_id, role=role)
        self._audit.record(admin, "account.role", account_id, f"{account.name} → {role}")

    def set_password(self, person: Person, account_id: str, password: str) -> None:
        """Set a new password: one's own, or anyone's as administrator. Signs the account out
        everywhere.

        Raises:
            NotAllowed: it is someone else's and the person is not an administrator.
            InvalidInput: the password cannot be used.
        """
        if person.id != account_id:
            require_admin(person)
        account = self._catalog.accounts.get(account_id)
        self._check_password_form(account.name, password)
        with self._checking:
            hashed = self._hash(password)
        with self._catalog.database.write():
            self._catalog.accounts.update(account_id, password_hash=hashed)
            self._catalog.sessions.remove_account(account_id)
        self._audit.record(person, "account.password", account_id, account.name)

    # --- Below ------------------------------------------------------------------------

    def _keep_one_admin(self, account_id: str) -> None:
        admins = [a for a in self._catalog.accounts.list() if a.role == "admin" and not a.disabled]
        if [admin.id for admin in admins] == [account_id]:
            raise NotAllowed(
                "这是唯一的管理员账号，不能停用或降级。",
                "请先创建另一个管理员。",
                message_en="This is the only administrator; it must stay one.",
                remedy_en="Create another administrator first.",
            )

    def _refuse_while_waiting(self, key: str) -> None:
        failed = self._catalog.login_failures.get(key)
        if failed is None or failed[0] < FREE_FAILURES:
            return
        doubled = FIRST_WAIT_S * 2 ** min(failed[0] - FREE_FAILURES, 10)
        until = failed[1] + timedelta(seconds=min(doubled, LONGEST_WAIT_S))
        seconds = math.ceil((until - self._now()).total_seconds())
        if seconds > 0:
            raise NotAllowed(
                "尝试次数太多。",
                f"请在 {seconds} 秒后再试。",
                message_en="Too many attempts.",
                remedy_en=f"Try again in {seconds} seconds.",
            )

    def _count_failure(self, key: str) -> None:
        now = self._now()
        self._catalog.login_failures.add(key, now, now - FAILURES_FORGOTTEN)

    def _matches(self, account: Account | None, password: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError

        # An unknown name takes as long as a known one, so that names cannot be found out.
        stored = account.password_hash if account else self._no_ones_hash()
        try:
            self._argon2().verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
        if account is not None and self._argon2().check_needs_rehash(stored):
            self._catalog.accounts.update(account.id, password_hash=self._hash(password))
        return True

    def _hash(self, password: str) -> str:
        return self._argon2().hash(password)

    def _no_ones_hash(self) -> str:
        if not hasattr(self, "_decoy"):
            self._decoy = self._hash(secrets.token_urlsafe(16))
        return self._decoy

    def _argon2(self) -> PasswordHasher:
        if self._hasher is None:
            from argon2 import PasswordHasher

            self._hasher = PasswordHasher()
        return self._hasher

    @staticmethod
    def _check_password_form(name: str, password: str) -> None:
        if not PASSWORD_MIN <= len(password) <= PASSWORD_MAX:
            raise InvalidInput(
                f"密码的长度应为 {PASSWORD_MIN} 到 {PASSWORD_MAX} 个字符。",
                "请换一个密码。",
                message_en=f"A password has {PASSWORD_MIN} to {PASSWORD_MAX} characters.",
                remedy_en="Choose another password.",
            )
        if name_key(password) == name_key(name):
            raise InvalidInput(
                "密码不能与用户名相同。",
                "请换一个密码。",
                message_en="The password must not be the name.",
                remedy_en="Choose another password.",
            )


AccountList = list[Account]


def _person(account: Account) -> Person:
    return Person(id=account.id, name=account.name, role=account.role)


def _plain_code(code: str) -> str:
    return "".join(character for character in code.upper() if character in _CODE_LETTERS)


def _already_set_up() -> NotAllowed:
    return NotAllowed(
        "管理员已经创建过了。",
        "请直接登录。",
        message_en="There is an administrator already.",
        remedy_en="Sign in instead.",
    )
