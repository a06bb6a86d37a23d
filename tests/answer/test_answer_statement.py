"""Which sentence, row or part states what was asked; texts of our own."""

from __future__ import annotations

import pytest
from answer_cases import meaning, passage

from rag.answer.extract import extract
from rag.answer.pieces import pieces
from rag.answer.predicate import is_condition
from rag.answer.ranges import in_named_range, range_of
from rag.types import Intent

LIMITS = (
    "| 采购类型 | 店长 | 区域经理 | 总监 |\n|---|---|---|---|\n"
    "| 日常耗材 | 500元以下 | 3000元以下 | 3000元以上 |\n"
    "| 设备采购 | 不审批 | 1万元以下 | 1万元以上 |"
)
LEAVE = (
    "学生请假1天以内的，由班主任批准；超过1天不满5天的，由年级组长批准；"
    "满5天的，由校长批准。病假须附医院证明。"
)
MODELS = (
    "| 参数 | HX-20 | HX-20P |\n|---|---|---|\n"
    "| 噪声 | 45dB | 38dB |\n| Wi-Fi | 无 | 支持2.4GHz |\n| 蓝牙 | 支持 | 支持 |"
)
CASES: list[tuple[str, Intent, str, str]] = [
    (
        "试岗期多长？",
        "fact",
        "试岗期内不能休年假；工作已满3年的员工不设试岗期。新员工试岗期为2个月。",
        "新员工试岗期为2个月。[1]",
    ),
    (
        "请婚假要找谁批？",
        "fact",
        "婚假：员工凭结婚证到医院开具的证明申请。婚假由部门主管审批，人事部备案。",
        "婚假由部门主管审批，人事部备案。[1]",
    ),
    ("800元的日常耗材谁审批？", "fact", LIMITS, "日常耗材，区域经理：3000元以下。[1]"),
    ("请假3天要谁批？", "fact", LEAVE, "超过1天不满5天的，由年级组长批准。[1]"),
    (
        "离职率比一季度高了还是低了？",
        "comparison",
        "二季度离职率为4.2%，比一季度上升0.6个百分点。",
        "二季度离职率为4.2%，比一季度上升0.6个百分点。[1]",
    ),
    (
        "HX-20和HX-20P都支持wifi吗？",
        "comparison",
        MODELS,
        "具体如下：\n\n| 参数 | HX-20 | HX-20P |\n| --- | --- | --- |\n"
        "| Wi-Fi | 无 | 支持2.4GHz [1] |",
    ),
    (
        "钥匙丢了还能补吗？",
        "troubleshooting",
        "钥匙应当妥善保管，不得转借。钥匙丢失的，由后勤部补配；无法补配的，换锁。",
        "钥匙丢失的，由后勤部补配；无法补配的，换锁。[1]",
    ),
    (
        "2级违纪谁处理？",
        "fact",
        "| 违纪等级 | 处理人 |\n|---|---|\n| 1至2级 | 班主任 |\n| 3至4级 | 德育处 |",
        "1至2级，处理人：班主任。[1]",
    ),
]


@pytest.mark.parametrize(("question", "intent", "text", "expected"), CASES)
def test_what_states_it_is_the_answer(
    question: str, intent: Intent, text: str, expected: str
) -> None:
    assert extract(meaning(question, intent), [passage(1, text)]) == expected


def test_a_value_behind_a_border_is_a_condition() -> None:
    body = "累计工作已满1年的员工休5天"
    assert is_condition(body, body.index("1"), body.index("的员"))
    assert not is_condition("事假累计不超过15天", 7, 10)


def test_ranges_of_codes_and_grades_hold_their_members() -> None:
    assert in_named_range("P2坐飞机", "P1至P3") and in_named_range("3级响应", "1–5级")
    assert not in_named_range("P4坐飞机", "P1至P3") and not in_named_range("2024-03", "1-3")
    assert range_of("p2", "职级p1至p3") == "p1至p3" and range_of("p5", "职级p1至p3") == ""


def test_brackets_hold_no_fields() -> None:
    found = pieces(passage(1, "香杜鹃 （学名：' ，英文：'），别称白马。花期3月至4月。"))
    assert [piece.kind for piece in found] == ["sentence", "sentence"]
