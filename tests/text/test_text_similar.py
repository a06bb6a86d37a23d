"""Likeness of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.text.similar import (
    bigram_overlap,
    char_ngrams,
    containment,
    jaccard,
    longest_common_substring,
)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("人才购房补贴", "杭州购房补贴办法", "购房补贴"),
        ("甲乙", "丙丁", ""),
        ("", "甲", ""),
        ("abcd", "abcd", "abcd"),
    ],
)
def test_longest_common_substring(a: str, b: str, expected: str) -> None:
    assert longest_common_substring(a, b) == expected


@given(st.text(alphabet="甲乙丙", max_size=12), st.text(alphabet="甲乙丙", max_size=12))
def test_longest_common_substring_is_the_longest(a: str, b: str) -> None:
    found = longest_common_substring(a, b)
    runs = (a[i:j] for i in range(len(a)) for j in range(i, len(a) + 1))
    assert len(found) == max((len(run) for run in runs if run in b), default=0)
    assert found in a and found in b


def test_overlaps() -> None:
    assert jaccard(["甲", "乙"], ["乙", "丙"]) == pytest.approx(1 / 3)
    assert jaccard([], []) == 1.0
    assert bigram_overlap("购房补贴", "购房补贴") == 1.0
    assert bigram_overlap("购房补贴", "劳动合同") == 0.0
    assert containment("购房", "杭州购房补贴") == 1.0
    assert char_ngrams("甲乙丙", 2) == ["甲乙", "乙丙"]
    with pytest.raises(ValueError):
        char_ngrams("甲", 0)
