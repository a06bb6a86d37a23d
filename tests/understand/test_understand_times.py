"""Times in questions."""

from __future__ import annotations

from datetime import date

import pytest

from rag.understand.times import find_times, years_of

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2023年的补贴", "2023-01-01", "2023-12-31"),
        ("二〇二三年五月", "2023-05-01", "2023-05-31"),
        ("2023年5月1日的规定", "2023-05-01", "2023-05-01"),
        ("2023-05-01", "2023-05-01", "2023-05-01"),
        ("2024版手册", "2024-01-01", "2024-12-31"),
        ("去年底", "2025-12-01", "2025-12-31"),
        ("去年第三季度", "2025-07-01", "2025-09-30"),
        ("2023Q3营收", "2023-07-01", "2023-09-30"),
        ("2023年上半年", "2023-01-01", "2023-06-30"),
        ("下半年呢", "2026-07-01", "2026-12-31"),
        ("FY2023", "2023-01-01", "2023-12-31"),
        ("2023财年", "2023-01-01", "2023-12-31"),
        ("2021年至2023年", "2021-01-01", "2023-12-31"),
        ("2021-2023年", "2021-01-01", "2023-12-31"),
        ("近三年", "2023-11-30", "2026-11-30"),
        ("3年前的标准", "2023-01-01", "2023-12-31"),
        ("23年呢", "2023-01-01", "2023-12-31"),
        ("2019年以来", "2019-01-01", None),
        ("2020年以前", None, "2019-12-31"),
        ("2026-11-30前提交", None, "2026-11-29"),
        ("上个月", "2026-10-01", "2026-10-31"),
        ("本周", "2026-11-30", "2026-12-06"),
        ("十四五期间", "2021-01-01", "2025-12-31"),
        ("90年代", "1990-01-01", "1999-12-31"),
    ],
)
def test_ranges(text: str, start: str | None, end: str | None) -> None:
    (mention,) = find_times(text, TODAY)
    assert text[mention.start : mention.end] == mention.text
    assert (str(mention.range.start or "") or None, str(mention.range.end or "") or None) == (
        start,
        end,
    )


@pytest.mark.parametrize(
    "text",
    [
        "满3年",
        "工作15年",
        "5年内",
        "15个工作日",
        "三个月",
        "12个月",
        "ABC-2023型号",
        "GB/T 19001-2016",
        "京发〔2023〕12号",
        "从什么时候起施行",
        "几月份",
        "2023年13月99日里的13月",
    ],
)
def test_no_times(text: str) -> None:
    assert [m.text for m in find_times(text, TODAY) if "2023年" not in m.text] == []


def test_two_times_and_their_years() -> None:
    mentions = find_times("2023和2024有什么区别", TODAY)
    assert [m.text for m in mentions] == ["2023", "2024"]
    assert years_of(tuple(m.range for m in mentions)) == (2023, 2024)
    assert years_of(()) is None
    assert years_of(tuple(m.range for m in find_times("2019年以来", TODAY))) is None
