"""Who may do what: the one place with the rules (DESIGN §7).

Guests and members ask; editors also manage documents; administrators also manage people and
settings. `interface.guest_uploads` opens document management of public knowledge bases to
everyone, which suits a program that runs on one's own computer.
"""

from __future__ import annotations

from rag.errors import NotAllowed
from rag.settings import Settings
from rag.types import KnowledgeBase, Person

_EDITORS = frozenset({"editor", "admin"})


def can_read(person: Person, kb: KnowledgeBase) -> bool:
    """Whether the person may ask this knowledge base and see its documents."""
    return kb.public or person.role != "guest"


def can_edit(person: Person, kb: KnowledgeBase | None, settings: Settings) -> bool:
    """Whether the person may add, change and delete documents of this knowledge base.

    Args:
        kb: None asks about creating a new one.
    """
    if person.role in _EDITORS:
        return True
    open_to_all = kb is None or kb.public
    return open_to_all and settings.interface.guest_uploads and can_chat(person, settings)


def can_chat(person: Person, settings: Settings) -> bool:
    """Whether the person may ask at all: guests only where `interface.guests` is on."""
    return person.role != "guest" or settings.interface.guests


def require_admin(person: Person) -> None:
    """Let only administrators pass.

    Raises:
        NotAllowed: the person is not an administrator.
    """
    if person.role != "admin":
        raise NotAllowed(
            "只有管理员可以这样做。",
            "请用管理员账号登录后再试。",
            message_en="Only administrators may do this.",
            remedy_en="Sign in as an administrator and try again.",
        )
