from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Pt
from ingest_inputs import docx, numbered, numbering, read, rows, texts
from lxml import etree
from PIL import Image

from rag.errors import CorruptDocument
from rag.ingest.markdown import to_markdown
from rag.ingest.parse.docx_numbering import chinese_number, format_number
from rag.ingest.parse.drawings import chart_blocks, diagram_lines
from rag.settings import IngestSettings


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


# --- Numbering -----------------------------------------------------------------------


def test_articles_go_on_counting_over_chapters(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        levels = [("chineseCountingThousand", "第%1章"), ("chineseCountingThousand", "第%2条")]
        contract = numbering(document, levels)
        set_level(document, 1, "<w:lvlRestart {} w:val='0'/>")
        for text, level in (("总则", 0), ("甲。", 1), ("乙。", 1), ("租金", 0), ("丙。", 1)):
            numbered(document, text, contract, level)

    assert texts(read(docx(tmp_path / "a.docx", build))) == [
        "第一章 总则", "第一条 甲。", "第二条 乙。", "第二章 租金", "第三条 丙。",
    ]  # fmt: skip


def test_lists_that_start_over_or_go_on(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        first = numbering(document, [("decimal", "%1."), ("decimal", "%1.%2")])
        goes_on = another(document, first)
        over = another(document, first, start=1)
        from_five = another(document, first, start=5)
        for text, list_id, level in (
            ("甲", first, 0), ("乙", goes_on, 0), ("丙", over, 0), ("丁", over, 1),
            ("戊", from_five, 0), ("己", first, 0),
        ):  # fmt: skip
            numbered(document, text, list_id, level)

    (found,) = texts(read(docx(tmp_path / "a.docx", build)))
    assert found.split("\n") == ["1. 甲", "2. 乙", "1. 丙", "  1.1 丁", "5. 戊", "6. 己"]


def test_legal_numbers_and_empty_paragraphs_count_as_in_word(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        outline = numbering(document, [("chineseCounting", "%1、"), ("decimal", "%1.%2")])
        set_level(document, 1, "<w:isLgl {}/>")
        for text, level in (("概述", 0), ("背景", 1), ("", 1), ("范围", 1)):
            numbered(document, text, outline, level)

    found = texts(read(docx(tmp_path / "a.docx", build)))
    assert found[0] == "一、 概述"
    assert [line.strip() for line in found[1].split("\n")] == ["1.1 背景", "1.3 范围"]


def test_numbers_without_a_suffix_touch_the_text(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        items = numbering(document, [("chineseCounting", "（%1）")])
        set_level(document, 0, "<w:suff {} w:val='nothing'/>")
        numbered(document, "自2024年1月1日起施行，原办法同时废止，各单位应当遵照执行；", items)

    (found,) = texts(read(docx(tmp_path / "a.docx", build)))
    assert found.startswith("（一）自2024年")


# --- Changes, notes, contents --------------------------------------------------------


def test_tracked_changes_read_as_accepted(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        items = numbering(document, [("decimal", "%1.")])
        numbered(document, "第一项", items)
        numbered(document, "", items)
        gone = document.paragraphs[-1]
        add(gone, "<w:del {} w:id='4'><w:r><w:delText>整段删除</w:delText></w:r></w:del>")
        gone._p.pPr.append(xml("<w:rPr {}><w:del w:id='5'/></w:rPr>"))
        numbered(document, "第二项", items)
        broken = document.add_paragraph("前半句")
        broken._p.get_or_add_pPr().append(xml("<w:rPr {}><w:del w:id='6'/></w:rPr>"))
        document.add_paragraph("后半句。")
        moved = document.add_paragraph()
        add(moved, "<w:moveFrom {} w:id='7'><w:r><w:t>移走</w:t></w:r></w:moveFrom>")
        add(moved, "<w:moveTo {} w:id='8'><w:r><w:t>移来</w:t></w:r></w:moveTo>")
        table = fill(document, [["名称", "数量"], ["删除行", "1"], ["保留行", "2"]])
        table.rows[1]._tr.get_or_add_trPr().append(xml("<w:del {} w:id='9'/>"))

    document = read(docx(tmp_path / "a.docx", build))
    assert texts(document)[:3] == ["1. 第一项\n2. 第二项", "前半句后半句。", "移来"]
    assert rows(document) == [[("名称", "数量"), ("保留行", "2")]]


def test_contents_page_numbers_and_prompts_are_left_out(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        document.sections[0].header.paragraphs[0].text = "总则"
        document.sections[0].footer.paragraphs[0].text = "第 1 页"
        document.add_paragraph("目 录")
        for text, page in (("一、总则", 1), ("二、职责", 2), ("三、附则", 5)):
            document.add_paragraph(f"{text}\t{page}")
        document.add_heading("一、总则", 1)
        add(
            document.add_paragraph(),
            "<w:sdt {}><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:r>"
            "<w:t>单击此处输入文字。</w:t></w:r></w:sdtContent></w:sdt>",
        )
        document.add_paragraph("内容。")

    assert texts(read(docx(tmp_path / "a.docx", build))) == ["一、总则", "内容。"]


def test_footnotes_stand_behind_their_paragraph(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        noted = document.add_paragraph("补贴标准为五千元")
        add(noted, "<w:r {}><w:footnoteReference w:id='2'/></w:r>")
        document.add_paragraph("自发布之日起施行。")

    path = docx(tmp_path / "a.docx", build)
    text = "<w:p><w:r><w:t>含税。</w:t></w:r></w:p>"
    note = f"<w:footnotes {nsdecls('w')}><w:footnote w:id='2'>{text}</w:footnote></w:footnotes>"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("word/footnotes.xml", note)
    assert texts(read(path)) == ["补贴标准为五千元[注1]", "[注1] 含税。", "自发布之日起施行。"]


# --- Characters, equations, pictures, charts -----------------------------------------


def test_powers_and_check_marks_keep_their_meaning(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        line = document.add_paragraph("约10")
        line.add_run("5").font.superscript = True
        line.add_run("个，H")
        line.add_run("2").font.subscript = True
        line.add_run("O")
        form = document.add_paragraph()
        add(form, "<w:r {}><w:sym w:font='Wingdings' w:char='F0FE'/></w:r>")
        form.add_run("同意 ")
        add(form, "<w:r {}><w:sym w:font='Wingdings' w:char='F0A8'/></w:r>")
        form.add_run("不同意")

    assert texts(read(docx(tmp_path / "a.docx", build))) == ["约10⁵个，H₂O", "☑同意 □不同意"]


@pytest.mark.parametrize(
    ("equation", "text"),
    [
        ("<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>",
         "(a+b)/2"),
        ("<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>",
         "x^2"),
        ("<m:rad><m:deg/><m:e><m:r><m:t>x+1</m:t></m:r></m:e></m:rad>", "√(x+1)"),
    ],
)  # fmt: skip
def test_equations_keep_their_structure(tmp_path: Path, equation: str, text: str) -> None:
    namespace = "http://schemas.openxmlformats.org/officeDocument/2006/math"

    def build(document: Any) -> None:
        element = parse_xml(f'<m:oMath xmlns:m="{namespace}">{equation}</m:oMath>')
        document.add_paragraph()._p.append(element)

    assert texts(read(docx(tmp_path / "a.docx", build))) == [text]


def test_pictures_that_are_not_read_are_flagged(tmp_path: Path) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (300, 200), "white").save(picture, "PNG")
    icon = io.BytesIO()
    Image.new("RGB", (30, 30), "white").save(icon, "PNG")

    def build(document: Any, image: io.BytesIO) -> None:
        document.add_paragraph("如图")
        document.add_picture(image)

    off = IngestSettings(ocr="off")
    large = docx(tmp_path / "a.docx", lambda d: build(d, picture))
    small = docx(tmp_path / "b.docx", lambda d: build(d, icon))
    assert read(large, settings=off).flags == ("image_text",)
    assert read(small, settings=off).flags == ()


def test_charts_become_tables_with_values_as_shown() -> None:
    series = (
        "<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>毛利率</c:v></c:pt></c:strCache>"
        "</c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>一季度</c:v></c:pt>"
        "</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>0.0%"
        "</c:formatCode><c:pt idx='0'><c:v>0.385</c:v></c:pt></c:numCache></c:numRef></c:val>"
        "</c:ser>"
    )
    root = etree.fromstring(
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart>'
        f"<c:plotArea><c:barChart>{series}</c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    title, table = chart_blocks(root)
    assert title.text == "毛利率"
    assert table.rows == (("", "毛利率"), ("一季度", "38.5%"))


def test_diagrams_become_nested_lists() -> None:
    def point(key: str, text: str) -> str:
        return f'<d:pt modelId="{key}"><d:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></d:t></d:pt>'

    def link(upper: str, lower: str, order: int) -> str:
        return f'<d:cxn srcId="{upper}" destId="{lower}" srcOrd="{order}"/>'

    root = etree.fromstring(
        '<d:dataModel xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        f'<d:pt modelId="0" type="doc"/>{point("1", "申请")}{point("2", "审批")}'
        f"{point('3', '附材料')}"
        f"{link('0', '2', 1)}{link('0', '1', 0)}{link('1', '3', 0)}</d:dataModel>"
    )
    assert list(diagram_lines(root)) == ["- 申请", "  - 附材料", "- 审批"]


# --- Tables --------------------------------------------------------------------------


def test_table_titles_stand_above_and_headers_of_two_rows_are_joined(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        table = fill(
            document,
            [
                ["费用标准表", "", "", ""], ["地区", "标准", "", "备注"],
                ["", "旺季", "淡季", ""], ["一类", "500", "400", "含早"],
            ],
        )  # fmt: skip
        for (top, left), (bottom, right) in (
            ((0, 0), (0, 3)), ((1, 0), (2, 0)), ((1, 1), (1, 2)), ((1, 3), (2, 3)),
        ):  # fmt: skip
            table.cell(top, left).merge(table.cell(bottom, right))

    document = read(docx(tmp_path / "a.docx", build))
    assert document.blocks[0].text == "费用标准表"
    assert rows(document) == [
        [("地区", "标准/旺季", "标准/淡季", "备注"), ("一类", "500", "400", "含早")]
    ]


def test_forms_keep_each_cell_once(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        table = fill(
            document,
            [
                ["姓名", "张三", "部门", "研发部"], ["类别", "年假", "", ""],
                ["事由", "回家", "", ""], ["审批", "同意", "日期", "2024年4月28日"],
            ],
        )  # fmt: skip
        for row in (1, 2):
            table.cell(row, 1).merge(table.cell(row, 3))

    assert texts(read(docx(tmp_path / "a.docx", build)))[0].splitlines() == [
        "- 姓名：张三", "- 部门：研发部", "- 类别：年假", "- 事由：回家", "- 审批：同意",
        "- 日期：2024年4月28日",
    ]  # fmt: skip


def test_frames_and_tables_inside_tables(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        fill(document, [["框内说明。"]])
        outer = fill(document, [["外一", "外二"], ["外三", ""]])
        inner = outer.cell(1, 1).add_table(2, 2)
        for cell, text in zip(inner._cells, "甲乙丙丁", strict=True):
            cell.text = text

    document = read(docx(tmp_path / "a.docx", build))
    assert document.blocks[0].kind == "paragraph"
    assert rows(document)[1] == [("甲", "乙"), ("丙", "丁")]


# --- Headings without styles, odd packages -------------------------------------------


def test_titles_and_headings_by_type_size(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        for text, points, bold in (
            ("滨海市人民政府文件", 26, True), ("滨政发〔2024〕12号", 16, False),
            ("关于加强食堂管理的通知", 22, False),
            ("为加强食堂管理，现将有关事项通知如下，请认真贯彻执行。", 16, False),
            ("提高认识", 16, True), ("各单位要充分认识这项工作的重要性，切实抓好落实。", 16, False),
        ):  # fmt: skip
            run = document.add_paragraph().add_run(text)
            run.font.size, run.bold = Pt(points), bold or None

    found = [b for b in read(docx(tmp_path / "a.docx", build)).blocks if b.kind == "heading"]
    assert [(b.text, b.level) for b in found] == [("关于加强食堂管理的通知", 1), ("提高认识", 3)]


def test_a_renamed_main_part_and_the_strict_format_are_read(tmp_path: Path) -> None:
    plain = docx(tmp_path / "a.docx", lambda d: d.add_paragraph("正文"))
    odd = tmp_path / "b.docx"
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(odd, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "_rels/.rels":
                content = content.replace(b"word/document.xml", b"word/document2.xml")
            if name == "word/document.xml":
                name = "word/document2.xml"
                content = content.replace(
                    b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
                    b"http://purl.oclc.org/ooxml/wordprocessingml/main",
                )
            target.writestr(name, content)
    assert texts(read(odd)) == ["正文"]


def xml(text: str) -> Any:
    """An element; {} becomes the declaration of Word's namespace."""
    return parse_xml(text.format(nsdecls("w")))


def add(paragraph: Any, text: str) -> None:
    """Append an element to a paragraph."""
    paragraph._p.append(xml(text))


def set_level(document: Any, level: int, text: str) -> None:
    """Add a property to a level of the list that was made last."""
    abstract = document.part.numbering_part.element.find(qn("w:abstractNum"))
    abstract.findall(qn("w:lvl"))[level].insert(2, xml(text))


def another(document: Any, list_id: int, start: int | None = None) -> int:
    """A second list of the same definition, starting over where `start` is given."""
    root = document.part.numbering_part.element
    number = 900 + len(root)
    override = (
        f'<w:lvlOverride w:ilvl="0"><w:startOverride w:val="{start}"/></w:lvlOverride>'
        if start
        else ""
    )
    root.append(
        xml(
            f'<w:num {{}} w:numId="{number}"><w:abstractNumId w:val="{list_id}"/>{override}</w:num>'
        )
    )
    return number


def fill(document: Any, cells: list[list[str]]) -> Any:
    """A table with these texts."""
    table = document.add_table(rows=len(cells), cols=len(cells[0]))
    for r, row in enumerate(cells):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
    return table


def plain(path: Path, *lines: str) -> Path:
    """A document of paragraphs without any style."""
    from docx import Document

    document = Document()
    for line in lines:
        document.add_paragraph(line)
    document.save(str(path))
    return path


def test_text_without_any_style_has_its_title_chapters_and_articles(tmp_path: Path) -> None:
    path = plain(
        tmp_path / "a.docx",
        "星河市城市照明管理办法",
        "星河发〔2023〕12号　2023年3月1日",
        "第一章 总则\n第一条 为了加强照明管理，制定本办法。\n第二条 本办法适用于本市。",
        "第二章 维护\n第三条 Ⅳ级故障48小时内修复。",
        "一、抢修队伍",
        "每区设一支。",
    )
    assert to_markdown(read(path)) == (
        "# 星河市城市照明管理办法\n\n星河发〔2023〕12号 2023年3月1日\n\n## 第一章 总则\n\n"
        "第一条 为了加强照明管理，制定本办法。\n\n第二条 本办法适用于本市。\n\n## 第二章 维护\n\n"
        "第三条 Ⅳ级故障48小时内修复。\n\n#### 一、抢修队伍\n\n每区设一支。"
    )


@pytest.mark.parametrize(
    "line", ["请各单位遵照执行本通知", "甲方：租赁合同", "附件：登记办法", "合同"]
)
def test_lines_that_end_like_a_title_are_none(tmp_path: Path, line: str) -> None:
    document = read(plain(tmp_path / "a.docx", line, "正文在此，共两句。第二句。"))
    assert not [b for b in document.blocks if b.kind == "heading" and b.level == 1]
