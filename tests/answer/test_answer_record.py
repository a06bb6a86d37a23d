"""Rows of spreadsheets: the asked column with the row's name, and the row that has a value."""

from __future__ import annotations

import pytest
from answer_cases import meaning, passage

from rag.answer.extract import extract

PLANS = (
    "编号：P1；方案名称：轻享方案；月费（元）：19；流量：5GB；亲情号：不支持；赠送项目：无\n"
    "编号：P2；方案名称：畅享方案；月费（元）：59；流量：30GB；亲情号：可加2个；赠送项目：视频会员、音乐会员"
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("畅享方案多少钱？", "畅享方案，月费（元）：59。[1]"),
        ("轻享方案月费是多少？", "轻享方案，月费（元）：19。[1]"),
        ("轻享方案能加亲情号吗？", "轻享方案，亲情号：不支持。[1]"),
        ("畅享方案有哪些赠送项目？", "畅享方案，赠送项目：视频会员、音乐会员。[1]"),
        ("P2是什么方案？", "P2，方案名称：畅享方案。[1]"),
        ("哪个方案亲情号可加2个？", "P2，方案名称：畅享方案。[1]"),
    ],
)
def test_the_field_with_the_name_of_its_row(question: str, expected: str) -> None:
    assert extract(meaning(question), [passage(1, PLANS, title="套餐表")]) == expected
