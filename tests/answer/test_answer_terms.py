from __future__ import annotations

import pytest

from rag.answer.parts import parts
from rag.answer.terms import content_terms, coverage, lost_words, presence


@pytest.mark.parametrize(
    ("term", "text", "least", "most"),
    [
        ("社保", "连续缴纳社会保险满3个月", 0.8, 0.9),
        ("价格", "含税单价为120元", 0.8, 0.9),
        ("保修期", "整机保修三年", 0.8, 0.9),
        ("租房补贴", "补贴租房的办法", 0.3, 0.7),
        ("软件", "軟體與軟件", 1.0, 1.0),
        ("第12条", "第十二条　本办法", 1.0, 1.0),
        ("abc-123", "ABC-124型号", 0.0, 0.0),
        ("食堂", "会议室预订", 0.0, 0.0),
    ],
)
def test_presence(term: str, text: str, least: float, most: float) -> None:
    assert least <= presence(term, text) <= most


def test_a_name_weighs_more_than_a_common_word() -> None:
    weights = {term.text: term.weight for term in content_terms("ABC-123工作多久？")}
    assert weights["abc-123"] == 1.0 and weights["工作"] < 0.3


def test_only_what_names_something_is_a_term() -> None:
    assert content_terms("请问这个是什么时候的呢？") == ()
    assert coverage((), "任何文字") == 0.0


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("会员卡可以退吗", ["会员", "退"]),
        ("航班延误险赔多少", ["航班", "延误"]),
        ("我妈72了", []),
        ("没拆封能退货吗", ["没拆封", "退货"]),
    ],
)
def test_words_across_the_segmenters_borders(question: str, terms: list[str]) -> None:
    found = [term.text for term in content_terms(question) if term.weight > 0.15 and not term.soft]
    assert [word for word in terms if word not in found] == []
    if not terms:
        assert found == []


def test_what_may_be_no_word_counts_only_where_it_stands() -> None:
    (term,) = [term for term in content_terms("联调什么时候") if term.soft]
    assert not lost_words("联调什么时候", "无关的文字")
    assert coverage((term,), f"这里有{term.text}") == 1.0


@pytest.mark.parametrize(
    ("term", "text", "held"),
    [("礼拜二", "周二闭馆", 1.0), ("星期四", "周一至周五开放", 0.6), ("礼拜二", "每年检修", 0.0)],
)
def test_weekdays(term: str, text: str, held: float) -> None:
    assert presence(term, text) == held


def test_split_words_are_joined() -> None:
    assert [term.text for term in content_terms("年假几天？")] == ["年假"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("婚假有多少天？要在多久内休完？", ("婚假有多少天", "要在多久内休完")),
        ("QX-200的售价和保修期分别是多少？", ("QX-200的售价是多少", "QX-200的保修期是多少")),
        ("年假几天？", ("年假几天？",)),
        ("2024年，硕士补贴多少？", ("2024年，硕士补贴多少？",)),
    ],
)
def test_parts(question: str, expected: tuple[str, ...]) -> None:
    assert parts(question) == expected


@pytest.mark.parametrize(
    ("question", "verb", "subject"),
    [
        ("列出出差的报销步骤", "列出", "出差"),
        ("请帮我列举一下停车场的规定", "列举", "停车场"),
        ("概括保密规定", "概括", "保密"),
        ("帮我整理一下请假步骤", "整理", "请假"),
        ("总结一下停车场的规定", "总结", "停车场"),
        ("请查询餐补标准", "查询", "餐补"),
    ],
)
def test_what_a_request_opens_with_is_no_term(question: str, verb: str, subject: str) -> None:
    found = [term.text for term in content_terms(question)]
    assert verb not in found and subject in found


@pytest.mark.parametrize(
    ("question", "term"),
    [("查询密码怎么设", "查询"), ("推荐信怎么写", "推荐"), ("整理箱能装多少", "整理")],
)
def test_a_verb_that_may_name_a_thing_stays_one(question: str, term: str) -> None:
    assert any(term in found.text for found in content_terms(question))
