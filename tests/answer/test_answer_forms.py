"""Forms of answers to everyday questions: who does what, what comes next, which rows allow it."""

from __future__ import annotations

import pytest
from answer_cases import hits, meaning, passage

from rag.answer.asks import answers_kind, asked, may_hold
from rag.answer.extract import extract
from rag.answer.refuse import confidence

STAFF = [
    passage(
        1,
        "| 姓名 | 职务 | 负责事项 | 电话 |\n| --- | --- | --- | --- |\n"
        "| 周敏 | 德育主任 | 纪律检查 | 6101 |\n| 陆一鸣 | 教务主任 | 排课 | 6102 |",
        title="值班表",
        document="a",
    ),
    passage(2, "运动会由周敏任总指挥，10月24日举行。", title="通知", document="b"),
    passage(
        3,
        "| 事项 | 负责人 | 截止日期 |\n| --- | --- | --- |\n| 食堂改造 | 周敏 | 2024年11月1日 |",
        title="纪要",
        document="c",
    ),
]


def test_all_that_a_person_does_is_listed() -> None:
    answer = extract(meaning("周敏负责什么？"), STAFF)
    assert answer.startswith("周敏：")
    assert "职务：德育主任；负责事项：纪律检查。[1]" in answer
    assert "运动会由周敏任总指挥" in answer
    assert "事项：食堂改造；截止日期：2024年11月1日。[3]" in answer
    assert "排课" not in answer


DISCHARGE = [
    passage(
        1,
        "出院结算\n\n1. 医生开具出院医嘱；\n2. 护士站核对费用清单；\n3. 到结算处结算；\n"
        "4. 领取出院小结和带药。",
        title="出院须知",
        headings=("出院须知", "出院结算"),
    )
]
MAINTENANCE = [
    passage(
        1,
        "更换电池\n\n1. 断电，打开后盖；\n2. 取出旧电池；\n3. 装入新电池，盖好后盖。\n\n"
        "更换后必须重新校准时钟，否则记录的时间不准。",
        title="记录仪保养",
        headings=("记录仪保养", "更换电池"),
    ),
    passage(2, "电池一般每12个月更换一次。", title="记录仪保养", ordinal=1),
]


@pytest.mark.parametrize(
    ("question", "evidence", "expected"),
    [
        ("更换电池后还要做什么？", MAINTENANCE, "更换后必须重新校准时钟，否则记录的时间不准。[1]"),
        ("换完电池还要做啥", MAINTENANCE, "更换后必须重新校准时钟，否则记录的时间不准。[1]"),
        ("结算完还要做什么？", DISCHARGE, "领取出院小结和带药。[1]"),
    ],
)
def test_the_step_after_the_one_that_is_named(question: str, evidence: list, expected: str) -> None:
    assert extract(meaning(question), evidence) == expected


def test_the_rows_that_have_a_value_where_no_row_is_named() -> None:
    seats = (
        "| 级别 | 火车 | 飞机 |\n| --- | --- | --- |\n| 一级 | 硬卧 | 经济舱 |\n"
        "| 二级 | 软卧 | 经济舱 |\n| 三级 | 软卧 | 公务舱 |"
    )
    answer = extract(meaning("坐火车能买软卧吗？"), [passage(1, seats, title="差旅标准")])
    assert "| 级别 | 火车 |" in answer
    assert "| 一级 | 硬卧 [1] |" in answer and "| 二级 | 软卧 [1] |" in answer
    assert "经济舱" not in answer


def test_papers_for_another_matter_are_no_answer() -> None:
    leave = passage(1, "婚假：员工享受婚假10天，申请时提交结婚证复印件。", title="员工手册")
    grant = passage(
        2,
        "申领时需要上传以下材料：\n（一）身份证正反面；\n（二）劳动合同；\n（三）租房合同。",
        title="租房补贴办法",
        score=0.9,
    )
    answer = extract(meaning("婚假要交什么材料？", "procedure"), [leave, grant])
    assert "结婚证复印件" in answer and "租房合同" not in answer
    assert "租房合同" in extract(meaning("租房补贴要交什么材料？", "procedure"), [leave, grant])


ORDER = [
    passage(
        1,
        "| 序号 | 名称 | 数量 | 单价（元） | 金额（元） |\n| --- | --- | --- | --- | --- |\n"
        "| 1 | 空压机 | 3台 | 8000 | 24000 |\n| 2 | 储气罐 | 2个 | 3500 | 7000 |\n\n"
        "合计：31000元\n\n价税合计：35030元",
        title="采购合同",
    )
]
PARTS = [
    passage(
        1,
        "编码：QX-10；名称：净化器；单价（元）：900；备注：10台以上九五折\n"
        "编码：QX-F1；名称：滤芯；单价（元）：45；备注：每套2片；附说明书\n"
        "编码：QX-A2；名称：适配器；单价（元）：85；备注：QX-10用2A；QX-20用3A",
        title="价格表",
        kind="table",
    )
]


@pytest.mark.parametrize(
    ("question", "evidence", "expected"),
    [
        ("空压机多少钱一台？", ORDER, "空压机，单价（元）：8000[1]"),
        ("空压机一共多少钱？", ORDER, "空压机，金额（元）：24000[1]"),
        ("空压机买了多少台？", ORDER, "空压机，数量：3台。[1]"),
        ("价税合计多少？", ORDER, "价税合计：35030元。[1]"),
        ("合计多少？", ORDER, "合计：31000元。[1]"),
        ("净化器多少钱？", PARTS, "净化器，单价（元）：900；备注：10台以上九五折。[1]"),
        ("滤芯一套有几片？", PARTS, "滤芯，备注：每套2片；附说明书。[1]"),
        ("QX-20贵吗？", PARTS, ""),
    ],
)
def test_the_value_of_the_kind_that_is_asked_for(
    question: str, evidence: list, expected: str
) -> None:
    answer = extract(meaning(question), evidence)
    if expected:
        assert answer == expected
    assert not answer.startswith("QX-20用3A")


def test_a_number_to_call_is_answered_by_a_number() -> None:
    copies = passage(
        1,
        "病历复印由病案室办理，携带身份证，3个工作日内可取。咨询电话：0571-88001234。",
        title="就诊指南",
    )
    assert extract(meaning("复印病历打哪个电话？"), [copies]) == "咨询电话：0571-88001234。[1]"


def test_a_price_in_another_record_is_found_by_its_code() -> None:
    faults = passage(
        1,
        "| 代码 | 现象 | 处理方法 |\n| --- | --- | --- |\n"
        "| E3 | 不排水 | 更换水泵QX-11 |\n| E4 | 漏水 | 更换密封圈QX-12 |",
        title="故障代码",
        document="a",
    )
    prices = passage(
        2,
        "编码：QX-11；名称：水泵；单价（元）：260\n编码：QX-12；名称：密封圈；单价（元）：8\n"
        "编码：QX-13；名称：电机；单价（元）：480",
        title="配件价格表",
        document="b",
        kind="table",
    )
    answer = extract(meaning("E3要换的水泵多少钱？", product=("E3",)), [faults, prices])
    assert answer.startswith("QX-11，水泵，单价（元）：260[2]")
    assert "更换水泵QX-11" in answer and "[1]" in answer


def test_fields_that_only_repeat_the_question_are_left_out() -> None:
    record = passage(
        1,
        "QX-20怎么用4G上网？\nQX-20需要选配4G模块，插入SIM卡后通电。\nproduct：QX-20",
        title="QX-20怎么用4G上网？",
        kind="record",
    )
    answer = extract(meaning("QX-20怎么用4G上网？"), [record])
    assert answer == "QX-20需要选配4G模块，插入SIM卡后通电。[1]"


FAQ = [
    passage(
        1,
        "班车有几条线路？\n公司有2条班车线路：东线7:40发车，西线7:35发车。",
        title="班车有几条线路？",
        document="a",
        kind="record",
    ),
    passage(
        2,
        "打车费可以报销吗？\n往返机场的出租车费凭发票报销，单程不超过150元。",
        title="打车费可以报销吗？",
        document="a",
        kind="record",
        ordinal=1,
    ),
]


def test_an_amount_of_another_record_is_not_that_of_the_one_asked_about() -> None:
    question = meaning("班车多少钱？")
    assert "150元" not in extract(question, FAQ)
    assert confidence(question, hits(FAQ), FAQ).value <= 0.5
    assert "150元" in extract(meaning("打车费能报多少钱？"), FAQ)


def test_days_that_only_say_who_decides_are_no_length() -> None:
    text = (
        "病假：凭医院证明申请。每年前12天病假按基本工资的80%支付。"
        "3天以内的病假由直接上级批准，超过3天的由部门经理批准。"
    )
    leave = [passage(1, text, title="员工手册")]
    assert "12天" in extract(meaning("病假几天？"), leave)
    assert "直接上级" in extract(meaning("病假3天谁批？"), leave)


def test_only_the_row_that_is_named_is_shown() -> None:
    buses = (
        "| 线路 | 发车时间 | 发车地点 |\n| --- | --- | --- |\n| 一号线 | 7:15 | 火车东站 |\n"
        "| 二号线 | 7:25 | 城西广场 |\n| 三号线 | 7:05 | 滨江公园 |"
    )
    answer = extract(meaning("三号线从哪发车"), [passage(1, buses, title="班车")])
    assert "滨江公园" in answer and "火车东站" not in answer


def test_how_to_book_a_room_is_not_answered_by_its_name() -> None:
    rooms = passage(
        1,
        "楼层：2楼；会议室：滇池；容纳人数：6\n楼层：3楼；会议室：洱海；容纳人数：20\n"
        "楼层：3楼；会议室：抚仙；容纳人数：10",
        title="房间表",
        kind="table",
    )
    booking = passage(2, "会议室在办公系统预订，单次不超过4小时。", title="行政指南")
    answer = extract(meaning("会议室怎么定"), [rooms, booking])
    assert answer.startswith("会议室在办公系统预订")


@pytest.mark.parametrize(
    ("sea", "expected"),
    [
        ("补贴累计发放最长不超过36个月。", "两者相同，都是36个月。[1][2]"),
        ("补贴累计发放最长不超过24个月。", "相差12个月"),
        ("补贴按季度发放。", ""),
    ],
)
def test_the_conclusion_only_of_two_numbers_of_one_unit(sea: str, expected: str) -> None:
    evidence = [
        passage(1, "租房补贴最长享受36个月。", title="山城办法", region="重庆", document="a"),
        passage(2, sea, title="海城办法", region="海南", document="b"),
    ]
    question = meaning("重庆和海南的租房补贴哪个发的时间长", "comparison", region=("重庆", "海南"))
    answer = extract(question, evidence)
    assert "36个月" in answer and sea.rstrip("。") in answer
    assert (expected in answer) if expected else ("相差" not in answer and "相同" not in answer)


def test_a_lead_in_is_never_the_answer_alone() -> None:
    grades = passage(
        1,
        "公司职级分为三档，职级决定差旅标准和体检档次：\n\n| 职级 | 体检（元） |\n| --- | --- |\n"
        "| 初级 | 600 |\n| 高级 | 1000 |",
        title="职级办法",
    )
    answer = extract(meaning("公司职级怎么分档"), [grades])
    assert "| 初级 | 600 [1] |" in answer or "600" in answer


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("电脑要还给谁", "contact"),
        ("账号锁了找谁", "contact"),
        ("谁主持会议", "person"),
        ("有问题打哪个电话", "phone"),
        ("比旧款贵吗", "value"),
        ("停车要钱不", "value"),
    ],
)
def test_the_form_that_everyday_words_ask_for(question: str, wanted: str) -> None:
    assert asked(question).wanted == wanted


def test_what_can_answer_them() -> None:
    assert answers_kind(asked("停车要钱不"), "停车位免费使用。")
    assert answers_kind(asked("电脑要还给谁"), "电脑交还行政部。")
    table = "| 姓名 | 电话 |\n| --- | --- |\n| 高洁 | 6120 |"
    assert may_hold(asked("高洁电话多少"), table)
