"""Answers that take two places: a row names a thing by its code, a record has its price.

"故障E3要换的水泵多少钱": the row of E3 says 更换水泵QX-11, the price list has a record QX-11.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.answer.asks import answers_kind, key_answers
from rag.answer.fields import holds_kind
from rag.answer.layout import row_words, sentence
from rag.answer.pieces import Piece
from rag.answer.rank import Question
from rag.answer.rows import Cell, Row, tables
from rag.answer.terms import coverage
from rag.text.normalise import normalise
from rag.text.tokenise import codes
from rag.types import Evidence

FEW_KINDS = 3
"""Kinds of value up to which a question asks for something particular."""
LEAST_SHARED = 0.3
"""Share of the question that the clause with the code must hold; chosen by us."""


def bridged(question: Question, best: Piece, evidence: Sequence[Evidence]) -> str:
    """The value of the thing that the best piece names by a code, and that piece; "" where the
    piece itself holds what is asked for, names no such thing, or several that have a value."""
    asked = question.asked
    if not 0 < len(asked.kinds) <= FEW_KINDS or holds_kind(asked, best, question.text):
        return ""
    given = set(codes(question.text))
    if not given & set(codes(best.body)):
        return ""
    others = [code for code in codes(best.body) if code not in given]
    found: dict[str, tuple[Row, Cell]] = {}
    for rows in tables(evidence):
        for row in rows:
            code = normalise(row.cells[0].value)
            cell = _asked(question, row) if code in others else None
            if cell:
                found.setdefault(code, (row, cell))
    if len(found) != 1:
        return ""
    row, cell = next(iter(found.values()))
    name = "，".join(c.value for c in row.cells[:2] if c is not cell)
    text = sentence(f"{name}，{cell.column}：{cell.value}", row.n)
    where = row_words(best) if best.cells else best.body
    return f"{text}\n\n{sentence(where, best.n)}"


def _asked(question: Question, row: Row) -> Cell | None:
    fitting = [
        cell
        for cell in row.cells[1:]
        if key_answers(question.asked, cell.column)
        and (answers_kind(question.asked, cell.value) or any(c.isdigit() for c in cell.value))
    ]
    named = [cell for cell in fitting if coverage(question.terms, cell.column) >= LEAST_SHARED]
    chosen = named or fitting
    return chosen[0] if len(chosen) == 1 else None
