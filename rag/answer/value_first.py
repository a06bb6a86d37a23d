"""Fact and definition answers: the value that was asked for comes first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.asks import values_of_kind
from rag.answer.layout import quote, sentence
from rag.answer.pieces import Piece
from rag.answer.ranges import position
from rag.answer.rank import Question, Ranked
from rag.answer.terms import coverage

SHORT = 48
"""Characters up to which a sentence shows its value at a glance and stands alone."""
LONGEST_CLAUSE = 42
"""Characters of a clause that may be put in front of its sentence."""

CLEARLY_BETTER = 0.1
"""Lead (in coverage) of the clause that goes first over the next one; chosen by us."""

_CLAUSE = re.compile(r"(?:[^，,；;。：:！？!?]|(?<=\d)[:,](?=\d))+")
_DEFINES = re.compile(r"是指|，?指的是|系指|是一种|是一个|是由|，指|称为|定义为|叫做|即为|，是|是")


def value_first(question: Question, ranked: Sequence[Ranked]) -> str:
    """The sentence with the value; in front of a long one, the clause that holds the value."""
    best = ranked[0].piece
    body = best.body
    spans = values_of_kind(question.asked, body)
    if len(body) <= SHORT or not spans:
        return quote(best)
    clause = _clause_in_range(question, body) or _clause_with_value(question, body, spans)
    if not clause or body.startswith(clause):
        return quote(best)
    return f"{sentence(clause, best.n)}\n\n{quote(best)}"


def definition(question: Question, ranked: Sequence[Ranked]) -> Piece | None:
    """The sentence that says what the term is, or None."""
    candidates: list[tuple[float, Piece]] = []
    for one in ranked[:40]:
        piece = one.piece
        if piece.kind == "row":
            continue
        found = _DEFINES.search(piece.body)
        if not found:
            continue
        subject = piece.body[: found.start()]
        strong = 0.4 if found.group() != "是" else 0.0
        named = coverage(question.terms, subject)
        if named < 0.5:
            continue
        closeness = 0.3 * named - min(0.3, 0.01 * max(0, len(subject) - 12))
        candidates.append((one.score + strong + closeness, piece))
    return max(candidates, key=lambda pair: pair[0])[1] if candidates else None


def _clause_in_range(question: Question, body: str) -> str:
    """The value's clause of the one part whose condition the question's own number meets."""
    parts = [part.strip() for part in re.split(r"[；;。]", body) if part.strip()]
    inside = [part for part in parts if position(question.text, part) == "inside"]
    if len(inside) != 1:
        return ""
    spans = values_of_kind(question.asked, inside[0])
    clauses = [m for m in _CLAUSE.finditer(inside[0]) if any(m.start() <= s for s, _ in spans)]
    last = next(
        (m for m in reversed(clauses) if any(m.start() <= s < m.end() for s, _ in spans)), None
    )
    return last.group().strip() if last and len(last.group()) <= LONGEST_CLAUSE else ""


def _clause_with_value(question: Question, body: str, spans: Sequence[tuple[int, int]]) -> str:
    """The clause whose value stands nearest to the question's words; "" when two fit alike."""
    fits: list[tuple[float, str]] = []
    previous = ""
    for match in _CLAUSE.finditer(body):
        clause = match.group().strip()
        if any(match.start() <= start and end <= match.end() for start, end in spans):
            fit = coverage(question.terms, clause) + 0.4 * coverage(question.terms, previous)
            fits.append((fit, clause))
        previous = clause
    fits.sort(key=lambda pair: -pair[0])
    if not fits or len(fits[0][1]) > LONGEST_CLAUSE:
        return ""
    if len(fits) > 1 and fits[0][0] - fits[1][0] < CLEARLY_BETTER:
        return ""
    return fits[0][1]
