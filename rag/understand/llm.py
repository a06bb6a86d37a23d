"""The same understanding by one LLM call, checked word by word against the local one.

The model proposes the completed question and the intent. Slots are always read from the
question by rules, so that nothing can be filtered for that nobody said. A proposal that
drops what the user named, brings in what nobody named, or drifts to another subject is
overruled; the reason is noted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, get_args

from rag.errors import ZhiwenError
from rag.models.chat import ChatModel
from rag.prompts import load_prompt, render
from rag.types import Intent, KnowledgeProfile, Slots, Strategy, Turn, Understanding
from rag.understand.dialogue import asked_back
from rag.understand.expand import is_vague
from rag.understand.llm_check import content, fault, invented, share, spoken_before
from rag.understand.refer import refers
from rag.understand.regions import region_paths, related
from rag.understand.slots import extract

TIMEOUT_S = 20.0
"""Seconds for the call (chosen by us: understanding must not hold up the answer)."""
_TITLES_SHOWN = 30
_TURNS_SHOWN = 8
_TURN_LENGTH = 300
_LONGEST = 400
_LONGEST_PASSAGE = 300
"""Characters of an imagined answer: a passage of usual length (chosen by us)."""
_PART_WORDS = 0.5
"""The same for a sub-question, which may ask in words of its own (chosen by us)."""


def understand_with_llm(
    question: str,
    history: Sequence[Turn],
    profile: KnowledgeProfile,
    chat: ChatModel,
    local: Understanding,
    *,
    today: date | None = None,
    prompts: Mapping[str, str] | None = None,
) -> Understanding:
    """Ask the model once; `local` stands where it fails or contradicts the words.

    Args:
        question: as typed.
        history: the turns before.
        profile: titles shown to the model, and the gazetteer for slots.
        chat: the chat model; any failure of it leaves `local`, with a note.
        local: what the rules made of the question.
        today: for relative times; the current day by default.
        prompts: administrators' texts by name (see `rag.prompts`).
    """
    prompt = load_prompt("understand", prompts)
    system, schema = prompt.system, prompt.schema
    user = render(
        prompt,
        titles=_titles(profile),
        history=_conversation(history),
        question=question,
        local=local.standalone_question,
    )
    if is_vague(local, profile):
        more = load_prompt("hyde", prompts)
        system, user = f"{system.rstrip()}\n{more.system}", user + render(more)
        schema = _joined(schema, more.schema)
    try:
        said = chat.complete_json(system, user, schema, timeout_s=TIMEOUT_S)
    except ZhiwenError as error:
        return _noted(local, f"模型未能理解问题（{error.message}），采用本地理解")
    return _checked(said, question, history, profile, local, today or date.today())


def _joined(schema: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """One schema with the properties of both; those of the second may be left out."""
    properties = {**schema.get("properties", {}), **more.get("properties", {})}
    return {**schema, "properties": properties}


def _checked(
    said: Mapping[str, Any],
    question: str,
    history: Sequence[Turn],
    profile: KnowledgeProfile,
    local: Understanding,
    today: date,
) -> Understanding:
    proposed = said.get("standalone_question")
    standalone = " ".join(proposed.split()) if isinstance(proposed, str) else ""
    if not standalone or len(standalone) > max(_LONGEST, 2 * len(question)):
        return _noted(local, "模型没有给出补全的问题，采用本地理解")
    if wrong := fault(standalone, question, history, profile, local, today):
        return _noted(local, f"模型的补全“{_short(standalone)}”{wrong}，采用本地理解")
    slots, entities = extract(standalone, profile, today)
    intent = _intent(said.get("intent"), local.intent)
    parts = _parts(said.get("sub_questions"), standalone, history, profile, today)
    parts = parts or (local.sub_questions if standalone == local.standalone_question else ())
    missing = local.missing_slots
    if "reference" in missing and not refers(standalone):
        missing = tuple(slot for slot in missing if slot != "reference")
    passage, notes = _passage(said.get("passage"), is_vague(local, profile), slots)
    return local.model_copy(
        update={
            "standalone_question": standalone,
            "intent": intent,
            "slots": slots,
            "entities": entities,
            "missing_slots": missing,
            "sub_questions": parts,
            "strategy": _strategy(parts, slots, standalone != question.strip()),
            "source": "llm",
            "confidence": 0.9 if standalone == local.standalone_question else 0.8,
            "passage": passage,
            "notes": (*local.notes, *_difference(standalone, local), *notes),
        }
    )


def _passage(said: Any, wanted: bool, slots: Slots) -> tuple[str, tuple[str, ...]]:
    """The imagined answer where one was asked for, and why it was left out.

    One that speaks of another region or of a year that the question doesn't name would lead
    the search astray.
    """
    if not isinstance(said, str) or not said.strip() or not wanted:
        return "", ()
    text = " ".join(said.split())[:_LONGEST_PASSAGE]
    if any(
        not any(related(region, asked) for asked in slots.region) for region in region_paths(text)
    ):
        return "", ("模型设想的答案说到别的地区，未采用",)
    years = {time.start.year for time in slots.time if time.start}
    named = {int(year) for year in re.findall(r"(?<!\d)((?:19|20)\d{2})(?=年)", text)}
    if named - years:
        return "", ("模型设想的答案说到别的年份，未采用",)
    return text, ()


def _intent(said: Any, local: Intent) -> Intent:
    """The model's intent where it is one of ours and doesn't switch retrieval off."""
    if said in get_args(Intent) and said not in ("chitchat", "meta", "out_of_scope"):
        return said
    return local


def _parts(
    said: Any, standalone: str, history: Sequence[Turn], profile: KnowledgeProfile, today: date
) -> tuple[str, ...]:
    """The sub-questions that bring in no value of their own; at most five."""
    if not isinstance(said, list):
        return ()
    spoken = "\n".join([standalone, *spoken_before(history)])
    known, _ = extract(spoken, profile, today)
    kept = []
    for part in said[:5]:
        if not isinstance(part, str) or not part.strip() or len(part) > _LONGEST:
            continue
        slots, _ = extract(part, profile, today)
        if not invented(slots, known) and share(content(part), spoken) >= _PART_WORDS:
            kept.append(part.strip())
    return tuple(kept) if len(kept) > 1 else ()


def _strategy(parts: tuple[str, ...], slots: Slots, changed: bool) -> Strategy:
    if parts:
        return "decompose"
    if slots.region or slots.time:
        return "metadata_filter"
    return "rewrite" if changed else "direct"


def _difference(standalone: str, local: Understanding) -> tuple[str, ...]:
    if standalone == local.standalone_question:
        return ()
    return (f"由模型补全；本地理解为“{_short(local.standalone_question)}”",)


def _noted(local: Understanding, note: str) -> Understanding:
    return local.model_copy(update={"notes": (*local.notes, note)})


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _conversation(history: Sequence[Turn]) -> str:
    lines = []
    for turn in history[-_TURNS_SHOWN:]:
        if not turn.content.strip():
            continue
        speaker = "用户" if turn.role == "user" else "助手（反问）" if asked_back(turn) else "助手"
        text = " ".join(turn.content.split())
        lines.append(f"{speaker}：{text[:_TURN_LENGTH]}")
    return "\n".join(lines) or "（无）"


def _titles(profile: KnowledgeProfile) -> str:
    titles = [d.title or d.name for d in profile.documents]
    return "\n".join(f"- {title[:60]}" for title in titles[:_TITLES_SHOWN]) or "（无）"
