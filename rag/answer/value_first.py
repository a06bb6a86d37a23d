"""Fact and definition answers: the value that was asked for comes first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.asks import values_of_kind
from rag.answer.attribute import attribute_share
from rag.answer.clauses import Run, holds_all, meant, runs, standing_alone
from rag.answer.layout import quote, sentence
from rag.answer.pieces import Piece
from rag.answer.predicate import only_conditions
from rag.answer.ranges import position
from rag.answer.rank import Question, Ranked
from rag.answer.terms import TELLING, coverage, presence

SHORT = 48
"""Characters up to which a sentence shows its value at a glance and stands alone."""
LONGEST_CLAUSE = 60
"""Characters of a clause that may be put in front of its sentence."""

_CLAUSE = re.compile(r"(?:[^，,；;。：:！？!?]|(?<=\d)[:,](?=\d))+")
_AT_LENGTH = re.compile(r"详细|具体(?:点|说|一)")
_DEFINES = re.compile(
    r"是指|，?指的是|系指|是一种|(?<=[A-Za-z0-9_`])\s?为|是一个|是由|，指|称为|定义为|叫做|即为|是，|是"
)


def value_first(question: Question, ranked: Sequence[Ranked]) -> str:
    """The statement with the value, bound to whom and when it holds.

    A statement that says all that is asked stands alone; one that leaves out what its sentence
    said before (退休人员为400元) is followed by the sentence.
    """
    return value_of(question, ranked[0].piece)


def value_of(question: Question, best: Piece) -> str:
    """The statement of one piece that holds the value asked for."""
    body = best.body
    if _AT_LENGTH.search(question.text):
        return quote(best)
    in_range = _clause_in_range(question, body) if len(body) > SHORT else ""
    if in_range:
        return f"{sentence(in_range, best.n)}\n\n{quote(best)}"
    run = meant(question, body)
    if run is None or len(run.text) > LONGEST_CLAUSE:
        return quote(best)
    first = runs(question, body)[0] == run and not re.search("[；;]", body[: run.start])
    if first and (len(body) <= SHORT or len(run.text) >= len(body.rstrip("。；;，,")) - 2):
        return quote(best)
    said = standing_alone(run, body)
    if holds_all(question, said, body):
        return sentence(said, best.n)
    if _says_nothing(question, run, body):
        return quote(best)
    if first and body.startswith(run.text):
        return quote(best)
    return f"{sentence(said, best.n)}\n\n{quote(best)}"


def _says_nothing(question: Question, run: Run, body: str) -> bool:
    """Whether a run holds only a condition, or none of the question's words while another part
    of its sentence (between semicolons) does: no answer without its sentence."""
    if only_conditions(question.asked, question.focus, run.text):
        return True
    begin = max(body.rfind(stop, 0, run.start) for stop in "；;") + 1
    part = body[begin : run.end]
    telling = [term for term in question.terms if term.weight >= TELLING]
    held = [term for term in telling if presence(term.text, body) > 0.5]
    return bool(held) and not any(presence(term.text, part) > 0.5 for term in held)


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
        if question.attribute:
            named = max(named, attribute_share(question.attribute, subject))
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
