"""Answers from records of `key：value` fields: the fields asked for, or the whole record."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.layout import quote, sentence
from rag.answer.pieces import Piece, pieces
from rag.answer.rank import Question, Ranked, holds_kind, key_fit
from rag.types import Evidence

ASKED_FOR = 0.5
"""Fit (0..1, `key_fit`) from which a field is what was asked for; chosen by us."""
_ASKS_DOCUMENT = re.compile(
    r"(?:什么|哪个|哪份|哪部|哪一[个份部])(?:文件|办法|规定|法规|通知|制度)"
)
MOST_FIELDS = 12
"""Fields of a record that is shown whole."""


def from_record(question: Question, ranked: Sequence[Ranked], evidence: Sequence[Evidence]) -> str:
    """The fields of the best pair's record that answer the question."""
    best = ranked[0].piece
    if _ASKS_DOCUMENT.search(question.text) and best.title:
        return sentence(
            f"《{best.title.strip('《》')}》（{best.body.rstrip('；;，,。 ')}）", best.n
        )
    members = [best]
    for item in evidence:
        if item.n == best.n and best.group >= 0:
            members = [piece for piece in pieces(item) if piece.group == best.group]
    if len(members) == 1:
        return quote(best)
    fits = [(key_fit(question, piece.key), piece) for piece in members]
    chosen = [piece for fit, piece in fits if fit >= ASKED_FOR and not _given(question, piece)]
    named = [piece for fit, piece in fits if fit == 1.0 and not _given(question, piece)]
    kind = [piece for piece in chosen if holds_kind(question.asked, piece, question.text)]
    fields = named or kind or chosen
    if fields:
        return "".join(quote(piece) for piece in fields[:4])
    whole = "；".join(piece.body.rstrip("；;，,。 ") for piece in members[:MOST_FIELDS])
    return sentence(whole, best.n)


def _given(question: Question, piece: Piece) -> bool:
    """Whether the question itself already gives this field's value."""
    value = piece.body[len(piece.key) + 1 :].strip(" ：:；;，,。")
    return len(value) >= 2 and value in question.text
