from datetime import UTC, datetime

import pytest

from rag.access.policy import can_chat, can_edit, can_read, require_admin
from rag.errors import NotAllowed
from rag.settings import InterfaceSettings, Settings
from rag.types import KnowledgeBase, Person


def settings(**values) -> Settings:
    return Settings(interface=InterfaceSettings(**values))


def base(public: bool) -> KnowledgeBase:
    return KnowledgeBase(id="kb", name="甲", public=public, created_at=datetime.now(UTC))


@pytest.mark.parametrize(
    ("role", "public", "open_uploads", "reads", "edits"),
    [
        ("guest", True, True, True, True),
        ("guest", True, False, True, False),
        ("guest", False, True, False, False),
        ("member", True, True, True, True),
        ("member", True, False, True, False),
        ("member", False, True, True, False),
        ("editor", False, False, True, True),
        ("admin", False, False, True, True),
    ],
)
def test_rights_by_role(role, public, open_uploads, reads, edits):
    person = Person(id="p", role=role)
    assert can_read(person, base(public)) is reads
    assert can_edit(person, base(public), settings(guest_uploads=open_uploads)) is edits


@pytest.mark.parametrize(
    ("role", "creates"), [("guest", False), ("member", False), ("editor", True)]
)
def test_creating_a_base_needs_an_editor_where_uploads_are_closed(role, creates):
    assert can_edit(Person(id="p", role=role), None, settings(guest_uploads=False)) is creates


def test_guests_can_be_kept_out():
    closed = settings(guests=False)
    guest, member = Person(id="g"), Person(id="m", role="member")
    assert not can_chat(guest, closed)
    assert not can_edit(guest, base(True), closed)
    assert can_chat(member, closed)
    assert can_chat(guest, settings())


@pytest.mark.parametrize("role", ["guest", "member", "editor"])
def test_only_administrators_pass(role):
    require_admin(Person(id="a", role="admin"))
    with pytest.raises(NotAllowed) as refused:
        require_admin(Person(id="p", role=role))
    assert refused.value.remedy
