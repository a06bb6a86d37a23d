"""One turn's understanding by rules: completion, intent, slots, route, strategy (DESIGN §2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from rag.text.normalise import normalise
from rag.types import Intent, KnowledgeProfile, Route, Slots, Strategy, Turn, Understanding
from rag.understand.complete import complete
from rag.understand.intent import classify
from rag.understand.slots import extract


def understand(
    question: str,
    history: Sequence[Turn],
    profile: KnowledgeProfile | None,
    today: date,
) -> Understanding:
    """What `question` means after `history`; everything but ambiguity (see `judge`).

    Args:
        question: as typed; any length, any characters.
        history: the turns before it, oldest first, without the question itself.
        profile: what the selected knowledge bases are about; None without any.
        today: the day of asking.
    """
    completion = complete(question, history, profile)
    intent, confidence = classify(completion.standalone, history)
    route = _route(intent)
    slots, entities = Slots(), ()
    if route == "knowledge":
        slots, entities = extract(completion.standalone, profile, today)
    parts = _parts(completion.standalone, intent, slots)
    return Understanding(
        question=question,
        standalone_question=completion.standalone,
        intent=intent,
        entities=entities,
        slots=slots,
        missing_slots=("reference",) if completion.unresolved and route == "knowledge" else (),
        route=route,
        strategy=_strategy(route, completion.changed, parts, slots),
        sub_questions=parts,
        confidence=confidence,
        notes=(completion.reason,) if completion.reason else (),
    )


def _route(intent: Intent) -> Route:
    if intent == "chitchat":
        return "chitchat"
    return "conversation" if intent == "meta" else "knowledge"


def _strategy(route: Route, changed: bool, parts: tuple[str, ...], slots: Slots) -> Strategy:
    if route != "knowledge":
        return "no_retrieval"
    if parts:
        return "decompose"
    if slots.region or slots.time:
        return "metadata_filter"
    return "rewrite" if changed else "direct"


def _parts(question: str, intent: Intent, slots: Slots) -> tuple[str, ...]:
    """One question for each of several regions or products that are compared."""
    if intent != "comparison":
        return ()
    for values in (slots.product, slots.region):
        names = [value.rsplit("/", 1)[-1] for value in values]
        found = [name for name in names if name in question or normalise(name) in question]
        if 2 <= len(found) <= 5:
            return tuple(_only(question, name, found) for name in found)
    return ()


def _only(question: str, name: str, all_names: list[str]) -> str:
    first = min(question.index(n) for n in all_names if n in question)
    last = max(question.index(n) + len(n) for n in all_names if n in question)
    return question[:first] + name + question[last:]
