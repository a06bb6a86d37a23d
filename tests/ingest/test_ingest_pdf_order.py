from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import paragraph, pdf, read, rows, texts, write
from ingest_pdf_inputs import SENTENCES, centred, prose, ruled, width, wrapped

from rag.ingest.markdown import to_markdown
from rag.ingest.parse import pdf_regions
from rag.ingest.parse.pdf import parse_pdf
from rag.ingest.parse.pdf_regions import Region
from rag.settings import IngestSettings


def ordered(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


@pytest.mark.parametrize("by_letters", [True, False])
def test_short_articles_are_read_column_by_column(tmp_path: Path, by_letters: bool) -> None:
    """Four lines in each of three columns, then two articles whose headlines stand side by
    side; programs break lines by width or by the number of letters."""

    def lines(text: str) -> list[str]:
        if not by_letters:
            return wrapped(text, 153, 9)
        return [text[i : i + 17] for i in range(0, len(text), 17)]

    def article(page: Any, x: float, y: float, text: str, count: int) -> None:
        high = -(-len(lines(text)) // count)
        for number, line in enumerate(lines(text)):
            write(page, x + number // high * 170, y + number % high * 14, line, 9)

    first = (
        "　　昨日上午，城东快速路二期正式通车，全长9.8公里，总投资23.6亿元。沿线设"
        "六处互通立交，车程由三十五分钟缩短为十五分钟。工程历时两年零四个月，克服软土地基"
        "等困难，提前四十五天完成。沿线同步建设绿道十二公里，新增口袋公园五处，市民王女士"
        "表示出行更加便利，周末散步也多了去处。施工期间日夜轮班，未发生安全事故，周边居民"
        "对此给予好评。有关部门表示，下一步将继续优化。"
    )
    second = (
        "　　供电公司提醒，夏季第一档电量上限由每月二百三十度提高到二百八十度，第二档加价"
        "不变。居民可以查询分时电量，谷段为二十二时至次日八时，电价每度0.288元。空调"
        "温度每调高一度，可节电百分之七左右，热线全天受理。"
    )
    third = (
        "　　市殡葬管理所七月一日起调整窗口时间，周一至周五九时至十六时办理。咨询电话83"
        "310099，欢迎来电。"
    )

    def draw(page: Any) -> None:
        write(page, 120, 100, "城东快速路二期通车", 22)
        article(page, 50, 130, first, 3)
        write(page, 60, 260, "阶梯电价这样算", 16)
        article(page, 50, 290, second, 2)
        write(page, 395, 260, "窗口时间调整", 14)
        article(page, 390, 290, third, 1)

    document = read(pdf(tmp_path / "a.pdf", draw))
    text = "".join(to_markdown(document).split())
    assert not rows(document)
    for whole in (first, second, third):
        assert whole.strip("　") in text
    assert ordered(text, "阶梯电价这样算", second[2:20], "窗口时间调整", third[2:20])
    assert "阶梯电价这样算窗口" not in text


def column_texts(count: int, start: int, lines: int, room: float) -> list[str]:
    """One text per column that fills so many lines, marked 【0】, 【1】 …"""
    found = []
    for number in range(start, start + count):
        long = f"【{number}】" + "".join(SENTENCES[(number + k) % 4] for k in range(9))
        found.append("".join(wrapped(long, room, 9)[:lines])[:-2] + "终。")
    return found


def columns(
    page: Any, count: int, y: float, start: int = 0, lines: int = 14
) -> tuple[list[str], float]:
    """So many columns of text; returns the texts and the lower edge."""
    room = (495 - 18 * (count - 1)) / count
    found = column_texts(count, start, lines, room)
    for number, text in enumerate(found):
        prose(page, 50 + number * (room + 18), y, text, room, 9)
    return found, y + lines * 14.4


@pytest.mark.parametrize("count", [2, 3, 4])
def test_columns_below_a_centred_title(tmp_path: Path, count: int) -> None:
    found: list[str] = []

    def draw(page: Any) -> None:
        centred(page, 50, 545, 70, "研究综述", 20)
        found.extend(columns(page, count, 110)[0])

    document = read(pdf(tmp_path / "a.pdf", draw))
    assert ordered(to_markdown(document), "研究综述", *(text[:3] for text in found))
    assert [text for text in texts(document) if text in found] == found


def _heading(page: Any, y: float) -> float:
    write(page, 50, y + 14, "第二部分国际比较", 14)
    return y + 22


def _table(page: Any, y: float) -> float:
    return ruled(page, 50, y, [165, 165, 165], [["城市", "人口", "里程"], ["成都", "2,126", "558"]])


@pytest.mark.parametrize(("between", "seen"), [(_heading, "国际比较"), (_table, "2,126")])
def test_what_stands_between_two_stretches_of_columns(
    tmp_path: Path, between: Callable[[Any, float], float], seen: str
) -> None:
    def draw(page: Any) -> None:
        _, y = columns(page, 2, 80)
        columns(page, 2, between(page, y + 14) + 26, start=2)

    markdown = to_markdown(read(pdf(tmp_path / "a.pdf", draw)))
    assert ordered(markdown, "【0】", "【1】", seen, "【2】", "【3】")


def test_one_column_then_two(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        y = 80.0
        for sentence in SENTENCES * 2:
            y = prose(page, 50, y, sentence * 2, 495)
        columns(page, 2, y + 16)

    markdown = to_markdown(read(pdf(tmp_path / "a.pdf", draw)))
    assert ordered(markdown, SENTENCES[3], "【0】", "【1】")


def test_short_lines_of_two_columns_on_different_heights(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for number in range(8):
            write(page, 60, 120 + number * 18, f"（{number + 1}）申请材料应当真实完整", 10)
            write(page, 310, 129 + number * 18, f"（{number + 9}）办理时限为二十日", 10)

    markdown = to_markdown(read(pdf(tmp_path / "a.pdf", draw)))
    assert ordered(markdown, *(f"（{number}）" for number in range(1, 17)))


def test_lines_written_from_top_to_bottom(tmp_path: Path) -> None:
    lines = ["春眠不觉晓处处闻啼鸟", "夜来风雨声花落知多少", "白日依山尽黄河入海流"]

    def draw(page: Any) -> None:
        for column, line in enumerate(lines):
            for row, letter in enumerate(line):
                write(page, 450 - column * 40, 120 + row * 26, letter, 18)

    document = read(pdf(tmp_path / "a.pdf", draw))
    assert ordered("".join(texts(document)), *lines)
    box = document.blocks[0].bbox
    assert box is not None
    assert box[0] > 350
    assert box[3] > 330


def test_footnotes_stand_apart_and_dont_part_paragraphs(tmp_path: Path) -> None:
    begun = (
        "对于跨年度实施的重大项目，应当按照进度分年度安排财政资金并在年度预算中予以充分保障确保资金"
    )

    def first(page: Any) -> None:
        prose(page, 72, 80, SENTENCES[0], 450)
        prose(page, 72, 650, begun, 450, 10.5)
        page.draw_line((72, 760), (200, 760))
        write(page, 72, 774, "[1] 参见《基本建设财务规则》第十二条。", 8)
        write(page, 72, 786, "[2] 同上，第十五条。", 8)

    def second(page: Any) -> None:
        write(page, 72, 80, "使用的安全和高效。", 10.5)
        prose(page, 72, 120, SENTENCES[1] * 3, 450, 10.5)

    document = read(pdf(tmp_path / "a.pdf", first, second))
    assert begun + "使用的安全和高效。" in texts(document)
    notes = [block.text for block in document.blocks if block.metadata.get("footnote")]
    assert notes == ["[1] 参见《基本建设财务规则》第十二条。", "[2] 同上，第十五条。"]


def test_a_hyphen_at_a_lines_end_joins_the_word(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines = ["The committee discussed the imple-", "mentation of the new regula-"]
        lines += ["tions, which affect all of the", "parties."]
        for number, line in enumerate(lines):
            page.insert_text((72, 100 + 16 * number), line, fontsize=11)

    document = read(pdf(tmp_path / "a.pdf", draw))
    assert "the implementation of the new regulations, which" in " ".join(texts(document))


# --- Headers, footers, page numbers, watermarks --------------------------------------


def book(path: Path, pages: int, edge: Callable[[Any, int], None]) -> str:
    """The text of a book whose pages differ but for what `edge` draws on them."""

    def draw(number: int) -> Any:
        def paint(page: Any) -> None:
            y = 110.0
            for part in range(3):
                mark = f"（{chr(0x4E00 + number)}{part}）"
                y = prose(page, 72, y, mark + SENTENCES[(number + part) % 4], 450)
            edge(page, number)

        return paint

    pages_of, _, _ = parse_pdf(pdf(path, *map(draw, range(pages))), IngestSettings(ocr="off"))
    return "\n".join(block.text for page in pages_of for block in page.blocks)


STYLES = ["{}", "- {} -", "第{}页", "第 {} 页 共 9 页", "{}/9", "Page {} of 9", "P{}", "·{}·"]
STYLES += ["（{}）", "[{}]", "页码：{}", "A-{}", "3-{}", "{} | 某某年度报告", "共9页 第{}页"]


@pytest.mark.parametrize("style", STYLES)
def test_page_numbers_of_all_styles(tmp_path: Path, style: str) -> None:
    text = book(
        tmp_path / "a.pdf",
        4,
        lambda page, n: centred(page, 72, 523, 790, style.format(n + 1)),
    )
    assert not any(style.format(n) in text.split("\n") for n in range(1, 5))


@pytest.mark.parametrize("numbers", ["一二三四", ["i", "ii", "iii", "iv"]])
def test_page_numbers_in_words_and_roman(tmp_path: Path, numbers: Any) -> None:
    text = book(
        tmp_path / "a.pdf",
        4,
        lambda page, n: centred(page, 72, 523, 800, f"— {numbers[n]} —"),
    )
    assert not any(f"— {number} —" in text for number in numbers)


def test_numbers_far_from_the_edge_are_told_by_counting_on(tmp_path: Path) -> None:
    text = book(tmp_path / "a.pdf", 3, lambda page, n: centred(page, 72, 523, 720, str(n + 4)))
    assert not {"4", "5", "6"} & set(text.split("\n"))


def test_headers_that_change_with_the_chapter(tmp_path: Path) -> None:
    names = ["总论", "综述", "方法", "实证", "结论"]

    def edge(page: Any, number: int) -> None:
        centred(page, 72, 523, 48, f"第{number // 3 + 1}章 {names[number // 3]}")
        if number % 3 == 0:
            centred(page, 72, 523, 90, f"第{number // 3 + 1}章 {names[number // 3]}", 16)

    text = book(tmp_path / "a.pdf", 14, edge)
    for number, name in enumerate(names):
        assert text.count(f"第{number + 1}章 {name}") == 1


def test_captions_at_the_bottom_stay(tmp_path: Path) -> None:
    text = book(
        tmp_path / "a.pdf",
        4,
        lambda page, n: centred(page, 72, 523, 785, f"图{n + 1} 现场照片"),
    )
    assert all(f"图{n} 现场照片" in text for n in range(1, 5))


def _large(page: Any) -> None:
    write(page, 150, 140, "某某公司机密", 48, color=(0.85, 0.85, 0.85))


def _tiles(page: Any) -> None:
    for row in range(3):
        for column in range(3):
            x, y = 60 + column * 170 + row % 2 * 40, 113 + row * 22
            write(page, x, y, "某某公司机密", 11, color=(0.8, 0.8, 0.8))


@pytest.mark.parametrize("stamp", [_large, _tiles])
def test_watermarks_over_the_text(tmp_path: Path, stamp: Callable[[Any], None]) -> None:
    def draw(page: Any) -> None:
        y = 90.0
        for number in range(6):
            y = prose(page, 72, y, f"第{number}段" + "".join(SENTENCES), 450)
        stamp(page)

    document = read(pdf(tmp_path / "a.pdf", draw))
    assert "机密" not in to_markdown(document)
    assert "第5段" + "".join(SENTENCES) in texts(document)
    assert "watermark" in document.flags


# --- The layout model ----------------------------------------------------------------


def _scattered(page: Any) -> None:
    """Cards beside each other whose short lines begin anywhere."""
    for line in range(12):
        write(page, 50 + line * 53 % 150, 100 + 30 * line, f"上午会议第{line}场", 10)
        write(page, 310 + line * 71 % 150, 100 + 30 * line, f"下午培训第{line}场", 10)


def test_the_model_is_asked_only_where_rules_are_unsure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def seen(page: Any, text: Any) -> tuple[Region, ...]:
        asked.append(text.number)
        return ()

    monkeypatch.setattr("rag.ingest.parse.pdf_tables.find_regions", seen)
    read(pdf(tmp_path / "a.pdf", lambda p: columns(p, 2, 80), _scattered, lambda p: _table(p, 90)))
    assert asked == [2]


def test_texts_are_read_region_by_region(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    regions = (
        Region("text", (300.0, 80.0, 560.0, 480.0), 0.9),
        Region("text", (40.0, 80.0, 290.0, 480.0), 0.9),
    )
    monkeypatch.setattr("rag.ingest.parse.pdf_tables.find_regions", lambda page, text: regions)
    document = read(pdf(tmp_path / "a.pdf", _scattered))
    assert document.pages[0].route == "complex"
    assert ordered(
        "".join(texts(document)),
        "上午会议第0场",
        "上午会议第11场",
        "下午培训第0场",
        "下午培训第11场",
    )


@pytest.mark.slow
def test_the_model_sees_columns_and_tables(tmp_path: Path) -> None:
    import pymupdf

    from rag.ingest.parse.pdf_page import read_page

    pytest.importorskip("rapid_layout")
    with pymupdf.open(
        pdf(tmp_path / "a.pdf", lambda p: _table(p, columns(p, 2, 80)[1]))
    ) as document:
        page = document[0]
        kinds = [region.kind for region in pdf_regions.find_regions(page, read_page(pymupdf, page))]
    assert kinds.count("text") >= 2
    assert "table" in kinds


def test_a_browsers_many_small_fonts_are_believed(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for number, sentence in enumerate(SENTENCES * 2):
            x = 72.0
            for letter in sentence:
                font = "china-t" if letter in "的、，。" else "china-s"
                page.insert_text((x, 100 + 20 * number), letter, fontsize=9, fontname=font)
                x += width(letter, 9)

    document = read(pdf(tmp_path / "a.pdf", draw))
    assert document.pages[0].route == "native"
    assert rows(document) == []


@pytest.mark.parametrize(
    "value", ["电子信箱：ir@example.com", "联系电话：0513-8765 4321", "网址：www.example.com"]
)
def test_a_body_below_a_complete_field_signs(tmp_path: Path, value: str) -> None:
    first = "公司二〇二三年年度报告全文已经在指定网站披露，投资者如有疑问，请按下列方式联系。"
    contact = f"联系人为证券事务部的王女士，办公时间为工作日全天，{value}"
    lines = [first, contact, "华晟新材股份有限公司董事会"]
    path = pdf(tmp_path / "a.pdf", lambda page: paragraph(page, 72, 100, lines, 10))
    assert texts(read(path))[-1] == "华晟新材股份有限公司董事会"
