"""A follow-up that is understood only behind the question before it (保几年 after U50多少钱).

The line reader reads what was typed behind the last question as well as alone. Where only that
finds a line that answers, people are told so, and the next question has both before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.answer.pieces import Piece, pieces
from rag.retrieve.search import Retriever
from rag.turn_state import TurnState
from rag.types import Evidence, Understanding
from rag.understand.carried import BEHIND, question_before

FITS_FROM, BETTER_BY = 0.5, 0.2
"""Fit of the best line (`Piece.fit`) with the question before, and how much worse the best one
may be without it; chosen by us."""


def best_line(evidence: Sequence[Evidence]) -> tuple[tuple[Evidence, Piece] | None, float]:
    """The line that fits the question best, with its fit 0..1; None and 0 where none was read."""
    read = [
        (fit, item, piece)
        for item in evidence
        if item.fits
        for fit, piece in zip(item.fits, pieces(item), strict=False)
    ]
    if not read:
        return None, 0.0
    fit, item, piece = max(read, key=lambda one: one[0])
    return (item, piece), max(fit, 0.0)


def meant_behind(
    turn: TurnState,
    meaning: Understanding,
    evidence: Sequence[Evidence],
    retriever: Retriever,
) -> Understanding | None:
    """What is meant, the question before it included, where it is needed; None otherwise.

    Args:
        evidence: read behind the question before.
        retriever: reads it for what was typed alone.
    """
    before = question_before(meaning, turn.input.context)
    read = retriever.read_lines
    if not before or meaning.rewritten or read is None:
        return None
    _, fit = best_line(evidence)
    alone = read(meaning.standalone_question, evidence, "")
    if fit < FITS_FROM or best_line(alone)[1] > fit - BETTER_BY:
        return None
    first = before.split(BEHIND)[0]
    return meaning.model_copy(
        update={
            "standalone_question": f"{first}{BEHIND}{meaning.question}",
            "notes": (*meaning.notes, f"连同上一问“{before}”理解"),
        }
    )
