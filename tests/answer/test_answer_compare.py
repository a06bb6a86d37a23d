"""Comparisons, whole columns, and the checks of differences."""

from __future__ import annotations

import pytest
from answer_cases import meaning, passage

from rag.answer.cite import cite
from rag.answer.extract import extract
from rag.answer.verify import verify
from rag.types import Evidence, Intent, Understanding

ROOMS = (
    "| 房型 | 平日价（元） | 周末价（元） | 可住人数 |\n|---|---|---|---|\n"
    "| 标准间 | 260 | 320 | 2 |\n| 家庭房 | 420 | 520 | 4 |\n| 阁楼房 | 180 | 240 | 1 |"
)
CARDS = (
    "卡名：银杏卡；年费（元）：60；借书：5册\n卡名：红枫卡；年费（元）：90；借书：12册\n"
    "卡名：雪松卡；年费（元）：150；借书：20册"
)
STAFF = "正式员工每年体检补助900元，实习员工每年体检补助300元。体检在5月进行。"
LEAVE = "白班员工每月可调休2次，最多4天，夜班员工每月可调休3次，最多6天，临时员工不能调休。"


def answered(question: Understanding, evidence: list[Evidence]) -> str:
    text, citations = cite(extract(question, evidence), evidence)
    claims = verify(text, citations, evidence)
    assert all(claim.verdict == "supported" for claim in claims), claims
    return text


@pytest.mark.parametrize(
    ("question", "intent", "text", "expected"),
    [
        (
            "标准间和家庭房哪个贵？",
            "comparison",
            ROOMS,
            "- 标准间：平日价（元）：260；周末价（元）：320[1]\n"
            "- 家庭房：平日价（元）：420；周末价（元）：520[1]",
        ),
        (
            "银杏卡和雪松卡的年费分别是多少？",
            "fact",
            CARDS,
            "- 银杏卡：年费（元）：60。[1]\n- 雪松卡：年费（元）：150。[1]\n\n"
            "相差90元：雪松卡（150）高于银杏卡（60）。[1]",
        ),
        (
            "正式员工和实习员工的体检补助差多少？",
            "comparison",
            STAFF,
            "- 正式员工每年体检补助900元。[1]\n- 实习员工每年体检补助300元。[1]\n\n"
            "相差600元：正式员工（900元）高于实习员工（300元）。[1]",
        ),
        (
            "白班和夜班的调休有什么区别？",
            "comparison",
            LEAVE,
            "- 白班员工每月可调休2次，最多4天。[1]\n- 夜班员工每月可调休3次，最多6天。[1]",
        ),
    ],
)
def test_one_line_for_each_thing_then_the_difference(
    question: str, intent: Intent, text: str, expected: str
) -> None:
    evidence = [
        passage(1, text, title="甲手册", document="a"),
        passage(2, "会员卡遗失请到前台办理，员工凭证件补卡。", title="乙须知", document="b"),
    ]
    assert answered(meaning(question, intent), evidence) == f"对比如下：\n\n{expected}"


def test_the_difference_of_two_years_is_cited_to_both() -> None:
    evidence = [
        passage(1, "2022年书报费为每人每月45元，由工会发放。", year=2022, title="规定（2022年）"),
        passage(2, "2023年书报费为每人每月60元，由工会发放。", year=2023, title="规定（2023年）"),
    ]
    text = answered(meaning("书报费2022年和2023年分别是多少？"), evidence)
    assert text.endswith("相差15元：2023年（60元）高于2022年（45元）。[1][2]")


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("最便宜的房型是哪个？", ROOMS, "阁楼房，平日价（元）：180"),
        ("哪种房型可住人数最多？", ROOMS, "家庭房，可住人数：4"),
        ("哪张卡年费最高？", CARDS, "雪松卡，年费（元）：150"),
    ],
)
def test_the_row_with_the_most_or_least(question: str, text: str, expected: str) -> None:
    assert expected in answered(meaning(question), [passage(1, text, title="价目")])


def test_a_column_is_listed_whole() -> None:
    text = answered(meaning("都有哪些卡名？"), [passage(1, CARDS, title="借书卡")])
    assert text == "卡名：\n\n- 银杏卡。[1]\n- 红枫卡。[1]\n- 雪松卡。[1]"


def test_rows_show_the_asked_column_alone() -> None:
    text = answered(meaning("各房型周末价分别是多少？"), [passage(1, ROOMS, title="民宿")])
    assert "| 阁楼房 | 240 [1] |" in text
    assert "180" not in text


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("工龄满6年的员工每年有8天年假[1]。", "supported"),
        ("工龄满6年的员工每年有30天年假[1]。", "contradicted"),
        ("工龄满6年的员工每年有5天年假[1]。", "contradicted"),
        ("相差3天：资深员工（8天）高于新员工（5天）。[1]", "supported"),
        ("相差4天：资深员工（8天）高于新员工（5天）。[1]", "contradicted"),
    ],
)
def test_numbers_of_the_question_and_of_the_matching_clause(claim: str, verdict: str) -> None:
    evidence = [
        passage(1, "年假：工龄满1年不满5年的新员工，每年5天；满5年不满10年的资深员工，每年8天。")
    ]
    text, citations = cite(claim, evidence)
    claims = verify(text, citations, evidence, "工龄满6年的员工有几天年假？")
    assert [one.verdict for one in claims] == [verdict]
