"""Everyday words meet the words of documents."""

from __future__ import annotations

from pathlib import Path

import pytest

import rag.text.formal_words as formal_words_module
from rag.text.formal_words import (
    expressions,
    formal_of,
    formal_words,
    inner,
    is_kept,
    is_shared,
)
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


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("生娃的话女的能休多久", ["生娃", "休多久"]),
        ("网断了怎么办", ["网断了"]),
        ("下次开会是哪天", ["下次开会"]),
        ("老婆生孩子能歇几天", ["老婆生孩子", "歇几天"]),
        ("如何展开会议讨论", []),
        ("能彩打吗", ["彩打"]),
        ("能办年卡吗", []),
        ("能不能用微信", []),
    ],
)
def test_the_longest_everyday_words_are_found_whole(question: str, found: list[str]) -> None:
    assert [one.word for one in expressions(question)] == found


def test_every_word_says_something_else_and_a_letter_counts_alone_only() -> None:
    assert "产假" in formal_of("生娃")
    assert formal_of("生育") == ()
    assert all(len(one.word) > 1 for one in expressions("修好的狗窝"))
    assert formal_words("修", ["修"])["修"][0] == "维修"


def test_what_documents_say_as_well_is_told_apart() -> None:
    assert not is_shared("生娃")
    assert is_shared("丢了") and not is_kept("丢了")
    assert is_shared("售价") and is_kept("售价")


def test_everyday_words_within_a_longer_one() -> None:
    (one,) = expressions("工牌丢了怎么办")[:1]
    assert one.word == "工牌丢了"
    within = inner(one)[-1]
    assert within.word == "丢了" and "遗失" in within.formal
    assert (within.start, within.end) == (2, 4)


def test_lists_are_well_formed() -> None:
    folder = Path(formal_words_module.__file__).with_name("everyday")
    for file in sorted(folder.glob("*.txt")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            words = line.split(" ")
            marks = [word for word in words if word in ("=", "~", ":")]
            place = f"{file.name}:{number}: {line}"
            assert len(marks) == 1 and "" not in words, place
            assert 0 < words.index(marks[0]) < len(words) - 1, place
