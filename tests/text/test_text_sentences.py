"""Sentences end where a reader would end them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.text.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("可以。不可以！为什么？", ["可以。", "不可以！", "为什么？"]),
        ("第一项；第二项；第三项。", ["第一项；", "第二项；", "第三项。"]),
        (
            "他说：“走吧。我们一起。”第二天，他走了。",
            ["他说：“走吧。我们一起。”", "第二天，他走了。"],
        ),
        ("“走吧。”他说。", ["“走吧。”他说。"]),
        ("见附件（注：甲。乙）后办理。好", ["见附件（注：甲。乙）后办理。", "好"]),
        ("金额为3.5万元。版本2.1.0可用。", ["金额为3.5万元。", "版本2.1.0可用。"]),
        ("1. 填表\n2. 提交", ["1. 填表", "2. 提交"]),
        ("好……真的？！走", ["好……", "真的？！", "走"]),
        ("It works. See No. 5. Done", ["It works.", "See No. 5.", "Done"]),
        ("（未闭合的括号。后面照样分。", ["（未闭合的括号。", "后面照样分。"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_borders(text: str, expected: list[str]) -> None:
    assert [span.text for span in split_sentences(text)] == expected


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="甲乙丙。！？；…“”（）()《》\n 1.2a,，", max_size=80))
def test_nothing_is_lost_and_spans_are_exact(text: str) -> None:
    spans = split_sentences(text)
    assert all(text[span.start : span.end] == span.text and span.text.strip() for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    kept = "".join(span.text for span in spans)
    assert "".join(kept.split()) == "".join(text.split())
