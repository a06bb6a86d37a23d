from __future__ import annotations

import pytest

from rag.answer.values import find_values, number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("自2021年5月1日起施行", [("date", "2021-05-01", "")]),
        ("二〇二一年五月一日", [("date", "2021-05-01", "")]),
        ("2021-05-01 与 2021.5.1", [("date", "2021-05-01", ""), ("date", "2021-05-01", "")]),
        ("5月1日前", [("date", "--05-01", "")]),
        ("2021年", [("date", "2021", "")]),
        ("五千元、5,000元、0.5万元", [("money", "5000", "元")] * 3),
        ("三万五千元", [("money", "35000", "元")]),
        ("3-5个工作日", [("duration", "3", "工作日"), ("duration", "5", "工作日")]),
        ("十五日内", [("duration", "15", "天")]),
        ("三个月", [("duration", "3", "月")]),
        ("百分之五", [("percent", "5", "%")]),
        ("5％", [("percent", "5", "%")]),
        ("第十二条", [("ordinal", "12", "条")]),
        ("上午8:30至下午5点半", [("time", "08:30", ""), ("time", "17:30", "")]),
        ("8小时工作制", [("duration", "8", "小时")]),
        ("电话010-51979888", [("phone", "01051979888", "")]),
        ("一千二百人", [("count", "1200", "人")]),
        ("统一安排，一般来说十分方便", []),
    ],
)
def test_values_are_canonical(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(v.kind, v.value, v.unit) for v in find_values(text)] == expected


def test_spans_point_into_the_text() -> None:
    text = "每月补贴1,500元，最长36个月，2024年5月1日起执行。"
    for value in find_values(text):
        assert text[value.start : value.end] == value.text


def test_an_indefinite_one_is_marked() -> None:
    assert find_values("一名员工")[0].bare_one
    assert not find_values("1名员工")[0].bare_one


@pytest.mark.parametrize(
    ("text", "value"),
    [("一千二", 1200), ("两万", 20000), ("1,200.5", 1200.5), ("半", 0.5), ("x", None)],
)
def test_number(text: str, value: float | None) -> None:
    found = number(text)
    assert (None if found is None else float(found)) == value
