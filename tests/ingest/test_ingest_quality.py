from __future__ import annotations

from typing import Any

import pytest

from rag.errors import EmptyDocument, UnsupportedFormat
from rag.ingest.flags import flag_text
from rag.ingest.quality import (
    apply_decisions,
    assess,
    page_key,
    require_text,
    with_page_keys,
)
from rag.ingest.quality_measures import garbled_share, is_out_of_order
from rag.types import Block, Document, Page, PageDecision

TEXT = "第一条 为了规范人才住房补贴的申请、审核和发放，结合本市实际情况，制定本办法。"


def page(number: int, *texts: str, **more: Any) -> Page:
    blocks = tuple(Block(kind="paragraph", text=text, page=number) for text in texts)
    return Page(number=number, blocks=blocks, **more)


def document(*pages: Page, **more: Any) -> Document:
    flags = tuple(dict.fromkeys(flag for p in pages for flag in p.flags))
    return Document(name="a.pdf", media_type="application/pdf", pages=pages, flags=flags, **more)


def sound(count: int) -> list[Page]:
    return [page(n, f"第{n}条 {TEXT[4:]}其中第{n}项另有规定。") for n in range(1, count + 1)]


def test_a_sound_document_passes() -> None:
    quality = assess(document(*sound(4)), ())
    assert (quality.status, quality.score, quality.issues) == ("passed", 1.0, ())
    assert quality.measures["garbled_ratio"] == 0


@pytest.mark.parametrize(
    ("bad", "code", "severity"),
    [
        (page(9, flags=("no_text",)), "no_text", "error"),
        (page(9, TEXT, flags=("no_text",)), "no_text", "warning"),
        (page(9, flags=("failed_page",)), "failed_page", "error"),
        (page(9, TEXT, flags=("image_text",)), "image_text", "warning"),
        (page(9, TEXT + "\ufffd" * 9), "garbled_text", "error"),
        (page(9, TEXT + "锟斤拷"), "garbled_text", "warning"),
        (page(9, "佛" * 20 + TEXT[:10]), "garbled_text", "error"),
        (page(9, TEXT, confidence=0.3), "low_confidence", "error"),
        (page(9, TEXT, confidence=0.7), "low_confidence", "warning"),
        (page(9, "口口", confidence=0.9), "low_information", "warning"),
        (page(9, f"第3条 {TEXT[4:]}其中第3项另有规定。" * 2, flags=()), "", ""),
        (page(9, TEXT, flags=("table_numbers:3,5",)), "table_numbers", "warning"),
    ],
)
def test_what_is_doubtful_is_said(bad: Page, code: str, severity: str) -> None:
    quality = assess(document(*sound(8), bad), ())
    assert [(i.code, i.severity, i.page) for i in quality.issues] == (
        [(code, severity, 9)] if code else []
    )
    assert quality.status == ("warnings" if code else "passed")
    assert quality.score == pytest.approx(8 / 9 if code else 1, abs=1e-3)
    assert all(flag_text(i.code) != i.code for i in quality.issues)


def test_doubled_words_are_no_garbage() -> None:
    assert garbled_share("人人都要努力工作，天天向上，时时刻刻想着大家的利益和将来的打算。") == 0


def test_a_half_read_document_is_quarantined_until_its_pages_are_decided() -> None:
    half = document(*sound(2), page(3, flags=("no_text",)), page(4, flags=("garbled",)))
    quality = assess(half, ())
    assert (quality.status, quality.score) == ("quarantined", 0.5)
    assert quality.measures["missing_pages"] == 2
    accepted = [PageDecision(page=n, action="accept") for n in (3, 4)]
    quality = assess(apply_decisions(half, accepted), accepted)
    assert quality.status == "passed"
    assert [i.severity for i in quality.issues] == ["info", "info"]
    excluded = [PageDecision(page=n, action="exclude") for n in (3, 4)]
    mended = apply_decisions(half, excluded)
    assert mended.flags == ("excluded",)
    quality = assess(mended, excluded)
    assert (quality.status, quality.issues, quality.score) == ("passed", (), 1.0)


def test_pages_that_were_lost_are_missed() -> None:
    quality = assess(document(page(1, TEXT), page(4, TEXT[5:])), ())
    assert [(i.code, i.page) for i in quality.issues] == [("missing_page", 2), ("missing_page", 3)]
    assert quality.status == "quarantined"


def test_repeated_text_is_said() -> None:
    twice = document(page(1, TEXT * 2), page(2, TEXT * 2), page(3, "完全不同的另一页内容。"))
    codes = {(i.code, i.page, i.detail) for i in assess(twice, ()).issues}
    assert ("duplicate_page", 2, "1") in codes
    assert any(code == "duplicate_text" and page is None for code, page, _ in codes)


def boxed(*boxes: tuple[float, float, float, float], **more: Any) -> Page:
    blocks = tuple(Block(kind="paragraph", text=f"段{n}", bbox=b) for n, b in enumerate(boxes))
    return Page(number=1, blocks=blocks, **more)


LEFT = [(50, y, 280, y + 20) for y in (100, 200, 300)]
RIGHT = [(310, y, 540, y + 20) for y in (100, 200, 300)]


@pytest.mark.parametrize(
    ("read", "doubtful"),
    [
        (boxed(*LEFT, *RIGHT), False),
        (boxed(LEFT[0], RIGHT[0], LEFT[1], RIGHT[1], LEFT[2], RIGHT[2]), False),
        (boxed(LEFT[2], LEFT[1], LEFT[0]), True),
        (boxed(LEFT[2], LEFT[1], LEFT[0], flags=("vertical",)), False),
        (boxed(LEFT[0], LEFT[2], LEFT[1]), False),
    ],
)
def test_jumps_back_within_a_column_are_doubtful(read: Page, doubtful: bool) -> None:
    assert is_out_of_order(read) is doubtful


def test_a_correction_replaces_the_page() -> None:
    fixed = PageDecision(page=2, action="correct", text="# 标题\n\n改正后的第一段。\n\n- 一项")
    done = apply_decisions(document(*sound(1), page(2, "乱\ufffd码", flags=("no_text",))), [fixed])
    assert [b.kind for b in done.pages[1].blocks] == ["heading", "paragraph", "list"]
    assert {b.page for b in done.pages[1].blocks} == {2}
    assert done.pages[1].flags == ("corrected",)
    assert done.flags == ("corrected",)
    assert assess(done, [fixed]).status == "passed"


def test_decisions_about_a_page_that_changed_are_pointed_out() -> None:
    before = document(*sound(2))
    decisions = with_page_keys(before, [PageDecision(page=2, action="exclude")])
    assert decisions[0].page_key == page_key(before.pages[1])
    changed = document(sound(1)[0], page(2, "这一页后来改成了别的内容。"))
    done = apply_decisions(changed, decisions)
    assert (done.pages[1].blocks, done.pages[1].flags) == ((), ("excluded",))
    other = apply_decisions(changed, decisions, same_file=False)
    assert other.pages[1].blocks == changed.pages[1].blocks
    assert [i.code for i in assess(other, decisions).issues] == ["decision_outdated"]
    gone = assess(document(*sound(1)), decisions)
    assert [(i.code, i.detail) for i in gone.issues] == [("decision_without_page", "2")]


@pytest.mark.parametrize(
    ("made", "error", "says"),
    [
        (document(page(1, flags=("no_text",))), EmptyDocument, "没有文字层"),
        (document(page(1, flags=("garbled",))), UnsupportedFormat, "乱码"),
        (document(page(1, flags=("excluded",))), EmptyDocument, "被排除"),
        (document(page(1)), EmptyDocument, "只有空白"),
    ],
)
def test_nothing_readable_fails_with_its_reason(
    made: Document, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        require_text(made)
