from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import read, rows, texts
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from rag.errors import EmptyDocument
from rag.ingest.inspect import PPTX, inspect
from rag.ingest.quality import require_text
from rag.settings import IngestSettings

TITLE, CONTENT, TITLE_ONLY, BLANK = 0, 1, 5, 6


def deck(path: Path, *slides: tuple[int, Callable[[Any], None]]) -> Path:
    """A presentation with a slide of a layout for each function, which fills it."""
    presentation = Presentation()
    for layout, fill in slides:
        fill(presentation.slides.add_slide(presentation.slide_layouts[layout]))
    presentation.save(str(path))
    return path


def box(shapes: Any, left: float, top: float, text: str, size: float = 14) -> None:
    """A text box, its place in inches and its letters in points."""
    made = shapes.add_textbox(Inches(left), Inches(top), Inches(4), Inches(0.6))
    made.text_frame.text = text
    made.text_frame.paragraphs[0].runs[0].font.size = Pt(size)


def titled(text: str) -> Callable[[Any], None]:
    def fill(slide: Any) -> None:
        slide.shapes.title.text = text

    return fill


def test_each_slide_is_a_page_below_the_title_of_the_deck(tmp_path: Path) -> None:
    path = deck(tmp_path / "a.pptx", (TITLE, titled("经营汇报")), (TITLE_ONLY, titled("收入")))
    document = read(path)
    assert inspect(path, IngestSettings()).page_count == 2
    assert document.media_type == PPTX
    assert [(b.text, b.level, b.page) for b in document.blocks] == [
        ("经营汇报", 1, 1), ("收入", 2, 2),
    ]  # fmt: skip


def test_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    def fill(slide: Any) -> None:
        titled("对比")(slide)
        for left, top, text in (
            (5.2, 3, "右二"),
            (0.5, 2, "左一"),
            (5.2, 2, "右一"),
            (0.5, 3, "左二"),
        ):
            box(slide.shapes, left, top, text)

    path = deck(tmp_path / "a.pptx", (TITLE_ONLY, fill))
    assert texts(read(path)) == ["对比", "左一", "左二", "右一", "右二"]


def test_groups_stay_together_and_large_text_at_the_top_is_the_title(tmp_path: Path) -> None:
    def fill(slide: Any) -> None:
        group = slide.shapes.add_group_shape()
        box(group.shapes, 1, 5, "组内二")
        box(group.shapes, 1, 4, "组内一")
        box(slide.shapes, 1, 2, "组前说明")
        box(slide.shapes, 0.5, 0.3, "没有占位符的标题", 32)

    document = read(deck(tmp_path / "a.pptx", (BLANK, fill)))
    assert texts(document) == ["没有占位符的标题", "组前说明", "组内一", "组内二"]
    assert document.blocks[0].kind == "heading"


def test_notes_are_kept_and_hidden_slides_are_not(tmp_path: Path) -> None:
    def noted(slide: Any) -> None:
        titled("毛利")(slide)
        slide.notes_slide.notes_text_frame.text = "毛利率为38.5%。"

    def hidden(slide: Any) -> None:
        titled("草稿")(slide)
        slide._element.set("show", "0")

    document = read(deck(tmp_path / "a.pptx", (TITLE_ONLY, noted), (TITLE_ONLY, hidden)))
    assert texts(document) == ["毛利", "备注：毛利率为38.5%。"]
    assert [page.flags for page in document.pages] == [(), ("hidden_slide",)]


def test_lists_keep_levels_and_numbers(tmp_path: Path) -> None:
    def fill(slide: Any) -> None:
        titled("要点")(slide)
        frame = slide.placeholders[1].text_frame
        frame.text = "第一点"
        for text, level in (("子项", 1), ("第二点", 0)):
            paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = text, level

    def numbered(slide: Any) -> None:
        from pptx.oxml import parse_xml
        from pptx.oxml.ns import nsdecls

        box(slide.shapes, 1, 1, "申请")
        frame = slide.shapes[0].text_frame
        frame.add_paragraph().text = "审批"
        for paragraph in frame.paragraphs:
            mark = f'<a:buAutoNum {nsdecls("a")} type="ea1ChsPeriod"/>'
            paragraph._p.get_or_add_pPr().append(parse_xml(mark))

    found = texts(read(deck(tmp_path / "a.pptx", (CONTENT, fill), (BLANK, numbered))))
    assert found[1] == "- 第一点\n  - 子项\n- 第二点"
    assert found[2] == "一. 申请\n二. 审批"


def test_merged_labels_of_tables_are_filled(tmp_path: Path) -> None:
    def fill(slide: Any) -> None:
        cells = [
            ["地区", "收入", ""],
            ["", "2023", "2024"],
            ["华东", "100", "120"],
            ["", "110", "130"],
        ]
        frame = slide.shapes.add_table(4, 3, Inches(1), Inches(1), Inches(6), Inches(3))
        for r, row in enumerate(cells):
            for c, text in enumerate(row):
                frame.table.cell(r, c).text = text
        for top, left, bottom, right in ((0, 0, 1, 0), (0, 1, 0, 2), (2, 0, 3, 0)):
            frame.table.cell(top, left).merge(frame.table.cell(bottom, right))

    assert rows(read(deck(tmp_path / "a.pptx", (BLANK, fill)))) == [
        [("地区", "收入/2023", "收入/2024"), ("华东", "100", "120"), ("华东", "110", "130")]
    ]


def test_charts_give_their_values(tmp_path: Path) -> None:
    def fill(slide: Any) -> None:
        data = CategoryChartData()
        data.categories = ["一季度", "二季度"]
        data.add_series("毛利率", (0.385, 0.41), number_format="0.0%")
        kind = XL_CHART_TYPE.COLUMN_CLUSTERED
        slide.shapes.add_chart(kind, Inches(1), Inches(1), Inches(6), Inches(4), data)

    assert rows(read(deck(tmp_path / "a.pptx", (BLANK, fill)))) == [
        [("", "毛利率"), ("一季度", "38.5%"), ("二季度", "41.0%")]
    ]


def test_pages_with_unread_pictures_and_empty_ones_are_flagged(tmp_path: Path) -> None:
    def fill(slide: Any) -> None:
        picture = io.BytesIO()
        Image.new("RGB", (300, 200), "white").save(picture, "PNG")
        slide.shapes.add_picture(picture, Inches(1), Inches(1))

    path = deck(tmp_path / "a.pptx", (BLANK, fill), (BLANK, lambda slide: None))
    pages = read(path, settings=IngestSettings(ocr="off")).pages
    assert [page.flags for page in pages] == [("image_text",), ("blank",)]


@pytest.mark.parametrize("part", ["ppt/slides/slide1.xml", "ppt/slideLayouts/slideLayout6.xml"])
def test_a_missing_part_costs_no_more_than_itself(tmp_path: Path, part: str) -> None:
    plain = deck(tmp_path / "a.pptx", (TITLE_ONLY, titled("甲")), (TITLE_ONLY, titled("乙")))
    broken = tmp_path / "b.pptx"
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            if name != part:
                target.writestr(name, source.read(name))
    document = read(broken)
    assert "乙" in texts(document)
    assert [page.number for page in document.pages] == [1, 2]


def test_a_deck_without_slides_has_no_text(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocument, match="没有文字内容"):
        require_text(read(deck(tmp_path / "a.pptx")))
