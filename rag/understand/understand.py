"""One turn's understanding by rules: completion, intent, slots, route, strategy (DESIGN §2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from rag.types import Entity, Intent, KnowledgeProfile, Route, Slots, Strategy, Turn, Understanding
from rag.understand.complete import complete
from rag.understand.intent import classify
from rag.understand.parts import parts
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
    slots, entities = Slots(), tuple[Entity, ...]()
    if route == "knowledge":
        slots, entities = extract(completion.standalone, profile, today)
    found = parts(completion.standalone, intent, slots, profile) if route == "knowledge" else ()
    return Understanding(
        question=question,
        standalone_question=completion.standalone,
        intent=intent,
        entities=entities,
        slots=slots,
        missing_slots=("reference",) if completion.unresolved and route == "knowledge" else (),
        route=route,
        strategy=_strategy(route, completion.changed, found, slots),
        sub_questions=found,
        confidence=confidence,
        notes=(completion.reason,) if completion.reason else (),
    )


def _route(intent: Intent) -> Route:
    if intent == "chitchat":
        return "chitchat"
    return "conversation" if intent == "meta" else "knowledge"


def _strategy(route: Route, changed: bool, parts_found: tuple[str, ...], slots: Slots) -> Strategy:
    if route != "knowledge":
        return "no_retrieval"
    if parts_found:
        return "decompose"
    if slots.region or slots.time:
        return "metadata_filter"
    return "rewrite" if changed else "direct"
