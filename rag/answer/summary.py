"""Summaries without an LLM: the sentences that carry most, in the order of the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rag.answer.layout import bullets, quote
from rag.answer.pieces import Piece, about, pieces
from rag.answer.rank import Question, score
from rag.answer.terms import coverage
from rag.text.tokenise import query_terms
from rag.types import Evidence

NAMED = 0.5
"""Share of the question's terms in a document's title from which it is the one meant."""
MOST_SENTENCES = 5
"""Sentences of a summary; chosen by us."""


def _about_the_named(question: Question, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The passages of the document that the question names; all where it names none."""
    named = [(coverage(question.terms, about(item.chunk)), item) for item in evidence]
    best = max((share for share, _ in named), default=0.0)
    return [item for share, item in named if best < NAMED or share >= 0.8 * best]


def summarise(question: Question, evidence: Sequence[Evidence]) -> str:
    """Up to five sentences: near the question, central to the evidence, not alike."""
    candidates = [
        piece
        for item in _about_the_named(question, evidence)
        for piece in pieces(item)
        if piece.kind in ("sentence", "item", "pair") and len(piece.body) >= 8
    ]
    if not candidates:
        return ""
    words = {piece.order: set(query_terms(piece.body)) for piece in candidates}
    spread: Counter[str] = Counter(word for group in words.values() for word in group)

    def weight(piece: Piece) -> float:
        own = words[piece.order]
        shared = sum(min(spread[word], 6) - 1 for word in own) / (5 * max(8, len(own)))
        first = 0.15 if piece.start == 0 else 0.0
        return score(question, piece).score + shared + first

    chosen: list[Piece] = []
    for piece in sorted(candidates, key=lambda one: (-weight(one), one.order)):
        own = words[piece.order]
        alike = any(
            len(own & words[other.order]) > 0.6 * max(1, min(len(own), len(words[other.order])))
            for other in chosen
        )
        if not alike:
            chosen.append(piece)
        if len(chosen) == MOST_SENTENCES:
            break
    chosen.sort(key=lambda piece: piece.order)
    return quote(chosen[0]) if len(chosen) == 1 else bullets("要点如下：", chosen)
