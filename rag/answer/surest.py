"""What the line reader adds to an answer: the line that it is sure of, and the second one.

Rules for lists, steps, columns and records look for a form, and may find one beside the point.
Where two lines fit about alike, who is not sure shows both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.fits import odds
from rag.answer.layout import bullets, paragraph, shown_table
from rag.answer.pieces import Piece
from rag.answer.rank import Ranked, rank, read_question
from rag.answer.things import compares
from rag.text.normalise import normalise
from rag.types import Evidence, Understanding

SURE_FIT = 0.5
"""Fit from which a line stands against an answer that quotes nothing of it; chosen by us on
questions of our own about documents that the line reader has not seen."""
NEXT = 3
"""Places of the ranking in which a second line may stand."""
NEAR, NEXT_FROM = 0.4, -0.15
"""How far below the best line's log odds (`rag.answer.fits`) a second one may stay, and the
least it must have; chosen by us on the same questions."""
ALSO = "另见："
_SHORTEST = 4
"""Letters of a clause that count as a quotation."""
_STEP = re.compile(r"^\s*\d+\.\s", re.M)
_CLAUSE = re.compile(r"[，。；：！？,;:!?|\n]")


def surest_line(understanding: Understanding, evidence: Sequence[Evidence], answer: str) -> str:
    """The best line as an answer where the reader is sure of it and `answer` quotes nothing of
    it; "" otherwise, and for comparisons, summaries and questions of several parts."""
    ranked = _ranked(understanding, evidence)
    if not ranked or (ranked[0].piece.fit or 0.0) < SURE_FIT or _quoted(ranked[0].piece, answer):
        return ""
    if understanding.intent == "procedure" and len(_STEP.findall(answer)) > 1:
        return ""  # several steps answer together
    best = ranked[0].piece
    return shown_table([best]) if best.kind == "row" else paragraph([best])


def second_line(understanding: Understanding, evidence: Sequence[Evidence], answer: str) -> str:
    """A line that fits about as well as the best one and is not quoted yet, to stand below an
    answer that is given with a caution; "" where there is none."""
    ranked = _ranked(understanding, evidence)
    if len(ranked) < 2 or ranked[0].piece.fit is None:
        return ""
    best = ranked[0].piece
    for one in ranked[1:NEXT]:
        near = odds(one.piece.fit) >= max(odds(best.fit) - NEAR, NEXT_FROM)
        if near and one.piece.kind != "lead" and not _quoted(one.piece, answer):
            if one.piece.kind == "row":
                return f"{ALSO}\n\n{shown_table([one.piece])}"
            return bullets(ALSO, [one.piece])
    return ""


def _ranked(understanding: Understanding, evidence: Sequence[Evidence]) -> list[Ranked]:
    """The lines, best first; none for questions that several lines answer together."""
    if understanding.sub_questions or understanding.intent == "summary" or compares(understanding):
        return []
    return rank(read_question(understanding.standalone_question), evidence)


def _quoted(piece: Piece, answer: str) -> bool:
    """Whether the answer gives a clause or a cell of the piece."""
    parts = piece.cells or [p for p in _CLAUSE.split(piece.body) if len(p.strip()) >= _SHORTEST]
    said = _bare(answer)
    return any(_bare(part) in said for part in parts or [piece.body] if part.strip())


def _bare(text: str) -> str:
    return re.sub(r"[\\\s*_`]+", "", normalise(text))
