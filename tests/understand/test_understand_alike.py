"""The last question asked of another value, in more words than 2023年呢."""

from __future__ import annotations

from datetime import date

import pytest

from rag.types import Turn
from rag.understand.alike import asked_plainly_of, settled_on
from rag.understand.understand import understand

TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("2023年的政策呢？", "2023年呢"),
        ("2023年也是这么久吗", "2023年呢"),
        ("北京也一样吗", "北京呢"),
        ("上海的标准是什么", "上海呢"),
        ("ZW-200也按这个价吗", "ZW-200呢"),
        ("年假也要提前申请吗", "年假也要提前申请吗"),
        ("报销标准是什么", "报销呢"),
    ],
)
def test_another_value_in_more_words(question: str, plain: str) -> None:
    assert asked_plainly_of(question) == plain


@pytest.mark.parametrize(
    ("before", "typed", "whole"),
    [
        (
            ("2024年深圳本科租房补贴最多发几个月",),
            "2023年也是这么久吗",
            "2023年深圳本科租房补贴最多发几个月",
        ),
        (("2024年上海硕士租房补贴多少",), "2023年的政策呢？", "2023年上海硕士租房补贴多少"),
        (("2024年上海硕士租房补贴多少",), "北京也一样吗", "2024年北京硕士租房补贴多少"),
        (("2024年上海硕士租房补贴多少",), "那北京呢，本科", "2024年北京本科租房补贴多少"),
        (("报销要多久",), "报销标准是什么", "报销标准是什么"),
        (
            ("去成都出差，P4住酒店的标准是多少",),
            "那要是改去上海呢",
            "去上海出差，P4住酒店的标准是多少",
        ),
        (
            ("去成都出差，P4住酒店的标准是多少",),
            "不好意思说错了，我今年升P5了",
            "去成都出差，P5住酒店的标准是多少",
        ),
    ],
)
def test_the_last_question_is_asked_again(before: tuple[str, ...], typed: str, whole: str) -> None:
    history = [
        turn
        for question in before
        for turn in (
            Turn(role="user", content=question, standalone=question),
            Turn(role="assistant", content="好的。", status="answered"),
        )
    ]
    assert understand(typed, history, None, TODAY).standalone_question == whole


def test_a_year_is_settled_on() -> None:
    assert settled_on("还是说2024年的吧，社保要交几个月") == ("2024年", "社保要交几个月")
    assert settled_on("还是先申请吧") is None
