"""Writes DOCX with automatic numbering and XLSX with merged cells."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from samples.make.pieces import CREATED, Piece


def to_docx(pieces: list[Piece]) -> bytes:
    """A DOCX whose articles and steps are numbered by the word processor."""
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls, qn

    document = docx.Document()
    numbering = document.part.numbering_part.element

    def define(identifier: int, kind: str, pattern: str) -> None:
        level = (
            f'<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
            f'<w:suff w:val="space"/><w:lvlText w:val="{pattern}"/><w:lvlJc w:val="left"/></w:lvl>'
        )
        xml = (
            f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{identifier}">{level}</w:abstractNum>'
        )
        numbering.insert(0, parse_xml(xml))

    def instance(identifier: int, abstract: int) -> None:
        override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
        xml = (
            f'<w:num {nsdecls("w")} w:numId="{identifier}"><w:abstractNumId w:val="{abstract}"/>'
            f"{override}</w:num>"
        )
        numbering.append(parse_xml(xml))

    def number(paragraph: Any, identifier: int) -> None:
        properties = paragraph._p.get_or_add_pPr()
        xml = (
            f'<w:numPr {nsdecls("w")}><w:ilvl w:val="0"/><w:numId w:val="{identifier}"/></w:numPr>'
        )
        properties.append(parse_xml(xml))

    define(90, "chineseCounting", "第%1条")
    define(91, "decimal", "%1.")
    instance(900, 90)
    steps = 900
    for name in ("Normal", "Title", "Heading 1", "Heading 2"):
        style = document.styles[name]
        style.font.name = "Noto Sans CJK SC"
        style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), "宋体")
    for piece in pieces:
        if piece.kind == "title":
            document.add_heading(piece.text, 0)
        elif piece.kind == "heading":
            document.add_heading(piece.text, piece.level)
        elif piece.kind == "table":
            table = document.add_table(len(piece.rows), len(piece.rows[0]), style="Table Grid")
            for cells, row in zip(table.rows, piece.rows, strict=True):
                for cell, text in zip(cells.cells, row, strict=True):
                    cell.text = text
        elif piece.kind == "step":
            if piece.number == 1:
                steps += 1
                instance(steps, 91)
            number(document.add_paragraph(piece.text), steps)
        else:
            paragraph = document.add_paragraph(piece.text)
            if piece.kind == "article":
                number(paragraph, 900)
    document.core_properties.title = next(p.text for p in pieces if p.kind == "title")
    document.core_properties.author = "示例"
    document.core_properties.created = document.core_properties.modified = CREATED
    buffer = io.BytesIO()
    document.save(buffer)
    return still(buffer.getvalue())


def to_xlsx(book: dict[str, Any]) -> bytes:
    """A workbook; equal neighbours in the columns listed in `merge` become one cell."""
    import openpyxl
    from openpyxl.styles import Alignment, Font

    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for sheet in book["sheets"]:
        page = workbook.create_sheet(sheet["title"])
        columns = len(sheet["header"])
        page.append([sheet["note"]])
        page.merge_cells(start_row=1, start_column=1, end_row=1, end_column=columns)
        page.append(sheet["header"])
        for cell in page[2]:
            cell.font = Font(bold=True)
        for row in sheet["rows"]:
            page.append(row)
        for column in sheet["merge"]:
            start = 0
            values = [row[: column + 1] for row in sheet["rows"]]
            for position in range(1, len(values) + 1):
                if position == len(values) or values[position] != values[start]:
                    page.merge_cells(
                        start_row=start + 3,
                        end_row=position + 2,
                        start_column=column + 1,
                        end_column=column + 1,
                    )
                    page.cell(start + 3, column + 1).alignment = Alignment(vertical="center")
                    start = position
        for column in range(columns):
            page.column_dimensions[chr(65 + column)].width = 18
    buffer = io.BytesIO()
    workbook.save(buffer)
    return still(buffer.getvalue())


def still(package: bytes) -> bytes:
    """The same Office package without the moment of its making."""
    buffer = io.BytesIO()
    stamp = CREATED.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                data = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp, data)
            entry = zipfile.ZipInfo(name, CREATED.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, data)
    return buffer.getvalue()
