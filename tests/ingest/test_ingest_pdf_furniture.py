"""What repeats on the pages of a PDF, and what of it stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import docx, pdf, texts, write
from ingest_inputs import read as read_any
from ingest_pdf_inputs import SENTENCES, centred, prose, spaced

from rag.ingest.parse.pdf import parse_pdf
from rag.settings import IngestSettings
from rag.types import Page


def read(path: Path, *draw: Callable[[Any], None]) -> tuple[Page, ...]:
    pages, _, _ = parse_pdf(pdf(path, *draw), IngestSettings(ocr="off"))
    return pages


def told(pages: tuple[Page, ...]) -> list[str]:
    return [block.text for page in pages for block in page.blocks]


def book(path: Path, count: int, edge: Callable[[Any, int], None]) -> tuple[Page, ...]:
    """Pages of different prose with what `edge` draws on each, numbered from 0."""

    def draw(number: int) -> Callable[[Any], None]:
        def paint(page: Any) -> None:
            edge(page, number)
            prose(page, 72, 150, f"（{number}）" + SENTENCES[number % 4], 450)
            prose(page, 72, 300, SENTENCES[(number + 1) % 4] + f"（{number}）", 450)

        return paint

    return read(path, *map(draw, range(count)))


def test_the_facts_over_a_statement_stay_on_its_first_page(tmp_path: Path) -> None:
    def draw(number: int) -> Callable[[Any], None]:
        def paint(page: Any) -> None:
            centred(page, 0, 595, 36, "江东银行账户明细", 14)
            write(page, 40, 58, "户名：临溪铸造有限公司", 9)
            write(page, 330, 58, "账号：6230 5812 0047", 9)
            write(page, 40, 74, "起止日期：2026-01-01至2026-03-31", 9)
            write(page, 330, 74, "币种：人民币", 9)
            header = ["日期", "摘要", "借方", "贷方"]
            body = [[f"2026-0{number}-{n:02d}", f"货款{n}", f"{n}7.00", "-"] for n in range(1, 20)]
            spaced(page, [40, 190, 330, 430], 110, [header, *body], 22)

        return paint

    pages = read(tmp_path / "a.pdf", *map(draw, (1, 2, 3)))
    lines = told(pages)
    assert lines[:3] == [
        "江东银行账户明细",
        "户名：临溪铸造有限公司 账号：6230 5812 0047",
        "起止日期：2026-01-01至2026-03-31 币种：人民币",
    ]
    assert sum("户名" in line or "币种" in line for line in lines) == 2


def test_a_number_beside_a_name_that_is_said_elsewhere_stays(tmp_path: Path) -> None:
    def edge(page: Any, number: int) -> None:
        write(page, 72, 40, "恒达检测有限公司", 9)
        write(page, 400, 40, "报告编号：HD-2026-118", 9)
        centred(page, 0, 595, 810, f"版本：A/3 第{number + 1}页 共4页", 9)
        if number == 0:
            centred(page, 0, 595, 110, "恒达检测有限公司检验报告", 18)

    pages = book(tmp_path / "a.pdf", 4, edge)
    lines = told(pages)
    assert lines[:2] == ["报告编号：HD-2026-118", "恒达检测有限公司检验报告"]
    assert [line for line in lines if "版本" in line] == ["版本：A/3"]
    assert pages[0].blocks[-1].text == "版本：A/3"


def test_a_header_that_only_repeats_the_title_goes_from_the_first_page_too(tmp_path: Path) -> None:
    def edge(page: Any, number: int) -> None:
        # The first page has its header lower down than the others.
        write(page, 300, 52 if number == 0 else 40, "瑞禾食品集团2024年年度报告", 8)
        if number == 0:
            centred(page, 0, 595, 120, "瑞禾食品集团", 20)
            centred(page, 0, 595, 145, "2024年年度报告", 16)

    lines = told(book(tmp_path / "a.pdf", 4, edge))
    assert not any("集团2024年" in line for line in lines[1:])
    assert "瑞禾食品集团2024年年度报告" not in lines


def test_a_paragraph_goes_on_over_a_footer_that_stays(tmp_path: Path) -> None:
    def edge(page: Any, number: int) -> None:
        centred(page, 0, 595, 810, "监督电话：0571-8822", 9)
        top = (
            "的各项费用由承租方承担。" if number else "本合同自双方签字盖章之日起生效，有效期内产生"
        )
        if number:
            write(page, 72, 80, top, 10)
        else:
            prose(
                page, 72, 760, "本合同经双方协商一致后签订并在签字盖章之日起生效，" + top[-8:], 450
            )

    lines = told(book(tmp_path / "a.pdf", 2, edge))
    assert any("有效期内产生的各项费用" in line for line in lines)
    assert lines.count("监督电话：0571-8822") == 1


@pytest.mark.parametrize(
    "line",
    [
        "本页小计：{0}8,{0}20.00",
        "送检日期：2026年3月{0}日",
        "图{0} 现场照片",
        "表{0} 检测结果",
        "承前余额：{0}1.50",
    ],
)
def test_lines_at_one_place_that_tell_different_things_stay(tmp_path: Path, line: str) -> None:
    pages = book(
        tmp_path / "a.pdf", 5, lambda page, n: write(page, 72, 790, line.format(n + 1), 10)
    )
    lines = told(pages)
    assert [text for text in lines if text in {line.format(n) for n in range(1, 6)}] == [
        line.format(n) for n in range(1, 6)
    ]


def test_pages_with_a_record_each_keep_its_fields(tmp_path: Path) -> None:
    def edge(page: Any, number: int) -> None:
        centred(page, 0, 595, 36, "临河市人民医院检验报告单", 16)
        write(page, 72, 60, f"姓名：{'陈李王赵'[number]}慧敏", 10)
        write(page, 240, 60, "性别：女", 10)
        write(page, 400, 60, f"病历号：Z2026{number}71", 10)
        write(page, 72, 76, "科室：内分泌科", 10)
        write(page, 240, 76, "标本：血清", 10)

    path = tmp_path / "a.pdf"
    lines = told(book(path, 4, edge))
    assert sum("性别：女" in line for line in lines) == 4
    assert sum("科室：内分泌科" in line and "标本：血清" in line for line in lines) == 4
    cleaned = texts(read_any(path))
    assert sum("科室：内分泌科" in line for line in cleaned) == 4


# --- Word documents ------------------------------------------------------------------


def test_headers_of_word_documents_stay_once_where_they_alone_say_something(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        section = document.sections[0]
        section.header.paragraphs[0].text = "恒达检测有限公司\t文件编号：QMS-07\t版本：B/2"
        section.footer.paragraphs[0].text = "监督电话：0571-8822　第 1 页 共 3 页"
        section.first_page_header.paragraphs[0].text = "不显示的页眉"
        document.add_heading("质量手册", 1)
        document.add_paragraph("恒达检测有限公司的质量手册自发布之日起施行。")
        document.add_section().header.is_linked_to_previous = False
        document.sections[1].header.paragraphs[0].text = "质量手册"

    assert texts(read_any(docx(tmp_path / "a.docx", build))) == [
        "恒达检测有限公司 文件编号：QMS-07 版本：B/2",
        "质量手册",
        "恒达检测有限公司的质量手册自发布之日起施行。",
        "监督电话：0571-8822",
    ]


# --- Plain texts ---------------------------------------------------------------------


def test_headers_of_texts_with_form_feeds_stay_once(tmp_path: Path) -> None:
    pages = [
        f"恒达检测有限公司\n报告编号：HD-118　第{n}页 共4页\n\n{SENTENCES[n - 1]}\n\n"
        f"本页小计：{n}7.50\n"
        for n in range(1, 5)
    ]
    path = tmp_path / "a.txt"
    path.write_text("\f".join(pages), "utf-8")
    told = "\n".join(texts(read_any(path))).split("\n")
    assert [line for line in told if "HD-118" in line] == ["报告编号：HD-118"]
    assert told.count("恒达检测有限公司") == 1
    assert all(sentence in told for sentence in SENTENCES)
    assert all(f"本页小计：{n}7.50" in told for n in range(1, 5))
