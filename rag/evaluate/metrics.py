"""Measures of a ranking: how high the right passages stand."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass

RankedIds = Sequence[str]


def hit_at(ranked: RankedIds, gold: Collection[str], k: int) -> float:
    """1 when any right one is among the first `k`, else 0."""
    return float(any(id_ in gold for id_ in ranked[:k]))


def reciprocal_rank(ranked: RankedIds, gold: Collection[str], k: int = 10) -> float:
    """1 / rank of the first right one within the first `k`, else 0."""
    return next((1 / rank for rank, id_ in enumerate(ranked[:k], start=1) if id_ in gold), 0.0)


def ndcg(ranked: RankedIds, gold: Collection[str], k: int = 10) -> float:
    """Normalised discounted cumulative gain of the first `k` with binary relevance, 0..1."""
    if not gold:
        return 0.0
    gain = sum(1 / math.log2(i + 2) for i, id_ in enumerate(ranked[:k]) if id_ in gold)
    best = sum(1 / math.log2(i + 2) for i in range(min(k, len(gold))))
    return gain / best


def recall_at(ranked: RankedIds, gold: Collection[str], k: int) -> float:
    """Share of the right ones among the first `k`; 0 without any right one."""
    return len(set(ranked[:k]) & set(gold)) / len(gold) if gold else 0.0


@dataclass(frozen=True, slots=True)
class RankingScores:
    """Means over questions, each 0..1, and how many questions there were."""

    hit1: float
    hit5: float
    hit10: float
    mrr10: float
    ndcg10: float
    recall50: float
    questions: int

    def line(self) -> str:
        """One line for a terminal."""
        values = asdict(self)
        count = values.pop("questions")
        return "  ".join(f"{name} {value:.4f}" for name, value in values.items()) + f"  n {count}"


def score_rankings(rankings: Iterable[tuple[RankedIds, Collection[str]]]) -> RankingScores:
    """The means of all measures over (ranked ids, right ids); zeros for none."""
    rows = [
        (
            hit_at(ranked, gold, 1),
            hit_at(ranked, gold, 5),
            hit_at(ranked, gold, 10),
            reciprocal_rank(ranked, gold, 10),
            ndcg(ranked, gold, 10),
            recall_at(ranked, gold, 50),
        )
        for ranked, gold in rankings
    ]
    if not rows:
        return RankingScores(0, 0, 0, 0, 0, 0, 0)
    hit1, hit5, hit10, mrr10, ndcg10, recall50 = (
        sum(column) / len(rows) for column in zip(*rows, strict=True)
    )
    return RankingScores(hit1, hit5, hit10, mrr10, ndcg10, recall50, len(rows))
