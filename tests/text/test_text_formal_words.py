"""Everyday words meet the words of documents."""

from __future__ import annotations

import pytest

from rag.text.formal_words import formal_words
from rag.text.tokenise import query_terms


@pytest.mark.parametrize(
    ("question", "word", "formal"),
    [
        ("老板拖欠工资怎么办", "老板", "用人单位"),
        ("这台多少钱？", "多少钱", "单价"),
        ("房东不退押金", "房东", "出租人"),
        ("设备开不了机", "开不了机", "无法开机"),
    ],
)
def test_a_formal_word_is_known(question: str, word: str, formal: str) -> None:
    assert formal in formal_words(question, query_terms(question))[word]


def test_other_words_have_none() -> None:
    assert formal_words("年度预算表", query_terms("年度预算表")) == {}
