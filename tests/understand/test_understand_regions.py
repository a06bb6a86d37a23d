"""Regions in texts."""

from __future__ import annotations

import pytest

from rag.understand.region_names import CITIES, PROVINCE_FORMS
from rag.understand.regions import (
    covers,
    find_regions,
    official_name,
    region_paths,
    without_regions,
)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("浙江省杭州市余杭区人才补贴", ["浙江/杭州/余杭"]),
        ("北京市海淀区的学校", ["北京/海淀"]),
        ("上海市浦东新区", ["上海/浦东新区"]),
        ("杭州租房补贴", ["浙江/杭州"]),
        ("深圳和广州的区别", ["广东/深圳", "广东/广州"]),
        ("新疆维吾尔自治区", ["新疆"]),
        ("恩施土家族苗族自治州", ["湖北/恩施"]),
        ("吉林市和吉林省", ["吉林/吉林", "吉林"]),
        ("辽宁朝阳的政策", ["辽宁/朝阳"]),
        ("朝阳区怎么走", ["北京/朝阳"]),
        ("京津冀协同发展", ["北京", "天津", "河北"]),
        ("江浙沪包邮", ["江苏", "浙江", "上海"]),
        ("在沪工作", ["上海"]),
        ("沪籍人员", ["上海"]),
        ("粤B车牌", ["广东"]),
        ("魔都的补贴", ["上海"]),
        ("沪府规〔2022〕3号", ["上海"]),
        ("北京市民可以申请吗", ["北京"]),
        ("上海人能申请吗", ["上海"]),
        ("三明市补贴", ["福建/三明"]),
        ("那白银呢？", ["甘肃/白银"]),
        ("北京市技术市场条例", ["北京"]),
    ],
)
def test_named_regions(text: str, paths: list[str]) -> None:
    assert [m.path for m in find_regions(text)] == paths


@pytest.mark.parametrize(
    "text",
    [
        "以上海关规定怎么办",
        "线上海报怎么申请",
        "黄河南岸",
        "北京大学在哪",
        "南京东路",
        "三明治多少钱",
        "白银价格",
        "西安全部",
        "大连接口",
        "阿里巴巴",
        "南京大饭店",
        "请回到上一个问题",
        "吉祥物",
        "苏打水",
        "申请条件是什么",
        "新员工入职",
        "",
    ],
)
def test_words_that_only_contain_a_name(text: str) -> None:
    assert find_regions(text) == []


def test_all_provinces_are_known_in_each_form() -> None:
    assert len(PROVINCE_FORMS) == 34
    for short, forms in PROVINCE_FORMS.items():
        for form in (short, *forms):
            assert region_paths(f"在{form}的公司") == (short,), form


def test_every_city_is_found_with_its_suffix() -> None:
    for province, places in CITIES.items():
        for place in places.split():
            text = place if place.endswith(("市", "州", "盟")) else place + "市"
            assert region_paths(f"{province}{text}的政策"), text


def test_spans_point_into_the_text() -> None:
    text = "请问浙江省杭州市和北京的标准"
    for mention in find_regions(text):
        assert text[mention.start : mention.end] == mention.text


def test_names_and_nesting() -> None:
    assert official_name("浙江") == "浙江省"
    assert official_name("浙江/杭州") == "杭州市"
    assert official_name("北京/海淀") == "海淀区"
    assert official_name("广西") == "广西壮族自治区"
    assert covers("浙江", "浙江/杭州")
    assert not covers("浙江/杭州", "浙江")
    assert without_regions("浙江省租房补贴") == "租房补贴"
