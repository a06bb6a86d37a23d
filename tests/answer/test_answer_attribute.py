"""The sentence that holds what is asked for wins over one that repeats the subject."""

from __future__ import annotations

import pytest

from rag.answer.attribute import attribute_words, echoes, signs
from rag.answer.extract import extract
from tests.answer.answer_cases import meaning, passage

CONTRACT = (
    passage(
        1,
        "合同编号：KL-2031-077\n\n甲方：霁月茶馆\n\n乙方：远岫设计工作室",
        title="装修合同",
        document="a",
    ),
    passage(2, "设计费共计人民币38,600元，分两期付清。", title="装修合同", document="a", ordinal=1),
    passage(3, "施工工期为45天。", title="装修合同", document="a", ordinal=2),
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("KL-2031-077的设计费是多少？", "38,600"),
        ("霁月茶馆的设计费是多少？", "38,600"),
        ("KL-2031-077的工期是多少天？", "45天"),
    ],
)
def test_the_attribute_wins_over_the_subject(question: str, expected: str) -> None:
    answer = extract(meaning(question), CONTRACT)
    assert expected in answer
    assert "甲方" not in answer and "合同编号" not in answer


def test_salutations_and_signatures_are_no_answers() -> None:
    text = "枫桥里全体业主：\n因水箱清洗，7月3日9时至12时2号楼至5号楼暂停供水。\n枫桥里物业服务中心"
    answer = extract(meaning("枫桥里哪些楼栋暂停供水？"), [passage(1, text, title="通知")])
    assert "2号楼至5号楼" in answer
    answer = extract(meaning("枫桥里停水是哪天？"), [passage(1, text, title="通知")])
    assert "7月3日" in answer


@pytest.mark.parametrize(
    ("question", "body", "expected"),
    [
        ("云政发〔2031〕5号的有效期是几年？", "云政发〔2031〕5号", True),
        ("云政发〔2031〕5号的有效期是几年？", "本办法有效期3年。", False),
        ("软件分项实际费用是多少？", "分项：软件", True),
        ("纯水的导电性如何？", "导电性差。", False),
        ("枫桥里哪些楼停水？", "枫桥里全体业主：", True),
    ],
)
def test_echoes(question: str, body: str, expected: bool) -> None:
    assert echoes(question, body) is expected


def test_what_is_asked_stands_before_or_behind_the_asking_word() -> None:
    assert attribute_words("XR-9水泵的转速是多少？")[0].startswith("转速")
    assert attribute_words("霁月茶馆每月几号发工资")[1] == "发工资"


def test_signatures() -> None:
    assert signs("枫桥里物业服务中心 2031年7月1日")
    assert not signs("由枫桥里物业服务中心负责，电话见下。")


def test_the_document_s_own_number_keeps_its_other_passages() -> None:
    answer = extract(meaning("KL-2031-077的施工工期是多久？"), CONTRACT)
    assert "45天" in answer
