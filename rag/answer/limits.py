"""Who decides on an amount, where columns of a table hold the limits of each (2000元以下)."""

from __future__ import annotations

from rag.answer.layout import sentence
from rag.answer.pieces import Piece
from rag.answer.ranges import position
from rag.answer.rank import Question
from rag.answer.statement import asks_approver

LEAST_LIMITS = 2
"""Columns with limits that make a row one of approvals; chosen by us."""


def decider(question: Question, row: Piece) -> str:
    """The first column of the row whose limit holds the question's amount, with that limit; ""
    where none is asked for or the row has no such columns."""
    if not asks_approver(question.focus):
        return ""
    columns = list(zip(row.header, row.cells, strict=False))[1:]
    places = [(column, cell, position(question.text, cell)) for column, cell in columns]
    if sum(place != "unknown" for _, _, place in places) < LEAST_LIMITS:
        return ""
    inside = [(column, cell) for column, cell, place in places if place == "inside"]
    if not inside:
        return ""
    return sentence(f"{row.cells[0]}，{inside[0][0]}：{inside[0][1]}", row.n)
