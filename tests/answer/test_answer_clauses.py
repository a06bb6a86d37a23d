"""Values are bound to whom and when they hold; nothing is said twice."""

from __future__ import annotations

import pytest
from answer_cases import meaning, passage

from rag.answer.extract import extract
from rag.types import Intent

FEES = (
    "成人票每张80元，儿童票每张40元，老年票每张20元，均须当日使用，逾期作废，不予退换，遗失不补。"
)
MOVED = "发布会原定5月6日，因场地检修，改到5月20日，地点不变，已购票的观众不需要另外办理手续。"
RATES = "二级机构：在岗人员60%，离岗人员70%；三级机构：在岗人员50%，离岗人员65%。"
SHARED = "一年之内，正式员工体检补助额度为900元，实习员工为300元，超出部分由本人承担，不结转。"
RULE = "第六条 未带证件进入机房的，由值班员登记；携带液体进入机房的，罚款100元并通报批评。"


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("儿童票多少钱？", FEES, "儿童票每张40元。[1]"),
        ("发布会改到哪天？", MOVED, f"因场地检修，改到5月20日。[1]\n\n{MOVED}[1]"),
        ("发布会原定哪天？", MOVED, f"{MOVED}[1]"),
        ("发布会什么时候开？", MOVED, f"因场地检修，改到5月20日。[1]\n\n{MOVED}[1]"),
        (
            "实习员工体检补助多少钱？",
            SHARED,
            "实习员工为300元。[1]\n\n"
            "一年之内，正式员工体检补助额度为900元，实习员工为300元，超出部分由本人承担，不结转。[1]",
        ),
        (
            "正式员工体检补助多少钱？",
            SHARED + "本条自明年起执行，由人事处解释。",
            SHARED + "[1]",
        ),
        ("体检补助多少钱？", SHARED, SHARED + "[1]"),
        ("带液体进机房罚多少钱？", RULE, "携带液体进入机房的，罚款100元并通报批评。[1]"),
    ],
)
def test_the_value_of_the_one_that_is_asked_for(question: str, text: str, expected: str) -> None:
    assert extract(meaning(question), [passage(1, text)]) == expected


def test_a_heading_in_front_goes_with_its_value() -> None:
    text = RATES.replace("；", "；\n")
    answer = extract(meaning("三级机构离岗人员报销百分之几？"), [passage(1, text)])
    assert answer == "三级机构：离岗人员65%。[1]"


@pytest.mark.parametrize(
    ("question", "intent", "text", "expected"),
    [
        (
            "怎么借阅档案？",
            "procedure",
            "在职教师可以借阅档案。填写借阅单后交到二楼档案室。档案室每年盘点。",
            "在职教师可以借阅档案。[1]填写借阅单后交到二楼档案室。[1]",
        ),
        (
            "什么情况不能申请补助？",
            "policy",
            "申请补助的，工龄不低于三年。\n有下列情形之一的，不得申请补助：（一）受过处分的；（二）在试用期的。",
            "有下列情形之一的，不得申请补助：\n\n- 受过处分的。[1]\n- 在试用期的。[1]",
        ),
        (
            "档案数字化谁负责？什么时候完成？",
            "fact",
            "档案数字化分三期，由许宁负责，12月5日前完成。",
            "档案数字化分三期，由许宁负责，12月5日前完成。[1]",
        ),
    ],
)
def test_an_answer_goes_on_but_repeats_nothing(
    question: str, intent: Intent, text: str, expected: str
) -> None:
    assert extract(meaning(question, intent), [passage(1, text)]) == expected


def test_a_how_question_is_not_answered_by_what_is_forbidden() -> None:
    text = (
        "有下列情形之一的，不得申请补助：（一）受过处分的；（二）在试用期的。\n"
        "申请补助的，登录系统提交申请表。"
    )
    answer = extract(meaning("怎么申请补助？", "procedure"), [passage(1, text)])
    assert answer == "申请补助的，登录系统提交申请表。[1]"


def test_another_subjects_passage_steps_back() -> None:
    evidence = [
        passage(1, "问：退票要多久？\n答：3天内退款。", title="江心剧院问答", score=0.9),
        passage(2, "开船前2小时可以退票，扣10%。", title="海风轮渡须知", score=0.7),
    ]
    answer = extract(meaning("轮渡怎么退票？", "procedure"), evidence)
    assert answer == "开船前2小时可以退票，扣10%。[2]"
