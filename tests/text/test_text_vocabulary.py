"""The dictionary's words in a text: longest first, whole words, codes and titles left alone."""

from __future__ import annotations

import pytest

from rag.text.vocabulary import Vocabulary, replaced

WORDS = Vocabulary(
    [
        ("调休", "倒休", "补休"),
        ("云岭协同", "小程序"),
        ("公积金", "住房公积金"),
        ("病假",),
        ("人事", "人力资源部"),
        ("QX-300", "大白"),
        ("OA", "办公系统"),
        ("金卡会员", "大金"),
        ("补休", "串休"),
    ]
)


def found(text: str) -> list[str]:
    return [text[m.start : m.end] for m in WORDS.find(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("倒休和病假怎么请", ["倒休", "病假"]),
        ("住房公积金怎么提", ["住房公积金"]),
        ("查云岭协同学习", ["云岭协同"]),
        ("請問調 休幾天", ["調 休"]),
        ("oa和ＯＡ", ["oa", "ＯＡ"]),
        ("qx-300的价格", ["qx-300"]),
        ("会上强调休息时间", []),
        ("大金和银卡会员", ["大金"]),
        ("法人事项变更", []),
        ("GOAL怎么定", []),
        ("QX-3001", []),
        ("OA-12报错", []),
        ("", []),
    ],
)
def test_whole_words_are_found_the_longest_first(text: str, words: list[str]) -> None:
    assert found(text) == words


def test_names_go_in_both_directions_and_not_across_groups() -> None:
    others = {m.word: set(m.others) for m in WORDS.find("调休，补休，串休")}
    assert others == {"调休": {"倒休", "补休"}, "补休": {"调休", "倒休", "串休"}, "串休": {"补休"}}


def test_what_is_to_be_left_alone_is() -> None:
    text = "《调休办法》的调休"
    mentions = WORDS.find(text, [(0, 6)])
    assert [m.start for m in mentions] == [7]
    assert replaced(text, [(m, "倒休") for m in mentions]) == "《调休办法》的倒休"


def test_many_words_are_told_apart() -> None:
    many = Vocabulary((f"词语{n}甲", f"别名{n}乙") for n in range(2_000))
    assert len(many) == 4_000
    assert [m.others for m in many.find("词语77甲和别名1999乙")] == [("别名77乙",), ("词语1999甲",)]


def test_a_word_that_ends_the_text_before_a_longer_one_could() -> None:
    known = Vocabulary([("停电",), ("停电通知",)])
    assert [m.word for m in known.find("今天停电")] == ["停电"]
