"""DOCX: paragraphs with their computed numbers, tables, text boxes and notes, in order.

Read from the XML parts themselves: python-docx refuses files with a single broken
relationship, and knows neither automatic numbers nor text boxes.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from rag.ingest.archive import damaged, read_member
from rag.ingest.describe import find_type
from rag.ingest.headings import heading_level
from rag.ingest.parse.docx_numbering import Numbering, W
from rag.ingest.parse.docx_styles import Styles
from rag.ingest.table import to_markdown, trim
from rag.types import Block, Page

_STRICT = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_REPORT_EVERY = 200
"""Body elements between two calls of the progress function."""

_TITLE_WITHIN = 3
"""Blocks (a letterhead, a date) that may stand above the title."""

_MAX_GRID = 400
_MAX_DEPTH = 40
"""Columns of a table, and levels of nesting, that are believed."""


def parse_docx(
    source: Path | IO[bytes], progress: Callable[[float], None] | None = None
) -> tuple[tuple[Page, ...], str | None]:
    """One page of blocks, and the title among the file's properties when it has one.

    Raises:
        CorruptDocument: the main part cannot be read.
    """
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, OSError) as error:
        raise damaged(str(error)) from error
    with archive:
        body = _part(archive, "word/document.xml").find(W + "body")
        if body is None:
            raise damaged("word/document.xml has no body")
        styles = Styles(_optional(archive, "word/styles.xml"))
        reader = _Reader(styles, Numbering(_optional(archive, "word/numbering.xml")))
        blocks: list[Block] = []
        children = list(body)
        for position, child in enumerate(children):
            blocks.extend(reader.read(child))
            if progress is not None and position % _REPORT_EVERY == 0:
                progress(position / len(children))
        for name in ("word/footnotes.xml", "word/endnotes.xml"):
            notes = _optional(archive, name)
            if notes is not None:
                blocks.extend(_notes(notes, reader))
        title = _core_title(archive)
    blocks = list(_join_lists(_lone_numbers(_under_title(blocks, title))))
    return (Page(number=1, blocks=tuple(blocks)),), title


class _Reader:
    """Turns body elements into blocks; keeps the numbering's state."""

    def __init__(self, styles: Styles, numbering: Numbering) -> None:
        self._styles = styles
        self._numbering = numbering

    def read(self, element: Any, depth: int = 0) -> Iterator[Block]:
        if depth > _MAX_DEPTH:
            return
        if element.tag == W + "p":
            yield from self._paragraph(element, depth)
        elif element.tag == W + "tbl":
            yield from self._table(element, depth)
        elif element.tag == W + "sdt":
            content = element.find(W + "sdtContent")
            for child in content if content is not None else ():
                yield from self.read(child, depth + 1)
        elif element.tag in (W + "ins", W + "moveTo", W + "customXml", W + "smartTag"):
            for child in element:
                yield from self.read(child, depth + 1)
        elif element.tag == _MC + "AlternateContent":
            for child in _choice(element):
                yield from self.read(child, depth + 1)

    def _paragraph(self, element: Any, depth: int) -> Iterator[Block]:
        boxes: list[Any] = []
        text = tidy(paragraph_text(element, boxes))
        look = self._styles.paragraph(element)
        if text and not look.contents:
            yield self._text_block(text, look)
        for box in boxes:
            for child in box:
                yield from self.read(child, depth + 1)

    def _text_block(self, text: str, look: Any) -> Block:
        number, bullet = "", False
        if look.list_id is not None:
            level = look.list_level
            if level is None:
                level = self._numbering.level_of_style(look.list_id, look.style) or 0
            number = self._numbering.number(look.list_id, level).strip()
            bullet = self._numbering.is_bullet(look.list_id, level)
        if number and not text.startswith(number):
            # A clause or chapter number is set off by a blank, "1." and "（一）" likewise.
            text = f"{number} {text}"
        if look.heading is not None:
            about = {"title": True} if look.title else {}
            one_line = text.replace("\n", " ")
            return Block(kind="heading", text=one_line, level=look.heading, metadata=about)
        by_number = heading_level(text, decimals=False)
        if by_number is not None and (number or by_number <= 4 or look.bold or len(text) <= 20):
            return Block(kind="heading", text=text, level=by_number)
        if bullet:
            indent = "  " * (look.list_level or 0)
            return Block(kind="list", text=f"{indent}- {text}")
        if number and not number.startswith("第"):
            return Block(kind="list", text="  " * (look.list_level or 0) + text)
        return Block(kind="paragraph", text=text)

    def _table(self, element: Any, depth: int) -> Iterator[Block]:
        rows: list[list[str]] = []
        above: dict[int, str] = {}
        inner: list[Block] = []
        for row in _children(element, "tr"):
            texts: list[str] = []
            before = row.find(f"{W}trPr/{W}gridBefore")
            texts.extend([""] * _span(before))
            for cell in _children(row, "tc"):
                wide = max(_span(cell.find(f"{W}tcPr/{W}gridSpan")), 1)
                merge = cell.find(f"{W}tcPr/{W}vMerge")
                column = len(texts)
                if merge is not None and merge.get(W + "val") != "restart":
                    text = above.get(column, "")
                else:
                    text = self._cell(cell, depth, inner)
                for covered in range(column, column + wide):
                    above[covered] = text
                texts.extend([text] * wide)
            rows.append(texts[:_MAX_GRID])
        rows = trim(rows)
        if rows and len(rows[0]) == 1:
            # A frame of one column holds text; Word users draw it round notes.
            for row in rows:
                if row[0]:
                    yield Block(kind="paragraph", text=row[0])
        elif rows:
            yield Block(kind="table", text=to_markdown(rows), rows=tuple(map(tuple, rows)))
        yield from inner

    def _cell(self, cell: Any, depth: int, inner: list[Block]) -> str:
        """The cell's text; tables inside it become blocks of their own behind the table."""
        parts: list[str] = []
        for child in cell:
            for block in self.read(child, depth + 1):
                if block.kind == "table":
                    inner.append(block)
                else:
                    parts.append(block.text)
        return "\n".join(parts)


def paragraph_text(element: Any, boxes: list[Any]) -> str:
    """The visible text of a paragraph; its text boxes are added to `boxes`."""
    parts: list[str] = []
    _collect(element, parts, boxes, 0)
    return "".join(parts)


_SKIPPED = {
    W + name
    for name in ("pPr", "rPr", "del", "moveFrom", "instrText", "delText", "sectPr", "tblPr", "rt")
}
_CHARACTERS = {W + "tab": "\t", W + "br": "\n", W + "cr": "\n", W + "noBreakHyphen": "-"}


def _collect(element: Any, parts: list[str], boxes: list[Any], depth: int) -> None:
    if depth > _MAX_DEPTH:
        return
    for child in element:
        tag = child.tag
        if tag in (W + "t", _MATH + "t"):
            parts.append(child.text or "")
        elif tag in _SKIPPED:
            continue
        elif tag in _CHARACTERS:
            parts.append("" if child.get(W + "type") == "page" else _CHARACTERS[tag])
        elif tag == W + "r" and _is_hidden(child):
            continue
        elif tag == W + "txbxContent":
            boxes.append(child)
        elif tag == _MC + "AlternateContent":
            for chosen in _choice(child):
                _collect((chosen,), parts, boxes, depth + 1)
        elif tag == W + "sym":
            parts.append("•" if (child.get(W + "char") or "").startswith("F0") else "")
        elif isinstance(tag, str):
            _collect(child, parts, boxes, depth + 1)


def _is_hidden(run: Any) -> bool:
    vanish = run.find(f"{W}rPr/{W}vanish")
    return vanish is not None and vanish.get(W + "val") not in ("0", "false")


def _choice(element: Any) -> list[Any]:
    """The children of the first alternative; the others repeat it for older programs."""
    for name in ("Choice", "Fallback"):
        chosen = element.find(_MC + name)
        if chosen is not None and len(chosen):
            return list(chosen)
    return []


def _children(element: Any, name: str) -> Iterator[Any]:
    """Direct children of a name, also inside content controls and tracked insertions."""
    for child in element:
        if child.tag == W + name:
            yield child
        elif child.tag in (W + "sdt", W + "sdtContent", W + "ins", W + "customXml"):
            yield from _children(child, name)


def _span(element: Any | None) -> int:
    value = element.get(W + "val") if element is not None else None
    return min(int(value), _MAX_GRID) if value and value.isdecimal() else 0


def tidy(text: str) -> str:
    """Lines without outer blanks; tabs become one blank."""
    lines = (re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _under_title(blocks: Sequence[Block], stated: str | None) -> list[Block]:
    """The headings one level lower where the title that opens the text has their level."""
    first = next((i for i, block in enumerate(blocks) if block.kind == "heading"), None)
    if first is None or first > _TITLE_WITHIN:
        return list(blocks)
    title, rest = blocks[first], [b for b in blocks[first + 1 :] if b.kind == "heading"]
    level = title.level or 1
    peers = [block for block in rest if (block.level or 1) <= level]
    numbered = [block for block in peers if heading_level(block.text) is not None]
    is_title = heading_level(title.text) is None and (
        bool(title.metadata.get("title"))
        or title.text == stated
        or len(numbered) * 2 > len(peers)
        or find_type(title.text) is not None
    )
    if not peers or not is_title:
        return list(blocks)
    return [
        block.model_copy(update={"level": min((block.level or 1) + level, 9)})
        if block.kind == "heading" and index > first
        else block
        for index, block in enumerate(blocks)
    ]


def _lone_numbers(blocks: Sequence[Block]) -> list[Block]:
    """Numbered short lines with text between them as headings: documents without heading
    styles have no other ones. Items of a list follow each other and stay what they are."""
    levels = [_decimal_level(block) for block in blocks]
    listed = [
        level is not None or b.kind == "list" for level, b in zip(levels, blocks, strict=True)
    ]
    found: list[Block] = []
    for index, (block, level) in enumerate(zip(blocks, levels, strict=True)):
        around = listed[max(index - 1, 0) : index] + listed[index + 1 : index + 2]
        followed = index + 1 < len(blocks) and blocks[index + 1].kind != "heading"
        others = levels[:index] + levels[index + 1 :]
        if level is not None and followed and not any(around) and any(others):
            block = block.model_copy(update={"kind": "heading", "level": level})
        found.append(block)
    return found


def _decimal_level(block: Block) -> int | None:
    if block.kind not in ("list", "paragraph") or block.text.startswith("- "):
        return None
    text = unicodedata.normalize("NFKC", block.text)
    return heading_level(text) if text[:1].isdecimal() else None


def _join_lists(blocks: list[Block]) -> Iterator[Block]:
    """Neighbouring list items as one list."""
    items: list[str] = []
    for block in blocks:
        if block.kind == "list":
            items.append(block.text)
            continue
        if items:
            yield Block(kind="list", text="\n".join(items))
            items = []
        yield block
    if items:
        yield Block(kind="list", text="\n".join(items))


def _notes(root: Any, reader: _Reader) -> Iterator[Block]:
    for note in root:
        if note.get(W + "type") in ("separator", "continuationSeparator", "continuationNotice"):
            continue
        for child in note:
            yield from reader.read(child)


def _part(archive: zipfile.ZipFile, name: str) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, recover=True)
    content = read_member(archive, name).replace(_STRICT, W[1:-1].encode())
    root = etree.fromstring(content, parser)
    if root is None:
        raise damaged(f"{name} is no XML")
    return root


def _optional(archive: zipfile.ZipFile, name: str) -> Any | None:
    return _part(archive, name) if name in archive.namelist() else None


def _core_title(archive: zipfile.ZipFile) -> str | None:
    core = _optional(archive, "docProps/core.xml")
    if core is None:
        return None
    title = core.findtext("{http://purl.org/dc/elements/1.1/}title")
    return title.strip() or None if title else None
