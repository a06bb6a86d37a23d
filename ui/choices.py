"""What a person last chose among the knowledge bases, remembered by the browser.

One cookie holds, for the last few people who used this browser, the base that they opened on
the documents page and those that they ticked or unticked for questions. It names ids only, and
an id gives nobody a right.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace

import streamlit as st

from rag.types import KnowledgeBase, Person
from ui.visitor import run_script

COOKIE = "zhiwen_bases"
PEOPLE = 3
TICKS = 40
"""Most people and most ticks per person that are remembered; a cookie holds 4 KB. Chosen by us."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True)
class Choices:
    """The base opened last ("" for none), and base id → whether it was ticked by hand."""

    opened: str = ""
    ticked: tuple[tuple[str, bool], ...] = ()


def of(person: Person) -> Choices:
    """What this person chose, here or on an earlier visit."""
    return _all().get(_key(person), Choices())


def open_base(person: Person, kb_id: str) -> None:
    """Remember the base that the documents page shows."""
    _keep(person, replace(of(person), opened=kb_id))


def tick(person: Person, kb_id: str, ticked: bool) -> None:
    """Remember that a base was ticked or unticked for questions."""
    others = [pair for pair in of(person).ticked if pair[0] != kb_id]
    _keep(person, replace(of(person), ticked=(*others, (kb_id, ticked))[-TICKS:]))


def asked_by_default(person: Person, bases: list[KnowledgeBase]) -> set[str]:
    """The bases that a new conversation asks: as ticked before; else those with documents of
    one's own, and the shipped samples only while there are no others."""
    from rag.application import SAMPLE_KNOWLEDGE_BASE

    own = {b.id for b in bases if b.document_count and b.name != SAMPLE_KNOWLEDGE_BASE}
    default = own or {base.id for base in bases}
    ticked = dict(of(person).ticked)
    return {base.id for base in bases if ticked.get(base.id, base.id in default)}


def first_base(person: Person, bases: list[KnowledgeBase]) -> str | None:
    """The base that the documents page opens on: the last one used, else one of the person's
    own before the shipped samples."""
    from rag.application import SAMPLE_KNOWLEDGE_BASE

    opened = of(person).opened
    if any(base.id == opened for base in bases):
        return opened
    own = [base for base in bases if base.name != SAMPLE_KNOWLEDGE_BASE]
    return next((base.id for base in own or bases), None)


def remember() -> None:
    """Let the browser keep what was chosen since it came. On every run, because one that is
    drawn anew at once never reaches the browser."""
    kept = st.session_state.get(COOKIE)
    if kept is not None:
        run_script(
            "document.cookie = `${v.name}=${v.kept};path=/;max-age=15552000;samesite=lax`;",
            name=COOKIE,
            kept=_written(kept),
        )


def _keep(person: Person, choices: Choices) -> None:
    others = {key: value for key, value in _all().items() if key != _key(person)}
    kept = [(_key(person), choices), *others.items()][:PEOPLE]
    st.session_state[COOKIE] = dict(kept)


def _all() -> dict[str, Choices]:
    kept: dict[str, Choices] | None = st.session_state.get(COOKIE)
    return _read(st.context.cookies.get(COOKIE, "")) if kept is None else kept


def _key(person: Person) -> str:
    return hashlib.sha256(person.id.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _written(kept: dict[str, Choices]) -> str:
    """`person:opened:+ticked:-unticked`, people joined by "/"."""
    return "/".join(
        ":".join([key, c.opened, *(f"{'+' if on else '-'}{kb}" for kb, on in c.ticked)])
        for key, c in kept.items()
    )


def _read(written: str) -> dict[str, Choices]:
    """The other way; what is not ours is left out."""
    found: dict[str, Choices] = {}
    for entry in written[:4096].split("/")[:PEOPLE]:
        key, _, rest = entry.partition(":")
        opened, *marks = rest.split(":")
        ticked = tuple((m[1:], m[0] == "+") for m in marks if _ID.fullmatch(m[1:]))
        if _ID.fullmatch(key) and (not opened or _ID.fullmatch(opened)):
            found[key] = Choices(opened, ticked[:TICKS])
    return found
