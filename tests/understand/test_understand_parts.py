"""The single questions in a comparison keep the attribute that is compared."""

from __future__ import annotations

from datetime import date

import pytest

from rag.understand.understand import understand


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "四川2022年失业金比2021年涨了多少",
            ("四川2022年失业金是多少？", "四川2021年失业金是多少？"),
        ),
        (
            "四川2022年失业金比贵州高多少？",
            ("四川2022年失业金是多少？", "贵州2022年失业金是多少？"),
        ),
        ("家庭票票价比夜场票贵多少", ("家庭票票价是多少？", "夜场票票价是多少？")),
        (
            "南湖校区的住宿费比北山校区的住宿费少多少",
            ("南湖校区的住宿费是多少？", "北山校区的住宿费是多少？"),
        ),
        ("工会和食堂的补贴限额差多少", ("工会的补贴限额是多少？", "食堂的补贴限额是多少？")),
        ("季票和月票退票费有什么区别", ("季票退票费是多少？", "月票退票费是多少？")),
        ("季票和月票退票分别是多少", ("季票退票的规定是什么？", "月票退票的规定是什么？")),
        ("ZW-100和ZW-200的重量相差多少", ("ZW-100的重量是多少？", "ZW-200的重量是多少？")),
    ],
)
def test_a_difference_asks_the_plain_attribute_of_each(
    question: str, expected: tuple[str, ...]
) -> None:
    assert understand(question, (), None, date(2026, 11, 30)).sub_questions == expected


@pytest.mark.parametrize("question", ["水费涨了多少", "住宿费比去年便宜吗", "和室友换床位要多少钱"])
def test_one_question_stays_one(question: str) -> None:
    assert understand(question, (), None, date(2026, 11, 30)).sub_questions == ()
