"""Whether a record of a FAQ asks what the user asks: the surest evidence that prose can give."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.asks import Asked, answers_kind
from rag.answer.faq import faq_question
from rag.answer.rank import Question, read_question
from rag.answer.terms import TELLING, content_terms, coverage, presence
from rag.types import Evidence

LOOKED_AT = 3
"""Passages among which such a record is looked for; chosen by us."""
MINE, THEIRS = 0.85, 0.5
"""Shares of the words of the question that the record's question holds, and the other way
round: a record may ask two things at once (开放时间和价格). Chosen by us."""
_ANYTHING = ("text", "yes_no", "steps")
_MONEY = Asked(wanted="value", kinds=frozenset({"money"}))
_ASKS_MONEY = re.compile("(?:要|收|花|交)钱|收费|免费")
_TWO = re.compile("[和及与、，,]")
"""A record that asks two things at once."""


def same_question(question: Question, evidence: Sequence[Evidence]) -> float:
    """How surely one of the best passages is a record whose question is this one in other words:
    1, 0.5 where it asks another thing of the same but its answer holds what is asked, else 0.

    Each telling word of the user must stand in the record's question, and where a kind of
    value is asked for (an amount, a time) its answer must hold one.
    """
    return max((_same(question, item) for item in evidence[:LOOKED_AT]), default=0.0)


def _same(question: Question, item: Evidence) -> float:
    other, mine = faq_question(item), content_terms(question.text)
    if not other or not mine:
        return 0.0
    telling = [term for term in mine if not term.soft and term.weight >= TELLING]
    if any(not presence(term.text, other) for term in telling):
        return 0.0
    mine = tuple(term for term in mine if term.weight >= TELLING) or mine
    if coverage(mine, other) < MINE or coverage(content_terms(other), question.text) < THEIRS:
        return 0.0
    wanted = _MONEY if _ASKS_MONEY.search(question.text) else question.asked
    if wanted.wanted not in _ANYTHING and not answers_kind(wanted, item.text):
        return 0.0
    theirs = read_question(other).asked
    if theirs.wanted == wanted.wanted and wanted.kinds <= theirs.kinds:
        return 1.0
    if wanted.wanted not in _ANYTHING:
        return 1.0 if _TWO.search(other) else 0.5
    open_ended = theirs.wanted in _ANYTHING and "yes_no" not in (theirs.wanted, wanted.wanted)
    return 1.0 if open_ended else 0.5
