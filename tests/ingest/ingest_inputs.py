"""Builds the files that the ingestion tests read."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rag.ingest.clean import clean
from rag.ingest.inspect import inspect
from rag.ingest.parse import parse
from rag.settings import IngestSettings
from rag.types import Block, Document, Page

SETTINGS = IngestSettings()
A4 = (595.0, 842.0)


def read(path: Path, name: str | None = None, **options: Any) -> Document:
    """A file through inspect, parse and clean."""
    settings = options.pop("settings", SETTINGS)
    name = name or path.name
    inspection = inspect(path, settings, name=name)
    return clean(parse(path, inspection, name=name, settings=settings, **options))


def texts(document: Document) -> list[str]:
    """The texts of all blocks."""
    return [block.text for block in document.blocks]


def rows(document: Document) -> list[list[tuple[str, ...]]]:
    """The rows of each table."""
    return [list(block.rows) for block in document.blocks if block.rows]


def document_of(*blocks: Block, name: str = "文档.md", **values: Any) -> Document:
    """A document with an id, so that it can be cut and stored."""
    page = Page(number=1, blocks=blocks)
    defaults = {"id": "d1", "kb_id": "kb1", "media_type": "text/markdown", "pages": (page,)}
    return Document(name=name, **{**defaults, **values})


# --- PDF -----------------------------------------------------------------------------


def pdf(path: Path, *draw: Callable[[Any], None], **save: Any) -> Path:
    """A PDF with one page for each drawing function, which gets the page."""
    import pymupdf

    with pymupdf.open() as document:
        for paint in draw:
            paint(document.new_page(width=A4[0], height=A4[1]))
        document.save(path, **save)
    return path


def write(page: Any, x: float, y: float, text: str, size: float = 11, **options: Any) -> None:
    """One line whose baseline is `y` points from the top, in a Chinese font."""
    page.insert_text((x, y), text, fontsize=size, fontname="china-s", **options)


def paragraph(page: Any, x: float, y: float, lines: Sequence[str], size: float = 11) -> None:
    """Lines one below the other."""
    for number, line in enumerate(lines):
        write(page, x, y + number * size * 1.5, line, size)


def grid(page: Any, x: float, y: float, cells: Sequence[Sequence[str]], width: float = 90) -> None:
    """A ruled table; empty cells are drawn too."""
    height = 22.0
    for r, row in enumerate(cells):
        for c, text in enumerate(row):
            box = (x + c * width, y + r * height, x + (c + 1) * width, y + (r + 1) * height)
            page.draw_rect(box)
            if text:
                write(page, box[0] + 4, box[3] - 7, text, 10)


# --- Office --------------------------------------------------------------------------


def docx(path: Path, build: Callable[[Any], None]) -> Path:
    """A DOCX that `build` fills."""
    import docx as library

    document = library.Document()
    build(document)
    document.save(str(path))
    return path


def numbering(document: Any, formats: Sequence[tuple[str, str]]) -> int:
    """Add a list with one (number format, text) a level; returns its id."""
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    root = document.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for i, (kind, text) in enumerate(formats)
    )
    number = 900 + len(root)
    abstract = f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{number}">{levels}</w:abstractNum>'
    root.insert(0, parse_xml(abstract))
    root.append(
        parse_xml(
            f'<w:num {nsdecls("w")} w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'
        )
    )
    return number


def numbered(
    document: Any, text: str, list_id: int, level: int = 0, style: str | None = None
) -> None:
    """A paragraph that takes the next number of a list."""
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    made = document.add_paragraph(text, style=style)
    made._p.get_or_add_pPr().append(
        parse_xml(
            f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/>'
            f'<w:numId w:val="{list_id}"/></w:numPr>'
        )
    )


def xlsx(path: Path, build: Callable[[Any], None]) -> Path:
    """An XLSX that `build` fills, given the workbook."""
    import openpyxl

    workbook = openpyxl.Workbook()
    build(workbook)
    workbook.save(path)
    return path


def ole(path: Path, stream: str) -> Path:
    """A file that looks like an OLE container with a stream of this name."""
    name = (stream + "\0").encode("utf-16-le")
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + name + bytes(600))
    return path


def bomb(path: Path, megabytes: int) -> Path:
    """A DOCX whose body unpacks to so many megabytes of zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w", force_zip64=True) as member:
            block = bytes(1 << 20)
            for _ in range(megabytes):
                member.write(block)
    return path


# --- Text ----------------------------------------------------------------------------


def jsonl(path: Path, *records: Any) -> Path:
    """One JSON value a line."""
    lines = (json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def stream(text: str) -> io.BytesIO:
    """A text as an upload."""
    return io.BytesIO(text.encode("utf-8"))
