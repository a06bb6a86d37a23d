"""Answers as HTML: Markdown, citation chips, marked statements, nothing active."""

from __future__ import annotations

import pytest

from rag.types import Citation, Claim
from ui import markup
from ui.markup import answer_html, draft_html

CITATIONS = (
    Citation(
        n=1,
        chunk_id="c",
        document_id="d",
        document='《办法》"2024"',
        page=3,
        quote="q",
        char_span=(0, 1),
    ),
)


@pytest.fixture(autouse=True)
def chinese(monkeypatch):
    from ui.texts import text_in

    monkeypatch.setattr(markup, "t", lambda key, **values: text_in("zh", key, **values))


def test_a_citation_becomes_a_chip_that_leads_to_its_card():
    shown = answer_html("每月1500元。[1]", CITATIONS, anchor="evidence-m")
    assert 'href="#evidence-m-1"' in shown
    assert 'title="《办法》&quot;2024&quot; · 第 3 页"' in shown


def test_a_number_without_evidence_stays_text():
    assert "[7]" in answer_html("数组 a[7]。[1]", CITATIONS, anchor="e")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        '<a href="javascript:1">x</a>',
        "[x](data:text/html,y)",
    ],
)
def test_nothing_active_comes_through(text):
    shown = answer_html(text)
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<a " not in shown


def test_images_are_not_fetched():
    assert "<img" not in answer_html("![x](https://example.com/p.png)")


def test_web_links_open_elsewhere_without_a_referrer():
    shown = answer_html("[官网](https://example.com)")
    assert 'rel="noopener noreferrer nofollow"' in shown


def test_an_unsupported_sentence_gets_a_side_line_and_a_word():
    text = "有依据。[1]没有依据。"
    start = text.index("没有")
    claims = (Claim(text="没有依据。", verdict="unsupported", span=(start, len(text))),)
    shown = answer_html(text, CITATIONS, claims)
    assert 'class="zw-claim zw-unsupported" title="没有找到依据">没有依据。</span>' in shown


def test_marks_over_several_list_items_stay_inside_each():
    text = "1. 第一步\n2. 第二步"
    claims = (Claim(text=text, verdict="contradicted", span=(0, len(text))),)
    shown = answer_html(text, (), claims)
    assert shown.count("<li><span") == 2
    assert shown.count("</span></li>") == 2


@pytest.mark.parametrize("character", ["\ue000", "\ue0013", "\ue002"])
def test_private_characters_in_the_text_open_no_marks(character):
    assert "zw-claim" not in answer_html(f"{character}0\ue002 文字")


def test_tables_and_lists_are_kept():
    shown = answer_html("| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n- y")
    assert "<table>" in shown
    assert shown.count("<li>") == 2


def test_unfinished_text_has_neither_links_nor_images():
    shown = draft_html("见[这里](https://e.example/?q=1)。![图](https://e.example/p.png) **粗**")
    assert "e.example" not in shown
    assert "<strong>粗</strong>" in shown
