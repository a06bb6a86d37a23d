"""Merge ranked lists of the same things into one (the fuse step of DESIGN §2). Ways and weights
are compared by `benchmarks.bench_fusion`."""

from __future__ import annotations

from collections.abc import Sequence

Ranked = Sequence[tuple[str, float]]
"""Ids with scores, best first."""


def rrf(lists: Sequence[Ranked], weights: Sequence[float], k: int = 60) -> list[tuple[str, float]]:
    """Weighted reciprocal rank fusion (Cormack et al. 2009): Σ weight / (k + rank), rank from 1.

    Only the order within each list counts, not its scores. The result is scaled so that a
    thing that leads every list scores 1; equal scores keep the order of the first list.

    Raises:
        ValueError: not one weight per list, or `k` below 1.
    """
    _check(lists, weights)
    if k < 1:
        raise ValueError("k must be at least 1")
    best = sum(weights) / (k + 1) or 1.0
    scores: dict[str, float] = {}
    for ranked, weight in zip(lists, weights, strict=True):
        for rank, id_ in enumerate(dict.fromkeys(id_ for id_, _ in ranked), start=1):
            scores[id_] = scores.get(id_, 0.0) + weight / (k + rank) / best
    return _ordered(scores)


def weighted(lists: Sequence[Ranked], weights: Sequence[float]) -> list[tuple[str, float]]:
    """Weighted sum of scores, each list's own scaled to 0..1 between its worst and best.

    A thing that a list lacks gets 0 from it. With one score in a list, that one counts as 1.

    Raises:
        ValueError: not one weight per list.
    """
    _check(lists, weights)
    total = sum(weights) or 1.0
    scores: dict[str, float] = {}
    for ranked, weight in zip(lists, weights, strict=True):
        own: dict[str, float] = {}
        for id_, score in ranked:
            own[id_] = max(score, own.get(id_, score))
        low, high = min(own.values(), default=0.0), max(own.values(), default=0.0)
        for id_, score in own.items():
            scaled = (score - low) / (high - low) if high > low else 1.0
            scores[id_] = scores.get(id_, 0.0) + weight * scaled / total
    return _ordered(scores)


def _check(lists: Sequence[Ranked], weights: Sequence[float]) -> None:
    if len(lists) != len(weights):
        raise ValueError(f"{len(weights)} weights for {len(lists)} lists")


def _ordered(scores: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda item: -item[1])
