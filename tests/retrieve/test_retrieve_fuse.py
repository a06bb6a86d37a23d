"""Fusion of ranked lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.retrieve.fuse import rrf, weighted

DENSE = [("甲", 0.9), ("乙", 0.8), ("丙", 0.7)]
SPARSE = [("乙", 12.0), ("丁", 6.0)]


def test_rrf_prefers_what_both_lists_hold() -> None:
    assert [id_ for id_, _ in rrf([DENSE, SPARSE], [0.5, 0.5])] == ["乙", "甲", "丁", "丙"]
    assert rrf([DENSE, DENSE], [0.6, 0.4])[0] == ("甲", pytest.approx(1.0))


def test_weights_shift_the_balance() -> None:
    assert rrf([DENSE, SPARSE], [1.0, 0.0])[0][0] == "甲"
    assert weighted([DENSE, SPARSE], [1.0, 0.0])[0] == ("甲", 1.0)
    assert dict(weighted([DENSE, SPARSE], [0.5, 0.5]))["乙"] == pytest.approx(0.75)


def test_edge_cases() -> None:
    assert rrf([], []) == [] and weighted([[], []], [0.5, 0.5]) == []
    assert weighted([[("甲", 3.0)]], [1.0]) == [("甲", 1.0)]
    for fuse in (rrf, weighted):
        with pytest.raises(ValueError):
            fuse([DENSE], [0.5, 0.5])
    with pytest.raises(ValueError):
        rrf([DENSE], [1.0], k=0)


LISTS = st.lists(
    st.lists(st.tuples(st.sampled_from("甲乙丙丁戊"), st.floats(-5, 50)), max_size=6), max_size=4
)


@given(LISTS)
def test_nothing_is_lost_or_doubled_and_scores_stay_in_range(lists) -> None:
    weights = [1.0 / len(lists)] * len(lists) if lists else []
    ids = {id_ for ranked in lists for id_, _ in ranked}
    for fused in (rrf(lists, weights), weighted(lists, weights)):
        assert {id_ for id_, _ in fused} == ids
        assert len(fused) == len(ids)
        assert all(-1e-9 <= score <= 1 + 1e-9 for _, score in fused)
        assert [s for _, s in fused] == sorted((s for _, s in fused), reverse=True)
