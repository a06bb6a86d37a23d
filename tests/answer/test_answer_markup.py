from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rag.answer.markup import defuse, escape, unescape

ALPHABET = st.text(alphabet='a1中。#*_`[](){}<>!~|$&;:\\-+=." \t\n【】^', max_size=60)


def shown(markdown: str) -> str:
    """The text that a CommonMark renderer with tables and strike-through shows."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    kinds, text = [], []
    for token in parser.parse(markdown):
        kinds.append(token.type)
        for child in token.children or []:
            kinds.append(child.type)
            text.append(child.content if child.type in ("text", "text_special") else "")
    assert set(kinds) <= {"paragraph_open", "paragraph_close", "inline", "text"}, kinds
    return "".join(text)


@pytest.mark.parametrize(
    "text",
    [
        "# 标题",
        "1. 第一步",
        "- 一项",
        "> 引用",
        "**粗体** 与 _斜体_ 与 ~~删除~~",
        "[点击](http://evil.example/?q=1)",
        "![图](http://evil.example/a.png)",
        "<script>alert(1)</script>",
        "公式 $a_1$ 与 $$b$$",
        "`代码`",
        "---",
        "===",
        "| a | b |",
        "&lt;b&gt; &copy;",
        "C:\\new",
        "价格为3*5*7元",
    ],
)
def test_quoted_text_shows_as_it_is(text: str) -> None:
    assert shown(escape(text)).replace("\u200b", "") == text


@given(ALPHABET)
def test_any_text_stays_text_and_comes_back(text: str) -> None:
    line = " ".join(text.split())
    assert shown(escape(text)).replace("\u200b", "") == line
    assert unescape(escape(text)) == line


def test_codes_stay_readable() -> None:
    assert escape("型号ABC_123-4，编号GB/T 19001-2016。") == "型号ABC_123-4，编号GB/T 19001-2016。"


def test_a_number_in_brackets_inside_a_quotation_is_no_citation() -> None:
    from rag.answer.marks import find_marks

    assert find_marks(escape("见[1]和【2】以及[^3]")) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("看![图](http://e.example/?d=1)吧", "看图吧"),
        ("[点击](javascript:alert(1))这里", "点击这里"),
        ("补贴1500元[1](http://e.example)。", "补贴1500元[1]。"),
        ("见<http://e.example>", "见http://e.example"),
        ("普通文字[1][2]。", "普通文字[1][2]。"),
    ],
)
def test_links_and_images_of_a_model_lose_their_targets(text: str, expected: str) -> None:
    assert defuse(text) == expected
