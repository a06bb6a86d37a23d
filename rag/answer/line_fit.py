"""How well each line of the evidence answers the question, as a small model reads both.

Words alone take the wrong one of two lines that say the same words (多久到账 and 多久内提交), and
miss the one that says it in others. The line reader, a cross-encoder trained on questions as
people type them (`benchmarks/train_line_reader.py`), sees question and line together.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest

from rag.answer.pieces import Piece, about, pieces
from rag.answer.rank import rank, read_question
from rag.errors import ModelError
from rag.retrieve.excerpt import excerpt, title_line
from rag.retrieve.rerank import PairScorer
from rag.text.normalise import normalise
from rag.types import Evidence

MOST_LINES = 32
"""Lines read for a question, those with most of its words: about 100 ms on two cores."""
BEFORE_LETTERS = 40
"""Letters of the sentences before a line that are read with it; chosen by us."""
BEHIND_SHARE = 0.8
"""What the reading of a follow-up as it was typed, behind the question before it, counts beside
that of the completed one. Of 445 follow-ups (`benchmarks/workplace`, fit and test) .55 are
answered rightly with .5, .59 with .85, .60 with 1; but a return to an earlier matter needs the
completed one."""
_LOG = logging.getLogger(__name__)


class LineReader:
    """Thread-safe. Once the model fails, lines are no longer read.

    Args:
        model: returns the model; called at the first use.
    """

    def __init__(self, model: Callable[[], PairScorer]) -> None:
        self._model = model
        self._failed = False

    def read(
        self, question: str, evidence: Sequence[Evidence], said: str = ""
    ) -> tuple[Evidence, ...]:
        """The evidence with `fits`; as it was when the model cannot be used.

        Args:
            question: completed.
            said: the same as it was typed, behind the question before it
                (`rag.understand.carried.in_context`): what the completed one lacks may stand
                there.
        """
        if self._failed or not evidence:
            return tuple(evidence)
        own = {item.n: pieces(item) for item in evidence}
        by_n = {item.n: item for item in evidence}
        text_of = {
            (n, piece.start, piece.end): line_text(question, piece, by_n[n])
            for n, found in own.items()
            for piece in found
        }
        orders = [rank(read_question(text), evidence) for text in (question, said) if text]
        places = [
            (one.piece.n, one.piece.start, one.piece.end)
            for several in zip_longest(*orders)
            for one in filter(None, several)
        ]
        texts = list(dict.fromkeys(text_of[place] for place in places))[:MOST_LINES]
        try:
            alone = both = self._model().score(normalise(question), texts)
            if said:
                behind = self._model().score(said, texts)
                both = BEHIND_SHARE * behind + (1 - BEHIND_SHARE) * alone
        except ModelError as error:
            _LOG.warning("lines are no longer read: %s", error)
            self._failed = True
            return tuple(evidence)

        def fits(n: int, logits: Iterable[float]) -> tuple[float, ...]:
            known = dict(zip(texts, map(_chance, logits), strict=True))
            return tuple(known.get(text_of[n, one.start, one.end], -1.0) for one in own[n])

        return tuple(
            item.model_copy(
                update={
                    "fits": fits(item.n, both),
                    "fits_alone": fits(item.n, alone) if said else (),
                }
            )
            for item in evidence
        )


def line_text(question: str, piece: Piece, evidence: Evidence) -> str:
    """What the model reads of a line: the title path, then what leads to the line, and the line;
    a row says its columns, and the fields of a record stand together, so that they fit alike."""
    led = piece.about.removeprefix(about(evidence.chunk))
    if piece.cells:
        led = led.replace(" ".join(piece.header), "")
        line = ";".join(
            f"{head}:{cell}" if head else cell
            for head, cell in zip(piece.header, piece.cells, strict=False)
            if cell
        )
    elif piece.group >= 0 and piece.body in led:
        line = ""
    else:
        line = f"{piece.before[-BEFORE_LETTERS:]}{piece.body}"
    return f"{title_line(evidence.chunk)}\n{excerpt(question, normalise(f'{led} {line}'.strip()))}"


def _chance(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, float(logit)))))
