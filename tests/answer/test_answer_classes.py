"""Tables by classes: the cell that a definition names, or all columns; never a guessed one."""

from __future__ import annotations

import pytest
from answer_cases import hits, meaning, passage

from rag.answer.extract import extract
from rag.answer.refuse import confidence

BEDS = """二、床位费

| 房型 | 一类病区（元/天） | 二类病区（元/天） | 三类病区（元/天） |
| --- | --- | --- | --- |
| 单人间 | 300 | 260 | 200 |
| 双人间 | 180 | 150 | 120 |"""
WARDS = """一、病区分级

| 类别 | 病区 | 说明 |
| --- | --- | --- |
| 一类病区 | 心内科、神经外科、重症医学科 | 含24小时监护 |
| 二类病区 | 普外科、骨科、妇产科 | 含常规护理 |
| 三类病区 | 除上述以外的其他科室 | 不含护理 |"""
HOSPITAL = [
    passage(1, BEDS, title="住院收费标准", document="a", kind="table", headings=("二、床位费",)),
    passage(2, WARDS, title="住院收费标准", document="a", kind="table", headings=("一、病区分级",)),
]
SCHOOL = [
    passage(
        1,
        "低年级指初一、初二，高年级指初三、高一、高二、高三。\n\n"
        "| 时段 | 低年级 | 高年级 |\n| --- | --- | --- |\n"
        "| 早读 | 7:40 | 7:20 |\n| 晚自习结束 | 20:30 | 21:40 |",
        title="学生作息",
    )
]
PAY = [
    passage(
        1,
        "| 班次 | 工作日（元/小时） | 周末（元/小时） | 法定节假日（元/小时） |\n"
        "| --- | --- | --- | --- |\n| 白班 | 30 | 40 | 60 |\n| 夜班 | 38 | 50 | 76 |",
        title="加班工资标准",
    )
]
RANKS = [
    passage(
        1,
        "| 职级 | 甲类地区（元/天） | 乙类地区（元/天） |\n| --- | --- | --- |\n"
        "| M1 | 150 | 120 |\n| M2 | 240 | 200 |",
        title="差旅补助标准",
        document="a",
    ),
    passage(
        2,
        "甲类地区指北京、上海、广州；乙类地区指杭州、成都。",
        title="差旅补助标准",
        document="a",
        ordinal=1,
    ),
    passage(
        3,
        "| 职级 | 岗位 |\n| --- | --- |\n| M1 | 专员、助理 |\n| M2 | 主管、项目经理 |",
        title="职级表",
        document="b",
    ),
]


@pytest.mark.parametrize(
    ("question", "evidence", "cell", "source"),
    [
        ("骨科单人间床位费一天多少钱？", HOSPITAL, "单人间，二类病区（元/天）：260[1]", "骨科"),
        ("心内科双人间床位费多少？", HOSPITAL, "双人间，一类病区（元/天）：180[1]", "心内科"),
        ("重症的单人间多少钱？", HOSPITAL, "单人间，一类病区（元/天）：300[1]", "重症医学科"),
        ("眼科双人间床位费多少钱？", HOSPITAL, "双人间，三类病区（元/天）：120[1]", "除上述以外"),
        ("高二几点早读？", SCHOOL, "早读，高年级：7:20[1]", "高年级指初三"),
        ("初一晚自习几点结束？", SCHOOL, "晚自习结束，低年级：20:30[1]", "低年级指初一"),
        ("M2去成都出差补助一天多少？", RANKS, "M2，乙类地区（元/天）：200[1]", "杭州、成都"),
        (
            "项目经理去上海出差补助多少钱？",
            RANKS,
            "M2，甲类地区（元/天）：240[1]",
            "主管、项目经理",
        ),
    ],
)
def test_the_cell_that_a_definition_names_with_the_definition(
    question: str, evidence: list, cell: str, source: str
) -> None:
    answer = extract(meaning(question), evidence)
    assert answer.startswith(cell)
    assert source in answer.split("\n", 1)[1]
    assert confidence(meaning(question), hits(evidence), evidence).value >= 0.7


@pytest.mark.parametrize(
    ("question", "evidence", "values"),
    [
        ("单人间床位费多少钱？", HOSPITAL, ("300", "260", "200")),
        ("夜班加班多少钱一小时？", PAY, ("38", "50", "76")),
        ("早读几点？", SCHOOL, ("7:40", "7:20")),
        ("M1出差补助多少？", RANKS, ("150", "120")),
    ],
)
def test_all_columns_where_the_question_names_no_class(
    question: str, evidence: list, values: tuple[str, ...]
) -> None:
    answer = extract(meaning(question), evidence)
    assert "| --- |" in answer
    assert all(f" {value} " in answer for value in values)


def test_a_column_named_outright_needs_no_definition() -> None:
    assert extract(meaning("夜班周末加班多少钱？"), PAY) == "夜班，周末（元/小时）：50[1]"


def test_a_table_on_another_matter_does_not_answer() -> None:
    """The city's class is known, but the flight is not in the table of allowances."""
    assert "甲类地区（元/天）：" not in extract(meaning("去广州坐飞机多少钱？"), RANKS)
