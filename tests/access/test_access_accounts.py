import re
from datetime import UTC, datetime, timedelta

import pytest

from rag.access.accounts import Accounts
from rag.access.audit import Audit
from rag.errors import InvalidInput, NameTaken, NotAllowed, NotFound
from rag.store.catalog import Catalog
from rag.types import Person

PASSWORD = "一个很长的密码 1"


class Clock:
    def __init__(self):
        self.time = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self):
        return self.time

    def forward(self, **amount):
        self.time += timedelta(**amount)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def catalog(tmp_path, clock):
    opened = Catalog(tmp_path / "catalog.sqlite", clock)
    yield opened
    opened.close()


@pytest.fixture
def accounts(catalog, clock):
    return Accounts(catalog, clock)


@pytest.fixture
def admin(accounts):
    return accounts.create_admin(accounts.setup_code(), "管理员", PASSWORD)


def test_the_setup_code_makes_exactly_one_administrator(accounts, catalog):
    assert accounts.setup_needed()
    code = accounts.setup_code()
    assert re.fullmatch(r"[A-Z2-9]{4}(-[A-Z2-9]{4}){2}", code)
    assert accounts.setup_code() == code
    assert code.replace("-", "") not in catalog.facts.get("setup_code_hash")
    admin = accounts.create_admin(code.lower().replace("-", " "), "管理员", PASSWORD)
    assert admin.role == "admin"
    assert not accounts.setup_needed()
    for again in (
        accounts.setup_code,
        lambda: accounts.create_admin(code, "另一个", PASSWORD),
    ):
        with pytest.raises(NotAllowed, match="已经创建"):
            again()


def test_a_restart_makes_a_new_setup_code(accounts, catalog, clock):
    old = accounts.setup_code()
    new = Accounts(catalog, clock).setup_code()
    assert new != old
    with pytest.raises(NotAllowed, match="设置码不正确"):
        accounts.create_admin(old, "管理员", PASSWORD)
    assert accounts.create_admin(new, "管理员", PASSWORD).role == "admin"


def test_without_a_printed_code_nobody_becomes_administrator(accounts):
    for code in ("", "AAAA-AAAA-AAAA"):
        with pytest.raises(NotAllowed):
            accounts.create_admin(code, "管理员", PASSWORD)


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("管理员", "short"),
        ("管理员", "长" * 201),
        ("administrator", "Administrator"),
        ("", PASSWORD),
        ("a\nb", PASSWORD),
    ],
)
def test_unusable_names_and_passwords_are_explained(accounts, name, password):
    with pytest.raises(InvalidInput) as refused:
        accounts.create_admin(accounts.setup_code(), name, password)
    assert refused.value.remedy
    assert accounts.setup_needed()


def test_passwords_are_kept_as_argon2_hashes_only(admin, catalog):
    stored = catalog.accounts.get(admin.id).password_hash
    assert stored.startswith("$argon2id$")
    assert PASSWORD not in stored


def test_signing_in_and_out(accounts, admin):
    assert accounts.person("s1").role == "guest"
    assert accounts.login("s1", " 管理员 ", PASSWORD) == admin
    assert accounts.person("s1") == admin
    assert accounts.person("s2").role == "guest"
    accounts.logout("s1")
    assert accounts.person("s1").role == "guest"


def test_guests_are_told_apart_without_giving_their_session_away(accounts):
    one, two = accounts.person("session-one"), accounts.person("session-two")
    assert one.id != two.id
    assert one == accounts.person("session-one")
    assert "session-one" not in one.id


def test_a_session_ends_when_it_is_not_used(accounts, admin, clock):
    accounts.login("s1", "管理员", PASSWORD)
    for _ in range(3):
        clock.forward(days=10)
        assert accounts.person("s1") == admin
    clock.forward(days=15)
    assert accounts.person("s1").role == "guest"


def test_session_ids_are_not_stored(accounts, admin, catalog):
    accounts.login("very-secret-session", "管理员", PASSWORD)
    with catalog.database.read() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM sessions").all()
    assert len(rows) == 1
    assert "very-secret-session" not in str(rows)


@pytest.mark.parametrize("name", ["管理员", "没有这个人", "' OR 1=1 --"])
def test_wrong_logins_look_alike_and_are_slowed_down(accounts, admin, clock, name):
    for _ in range(5):
        with pytest.raises(NotAllowed, match="用户名或密码不正确"):
            accounts.login("s1", name, "wrong password")
    with pytest.raises(NotAllowed) as refused:
        accounts.login("s1", name, PASSWORD)
    assert "5 秒" in refused.value.text()
    clock.forward(seconds=5)
    with pytest.raises(NotAllowed, match="用户名或密码不正确"):
        accounts.login("s2", name, "wrong password")
    with pytest.raises(NotAllowed) as refused:
        accounts.login("s2", name, PASSWORD)
    assert "10 秒" in refused.value.text()


def test_the_wait_is_bounded_and_success_ends_it(accounts, admin, clock):
    for _ in range(10):
        clock.forward(seconds=61)
        with pytest.raises(NotAllowed, match="不正确"):
            accounts.login("s1", "管理员", "wrong password")
    clock.forward(seconds=60)
    assert accounts.login("s1", "管理员", PASSWORD) == admin
    with pytest.raises(NotAllowed, match="不正确"):
        accounts.login("s1", "管理员", "wrong password")


def test_the_wait_survives_a_restart(accounts, admin, catalog, clock):
    for _ in range(5):
        with pytest.raises(NotAllowed):
            accounts.login("s1", "管理员", "wrong password")
    with pytest.raises(NotAllowed, match="尝试次数太多"):
        Accounts(catalog, clock).login("s1", "管理员", PASSWORD)


def test_wrong_setup_codes_are_slowed_down_too(accounts):
    code = accounts.setup_code()
    for _ in range(5):
        with pytest.raises(NotAllowed, match="设置码"):
            accounts.create_admin("WRONG", "管理员", PASSWORD)
    with pytest.raises(NotAllowed, match="尝试次数太多"):
        accounts.create_admin(code, "管理员", PASSWORD)


def test_administrators_manage_accounts(accounts, admin, clock):
    clock.forward(seconds=1)
    editor = accounts.create(admin, "编辑", PASSWORD, "editor")
    assert [a.name for a in accounts.list(admin)] == ["管理员", "编辑"]
    with pytest.raises(NameTaken):
        accounts.create(admin, "编辑 ", PASSWORD)
    accounts.login("s1", "编辑", PASSWORD)
    accounts.set_role(admin, editor.id, "member")
    assert accounts.person("s1").role == "member"
    accounts.disable(admin, editor.id)
    assert accounts.person("s1").role == "guest"
    with pytest.raises(NotAllowed, match="不正确"):
        accounts.login("s1", "编辑", PASSWORD)
    accounts.enable(admin, editor.id)
    assert accounts.login("s1", "编辑", PASSWORD).role == "member"


def test_nobody_else_manages_accounts(accounts, admin):
    member = accounts.create(admin, "成员", PASSWORD)
    for person in (member, Person(id="guest-1")):
        for act in (
            lambda p: accounts.list(p),
            lambda p: accounts.create(p, "新", PASSWORD),
            lambda p: accounts.disable(p, admin.id),
            lambda p: accounts.enable(p, admin.id),
            lambda p: accounts.set_role(p, p.id, "admin"),
            lambda p: accounts.set_password(p, admin.id, PASSWORD),
        ):
            with pytest.raises(NotAllowed):
                act(person)


def test_the_last_administrator_stays(accounts, admin):
    for act in (
        lambda: accounts.disable(admin, admin.id),
        lambda: accounts.set_role(admin, admin.id, "member"),
    ):
        with pytest.raises(NotAllowed, match="唯一的管理员"):
            act()
    second = accounts.create(admin, "第二", PASSWORD, "admin")
    accounts.disable(admin, second.id)
    with pytest.raises(NotAllowed, match="唯一的管理员"):
        accounts.disable(admin, admin.id)
    with pytest.raises(NotFound):
        accounts.disable(admin, "unknown")


def test_a_new_password_signs_out_everywhere(accounts, admin):
    member = accounts.create(admin, "成员", PASSWORD)
    accounts.login("s1", "成员", PASSWORD)
    accounts.set_password(member, member.id, "another password")
    assert accounts.person("s1").role == "guest"
    assert accounts.login("s1", "成员", "another password") == member


def test_acts_and_refusals_are_in_the_audit_log(accounts, admin, catalog):
    member = accounts.create(admin, "成员", PASSWORD)
    with pytest.raises(NotAllowed):
        accounts.login("s1", "成员", "wrong password")
    entries = Audit(catalog).entries()
    assert [(e.person_name, e.action, e.target) for e in entries] == [
        ("成员", "refused.login", member.id),
        ("管理员", "account.create", member.id),
        ("管理员", "account.setup", admin.id),
    ]
    assert "wrong password" not in str(entries)
    assert PASSWORD not in str(entries)
