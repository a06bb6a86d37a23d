from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from ingest_inputs import docx, numbered, numbering, read, rows, texts

from rag.errors import CorruptDocument
from rag.ingest.markdown import to_markdown
from rag.ingest.parse.docx_numbering import chinese_number, format_number


def test_automatic_numbers_of_articles_are_computed(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        articles = numbering(document, [("chineseCountingThousand", "第%1条")])
        for number in range(1, 13):
            numbered(document, f"内容{number}。", articles)

    found = texts(read(docx(tmp_path / "a.docx", build)))
    assert found[0] == "第一条 内容1。"
    assert found[2] == "第三条 内容3。"
    assert found[11] == "第十二条 内容12。"


def test_levels_restart_below_a_new_number(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        outline = numbering(document, [("decimal", "%1."), ("decimal", "%1.%2.")])
        for text, level in (("总则", 0), ("目的", 1), ("范围", 1), ("职责", 0), ("人事", 1)):
            numbered(document, text, outline, level, style=f"Heading {level + 1}")

    blocks = read(docx(tmp_path / "a.docx", build)).blocks
    assert [b.text for b in blocks] == ["1. 总则", "1.1. 目的", "1.2. 范围", "2. 职责", "2.1. 人事"]
    assert [b.level for b in blocks] == [1, 2, 2, 1, 2]


def test_two_lists_count_apart_and_bullets_have_no_number(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        a = numbering(document, [("decimal", "%1、")])
        b = numbering(document, [("upperLetter", "%1."), ("bullet", "·")])
        numbered(document, "甲", a)
        numbered(document, "乙", b)
        numbered(document, "丙", a)
        numbered(document, "丁", b)
        numbered(document, "戊", b, level=1)

    assert texts(read(docx(tmp_path / "a.docx", build))) == ["1、 甲\nA. 乙\n2、 丙\nB. 丁\n  - 戊"]


@pytest.mark.parametrize(
    ("number_format", "value", "text"),
    [
        ("chineseCounting", 10, "十"),
        ("chineseCounting", 21, "二十一"),
        ("chineseCountingThousand", 105, "一百零五"),
        ("chineseCountingThousand", 110, "一百一十"),
        ("chineseLegalSimplified", 12, "壹拾贰"),
        ("ideographDigital", 12, "一二"),
        ("upperRoman", 14, "XIV"),
        ("lowerLetter", 28, "bb"),
        ("decimalEnclosedCircle", 3, "③"),
        ("decimalZero", 7, "07"),
        ("unknown", 5, "5"),
    ],
)
def test_number_formats(number_format: str, value: int, text: str) -> None:
    assert format_number(value, number_format) == text


def test_chinese_numbers_beyond_their_range_are_digits() -> None:
    assert chinese_number(0) == "0"
    assert chinese_number(1010) == "一千零一十"
    assert chinese_number(10_000) == "10000"


def test_merged_cells_fill_rows_and_columns(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        table = document.add_table(rows=3, cols=3)
        for r, row in enumerate(
            [["部门", "姓名", "天数"], ["研发", "张三", "5"], ["", "李四", "7"]]
        ):
            for c, text in enumerate(row):
                table.cell(r, c).text = text
        table.cell(1, 0).merge(table.cell(2, 0))

    (table,) = rows(read(docx(tmp_path / "a.docx", build)))
    assert [row[0] for row in table] == ["部门", "研发", "研发"]
    assert table[2] == ("研发", "李四", "7")


def test_blocks_keep_their_order(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        document.add_heading("补贴标准", 1)
        document.add_paragraph("标准如下：")
        table = document.add_table(rows=2, cols=2)
        for cell, text in zip(table._cells, ["城市", "元", "北京", "450"], strict=True):
            cell.text = text
        document.add_paragraph("以上自2024年起执行。")

    blocks = read(docx(tmp_path / "a.docx", build)).blocks
    assert [b.kind for b in blocks] == ["heading", "paragraph", "table", "paragraph"]


def test_text_in_text_boxes_is_found_once(tmp_path: Path) -> None:
    from docx.oxml import parse_xml

    box = (
        '<w:r xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
        ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        "<mc:AlternateContent><mc:Choice Requires='wps'><w:txbxContent><w:p><w:r>"
        "<w:t>文本框里的联系电话</w:t></w:r></w:p></w:txbxContent></mc:Choice>"
        "<mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>文本框里的联系电话</w:t></w:r></w:p>"
        "</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )

    def build(document: Any) -> None:
        document.add_paragraph()._p.append(parse_xml(box))

    assert texts(read(docx(tmp_path / "a.docx", build))) == ["文本框里的联系电话"]


def test_deleted_and_hidden_text_is_left_out(tmp_path: Path) -> None:
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    def build(document: Any) -> None:
        made = document.add_paragraph("保留")
        made._p.append(
            parse_xml(f"<w:del {nsdecls('w')}><w:r><w:delText>删除</w:delText></w:r></w:del>")
        )
        made._p.append(parse_xml(f"<w:ins {nsdecls('w')}><w:r><w:t>新增</w:t></w:r></w:ins>"))
        made.add_run("隐藏").font.hidden = True

    assert texts(read(docx(tmp_path / "a.docx", build))) == ["保留新增"]


def test_headings_by_style_and_by_number(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        document.add_heading("考勤制度", 0)
        document.add_heading("请假", 2)
        document.add_paragraph("一、年假")
        document.add_paragraph("员工入职满一年后可以享受年假，具体天数见下表。")

    blocks = read(docx(tmp_path / "a.docx", build)).blocks
    assert [b.level for b in blocks] == [1, 2, 4, None]
    assert to_markdown(read(tmp_path / "a.docx")).startswith(
        "# 考勤制度\n\n## 请假\n\n#### 一、年假"
    )


def test_a_file_without_a_body_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "这不是 XML")
    with pytest.raises(CorruptDocument):
        read(path)


def test_entities_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "word/document.xml",
            '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document xmlns:w="x">&a;'
            "</w:document>",
        )
    with pytest.raises(CorruptDocument):
        read(path)


@pytest.mark.parametrize(
    ("title", "style", "chapters", "levels"),
    [
        ("滨海中学食堂管理办法", "Heading 1", ("第一章 总则", "第二章 卫生"), [1, 2, 2]),
        ("关于食堂", "Title", ("开放", "卫生"), [1, 2, 2]),
        ("开放", "Heading 1", ("卫生", "价格"), [1, 1, 1]),
    ],
)
def test_the_title_stands_above_chapters_of_its_level(
    tmp_path: Path, title: str, style: str, chapters: tuple[str, ...], levels: list[int]
) -> None:
    def build(document: Any) -> None:
        document.add_paragraph(title, style=style)
        for chapter in chapters:
            document.add_paragraph(chapter, style="Heading 1")
            document.add_paragraph("食堂每天六点半开门。")

    found = [b for b in read(docx(tmp_path / "a.docx", build)).blocks if b.kind == "heading"]
    assert [block.level for block in found] == levels
