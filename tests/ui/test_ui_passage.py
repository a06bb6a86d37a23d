"""Passages: quotes highlighted in running text and in tables, everything escaped."""

from __future__ import annotations

import pytest

from ui.passage import passage_html, quote_html

TABLE = """补贴标准：

| 学历 | 金额 |
| --- | --- |
| 博士 | 2000 |
| 硕士 | 1500 |
| 本科 | 1000 |
| 专科 | 800 |"""


def at(text, quote):
    start = text.index(quote)
    return start, start + len(quote)


@pytest.mark.parametrize(
    ("text", "quote", "shown"),
    [
        ("年假五天。病假十天。", "病假十天", "年假五天。<mark>病假十天</mark>。"),
        ("一\n\n\n二", "二", "一\n<mark>二</mark>"),
        ("<b>粗</b>", "粗", "&lt;b&gt;<mark>粗</mark>&lt;/b&gt;"),
        ("x" * 200 + "中" + "y" * 200, "中", "…" + "x" * 90 + "<mark>中</mark>" + "y" * 90 + "…"),
    ],
)
def test_the_quote_is_highlighted_within_its_surroundings(text, quote, shown):
    assert quote_html(text, at(text, quote)) == shown


@pytest.mark.parametrize("span", [(0, 0), (5, 2), (99, 120), (-3, -1)])
def test_a_wrong_range_highlights_nothing(span):
    assert quote_html("年假五天。", span) == "年假五天。"


def test_a_quoted_row_is_shown_with_its_header_and_neighbours():
    shown = quote_html(TABLE, at(TABLE, "1000"), around=10)
    assert "<th>学历</th>" in shown
    assert "<td><mark>1000</mark></td>" in shown
    assert "<td>硕士</td>" in shown
    assert "博士" not in shown
    assert "---" not in shown


def test_a_whole_passage_keeps_all_rows():
    shown = passage_html(TABLE)
    assert shown.startswith("补贴标准：<table>")
    assert shown.count("<tr>") == 5


def test_cells_are_escaped():
    assert "<script>" not in passage_html("| <script> | a\\|b |\n|---|---|\n| x | y |")
