"""Whether a passage speaks of the year that is asked for."""

from __future__ import annotations

import pytest
from answer_cases import meaning, passage

from rag.answer.agreement import agreement

ASKED = meaning("2023年安全事故共几起？", years=(2023,))


@pytest.mark.parametrize(
    ("title", "text", "year", "fit"),
    [
        ("2023年工作总结", "安全事故共3起。", 2023, "match"),
        ("2024年1月15日办公会会议纪要", "2023年全年安全事故共3起。", 2024, "match"),
        ("2024年年度报告", "2023年营业收入10.1亿元。", 2024, "match"),
        ("2024年工作总结", "安全事故共3起。", 2024, "conflict"),
        ("安全月报", "安全事故共3起。", 2023, "match"),
        ("安全月报", "安全事故共3起。", 2024, "conflict"),
        ("安全月报", "安全事故共3起。", None, "silent"),
    ],
)
def test_the_year_of_the_text_counts_before_that_of_the_title(title, text, year, fit):
    found = passage(1, text, title=title, year=year)
    assert agreement(ASKED, found.chunk).fits["time"] == fit
