"""What a person last chose among the knowledge bases, remembered by the browser.

One cookie holds, for the last few people who used this browser, the base that they opened on
the documents page and those that they ticked or unticked for questions. It names ids only, and
an id gives nobody a right. While the program runs it knows the last choice of each person
itself, too: the browser may leave the page before the cookie has reached it, and another tab of
it may have chosen something since.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace

import streamlit as st

from rag.types import KnowledgeBase, Person
from ui.visitor import run_script

COOKIE = "zhiwen_bases"
PEOPLE = 3
TICKS = 40
"""Most people and most ticks per person that are remembered; a cookie holds 4 KB. Chosen by us."""

LATEST = 2000
"""Most people whose last choice the program itself knows. Chosen by us: 10 MB of ticks."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True)
class Choices:
    """The base opened last ("" for none), and base id → whether it was ticked by hand."""

    opened: str = ""
    ticked: tuple[tuple[str, bool], ...] = ()


# Module state on purpose: the sessions of one person share it; person's key → last choice.
_latest: OrderedDict[str, Choices] = OrderedDict()
_lock = threading.RLock()


def of(person: Person) -> Choices:
    """What this person chose, here or on an earlier visit."""
    key = _key(person)
    return _latest.get(key) or _all().get(key) or Choices()


def open_base(person: Person, kb_id: str) -> None:
    """Remember the base that the documents page shows."""
    with _lock:
        _keep(person, replace(of(person), opened=kb_id))


def tick(person: Person, kb_id: str, ticked: bool) -> None:
    """Remember that a base was ticked or unticked for questions."""
    with _lock:
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


def remember(person: Person) -> None:
    """Let the browser keep what was chosen. On every run, because one that is drawn anew at
    once never reaches the browser."""
    if _key(person) in _latest:
        run_script(
            "document.cookie = `${v.name}=${v.kept};path=/;max-age=15552000;samesite=lax`;",
            name=COOKIE,
            kept=_written(_with(person, of(person))),
        )


def _keep(person: Person, choices: Choices) -> None:
    _latest[_key(person)] = choices
    _latest.move_to_end(_key(person))
    while len(_latest) > LATEST:
        _latest.popitem(last=False)
    st.session_state[COOKIE] = _with(person, choices)


def _with(person: Person, choices: Choices) -> dict[str, Choices]:
    """This person's choice before those of the others who used this browser."""
    others = {key: value for key, value in _all().items() if key != _key(person)}
    return dict([(_key(person), choices), *others.items()][:PEOPLE])


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
