"""A follow-up that is understood behind the question before it (保几年 after U50多少钱).

The line reader reads what was typed behind the last question, beside the completed question
alone. Where only the first finds a line that answers, the completion has added nothing or gone
wrong: the typed words are read, and people are told with which question they were understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.answer.pieces import Piece, pieces
from rag.text.tokenise import codes
from rag.turn_state import TurnState
from rag.types import Evidence, Understanding
from rag.understand.carried import BEHIND, question_before
from rag.understand.substitute import kind_of

FITS_FROM, BETTER_BY = 0.5, 0.2
"""Fit of the best line (`Piece.fit`) from which the question before is said to be meant, too, and
how much worse the best one is without it; chosen by us."""
COMPLETED_FROM = 0.3
"""Fit for the completed question alone from which the completion is kept; chosen by us."""
WHOLE_FROM = 7
"""Letters from which a follow-up may say by itself what it is about; chosen by us."""
_BARE = re.compile("(?:那|那么|要是|如果|还有)?.{1,6}?(?:呢|的呢|的话)[?？]*")
"""那杭州呢: without the question before it nothing is asked at all."""

_LEAD = re.compile("^(?:那么?|还有|要是|如果|换成|改成|我们?(?:现在|今年|刚)?(?:是|升到?|属于)?)")
_GAP = re.compile("[，,、 ]+")
_VALUES = ("region", "time", "code", "person", "measure")
"""那上海呢，硕士: values alone ask nothing without the question before."""


class Taken(NamedTuple):
    """How a follow-up is taken: what is read, and what people are shown where that differs."""

    read: Understanding
    meant: Understanding | None = None


def best_line(
    evidence: Sequence[Evidence], *, alone: bool = False
) -> tuple[tuple[Evidence, Piece] | None, float]:
    """The line that fits the question best, with its fit 0..1; None and 0 where none was read.

    Args:
        alone: the completed question alone, where it was read behind another one, too.
    """
    read = [
        (fit, item, piece)
        for item in evidence
        for fit, piece in zip(
            item.fits_alone if alone else item.fits, pieces(item) if item.fits else (), strict=False
        )
    ]
    if not read:
        return None, 0.0
    fit, item, piece = max(read, key=lambda one: one[0])
    return (item, piece), max(fit, 0.0)


def taken(turn: TurnState, meaning: Understanding, evidence: Sequence[Evidence]) -> Taken:
    """How a question is taken, by how well its lines fit.

    Dropping a completion that fits no line neither gains nor loses right answers (253 follow-ups
    of `benchmarks/workplace`, fit and test: .50 either way); it keeps what went wrong out of
    sight and out of the next questions.

    Args:
        evidence: read behind the question before.
    """
    before = question_before(meaning, turn.input.context)
    if not before or meaning.sub_questions or not any(item.fits_alone for item in evidence):
        return Taken(meaning)
    fit, alone = best_line(evidence)[1], best_line(evidence, alone=True)[1]
    if (alone >= COMPLETED_FROM or _needs_more(meaning)) if meaning.rewritten else fit <= alone:
        return Taken(meaning)
    read = meaning.model_copy(update={"standalone_question": meaning.question, "notes": ()})
    if fit < FITS_FROM or alone > fit - BETTER_BY:
        return Taken(read)
    return Taken(
        read,
        read.model_copy(
            update={
                "standalone_question": f"{before.split(BEHIND)[0]}{BEHIND}{meaning.question}",
                "notes": (f"连同上一问“{before}”理解",),
            }
        ),
    )


def _needs_more(meaning: Understanding) -> bool:
    """Whether nothing is asked without what was added: values alone, few words, or the code
    they stand for, which the reader does not know."""
    typed = meaning.question.strip()
    own = set(codes(typed))
    if set(codes(meaning.standalone_question)) - own:
        return True
    values = [_LEAD.sub("", part).removesuffix("呢") for part in _GAP.split(typed.rstrip("？?。 "))]
    if all(kind_of(value) in _VALUES for value in values if value):
        return True
    return bool(_BARE.fullmatch(typed)) or (not own and len(typed) < WHOLE_FROM)
