"""Text recognition: lines, which way is up, reading order, tables, pictures."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from ocr_inputs import encoded, picture, write
from PIL import Image

from rag.errors import CorruptDocument, TooLarge
from rag.ingest.ocr import (
    OcrLine,
    OcrResult,
    available,
    engine,
    pixels,
    read_picture,
    recognise,
    to_blocks,
)
from rag.ingest.ocr.lines import without_slanted
from rag.ingest.ocr.orientation import turned_boxes
from rag.ingest.ocr.skew import skew_of, turned
from rag.ingest.ocr.strips import merge_strips, strips_of
from rag.ingest.ocr.tidy import tidy
from rag.settings import IngestSettings

SETTINGS = IngestSettings()
OFF = IngestSettings(ocr="off")

needs_ocr = pytest.mark.skipif(available() is not None, reason="text recognition not installed")


def notice(page: Any) -> None:
    write(page, 130, 40, "年假管理办法", 22)
    write(page, 30, 80, "员工累计工作满一年不满十年的，年休假五天；")
    write(page, 30, 104, "满十年不满二十年的，年休假十天。")
    write(page, 30, 150, "联系人：人力资源部张建国")


def line(text: str, x0: float, y0: float, x1: float, y1: float, **more: Any) -> OcrLine:
    return OcrLine(text, (x0, y0, x1, y1), more.pop("confidence", 0.99), **more)


@needs_ocr
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_page_is_read_whatever_way_it_lies(rotation: int) -> None:
    given = np.rot90(picture(notice), -rotation // 90)
    result = recognise(given, SETTINGS)
    assert result.rotation == rotation
    assert (result.width, result.height) == (723, 362)
    assert "年休假五天" in "".join(found.text for found in result.lines)
    assert result.confidence is not None and result.confidence > 0.95
    blocks = to_blocks(result, page=3, scale=72 / 130)
    assert [block.text for block in blocks] == [
        "年假管理办法",
        "员工累计工作满一年不满十年的，年休假五天；满十年不满二十年的，年休假十天。",
        "联系人：人力资源部张建国",
    ]
    assert [block.kind for block in blocks] == ["heading", "paragraph", "paragraph"]
    assert {block.page for block in blocks} == {3}
    # The boxes are those of the page as it was given.
    x0, y0, x1, y1 = blocks[0].bbox or (0, 0, 0, 0)
    ink = 255 - given[round(y0 * 130 / 72) : round(y1 * 130 / 72), round(x0 * 130 / 72) :, 1]
    assert 0 <= x0 < x1 <= given.shape[1] * 72 / 130 + 1
    assert 0 <= y0 < y1 <= given.shape[0] * 72 / 130 + 1
    assert ink[:, : round((x1 - x0) * 130 / 72)].any()


def number(page: Any) -> None:
    write(page, 20, 40, "合同编号 HT-2024-017", 20)


@needs_ocr
@pytest.mark.parametrize("form", ["file", "grey", "pillow"])
def test_pictures_of_all_forms_say_the_same(form: str) -> None:
    given: Any = picture(number, height=70)
    if form == "grey":
        given = given[:, :, 1]
    else:
        given = encoded(given) if form == "file" else Image.fromarray(given)
    lines = recognise(given, SETTINGS, upright=True).lines
    assert "".join(found.text for found in lines).replace(" ", "") == "合同编号HT-2024-017"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP", "WEBP", "TIFF", "GIF", "PPM"])
def test_pictures_of_all_formats_have_the_same_pixels(kind: str) -> None:
    given = picture(number, height=70)
    loaded = pixels.load(encoded(given, kind)).astype(int)
    assert loaded.shape == given.shape
    assert abs(loaded - given.astype(int)).mean() < 3


@needs_ocr
def test_a_lone_line_on_a_large_page_is_found() -> None:
    given = picture(
        lambda page: write(page, 60, 90, "THE ANSWER", 12, "helv"), width=595, height=842
    )
    assert [found.text for found in recognise(given, SETTINGS).lines] == ["THE ANSWER"]


@needs_ocr
def test_ruled_tables_come_out_as_rows() -> None:
    cells = [("部门", "设备", "周期"), ("动力", "变压器", "12个月"), ("", "配电柜", "6个月")]

    def draw(page: Any) -> None:
        for row, texts in enumerate(cells):
            for column, text in enumerate(texts):
                write(page, 40 + 110 * column, 50 + 40 * row, text)
        for y in (20, 60, 140):
            page.draw_line((30, y), (360, y))
        page.draw_line((140, 100), (360, 100))
        for x in (30, 140, 250, 360):
            page.draw_line((x, 20), (x, 140))

    (table,) = to_blocks(recognise(picture(draw), SETTINGS), page=1, scale=72 / 130)
    assert table.kind == "table"
    assert tuple(tuple(cell.replace(" ", "") for cell in row) for row in table.rows or ()) == (
        ("部门", "设备", "周期"),
        ("动力", "变压器", "12个月"),
        ("动力", "配电柜", "6个月"),
    )


@needs_ocr
def test_columns_of_vertical_writing_go_from_right_to_left() -> None:
    columns = ["春眠不觉晓处处闻啼鸟", "夜来风雨声花落知多少", "白日依山尽黄河入海流"]

    def draw(page: Any) -> None:
        for number, text in enumerate(columns):
            for place, character in enumerate(text):
                write(page, 230 - 70 * number, 40 + 26 * place, character, 22)

    result = recognise(picture(draw, width=300, height=310), SETTINGS)
    blocks = to_blocks(result, page=1, scale=72 / 130)
    assert "".join("".join(block.text.split()) for block in blocks) == "".join(columns)


@needs_ocr
def test_tall_screenshots_are_read_in_strips() -> None:
    texts = [f"第{number}条 按月考核并公示结果" for number in range(1, 25)]

    def draw(page: Any) -> None:
        for number, text in enumerate(texts):
            write(page, 20, 60 + 84 * number, text, 15)

    seen: list[float] = []
    given = picture(draw, width=300, height=2080, dpi=110)
    result = recognise(given, SETTINGS, progress=seen.append)
    found = [found.text.replace(" ", "") for found in result.lines]
    assert found == [text.replace(" ", "") for text in texts]
    assert len(seen) > 2 and seen[-1] == 1.0
    assert result.height == given.shape[0]


@needs_ocr
def test_watermarks_across_the_page_are_not_read() -> None:
    import pymupdf

    def draw(page: Any) -> None:
        notice(page)
        middle = pymupdf.Point(200, 170)
        page.insert_text(
            (120, 180), "内部资料", fontname="china-s", fontsize=30, color=(0.6, 0.6, 0.6),
            morph=(middle, pymupdf.Matrix(35)),
        )  # fmt: skip

    text = "".join(found.text for found in recognise(picture(draw, height=260), SETTINGS).lines)
    assert "年休假十天" in text
    assert "内部资料" not in text


def test_it_can_be_switched_off() -> None:
    assert "关闭" in (available(OFF) or "")
    result = recognise(picture(notice), OFF)
    assert result.lines == () and result.confidence is None
    assert to_blocks(result, page=1, scale=1.0) == ()
    assert read_picture(encoded(picture(notice)), OFF) == ()


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError("libGL.so.1: cannot open shared object file")

    monkeypatch.setattr(engine, "_reasons", {})
    monkeypatch.setattr(engine.importlib, "import_module", missing)
    assert "libgl1" in (available() or "")


@needs_ocr
def test_pictures_in_documents() -> None:
    (block,) = read_picture(
        encoded(picture(lambda page: write(page, 20, 40, "横向文本框", 20), height=70)), SETTINGS
    )
    assert (block.text, block.bbox, block.page) == ("横向文本框", None, 1)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no picture",
        encoded(picture(notice))[:300],
        encoded(np.full((30, 300, 3), 255, np.uint8)),
        encoded(np.random.default_rng(0).integers(0, 255, (120, 160, 3)).astype(np.uint8)),
    ],
    ids=["empty", "text", "cut off", "icon", "noise"],
)
def test_pictures_without_text_cost_nothing(data: bytes) -> None:
    assert read_picture(data, SETTINGS) == ()


def test_huge_pictures_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pixels, "MOST_PIXELS", 1000)
    with pytest.raises(TooLarge, match="像素"):
        recognise(encoded(picture(notice)), SETTINGS)
    with pytest.raises(TooLarge):
        recognise(picture(notice), SETTINGS)


@pytest.mark.parametrize("data", [b"", b"GIF89a", encoded(picture(notice), "JPEG")[:200]])
def test_damaged_pictures_are_told(data: bytes) -> None:
    with pytest.raises(CorruptDocument, match="损坏"):
        pixels.load(data)


def test_pixels_are_upright_and_opaque() -> None:
    image = Image.new("RGBA", (40, 20), (0, 0, 0, 0))
    image.putpixel((0, 0), (255, 0, 0, 255))
    loaded = pixels.load(image)
    assert loaded.shape == (20, 40, 3)
    assert loaded[0, 0].tolist() == [255, 0, 0]
    assert loaded[10, 10].tolist() == [255, 255, 255]
    exif = Image.Exif()
    exif[0x0112] = 6
    buffer = io.BytesIO()
    Image.new("RGB", (40, 20)).save(buffer, "JPEG", exif=exif)
    assert pixels.load(buffer.getvalue()).shape == (40, 20, 3)
    assert pixels.load(np.zeros((4, 5), np.uint16)).shape == (4, 5, 3)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("（用来表示使用价值的专门用语)", "（用来表示使用价值的专门用语）"),
        ("(5)在资产阶级社会中", "(5)在资产阶级社会中"),
        ("第一,负责;第二,监督", "第一，负责；第二，监督"),
        ("f(x)=1,234.50", "f(x)=1,234.50"),
        ("HT-0１7", "HT-017"),
        ("  a   b ", "a b"),
        (")多余(", ")多余("),
    ],
)
def test_marks_are_those_that_are_printed(text: str, right: str) -> None:
    assert tidy(text) == right


def test_boxes_are_turned_and_back() -> None:
    boxes = np.array([[[10, 20], [50, 20], [50, 30], [10, 30]]], np.float32)
    for rotation, corner in ((90, [20, 150]), (180, [150, 70]), (270, [70, 10])):
        (found,) = turned_boxes(boxes, rotation, 200, 100)
        assert found.min(axis=0).tolist() == corner
        width, height = (200, 100) if rotation == 180 else (100, 200)
        result = OcrResult((), rotation, width, height)  # type: ignore[arg-type]
        x0, y0 = found.min(axis=0)
        x1, y1 = found.max(axis=0)
        assert result.as_given((x0, y0, x1, y1)) == (10, 20, 50, 30)


def test_askew_pages_are_levelled() -> None:
    level = np.array(
        [[[40, y], [300, y], [300, y + 20], [40, y + 20]] for y in (40, 80, 120)], np.float32
    )
    askew = turned(level, -4.0, 400, 200)
    assert skew_of(level) == 0.0
    assert skew_of(askew) == pytest.approx(4.0, abs=0.1)
    assert turned(askew, 4.0, 400, 200) == pytest.approx(level, abs=0.01)
    slanted = turned(level[:1], -40.0, 400, 200)
    assert len(without_slanted(np.concatenate([level, slanted]))) == 3
    assert len(without_slanted(slanted)) == 0


def test_strips_cover_the_image_and_share_lines_once() -> None:
    rgb = np.full((4000, 400, 3), 255, np.uint8)
    rgb[::50, :, :] = 0
    strips = strips_of(rgb)
    assert strips[0][0] == 0
    assert strips[-1][0] + strips[-1][1].shape[0] == 4000
    for (top, strip), (following, _) in pairwise(strips):
        assert top + strip.shape[0] >= following
    assert len(strips_of(rgb[:600])) == 1
    first = OcrResult((line("甲", 0, 0, 50, 20), line("乙", 0, 480, 50, 495)), 0, 400, 500)
    second = OcrResult((line("乙", 0, 18, 50, 40), line("丙", 0, 80, 50, 100)), 0, 400, 500)
    merged = merge_strips([(0, first), (460, second)], 400, 960)
    assert [found.text for found in merged.lines] == ["甲", "乙", "丙"]
    assert merged.lines[1].bbox == (0, 478, 50, 500)


def test_two_columns_are_read_one_after_the_other() -> None:
    lines = [line("职工福利", 300, 20, 480, 60)]
    for number in range(8):
        y = 100 + 40 * number
        lines.append(line(f"左栏第{number}行的文字一直写到栏边为止", 20, y, 360, y + 24))
        lines.append(line(f"右栏第{number}行的文字一直写到栏边为止", 420, y, 760, y + 24))
    blocks = to_blocks(OcrResult(tuple(lines), 0, 800, 460), page=1, scale=0.5)
    text = "".join(block.text for block in blocks)
    assert text.startswith("职工福利左栏第0行")
    assert text.index("左栏第7行") < text.index("右栏第0行")


def test_notes_in_the_margin_do_not_cut_lines() -> None:
    lines = [
        line(f"正文第{number}行一直写到右边的边缘为止没有空白", 100, y, 700, y + 28)
        for number, y in enumerate(range(40, 440, 40))
    ]
    lines.insert(5, line("14(II)", 20, 202, 80, 226))
    blocks = to_blocks(OcrResult(tuple(lines), 0, 800, 460), page=1, scale=0.5)
    assert [block.text for block in blocks][-1] == "14(II)"
    assert "没有空白正文第5行" in blocks[0].text
