"""Each PDF page by the route that suits it: text, recognition, pictures, cross-check."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ocr_inputs import encoded, mapped, pdf, picture, scan, write

from rag.ingest.ocr import available
from rag.ingest.parse.image import parse_image
from rag.ingest.parse.pdf import parse_pdf
from rag.ingest.parse.pdf_glyphs import is_shifted, verdict_of
from rag.settings import IngestSettings
from rag.types import Page

SETTINGS = IngestSettings(ocr_dpi=130)
OFF = IngestSettings(ocr="off")

needs_ocr = pytest.mark.skipif(available() is not None, reason="text recognition not installed")

RULES = [
    "第一条 为了规范档案管理工作，根据有关规定制定本办法。",
    "第二条 本办法适用于公司各部门文书和会计档案的收集整理。",
    "第三条 会计凭证的保管期限为三十年，月度报表为十年。",
]
ENGLISH = ["The quick brown fox jumps over the lazy dog", "and invoices are paid within 30 days."]


def one(path: Path, settings: IngestSettings = SETTINGS, **options: Any) -> Page:
    pages, _, _ = parse_pdf(path, settings, **options)
    return pages[0]


def text_of(page: Page) -> str:
    return "".join("".join(block.text.split()) for block in page.blocks)


def drop(codes: dict[int, int]) -> None:
    return None


def shift(codes: dict[int, int]) -> Mapping[int, int]:
    return {glyph: max(code - 29, 3) for glyph, code in codes.items()}


def mix(codes: dict[int, int]) -> Mapping[int, int]:
    common = [ord(c) for c in "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对"]
    dice = random.Random(1)
    return {g: dice.choice(common) if c > 0x4E00 else c for g, c in codes.items()}


def repeat(codes: dict[int, int]) -> Mapping[int, int]:
    return {g: ord("針") if 0x4E00 < c < 0xA000 and g % 3 else c for g, c in codes.items()}


@needs_ocr
@pytest.mark.parametrize(
    ("lines", "change"),
    [(RULES, drop), (RULES, mix), (RULES, repeat), (ENGLISH, shift), (["THE ANSWER"], shift)],
    ids=["no map", "mixed up", "one for many", "shifted", "shifted, two words"],
)
def test_wrong_characters_are_mended_by_what_is_seen(
    tmp_path: Path, lines: list[str], change: Any
) -> None:
    page = one(mapped(tmp_path / "a.pdf", lines, change))
    assert page.route == "abnormal"
    assert page.flags == ("mended_text",)
    assert page.confidence is not None and page.confidence > 0.9
    assert text_of(page).replace(",", "，") == "".join("".join(lines).split())


@pytest.mark.parametrize(
    ("lines", "change", "rest"),
    [(RULES, mix, ""), (RULES, repeat, ""), (ENGLISH, shift, ""), (["THE ANSWER"], shift, "")],
)
def test_without_recognition_wrong_characters_are_left_out(
    tmp_path: Path, lines: list[str], change: Any, rest: str
) -> None:
    page = one(mapped(tmp_path / "a.pdf", lines, change), OFF)
    assert page.route == "abnormal"
    assert page.flags == ("garbled", "ocr_off")
    assert text_of(page) == rest


def test_another_extraction_is_taken_when_it_is_sane(tmp_path: Path) -> None:
    page = one(mapped(tmp_path / "a.pdf", RULES, drop), OFF)
    assert page.flags == ("mended_text",)
    assert text_of(page) == "".join("".join(RULES).split())


@needs_ocr
def test_what_is_seen_acquits_a_text_that_looks_wrong(tmp_path: Path) -> None:
    names = "龚翀仝玥冼璟禤昶亓媛逄甯笪珺麴骞郗旻佘睿皋岚芮翊"
    right = mapped(tmp_path / "a.pdf", [names], lambda codes: codes)
    assert verdict_of(names) != "good"
    page = one(right)
    assert page.route == "native"
    assert "garbled" not in page.flags


@needs_ocr
def test_only_the_bad_font_is_replaced(tmp_path: Path) -> None:
    import pymupdf

    path = mapped(tmp_path / "a.pdf", RULES, mix)
    with pymupdf.open(path) as document:
        write(document[0], 30, 125, "Total 1,234.50 EUR, invoice 2024-017", 11, "helv")
        document.save(tmp_path / "b.pdf")
    page = one(tmp_path / "b.pdf")
    assert "Total 1,234.50 EUR, invoice 2024-017" in [block.text for block in page.blocks]
    assert "会计凭证的保管期限为三十年" in text_of(page)


def test_a_font_that_is_not_embedded_proves_nothing_by_its_picture(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        write(page, 30, 40, "佛佛佛佛佛佛佛佛佛佛佛 佛山市建材有限公司 4 4 0 6 9 6 1 4 8 5", 8)
        write(page, 30, 70, "釉釉釉 20150.00 TORONTO,CANADA", 11)

    page = one(pdf(tmp_path / "a.pdf", draw))
    assert page.route == "abnormal"
    assert "garbled" in page.flags
    text = " ".join(block.text for block in page.blocks)
    assert "佛佛" not in text and "釉" not in text
    for kept in ("佛山市建材有限公司", "4406961485", "20150.00", "TORONTO,CANADA"):
        assert kept in text


# --- Scans and pictures ---------------------------------------------------------------


def notice(page: Any) -> None:
    for number, line in enumerate(RULES):
        write(page, 20, 40 + 28 * number, line, 13)


@needs_ocr
def test_scans_are_recognised(tmp_path: Path) -> None:
    page = one(scan(tmp_path / "a.pdf", picture(notice)))
    assert (page.route, page.flags) == ("scanned", ("recognised",))
    assert page.confidence is not None and page.confidence > 0.95
    assert [block.text.replace(" ", "") for block in page.blocks] == [
        line.replace(" ", "") for line in RULES
    ]
    assert all(0 <= block.bbox[0] < block.bbox[2] <= 400 for block in page.blocks if block.bbox)


@needs_ocr
def test_a_sideways_scan_has_its_boxes_where_it_is_shown(tmp_path: Path) -> None:
    import numpy as np

    page = one(scan(tmp_path / "a.pdf", np.rot90(picture(notice), -1)))
    assert page.flags == ("rotated", "recognised")
    assert (round(page.width or 0), round(page.height or 0)) == (200, 400)
    first = page.blocks[0].bbox
    assert first is not None and first[0] > 140 and first[3] - first[1] > 200
    assert "规范档案管理工作" in page.blocks[0].text


@needs_ocr
def test_the_text_typed_over_a_scan_stays(tmp_path: Path) -> None:
    path = scan(
        tmp_path / "a.pdf", picture(notice), typed=lambda p: write(p, 300, 190, "RX-17", 9, "helv")
    )
    page = one(path)
    assert page.route == "scanned"
    assert "RX-17" in text_of(page)
    assert text_of(page).count("第三条") == 1


def test_a_hidden_layer_helps_only_without_recognition(tmp_path: Path) -> None:
    import pymupdf

    path = scan(tmp_path / "a.pdf", picture(notice))
    with pymupdf.open(path) as document:
        for number, line in enumerate(RULES):
            document[0].insert_text(
                (20, 40 + 28 * number), line.replace("三十", "五十"), fontname="china-s",
                fontsize=13, render_mode=3,
            )  # fmt: skip
        document.save(tmp_path / "b.pdf")
    off = one(tmp_path / "b.pdf", OFF)
    assert off.route == "scanned" and "hidden_layer" in off.flags
    assert "保管期限为五十年" in text_of(off)
    if available() is None:
        on = one(tmp_path / "b.pdf")
        assert "hidden_layer" not in on.flags
        assert "保管期限为三十年" in text_of(on)


def test_hidden_words_on_a_page_without_a_picture_stay_out(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        write(page, 30, 40, "看得见的文字", 12)
        page.insert_text((30, 80), "hidden words that nobody can see", render_mode=3)

    page = one(pdf(tmp_path / "a.pdf", draw), OFF)
    assert "invisible_text" in page.flags
    assert text_of(page) == "看得见的文字"


def mixed(page: Any) -> None:
    write(page, 30, 30, "上面是正文的第一段文字。", 12)
    seen = picture(lambda p: write(p, 30, 50, "图中的设备编号是甲三", 20), height=90)
    page.insert_image((30, 50, 370, 126), stream=encoded(seen))
    write(page, 30, 160, "下面是正文的第二段文字。", 12)


@needs_ocr
def test_text_in_a_picture_comes_at_its_place(tmp_path: Path) -> None:
    page = one(pdf(tmp_path / "a.pdf", mixed))
    assert (page.route, page.flags) == ("mixed", ("pictures_read",))
    assert text_of(page) == "上面是正文的第一段文字。图中的设备编号是甲三下面是正文的第二段文字。"


@needs_ocr
def test_text_over_a_picture_is_not_read_twice(tmp_path: Path) -> None:
    import numpy as np

    def draw(page: Any) -> None:
        ground = np.full((100, 200, 3), (200, 220, 240), np.uint8)
        page.insert_image(page.rect, stream=encoded(ground))
        write(page, 40, 90, "增强文化自觉和文化自信", 24)

    assert text_of(one(pdf(tmp_path / "a.pdf", draw))) == "增强文化自觉和文化自信"


@needs_ocr
def test_a_letterhead_is_no_content(tmp_path: Path) -> None:
    import pymupdf

    head = encoded(picture(lambda p: write(p, 20, 40, "某某集团有限公司", 24), height=60))
    with pymupdf.open() as document:
        xref = 0
        for number in range(3):
            page = document.new_page(width=400, height=200)
            xref = page.insert_image((20, 10, 380, 60), stream=head, xref=xref)
            write(page, 30, 120, RULES[number], 12)
        document.save(tmp_path / "a.pdf")
    pages, _, _ = parse_pdf(tmp_path / "a.pdf", SETTINGS)
    assert [text_of(page) for page in pages] == ["".join(line.split()) for line in RULES]


@pytest.mark.parametrize("what", ["scan", "picture"])
def test_without_recognition_pages_are_flagged(tmp_path: Path, what: str) -> None:
    if what == "scan":
        page = one(scan(tmp_path / "a.pdf", picture(notice)), OFF)
        assert (page.route, page.flags, page.blocks) == ("scanned", ("no_text", "ocr_off"), ())
    else:
        page = one(pdf(tmp_path / "a.pdf", mixed), OFF)
        assert (page.route, page.flags) == ("mixed", ("image_text", "ocr_off"))
        assert text_of(page) == "上面是正文的第一段文字。下面是正文的第二段文字。"


@needs_ocr
def test_an_editor_chooses_the_route(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pdf(tmp_path / "a.pdf", notice)
    assert one(path).route == "native"
    wrong = mapped(tmp_path / "b.pdf", RULES, mix)
    assert one(wrong, routes={1: "native"}).flags == ()
    crossed = one(path, routes={1: "abnormal"})
    assert (crossed.route, text_of(crossed)) == ("native", text_of(one(path)))

    def hang(*args: Any, **options: Any) -> None:
        raise AssertionError("the page's text must not be touched")

    monkeypatch.setattr("rag.ingest.parse.pdf_reader.read_page", hang)
    page = one(path, routes={1: "scanned"})
    assert (page.route, page.flags) == ("scanned", ("recognised",))
    assert "规范档案管理工作" in text_of(page)


def outlined(page: Any) -> None:
    for number in range(60):
        page.draw_line((20, 20 + number), (200, 30 + 2 * number))


@needs_ocr
@pytest.mark.parametrize("route", ["native", "complex", "mixed"])
def test_a_chosen_route_that_sees_nothing_is_told(tmp_path: Path, route: Any) -> None:
    from rag.ingest.quality import assess
    from rag.types import Document

    scanned = scan(tmp_path / "a.pdf", picture(notice))
    for path in (scanned, pdf(tmp_path / "b.pdf", outlined)):
        page = one(path, routes={1: route})
        if page.blocks:
            assert "pictures_read" in page.flags
            continue
        assert "no_text" in page.flags
        quality = assess(Document(name="a.pdf", media_type="application/pdf", pages=(page,)))
        assert quality.status != "passed"


@needs_ocr
@pytest.mark.parametrize("route", ["native", "complex"])
def test_a_chosen_route_that_skips_a_picture_is_told(tmp_path: Path, route: Any) -> None:
    page = one(pdf(tmp_path / "a.pdf", mixed), routes={1: route})
    assert text_of(page) == "上面是正文的第一段文字。下面是正文的第二段文字。"
    assert page.flags == ("image_text",)


@needs_ocr
def test_a_small_picture_alone_on_a_page_is_read(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        seen = picture(lambda p: write(p, 5, 20, "档案号一七", 14), width=90, height=30)
        page.insert_image((50, 50, 140, 80), stream=encoded(seen))

    page = one(pdf(tmp_path / "a.pdf", draw, width=595, height=842))
    assert (page.route, page.flags, text_of(page)) == ("mixed", ("pictures_read",), "档案号一七")


@needs_ocr
def test_a_page_that_cannot_be_read_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **options: Any) -> None:
        raise RuntimeError("broken page")

    monkeypatch.setattr("rag.ingest.parse.pdf_reader.read_page", broken)
    page = one(pdf(tmp_path / "a.pdf", notice))
    assert page.flags == ("recognised", "failed_page")
    assert "规范档案管理工作" in text_of(page)


# --- Image files ----------------------------------------------------------------------


@needs_ocr
def test_image_files_have_a_page_per_picture(tmp_path: Path) -> None:
    from PIL import Image

    drawn = [
        Image.fromarray(picture(lambda p, n=n: write(p, 20, 40, n, 20), height=70))
        for n in ("第一张图片的文字", "第二张图片的文字")
    ]
    path = tmp_path / "a.tiff"
    drawn[0].save(path, save_all=True, append_images=drawn[1:], dpi=(130, 130))
    seen: list[float] = []
    pages = parse_image(path, SETTINGS, seen.append)
    assert [text_of(page) for page in pages] == ["第一张图片的文字", "第二张图片的文字"]
    assert [page.number for page in pages] == [1, 2]
    assert [page.flags for page in pages] == [("recognised",)] * 2
    assert (round(pages[0].width or 0), round(pages[0].height or 0)) == (400, 70)
    assert seen[-1] == 1.0 and seen == sorted(seen)
    (off, _) = parse_image(path, OFF)
    assert (off.flags, off.blocks) == (("no_text", "ocr_off"), ())


# --- Verdicts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("人才住房补贴申请办法及实施细则的有关说明", True),
        ("轉寄：針對港鐵幕門安全性的投訴及處理結果的說明", True),
        ("電線接続端子部が次のいずれにも該当しないとき。", True),
        ("The answers to all the questions are written on the back page", True),
        ("zhongguo renmin gongheguo guojia tongjiju shehui fazhan gongbao", True),
        ("WBC RBC PLT HGB MCV MCH MCHC RDW NEUT LYMPH", True),
        ("4,755,785.11 5,699,227.63 -16.55% (1,234.50)", True),
        ("四规直收风对有响间天铁有响期习运带如速除四规直收南需", False),
        ("7KH DQFHUV WR DOO WKH TXHVWLRQV DUH ZULWWHQ RQ WKH EDFN SDJH", False),
        ("uif rvjdl cspxo gpy kvnqt pwfs uif mbaz eph", False),
        ("7+(\x03$16:(5", False),
        ("佛佛佛佛佛佛佛佛佛佛佛佛 4406961485", False),
        ("\ue000\ue001\ue002\ue003 ab", False),
    ],
)
def test_verdicts(text: str, good: bool) -> None:
    assert (verdict_of(text) == "good") is good


def test_numbers_are_no_shifted_text() -> None:
    assert is_shifted("7+( $16:(5")
    for text in ("1,234.50 (12) 100%", "THE ANSWER", "A-12/B-34", "+86 (571) 8890-1234"):
        assert not is_shifted(text)
