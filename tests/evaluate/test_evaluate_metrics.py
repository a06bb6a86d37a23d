"""Measures of a ranking."""

from __future__ import annotations

import pytest

from rag.evaluate.metrics import hit_at, ndcg, recall_at, reciprocal_rank, score_rankings


@pytest.mark.parametrize(
    ("ranked", "gold", "hit1", "rank", "gain"),
    [
        (["a", "b", "c"], {"a"}, 1.0, 1.0, 1.0),
        (["b", "a", "c"], {"a"}, 0.0, 0.5, 0.6309),
        (["a", "b"], {"a", "b"}, 1.0, 1.0, 1.0),
        (["x", "y"], {"a"}, 0.0, 0.0, 0.0),
        ([], {"a"}, 0.0, 0.0, 0.0),
        (["a"], set(), 0.0, 0.0, 0.0),
    ],
)
def test_single_rankings(ranked, gold, hit1, rank, gain) -> None:
    assert hit_at(ranked, gold, 1) == hit1
    assert reciprocal_rank(ranked, gold) == rank
    assert ndcg(ranked, gold) == pytest.approx(gain, abs=1e-4)


def test_recall_counts_right_ones() -> None:
    assert recall_at(["a", "x", "b"], {"a", "b", "c", "d"}, 3) == 0.5


def test_means_over_questions() -> None:
    scores = score_rankings([(["a"], {"a"}), (["b"], {"a"})])
    assert (scores.hit1, scores.mrr10, scores.questions) == (0.5, 0.5, 2)
    assert scores.line().startswith("hit1 0.5000")
    assert score_rankings([]).questions == 0
