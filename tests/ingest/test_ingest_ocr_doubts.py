"""Text recognition where it may go wrong: print under stamps, faxes, long numbers, forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ocr_inputs import picture, scan, stamped, write

from rag.ingest.flags import flag_text
from rag.ingest.ocr import OcrLine, OcrResult, available, recognise, to_blocks
from rag.ingest.ocr.reading import Reading, doubtful_numbers, read_carefully
from rag.ingest.ocr.stamps import lift_stamps
from rag.ingest.ocr.tidy import tidy
from rag.ingest.parse.image import parse_image
from rag.ingest.parse.pdf import parse_pdf
from rag.ingest.quality import assess
from rag.settings import IngestSettings
from rag.types import Document

SETTINGS = IngestSettings()
RED, BLUE = (214, 32, 36), (36, 52, 200)

needs_ocr = pytest.mark.skipif(available() is not None, reason="text recognition not installed")

LINES = [
    "三、货款汇入乙方账户：开户行海云银行临江支行，",
    "账号6217 0033 2100 5586，汇款时注明合同编号。",
    "四、验收期限为到货之后十五个工作日，逾期视为合格。",
    "五、未经书面同意，任何一方不得转让本合同的义务。",
    "六、本合同一式四份，双方各执两份，盖章之后生效。",
]


def agreement(page: Any) -> None:
    for number, text in enumerate(LINES):
        write(page, 30, 50 + 34 * number, text, 13)


def said(result: OcrResult) -> str:
    return "".join("".join(line.text.split()) for line in result.lines)


@needs_ocr
@pytest.mark.parametrize(
    ("colour", "shape", "middle"),
    [
        (RED, "ring", (190, 95)),
        (RED, "ring", (110, 150)),
        (BLUE, "ellipse", (230, 120)),
        (RED, "frame", (160, 110)),
    ],
)
def test_print_under_a_stamp_is_read_and_flagged(
    colour: tuple[int, int, int], shape: str, middle: tuple[int, int]
) -> None:
    page = picture(agreement, height=230, dpi=170)
    given = stamped(page, shape, middle, colour, dpi=170)
    result = recognise(given, SETTINGS)
    assert "stamp_over_text" in result.doubts
    text = said(result)
    assert "6217003321005586" in text
    for start in ("三、", "四、验收", "六、本合同"):
        assert start in text
    assert "不得转让本合同的义务" in text
    assert "专用" not in text and "章" not in text.replace("盖章", "")


@needs_ocr
def test_a_stamp_beside_the_print_is_neither_read_nor_flagged() -> None:
    page = picture(agreement, height=400, dpi=150)
    result = recognise(stamped(page, "ring", (300, 310), RED, dpi=150), SETTINGS)
    assert result.doubts == ()
    assert said(result) == said(recognise(page, SETTINGS))


def test_the_print_under_a_stamp_stays_dark() -> None:
    page = picture(agreement, height=230)
    lifted = lift_stamps(stamped(page, "ring", (190, 95), RED)[:, :, ::-1].copy())
    assert len(lifted.covering) == 1
    assert abs(lifted.pixels.astype(int) - page[:, :, ::-1].astype(int)).mean() < 2
    left, top, right, bottom = (value * 72 / 130 for value in lifted.covering[0])
    assert left < 190 < right and top < 95 < bottom
    assert right - left == pytest.approx(140, abs=12)


def red_heading(page: Any) -> None:
    page.insert_text(
        (60, 60), "国家关于回收四周", fontname="china-s", fontsize=36, color=(0.9, 0, 0)
    )
    page.draw_line((30, 80), (370, 80), color=(0.9, 0, 0), width=2)
    write(page, 30, 120, LINES[2], 13)


def red_table(page: Any) -> None:
    for x in (30, 140, 250, 360):
        page.draw_line((x, 30), (x, 130), color=(0.7, 0.1, 0.1))
    for y in (30, 80, 130):
        page.draw_line((30, y), (360, y), color=(0.7, 0.1, 0.1))
    for column in range(3):
        write(page, 45 + 110 * column, 60, "数量", 13)
        write(page, 45 + 110 * column, 110, f"1{column}0", 13)


def coloured_boxes(page: Any) -> None:
    page.draw_rect((30, 30, 200, 90), color=(0.2, 0.3, 0.9))
    write(page, 45, 65, "提示：请先登录", 13)
    page.draw_rect((220, 30, 380, 90), color=(0.9, 0.1, 0.1), fill=(0.9, 0.1, 0.1))
    page.draw_circle((90, 140), 30, color=(0.9, 0.1, 0.1), fill=(0.9, 0.1, 0.1))


def diagram(page: Any) -> None:
    for number, word in enumerate(("受理", "审核通过")):
        page.draw_circle((90 + 150 * number, 80), 45, color=(0.1, 0.2, 0.8), width=2)
        size = 15
        page.insert_text(
            (90 + 150 * number - size * len(word) / 2, 86), word, fontname="china-s",
            fontsize=size, color=(0.1, 0.2, 0.8),
        )  # fmt: skip


@pytest.mark.parametrize("draw", [agreement, red_heading, red_table, coloured_boxes, diagram])
def test_other_coloured_things_stay(draw: Any) -> None:
    given = picture(draw, height=230)[:, :, ::-1].copy()
    lifted = lift_stamps(given)
    assert lifted.pixels is given
    assert lifted.covering == ()


@needs_ocr
def test_a_stamp_over_text_is_a_warning_of_the_document(tmp_path: Path) -> None:
    page = picture(agreement, height=230, dpi=170)
    path = scan(tmp_path / "a.pdf", stamped(page, "ring", (190, 95), RED, dpi=170), dpi=170)
    pages, _, flags = parse_pdf(path, SETTINGS)
    document = Document(name="a.pdf", media_type="application/pdf", pages=pages, flags=flags)
    quality = assess(document)
    assert quality.status == "warnings"
    assert "stamp_over_text" in [issue.code for issue in quality.issues]
    assert "印章" in flag_text("stamp_over_text")
    assert "stamp" in flag_text("stamp_over_text", "en")


@needs_ocr
def test_a_seal_over_a_page_with_text_of_its_own_hides_nothing(tmp_path: Path) -> None:
    import pymupdf
    from ocr_inputs import encoded

    white = np.full((310, 310, 3), 255, np.uint8)
    ink = stamped(white, "ring", (86, 86), RED)
    alpha = 255 - ink.min(axis=2, keepdims=True)
    with pymupdf.open() as document:
        page = document.new_page(width=500, height=230)
        agreement(page)
        seal = encoded(np.concatenate([ink, alpha], axis=2))
        page.insert_image((120, 30, 290, 200), stream=seal)
        document.save(tmp_path / "a.pdf")
    pages, _, _ = parse_pdf(tmp_path / "a.pdf", SETTINGS)
    assert "stamp_over_text" not in pages[0].flags
    text = "".join("".join(block.text.split()) for block in pages[0].blocks)
    assert text == "".join("".join(line.split()) for line in LINES)


@needs_ocr
def test_the_least_readable_print_under_an_opaque_stamp_is_flagged() -> None:
    page = picture(agreement, height=230, dpi=170)
    ink = stamped(np.full_like(page, 255), "ring", (190, 95), RED, dpi=170)
    covered = np.where((ink < 200).any(axis=2, keepdims=True), ink, page)
    result = recognise(covered, SETTINGS)
    assert "stamp_over_text" in result.doubts
    assert "专用" not in said(result)


# --- Faxes ----------------------------------------------------------------------------


def fax(dpi: int) -> np.ndarray:
    """A page of black and white pixels, a little askew."""
    from PIL import Image

    grey = Image.fromarray(picture(agreement, height=230, dpi=dpi)).convert("L")
    return np.array(grey.rotate(1.2, fillcolor=255).point(lambda v: 255 if v > 190 else 0))


@needs_ocr
@pytest.mark.parametrize("kind", ["tif", "pdf"])
def test_the_low_resolution_of_a_fax_is_told(tmp_path: Path, kind: str) -> None:
    from PIL import Image

    path = tmp_path / f"a.{kind}"
    if kind == "tif":
        Image.fromarray(fax(60)).convert("1").save(path, compression="group4", dpi=(60, 60))
        (page,) = parse_image(path, SETTINGS)
    else:
        pages, _, _ = parse_pdf(scan(path, fax(60), dpi=60), SETTINGS)
        (page,) = pages
    assert "low_resolution" in page.flags
    quality = assess(Document(name="a", media_type="image/tiff", pages=(page,)))
    assert "low_resolution" in [issue.code for issue in quality.issues]


def test_doubts_of_clear_lines_are_none() -> None:
    line = OcrLine("甲方", (0, 0, 40, 20), 0.99)
    weak = OcrLine("申方", (0, 0, 40, 20), 0.9, weak=True)
    numbers = [OcrLine(n, (0, 0, 9, 9), 0.9, numbers=(n,)) for n in ("123456", "234567", "1", "2")]
    assert OcrResult((line,), 0, 40, 20, small=True).doubts == ()
    assert OcrResult((weak, *[line] * 20), 0, 40, 20, small=True).doubts == ()
    assert OcrResult((weak,), 0, 40, 20).doubts == ()
    assert OcrResult((weak,), 0, 40, 20, small=True).doubts == ("low_resolution",)
    assert OcrResult(tuple(numbers), 0, 40, 20).doubts == ("doubtful_numbers:123456，234567，1，…",)


# --- Numbers --------------------------------------------------------------------------


class Engine:
    """A recogniser that answers by the width of a picture: text, probabilities, columns."""

    def __init__(self, answers: dict[int, tuple[str, list[float], list[int]]]) -> None:
        self.answers = answers
        self.read: list[int] = []

    def recognize_txt(self, crops: list[np.ndarray]) -> Any:
        from types import SimpleNamespace

        self.read += [crop.shape[1] for crop in crops]
        found = [self.answers[crop.shape[1]] for crop in crops]
        return SimpleNamespace(
            txts=[text for text, _, _ in found],
            scores=[sum(sure) / len(sure) for _, sure, _ in found],
            word_results=[
                SimpleNamespace(confs=sure, word_cols=[columns]) for _, sure, columns in found
            ],
        )


def crop(width: int) -> np.ndarray:
    return np.zeros((48, width, 3), np.uint8)


def even(text: str, *missing: int) -> tuple[str, list[float], list[int]]:
    """A sure answer whose characters stand four columns apart, without those numbered."""
    columns = [4 * i for i in range(len(text) + len(missing)) if i not in missing]
    return text, [0.99] * len(text), columns


def test_a_digit_that_was_passed_over_is_found_by_its_place() -> None:
    engine = Engine(
        {
            300: even("电话88886661234", 8),
            600: even("电话888866661234"),
            750: even("电话888866661234"),
        }
    )
    (reading,) = read_carefully(engine, [crop(300)])
    assert reading.text == "电话888866661234"
    assert doubtful_numbers(reading) == []
    engine.answers[600] = engine.answers[750] = engine.answers[300]
    (reading,) = read_carefully(engine, [crop(300)])
    assert reading.text == "电话88886661234"
    assert doubtful_numbers(reading) == ["88886661234"]


def test_weak_lines_are_read_again_and_the_surer_reading_wins() -> None:
    weak = ("HIZ-01", [0.99, 0.45, 0.99, 0.99, 0.99, 0.99], [0, 2, 4, 8, 12, 16])
    engine = Engine({300: weak, 600: even("HZ-010"), 750: even("Z")})
    (reading,) = read_carefully(engine, [crop(300)])
    assert (reading.text, reading.again) == ("HZ-010", True)
    sure = Engine({300: even("HZ-01")})
    assert read_carefully(sure, [crop(300)])[0].again is False
    assert sure.read == [300]


def test_only_a_small_part_of_a_page_is_read_again() -> None:
    weak = ("甲乙丙", [0.5, 0.9, 0.9], [0, 4, 8])
    answers = {300: weak, 600: weak, 750: weak}
    engine = Engine(answers)
    read_carefully(engine, [crop(300)] * 50)
    assert len(engine.read) == 50 + 2 * 2
    engine = Engine(answers)
    read_carefully(engine, [crop(300)] * 50, small=True)
    assert len(engine.read) == 50 + 2 * 15


@pytest.mark.parametrize(
    ("text", "columns", "right"),
    [
        ("8 8 8866", [0, 5, 10, 15, 19, 24], "888866"),
        ("6217 0033", [0, 4, 8, 12, 18, 22, 26, 30], "6217 0033"),
        ("1 2 3", [0, 6, 12], "1 2 3"),
    ],
)
def test_blanks_between_even_digits_are_none(text: str, columns: list[int], right: str) -> None:
    engine = Engine({300: (text, [0.99] * len(text), columns)})
    assert read_carefully(engine, [crop(300)])[0].text == right


def test_weak_digits_of_long_numbers_are_named() -> None:
    sure = (0.99, 0.99, 0.5, 0.99, 0.99, 0.99, 0.99)
    assert doubtful_numbers(Reading("费6217.50", 0.9, (0.99, *sure), ())) == ["6217.50"]
    assert doubtful_numbers(Reading("621元", 0.9, (0.5, 0.9, 0.9, 0.9), ())) == []


# --- Forms ----------------------------------------------------------------------------


@needs_ocr
def test_fields_of_a_form_keep_apart() -> None:
    rows = [
        ("单据类别：送货签收", "送货方式：汽车运输"),
        ("收货单位：芜湖凯恒汽配厂", "联系人：季小川"),
        ("桥梁名称：石湾大桥", ""),
        ("检查单位：恒桥检测公司", ""),
    ]

    def draw(page: Any) -> None:
        for number, (left, right) in enumerate(rows):
            write(page, 30, 50 + 24 * number, left, 12)
            write(page, 230, 50 + 24 * number, right, 12)
        write(page, 30, 146, "芜湖凯恒汽配厂办公室", 12)
        write(page, 30, 170, "二〇二五年八月十二日", 12)

    blocks = to_blocks(recognise(picture(draw, height=200), SETTINGS), page=1, scale=72 / 130)
    texts = [block.text for block in blocks]
    assert texts == [
        *(" ".join(row).strip() for row in rows),
        "芜湖凯恒汽配厂办公室",
        "二〇二五年八月十二日",
    ]


def test_a_time_stands_apart_from_its_date() -> None:
    assert tidy("采样时间：2026-03-1807:42") == "采样时间：2026-03-18 07:42"
