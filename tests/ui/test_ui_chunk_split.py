"""Where a person's split marks cut a chunk."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ui.documents.chunks import split_positions

TEXT = "第一条 适用范围。\n\n第二条 标准为 3.5 万元。\n第三条 附则。"


@pytest.mark.parametrize(
    ("marked", "pieces"),
    [
        (
            "第一条 适用范围。\n---\n第二条 标准为 3.5 万元。\n第三条 附则。",
            ["第一条 适用范围。", "第二条 标准为 3.5 万元。\n第三条 附则。"],
        ),
        (
            "第一条 适用范围。\n\n---\n第二条 标准为 3.5 万元。\n---\n第三条 附则。",
            ["第一条 适用范围。", "第二条 标准为 3.5 万元。", "第三条 附则。"],
        ),
        (
            "第一条 适用范围。\n\n第二条 标准为\n---\n3.5 万元。\n第三条 附则。",
            ["第一条 适用范围。\n\n第二条 标准为", "3.5 万元。\n第三条 附则。"],
        ),
    ],
)
def test_marks_cut_where_they_stand(marked, pieces):
    cuts = [0, *split_positions(TEXT, marked), len(TEXT)]
    assert [TEXT[a:b].strip() for a, b in pairwise(cuts)] == pieces


@pytest.mark.parametrize(
    "marked",
    [
        TEXT,
        "---\n" + TEXT,
        TEXT + "\n---",
        "第一条 适用范围。\n---\n第二条 标准为 4 万元。\n第三条 附则。",
        "---",
        "第一条 适用范围。\n---\n第二条 标准为 3.5 万元。",
    ],
)
def test_no_cut_without_a_mark_inside_or_with_other_changes(marked):
    assert split_positions(TEXT, marked) == []
