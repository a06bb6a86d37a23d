"""Which knowledge bases hold the evidence for a question."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Hit

_HALVED = 4
"""Places after which a hit counts half; chosen by us: the answer is made of the first few."""

LEAST_RELEVANCE = 0.03
"""Relevance below which a hit is no evidence: the best hits of questions that the samples say
nothing about reach .021 at most, those of the others .15 and more. Chosen by us."""


def shares(hits: Sequence[Hit]) -> dict[str, float]:
    """Share of the evidence by knowledge base, 0..1, the largest first; empty without any.

    Args:
        hits: best first; each counts by its relevance and less with each place.
    """
    weights: dict[str, float] = {}
    for place, hit in enumerate(hits):
        relevance = max(hit.scores.get("rerank", hit.scores.get("fused", 0.0)), 0.0)
        if relevance < LEAST_RELEVANCE:
            continue
        weight = relevance * 0.5 ** (place / _HALVED)
        if hit.chunk.kb_id:
            weights[hit.chunk.kb_id] = weights.get(hit.chunk.kb_id, 0.0) + weight
    total = sum(weights.values())
    if not total:
        return {}
    order = sorted(weights.items(), key=lambda item: -item[1])
    return {kb_id: weight / total for kb_id, weight in order}
