"""A question in the other names of its words, and what the plan says of them."""

from __future__ import annotations

import pytest

from rag.text.vocabulary import Vocabulary
from rag.types import QueryPlan, Understanding
from rag.understand.plan import plan
from rag.understand.synonyms import names_in, renamed

WORDS = Vocabulary(
    [("倒休", "调休", "换休"), ("云岭协同", "小程序"), ("QX-300", "大白"), ("手册", "指南")]
)


def planned(question: str, **more: object) -> QueryPlan:
    meaning = Understanding(question=question, standalone_question=question, **more)
    return plan(meaning, ["k"], profile=None, vocabulary=WORDS)


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("小程序怎么登录？", ["云岭协同怎么登录？"]),
        ("云岭协同怎么登录？", ["小程序怎么登录？"]),
        ("小程序里倒休怎么走？", ["云岭协同里调休怎么走？", "云岭协同里换休怎么走？"]),
        ("大白多少钱？", ["QX-300多少钱？"]),
        ("QX-300多少钱？", ["大白多少钱？"]),
        ("QX-300A多少钱？", []),
        ("《员工手册》里有什么？", []),
        ("年假有几天？", []),
    ],
)
def test_a_question_is_put_in_other_names(question: str, others: list[str]) -> None:
    assert list(renamed(question, names_in(question, WORDS))) == others


def test_the_plan_searches_the_other_names_and_says_so() -> None:
    made = planned("小程序怎么登录？")
    assert made.queries == ("小程序怎么登录？", "云岭协同怎么登录？")
    assert "同义词：小程序→云岭协同" in made.reasons
    assert made.strategy == "expand"
    assert [(n.word, n.others) for n in made.names] == [("小程序", ("云岭协同",))]


def test_parts_are_searched_by_their_own_words_alone() -> None:
    made = planned("倒休和年假有什么区别？", sub_questions=("倒休", "年假"))
    assert made.queries == ("倒休和年假有什么区别？", "倒休", "年假")
    assert made.names


def test_a_long_text_of_many_terms_stays_a_bounded_search() -> None:
    many = Vocabulary((f"零件{n}号", f"备件{n}号") for n in range(300))
    made = names_in("，".join(f"零件{n}号" for n in range(300)), many)
    assert [one.word for one in made] == [f"零件{n}号" for n in range(8)]


def test_another_dictionary_is_another_search() -> None:
    question = "倒休怎么申请？"
    meaning = Understanding(question=question, standalone_question=question)
    without = plan(meaning, ["k"], profile=None, vocabulary=Vocabulary())
    assert without.names == () and without.queries == (question,)
