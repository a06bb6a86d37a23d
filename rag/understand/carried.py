"""The last question, and the evidence of its answer that a continued topic takes along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rag.text.normalise import normalise
from rag.text.similar import char_ngrams
from rag.types import Turn, Understanding
from rag.understand.regions import region_paths
from rag.understand.slots import codes, quoted_titles
from rag.understand.times import find_times

MOST_CARRIED = 5
"""Passages taken along: as many as an answer usually cites (chosen by us)."""
_SAME_TOPIC = 0.35
"""Share of the last question's pairs of letters that the next one must hold (chosen by us)."""

BEHIND = "；"
"""Between a question and what was typed behind it, where the two are understood together."""
LOOKED_BACK = 2
"""Questions back to the last one that was dealt with: a refused one has changed no topic."""
_DEALT_WITH = ("answered", "hedged", "clarify", None)


class Earlier(NamedTuple):
    """The last question that was dealt with, in full, and the ids of what was cited for it."""

    question: str
    evidence: tuple[str, ...]


def earlier(history: Sequence[Turn]) -> Earlier | None:
    """The question that the conversation was about last; None without one that was dealt with."""
    back = 0
    for asked, answered in zip(reversed(history[:-1]), reversed(history[1:]), strict=True):
        if (asked.role, answered.role) != ("user", "assistant") or answered.status == "chitchat":
            continue
        back += 1
        if answered.status in _DEALT_WITH:
            return Earlier(asked.standalone or asked.content, answered.evidence)
        if back == LOOKED_BACK:
            break
    return None


def question_before(meaning: Understanding, history: Sequence[Turn]) -> str:
    """The last question, completed, answered or not, where what was typed may be meant behind
    it; "" where a person or a model has completed this one, and for the reply to a question
    back."""
    if meaning.source != "rules" or (history and history[-1].status == "clarify"):
        return ""
    for asked, answered in zip(reversed(history[:-1]), reversed(history[1:]), strict=True):
        if (asked.role, answered.role) == ("user", "assistant") and answered.status != "chitchat":
            return asked.standalone or asked.content
    return ""


def in_context(question: str, before: str) -> str:
    """A question as the model reads it behind another one: what was typed, then what was asked
    before, normalised; "" where nothing was.

    Args:
        question: as typed.
        before: the last question, completed.
    """
    return normalise(f"{question}|{before}") if before else ""


def carried_evidence(meaning: Understanding, history: Sequence[Turn]) -> tuple[str, ...]:
    """Chunk ids that the last answer cited, where this question continues its topic.

    A question with another region, year, product or title asks about other documents: what
    was cited for the last one would only mislead.
    """
    if meaning.route != "knowledge" or len(history) < 2:
        return ()
    asked, answered = history[-2], history[-1]
    if (asked.role, answered.role) != ("user", "assistant") or not answered.evidence:
        return ()
    before, now = asked.standalone or asked.content, meaning.standalone_question
    if any(value not in _values(before) for value in _values(now)):
        return ()
    pairs = char_ngrams(normalise(before), 2)
    shared = sum(pair in normalise(now) for pair in pairs)
    if not pairs or shared / len(pairs) < _SAME_TOPIC:
        return ()
    return answered.evidence[:MOST_CARRIED]


def _values(question: str) -> list[str]:
    """What a question pins down: regions, times as written, codes, titles."""
    from datetime import date

    text = normalise(question)
    times = [time.text for time in find_times(text, date(2000, 1, 1))]
    titles = [normalise(title) for title in quoted_titles(question)]
    named = [code.lower() for code in codes(question)]
    return [*region_paths(text), *times, *named, *titles]
