"""The same understanding by one LLM call, checked word by word against the local one.

The model proposes the completed question and the intent. Slots are always read from the
question by rules, so that nothing can be filtered for that nobody said. A proposal that
drops what the user named, brings in what nobody named, or drifts to another subject is
overruled; the reason is noted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, get_args

from rag.errors import ZhiwenError
from rag.models.chat import ChatModel
from rag.prompts import load_prompt, render
from rag.text.normalise import normalise
from rag.types import Intent, KnowledgeProfile, Slots, Strategy, Turn, Understanding
from rag.understand.dialogue import asked_back
from rag.understand.gazetteer import gazetteer
from rag.understand.refer import refers
from rag.understand.regions import related, short_name
from rag.understand.slots import extract, quoted_titles

TIMEOUT_S = 20.0
"""Seconds for the call (chosen by us: understanding must not hold up the answer)."""
_TITLES_SHOWN = 30
_TURNS_SHOWN = 8
_TURN_LENGTH = 300
_LONGEST = 400
_KEPT_WORDS = 0.6
"""Share of the typed question's content that the completion must keep (chosen by us)."""
_KNOWN_WORDS = 0.75
"""Share of the completion's content that question and conversation must hold (chosen by us)."""

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
    user = render(
        prompt,
        titles=_titles(profile),
        history=_conversation(history),
        question=question,
        local=local.standalone_question,
    )
    try:
        said = chat.complete_json(prompt.system, user, prompt.schema, timeout_s=TIMEOUT_S)
    except ZhiwenError as error:
        return _noted(local, f"模型未能理解问题（{error.message}），采用本地理解")
    return _checked(said, question, history, profile, local, today or date.today())


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
    if fault := _fault(standalone, question, history, profile, local, today):
        return _noted(local, f"模型的补全“{_short(standalone)}”{fault}，采用本地理解")
    slots, entities = extract(standalone, profile, today)
    intent = _intent(said.get("intent"), local.intent)
    parts = _parts(said.get("sub_questions"), standalone, history, profile, today)
    parts = parts or (local.sub_questions if standalone == local.standalone_question else ())
    missing = local.missing_slots
    if "reference" in missing and not refers(standalone):
        missing = tuple(slot for slot in missing if slot != "reference")
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
            "notes": (*local.notes, *_difference(standalone, local)),
        }
    )


def _fault(
    standalone: str,
    question: str,
    history: Sequence[Turn],
    profile: KnowledgeProfile,
    local: Understanding,
    today: date,
) -> str:
    """What is wrong with the proposed completion, in Chinese; "" when nothing is."""
    spoken = "\n".join([question, local.standalone_question, *_spoken(history)])
    new, _ = extract(standalone, profile, today)
    typed, _ = extract(question, profile, today)
    wanted, _ = extract(local.standalone_question, profile, today)
    known, _ = extract(spoken, profile, today)
    if lost := _lost(typed, wanted, new):
        return f"丢掉了“{lost}”"
    if invented := _invented(new, known):
        return f"加入了没有提到的“{invented}”"
    for title in quoted_titles(standalone):
        if normalise(title) not in normalise(spoken) and not gazetteer(profile).titled(title):
            return f"提到了不存在的《{title}》"
    content = _content(question)
    if not local.rewritten and _share(content, standalone) < _KEPT_WORDS:
        return "改变了问题的意思"
    if local.rewritten and _share(_content(standalone), spoken) < _KNOWN_WORDS:
        return "说了对话里没有的内容"
    if not local.rewritten and _share(_content(standalone), spoken) < _KEPT_WORDS:
        return "说了对话里没有的内容"
    return ""


def _lost(typed: Slots, wanted: Slots, new: Slots) -> str:
    """A value that was typed (and that the local completion kept) but is gone."""
    for region in typed.region:
        kept = any(related(region, other) for other in new.region)
        if region in wanted.region and not kept:
            return short_name(region)
    for time in typed.time:
        if time in wanted.time and not any(_same_time(time, t) for t in new.time):
            return time.text
    for name in ("number", "product", "organisation"):
        for value in getattr(typed, name):
            kept = any(_alike(value, other) for other in getattr(new, name))
            if value in getattr(wanted, name) and not kept:
                return str(value)
    return ""


def _invented(new: Slots, known: Slots) -> str:
    for region in new.region:
        if not any(related(region, other) for other in known.region):
            return short_name(region)
    for time in new.time:
        if not any(_same_time(time, other) for other in known.time):
            return time.text
    for name in ("number", "product"):
        for value in getattr(new, name):
            if not any(_alike(value, other) for other in getattr(known, name)):
                return str(value)
    return ""


def _same_time(a: Any, b: Any) -> bool:
    return (a.start, a.end) == (b.start, b.end)


def _alike(a: str, b: str) -> bool:
    return normalise(a) == normalise(b)


def _content(text: str) -> frozenset[str]:
    from rag.text.tokenise import query_terms

    pairs: set[str] = set()
    for term in query_terms(text):
        pairs.update(term[i : i + 2] for i in range(max(1, len(term) - 1)))
    return frozenset(pairs)


def _share(content: frozenset[str], text: str) -> float:
    simple = normalise(text)
    return sum(pair in simple for pair in content) / len(content) if content else 1.0


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
    spoken = "\n".join([standalone, *_spoken(history)])
    known, _ = extract(spoken, profile, today)
    kept = []
    for part in said[:5]:
        if not isinstance(part, str) or not part.strip() or len(part) > _LONGEST:
            continue
        slots, _ = extract(part, profile, today)
        if not _invented(slots, known) and _share(_content(part), spoken) >= _PART_WORDS:
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


def _spoken(history: Sequence[Turn]) -> list[str]:
    recent = history[-2 * _TURNS_SHOWN :]
    return [turn.content for turn in recent] + [t.standalone for t in recent if t.standalone]


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
