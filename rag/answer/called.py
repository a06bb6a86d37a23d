"""The rows of a table whose names a question gives, whole, in part or inside a range."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.pieces import Piece
from rag.answer.ranges import in_named_range
from rag.answer.rank import Question
from rag.text.normalise import normalise
from rag.text.similar import longest_common_substring


def called(question: Question, rows: Sequence[Piece]) -> list[Piece]:
    """The rows whose names the question gives, but not as a part of another one's name; else
    those of which it gives a part that no other row has (本科 of 本科毕业生 in 本科生)."""
    asked = _joined(question.text)
    names = {_joined(row.cells[0]) for row in rows}
    given = {name for name in names if len(name) > 1 and name in asked}
    given |= {_joined(r.cells[0]) for r in rows if in_named_range(question.text, r.cells[0])}
    fullest = {name for name in given if not any(name != o and name in o for o in given)}
    if not fullest:
        shared = {name: longest_common_substring(name, asked) for name in names}
        fullest = {
            name
            for name, run in shared.items()
            if len(run) > 1
            and name.startswith(run)
            and not any(run in other for other in names if other != name)
        }
    return [row for row in rows if _joined(row.cells[0]) in fullest]


def _joined(text: str) -> str:
    """A name without the marks inside it: wifi of Wi-Fi."""
    return re.sub(r"(?<=[a-z])[-\s](?=[a-z])", "", normalise(text))
