"""Columns that are alternatives of each other, and the texts that define their classes."""

from __future__ import annotations

import pytest

from rag.text.alternatives import alternatives, defined, defines, rest

WARDS = """| 类别 | 病区 | 说明 |
| --- | --- | --- |
| 一类病区 | 心内科、神经外科 | 含24小时监护 |
| 二类病区 | 普外科、骨科、妇产科 | 含常规护理 |
| 三类病区 | 除上述以外的其他科室 | 不含护理 |"""
WARD_NAMES = ("一类病区", "二类病区", "三类病区")
AREAS = "差旅补助按地区发放：A类地区包括北京、深圳；B类地区包括杭州、南京；其余为C类地区。"
GRADES, BANDS = ("低年级", "高年级"), ("一档", "二档")
AREA_NAMES = ("A类地区", "B类地区", "C类地区")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("房型 一类病区（元/天） 二类病区（元/天） 三类病区（元/天）", (1, 2, 3)),
        ("时段 低年级 高年级", (1, 2)),
        ("项目 走读生（元/学期） 住校生（元/学期） 备注", (1, 2)),
        ("班次 工作日（元/时） 周末（元/时） 法定节假日（元/时）", (1, 2, 3)),
        ("参数 QX-10 QX-20", (1, 2)),
        ("项目 价格（元/次） 检查地点 备注", ()),
        ("职级 飞机 高铁或动车 轮船", ()),
        ("序号 名称 数量 金额（元）", ()),
    ],
)
def test_columns_that_are_alternatives(header: str, expected: tuple[int, ...]) -> None:
    assert alternatives(tuple(header.split())) == expected


@pytest.mark.parametrize(
    ("names", "question", "text", "expected"),
    [
        (WARD_NAMES, "骨科单人间多少钱", WARDS, ("二类病区", "骨科")),
        (WARD_NAMES, "神经的单人间多少钱", WARDS, ("一类病区", "神经外科")),
        (WARD_NAMES, "眼科单人间多少钱", WARDS, None),
        (AREA_NAMES, "去南京出差补助多少", AREAS, ("B类地区", "南京")),
        (GRADES, "高二几点早读", "低年级指初一，高年级指初三、高二。", ("高年级", "高二")),
        (BANDS, "广州是哪档", "广州、佛山属于一档，韶关按二档执行。", ("一档", "广州")),
        (BANDS, "韶关多少", "广州、佛山属于一档，韶关按二档执行。", ("二档", "韶关")),
    ],
)  # fmt: skip
def test_the_class_of_a_thing(
    names: tuple[str, ...], question: str, text: str, expected: tuple[str, str] | None
) -> None:
    found = defined(names, question, text)
    assert (found and (found.name, found.member)) == expected


def test_the_class_of_all_the_rest() -> None:
    wards, areas = rest(WARD_NAMES, WARDS), rest(AREA_NAMES, AREAS)
    assert wards and wards.name == "三类病区"
    assert wards.members == ("心内科", "神经外科", "普外科", "骨科", "妇产科")
    assert areas and (areas.name, areas.members) == ("C类地区", ("北京", "深圳", "杭州", "南京"))
    assert rest(WARD_NAMES, "一类病区有空调，二类病区没有。") is None


def test_a_text_that_only_uses_classes_defines_none() -> None:
    assert defines(WARD_NAMES, WARDS)
    assert not defines(
        WARD_NAMES, "| 房型 | 一类病区 | 二类病区 |\n| --- | --- | --- |\n| 单人间 | 300 | 260 |"
    )
