"""One turn's understanding by rules: completion, intent, slots, route, strategy (DESIGN §2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from rag.text.normalise import is_han
from rag.types import Entity, Intent, KnowledgeProfile, Route, Slots, Strategy, Turn, Understanding
from rag.understand.another import Completion
from rag.understand.complete import complete
from rag.understand.for_each import for_each
from rag.understand.held import held
from rag.understand.homophones import Counts, repaired
from rag.understand.intent import classify
from rag.understand.learned import Fill
from rag.understand.model_numbers import in_number, zero_filled
from rag.understand.parts import parts
from rag.understand.phrases import topic
from rag.understand.slots import extract
from rag.understand.spelling import named_plainly, spelled


def understand(
    question: str,
    history: Sequence[Turn],
    profile: KnowledgeProfile | None,
    today: date,
    counts: Counts | None = None,
    corrected: str | None = None,
    fill: Fill | None = None,
) -> Understanding:
    """What `question` means after `history`; everything but ambiguity (see `judge`).

    Args:
        question: as typed; any length, any characters.
        history: the turns before it, oldest first, without the question itself.
        profile: what the selected knowledge bases are about; None without any.
        today: the day of asking.
        counts: how many passages hold a pair of characters, for words typed with a wrong
            character of the same sound; None leaves them.
        corrected: the completed question as the user put it right: nothing is added to it, and
            no word of it is changed.
        fill: the completion model; None leaves completion to the rules.
    """
    if corrected is None:
        numbered = in_number(question, profile, counts)
        known = counts is not None and _names_known(numbered, counts)
        completion = complete(numbered, history, profile, None if known else fill)
        if numbered != question:
            completion = replace(completion, changed=True)
        standalone = zero_filled(spelled(completion.standalone, profile), counts)
        placed = named_plainly(standalone, profile)
        if placed != standalone:
            completion, standalone = replace(completion, standalone=placed, changed=True), placed
        as_typed = standalone == completion.standalone and numbered == question
        respelled = "" if as_typed else "型号按文件里的写法"
    else:
        completion, standalone, respelled = _as_corrected(question, corrected), corrected, ""
    intent, confidence = classify(standalone, history if corrected is None else ())
    route = _route(intent)
    heard = ""
    if counts is not None and corrected is None and route == "knowledge":
        as_written = repaired(standalone, counts)
        heard = "按文件里的字理解" if as_written != standalone else ""
        standalone = as_written
    slots, entities = Slots(), tuple[Entity, ...]()
    if route == "knowledge":
        slots, entities = extract(standalone, profile, today)
    found: tuple[str, ...] = ()
    if route == "knowledge":
        found = parts(standalone, intent, slots, profile)
        if not found:
            found, slots = for_each(standalone, slots, profile)
    kept = Slots()
    if route == "knowledge" and corrected is None and not found and intent != "comparison":
        kept = held(standalone, slots, history, profile, today)
    return Understanding(
        question=question,
        standalone_question=standalone,
        intent=intent,
        entities=entities,
        slots=slots,
        held=kept,
        missing_slots=("reference",) if completion.unresolved and route == "knowledge" else (),
        route=route,
        strategy=_strategy(route, completion.changed or bool(heard), found, slots),
        sub_questions=found,
        confidence=confidence,
        source="rules" if corrected is None else "user",
        notes=tuple(note for note in (completion.reason, respelled, heard) if note),
    )


def _names_known(question: str, counts: Counts) -> bool:
    """Whether the question names a thing of its own that documents write (试用期多长)."""
    about = topic(question)
    if len(about) < _NAME_FROM or not all(map(is_han, about)):
        return False
    pairs = [about[at : at + 2] for at in range(len(about) - 1)]
    held = counts(pairs)
    return all(held.get(pair) for pair in pairs)


_NAME_FROM = 3
"""Letters from which a name is one thing, not a property of many; chosen by us."""


def _as_corrected(question: str, corrected: str) -> Completion:
    as_typed = corrected == " ".join(question.split())
    return Completion(
        corrected,
        changed=not as_typed,
        topic="",
        reason="按您的原话，未作补全" if as_typed else "由您改写，未作补全",
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
