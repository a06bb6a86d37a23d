from __future__ import annotations

import pytest

from rag.answer.ranges import position


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("工作8年年假几天？", "已满1年不满10年的，年休假5天", "inside"),
        ("工作10年年假几天？", "已满1年不满10年的，年休假5天", "outside"),
        ("工作10年年假几天？", "已满10年不满20年的，年休假10天", "inside"),
        ("工作25年年假几天？", "已满20年的，年休假15天", "inside"),
        ("报销3000元谁审批？", "5000元以下由部门经理审批", "inside"),
        ("报销3000元谁审批？", "5000元以上2万元以下由总监审批", "outside"),
        ("报销8000元谁审批？", "5000元以上2万元以下由总监审批", "inside"),
        ("4人出差坐什么车？", "3-5人乘坐商务车", "inside"),
        ("迟到20分钟怎么处理？", "迟到超过30分钟的按旷工处理", "outside"),
        ("报销几天到账？", "5个工作日内到账", "unknown"),
        ("工作8年年假几天？", "年假须提前申请", "unknown"),
    ],
)
def test_position(question: str, text: str, expected: str) -> None:
    assert position(question, text) == expected


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("我工作满6年了，一年有几天年假", "outside", "inside"),
        ("干了七年 一年能歇几天", "outside", "inside"),
        ("我工作一年有几天年假", "inside", "outside"),
        ("工作1年有几天年假", "inside", "outside"),
    ],
)
def test_what_the_answer_is_counted_by_is_no_value(question: str, first: str, second: str) -> None:
    assert position(question, "累计工作满1年不满5年的，每年5天") == first
    assert position(question, "满5年不满10年的，每年8天") == second
