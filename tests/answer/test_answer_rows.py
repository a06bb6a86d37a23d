"""The row that a question names, by dates, ordinals, names and two levels of columns."""

from __future__ import annotations

import pytest

from rag.answer.contrast import opposed
from rag.answer.extract import extract
from rag.answer.lacking import NOT_THERE, ceiling
from rag.answer.rank import rank, read_question
from rag.types import Evidence
from tests.answer.answer_cases import meaning, passage

DUTY = """日期：5月1日；白班（8:00—20:00）：计无施；夜班：祖千秋；领导：令狐冲；电话：13911110001
日期：5月2日；白班（8:00—20:00）：祖千秋；夜班：老头子；领导：令狐冲；电话：13911110001
日期：5月3日；白班（8:00—20:00）：蓝凤凰；夜班：计无施；领导：任盈盈；电话：13911110002"""
PAYMENTS = """| 日期 | 摘要 | 支出 | 收入 | 户名 |
| --- | --- | --- | --- | --- |
| 2031-04-06 | 转账 | 8,200.00 | | 宁远纸业 |
| 2031-04-09 | 货款 | | 31,450.00 | 沂水木器 |
| 2031-04-09 | 手续费 | 6.50 | | |"""
BUDGET = """| 分项 | 费用（万元）/计划 | 费用（万元）/实际 | 数量 |
| --- | --- | --- | --- |
| 机柜 | 120 | 131.5 | 14 |
| 线缆 | 36 | 33.2 | 900 |"""
TEST = """| 试样 | 附着力/级 | 色差ΔE |
| --- | --- | --- |
| T-1 | 1 | 0.82 |
| T-2 | 2 | 1.94 |"""
LESSONS = """| 节次 | 时间 | 星期一 | 星期二 |
| --- | --- | --- | --- |
| 1 | 8:00—8:40 | 语文 | 数学 |
| 2 | 8:50—9:30 | 体育 | 英语 |"""
BATCHES = """批次：第1批；物料：Q-71；到货日期：2031-03-02；到货数量：40
批次：第2批；物料：Q-71；到货日期：2031-03-19；到货数量：60
批次：第1批；物料：Q-88；到货日期：2031-03-05；到货数量：15"""
ASSETS = """| 项目 | 房屋 | 设备 |
| --- | --- | --- |
| 一、原值 |  |  |
| 期末余额 | 900 | 410 |
| 二、减值准备 |  |  |
| 期末余额 | 12 | 7 |"""


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        (DUTY, "5月3号白班谁值？", "蓝凤凰"),
        (DUTY, "5/2的夜班是谁？", "老头子"),
        (DUTY, "5月3日领导的电话是多少？", "13911110002"),
        (DUTY, "祖千秋哪天值白班？", "5月2日"),
        (PAYMENTS, "2031年4月9日货款的户名是谁？", "沂水木器"),
        (PAYMENTS, "4月6日转账支出是多少？", "8,200.00"),
        (BUDGET, "机柜实际费用是多少万元？", "131.5"),
        (BUDGET, "线缆买了多少米？", "900"),
        (TEST, "T-2的色差是多少？", "1.94"),
        (LESSONS, "星期二第2节上什么课？", "英语"),
        (BATCHES, "Q-71第2批哪天到货？", "2031-03-19"),
        (ASSETS, "设备减值准备的期末余额是多少？", "7"),
    ],
)
def test_the_cell_of_the_row(text: str, question: str, expected: str) -> None:
    answer = extract(meaning(question), [passage(1, text, title="资料", kind="table")])
    assert f"：{expected}" in answer


def _ceiling(question: str, evidence: list[Evidence]) -> float:
    asked = read_question(question)
    return ceiling(asked, rank(asked, evidence), evidence)[0]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (DUTY, "5月4日夜班是谁？"),
        (TEST, "T-2的硬度是多少？"),
        (BUDGET, "空调的费用实际是多少？"),
        ("一期安装闸机18台。", "二期安装闸机多少台？"),
        ("午餐套餐每份19元。", "晚餐套餐多少钱？"),
        ("定于6月2日对4号楼停电。", "4号楼停水是哪天？"),
        ("检修人：任我行\n\n检修日期：6月3日", "任我行的电话是多少？"),
        ("订单号：P-31\n\n供应商：宁远纸业\n\n币种：人民币", "P-31的发票号码是多少？"),
        ("因设备更换停产施工，由宁远负责。", "设备更换的施工单位是哪家？"),
    ],
)
def test_what_is_not_there_is_refused(text: str, question: str) -> None:
    assert _ceiling(question, [passage(1, text, title="资料")]) <= NOT_THERE


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (DUTY, "5月2日夜班是谁？"),
        ("二期安装闸机18台，一期安装6台。", "二期安装闸机多少台？"),
        ("订单号：P-31\n\n发票号码：77120\n\n币种：人民币", "P-31的发票号码是多少？"),
    ],
)
def test_what_is_there_is_not_refused(text: str, question: str) -> None:
    assert _ceiling(question, [passage(1, text, title="资料")]) == 1.0


def test_opposites_count_only_where_the_word_itself_is_absent() -> None:
    assert opposed("本月已收：300元", "上月已收是多少？") == "上月"
    assert opposed("上月已收：300元；本月已收：200元", "上月已收是多少？") == ""
    assert opposed("大会议室可容纳60人", "中会议室能坐几个人？").startswith("中会议室")
