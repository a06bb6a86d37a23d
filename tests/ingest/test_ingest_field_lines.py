"""Lines that stand for themselves: fields of letterheads and covers, enclosures of letters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import docx, pdf, read, texts, write
from ingest_pdf_inputs import centred, prose

from rag.ingest.headings import heading_level

TALK = (
    "甲乙双方经协商一致，就设备采购事宜订立本合同。双方的联系人分别为：甲方张工，"
    "电话：0571-88221067，乙方李工，电话：0571-99331178，双方应当共同遵守下列条款。"
)


@pytest.mark.parametrize(
    "lines",
    [
        ["合同编号：XH-2026-05", "签订地点：杭州市西湖区", "电话：0571-86330952", "邮编：310012"],
        ["扬程：32 m　　转速：2900 r/min", "出厂编号：XR5-230817"],
        ["甲方签字：韩立新　　乙方盖章：某某软件有限公司", "签订日期：2024年8月20日"],
        ["户名：某某贸易有限公司　　账号：6228 4104 5500 7731 902", "起止日期：2025-02-01"],
        ["Invoice No: INV-2026-07", "Date: 2026-03-01", "Ship To: Acme Trading Ltd"],
    ],
)
def test_fields_on_lines_of_their_own_are_not_joined(tmp_path: Path, lines: list[str]) -> None:
    def draw(page: Any) -> None:
        for number, line in enumerate(lines):
            write(page, 72, 100 + 17 * number, line, 11)
        prose(page, 72, 240, TALK, 450, 11)

    told = texts(read(pdf(tmp_path / "a.pdf", draw)))
    assert told == [*(" ".join(line.split("　　")) for line in lines), TALK]


def test_a_signature_and_its_date_are_two_lines(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        prose(page, 72, 100, TALK, 450, 11)
        write(page, 380, 220, "某某小区物业服务中心", 11)
        write(page, 380, 237, "2025年8月12日", 11)

    assert texts(read(pdf(tmp_path / "a.pdf", draw)))[1:] == [
        "某某小区物业服务中心",
        "2025年8月12日",
    ]


def test_centred_lines_of_a_letterhead_are_not_joined(tmp_path: Path) -> None:
    lines = [
        "某某软件有限公司",
        "杭州市西湖区文三路398号",
        "电话：0571-86330952 传真：0571-86330953",
    ]

    def draw(page: Any) -> None:
        prose(page, 72, 100, TALK, 450, 11)
        for number, line in enumerate(lines):
            centred(page, 0, 595, 400 + 16 * number, line, 10)

    assert texts(read(pdf(tmp_path / "a.pdf", draw)))[1:] == lines


def test_enclosures_are_a_list_and_no_heading(tmp_path: Path) -> None:
    items = ["附件：1. 清洗消毒登记表", "2. 抽查验收评分标准", "3. 联系人名单"]

    def draw(page: Any) -> None:
        prose(page, 72, 100, TALK, 450, 11)
        for number, line in enumerate(items):
            write(page, 105 if number else 72, 220 + 17 * number, line, 11)

    document = read(pdf(tmp_path / "a.pdf", draw))
    assert texts(document)[1:] == items
    assert not any(block.kind == "heading" for block in document.blocks)
    word = read(docx(tmp_path / "a.docx", lambda d: d.add_paragraph("\n　　".join(items))))
    assert "\n".join(texts(word)).split("\n") == items
    assert not any(block.kind == "heading" for block in word.blocks)


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("附件：1. 登记表", None),
        ("附件: 登记表", None),
        ("附件1：登记表", 2),
        ("附件一", 2),
        ("附录A 术语", 2),
    ],
)
def test_enclosures_are_told_from_the_headings_of_appendices(line: str, level: int | None) -> None:
    assert heading_level(line) == level
