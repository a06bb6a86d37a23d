"""Text of shapes and tables on slides: part of the parse step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rag.ingest.parse.docx_math import M, math_text
from rag.ingest.parse.docx_numbering import format_number
from rag.ingest.parse.grid_table import grid_blocks
from rag.ingest.parse.ooxml import MC, A, alternatives
from rag.types import Block

_SKIPPED_FIELDS = ("slidenum", "datetime")
_NUMBER = re.compile(
    r"(arabic|alphaLc|alphaUc|romanLc|romanUc|circleNum|ea1Chs|ea1Cht|ea1JpnChs|ea1JpnKor|thai"
    r"|hindi)(?:Db|Wd\w*)?(ParenBoth|ParenR|Period|Plain|Minus)?"
)
_FORMATS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "circleNum": "decimalEnclosedCircle",
    "ea1Chs": "chineseCounting",
    "ea1Cht": "chineseCounting",
    "ea1JpnChs": "chineseCounting",
    "ea1JpnKor": "chineseCounting",
}
_SUFFIXES = {"ParenBoth": "({})", "ParenR": "{})", "Period": "{}.", "Plain": "{}", "Minus": "{}-"}
_MAX_LEVELS = 9
_MAX_COLUMNS = 400


def body_block(body: Any, page: int, *, bulleted: bool) -> Block | None:
    """A text body as one block: a list where its paragraphs have bullets or numbers, else a
    paragraph with a line for each. None when it is empty.

    Args:
        bulleted: whether the shape's placeholder gives bullets that the text doesn't state.
    """
    lines: list[tuple[int, str, str]] = []
    counters: list[int] = [0] * _MAX_LEVELS
    for paragraph in body.iter(A + "p"):
        text = paragraph_text(paragraph)
        if not text:
            continue
        level, mark = _mark(paragraph, counters)
        lines.append((level, mark, text))
    if not lines:
        return None
    listed = any(mark for _, mark, _ in lines) or any(level for level, _, _ in lines)
    if not listed and not (bulleted and len(lines) > 1):
        return Block(kind="paragraph", text="\n".join(text for _, _, text in lines), page=page)
    rendered = []
    for level, mark, text in lines:
        # Lines that only have a level take their bullet from the layout.
        shown = "-" if mark == "•" or (not mark and (bulleted or level)) else mark
        rendered.append("  " * level + f"{shown} {' '.join(text.split(chr(10)))}".strip())
    return Block(kind="list", text="\n".join(rendered), page=page)


def body_text(body: Any) -> str:
    """The lines of a text body."""
    lines = (paragraph_text(paragraph) for paragraph in body.iter(A + "p"))
    return "\n".join(line for line in lines if line)


def paragraph_text(paragraph: Any) -> str:
    """The text of a paragraph; page numbers and dates of the layout are left out."""
    parts: list[str] = []
    _collect(paragraph, parts)
    text = "".join(parts).replace("\x0b", "\n").replace("_x000B_", "\n")
    lines = (re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def letter_size(body: Any) -> float:
    """The size of the largest letters that a text body states, in points; 0 for none."""
    sizes = [
        int(properties.get("sz"))
        for properties in body.iter(A + "rPr", A + "defRPr")
        if (properties.get("sz") or "").isdecimal()
    ]
    return max(sizes, default=0) / 100


def table_blocks(table: Any, page: int) -> Iterator[Block]:
    """The blocks of a table, its merged cells filled."""
    rows: list[list[str]] = []
    depth: list[int] = []
    for source in table.findall(A + "tr"):
        texts: list[str] = []
        reach = 1
        for cell in source.findall(A + "tc")[:_MAX_COLUMNS]:
            column = len(texts)
            if _is_on(cell.get("vMerge")) and rows and column < len(rows[-1]):
                texts.append(rows[-1][column])
                continue
            if _is_on(cell.get("hMerge")) and texts:
                texts.append(texts[-1])
                continue
            body = cell.find(A + "txBody")
            texts.append("" if body is None else body_text(body))
            span = cell.get("rowSpan") or "1"
            reach = max(reach, int(span) if span.isdecimal() else 1)
        rows.append(texts)
        depth.append(reach)
    width = max(map(len, rows), default=0)
    if not any(any(row) for row in rows):
        return
    if width == 1:
        for row in rows:
            if row and row[0]:
                yield Block(kind="paragraph", text=row[0], page=page)
        return
    filled = [row + [""] * (width - len(row)) for row in rows]
    yield from grid_blocks(filled, depth, page=page)


def _collect(element: Any, parts: list[str]) -> None:
    for child in element:
        tag = child.tag
        if tag == A + "t":
            parts.append(child.text or "")
        elif tag == A + "br":
            parts.append("\n")
        elif tag == A + "tab":
            parts.append("\t")
        elif tag == A + "fld":
            if not (child.get("type") or "").startswith(_SKIPPED_FIELDS):
                _collect(child, parts)
        elif tag == MC + "AlternateContent":
            for chosen in alternatives(child):
                _collect([chosen], parts)
        elif tag in (M + "oMath", M + "oMathPara"):
            parts.append(f" {math_text(child).strip()} ")
        elif tag not in (A + "pPr", A + "rPr", A + "endParaRPr") and isinstance(tag, str):
            _collect(child, parts)


def _mark(paragraph: Any, counters: list[int]) -> tuple[int, str]:
    """Level and mark of a paragraph: "•", a number, or "" where it states none."""
    properties = paragraph.find(A + "pPr")
    level = 0
    if properties is not None and (properties.get("lvl") or "").isdecimal():
        level = min(int(properties.get("lvl")), _MAX_LEVELS - 1)
    counters[level + 1 :] = [0] * (_MAX_LEVELS - level - 1)
    automatic = None if properties is None else properties.find(A + "buAutoNum")
    if automatic is None:
        counters[level] = 0
        bullet = None if properties is None else properties.find(A + "buChar")
        picture = None if properties is None else properties.find(A + "buBlip")
        return level, "" if bullet is None and picture is None else "•"
    start = automatic.get("startAt") or "1"
    first = int(start) if start.isdecimal() else 1
    counters[level] = counters[level] + 1 if counters[level] else first
    match = _NUMBER.match(automatic.get("type") or "")
    if match is None:
        return level, f"{counters[level]}."
    number = format_number(counters[level], _FORMATS.get(match[1], "decimal"))
    return level, _SUFFIXES[match[2] or "Plain"].format(number)


def _is_on(value: str | None) -> bool:
    return value in ("1", "true", "on")
