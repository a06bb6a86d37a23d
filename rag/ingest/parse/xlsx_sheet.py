"""What a sheet's XML says beside its values: merges, hidden rows, drawings. Part of parse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from rag.errors import DocumentError
from rag.ingest.parse.ooxml import RELATION, A, Package
from rag.ingest.parse.pictures import Pictures
from rag.types import Block

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_MERGE = re.compile(rb'<(?:\w+:)?mergeCell\b[^>]*\bref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
_ROW = re.compile(rb"<(?:\w+:)?row\b([^>]*)>")
_COLUMN = re.compile(rb"<(?:\w+:)?col\b([^>]*)/?>")
_ATTRIBUTE = re.compile(rb'([\w:]+)="([^"]*)"')
_FILTER = re.compile(rb"<(?:\w+:)?autoFilter\b")
_FORMULA_WITHOUT_VALUE = re.compile(
    rb"<(?:\w+:)?c\b([^>]*)>\s*<(?:\w+:)?f\b[^>]*?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(<(?:\w+:)?v\s*/>\s*|<(?:\w+:)?v></(?:\w+:)?v>\s*)?</(?:\w+:)?c>"
)
_CELL_IMAGES = "xl/cellimages.xml"


class SheetXml:
    """The raw XML of one sheet.

    Args:
        package: the workbook.
        part: the name of the sheet's part.
    """

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._part = part
        self._raw = package.read(part) if package.has(part) else b""

    @property
    def has_empty_formulas(self) -> bool:
        """Whether some formula has no stored result."""
        # An empty text may well be the result that was stored.
        return any(
            b't="str"' not in match[1] or match[2] is None
            for match in _FORMULA_WITHOUT_VALUE.finditer(self._raw)
        )

    def merged_ranges(self) -> Iterator[tuple[int, int, int, int]]:
        """Top, left, bottom, right of each merged range, from 0."""
        for match in _MERGE.finditer(self._raw):
            left, right = _column(match[1]), _column(match[3])
            yield int(match[2]) - 1, left, int(match[4]) - 1, right

    def hidden_rows(self) -> set[int]:
        """Rows (from 0) that a person hid. What a filter or a folded group hides is data
        like the rest."""
        if _FILTER.search(self._raw):
            return set()
        found: set[int] = set()
        for match in _ROW.finditer(self._raw):
            about = dict(_ATTRIBUTE.findall(match[1]))
            if _is_hidden(about) and about.get(b"r", b"").isdigit():
                found.add(int(about[b"r"]) - 1)
        return found

    def hidden_columns(self) -> set[int]:
        """Columns (from 0) that a person hid, folded groups aside."""
        found: set[int] = set()
        for match in _COLUMN.finditer(self._raw[:200_000]):
            about = dict(_ATTRIBUTE.findall(match[1]))
            low, high = about.get(b"min", b""), about.get(b"max", b"")
            if _is_hidden(about) and low.isdigit() and high.isdigit():
                found.update(range(int(low) - 1, min(int(high), int(low) + 1000)))
        return found

    def drawn_blocks(self, pictures: Pictures) -> Iterator[Block]:
        """Text boxes and pictures that lie on the sheet, from the top."""
        for name in self._package.related(self._part, "drawing"):
            root = self._package.optional(name)
            anchors = [] if root is None else [e for e in root if isinstance(e.tag, str)]
            for anchor in sorted(anchors, key=_place):
                for shape in anchor.iter(_DRAWING + "sp"):
                    text = _shape_text(shape)
                    if text:
                        yield Block(kind="paragraph", text=text)
                for picture in anchor.iter(A + "blip"):
                    target = self._package.target(name, picture.get(RELATION + "embed"))
                    yield from read_part(self._package, target, pictures)


def cell_pictures(package: Package) -> dict[str, str]:
    """The parts of pictures inside cells (as WPS keeps them) by their ids."""
    root = package.optional(_CELL_IMAGES)
    found: dict[str, str] = {}
    for picture in root.iter(_DRAWING + "pic") if root is not None else ():
        about = next(picture.iter(_DRAWING + "cNvPr"), None)
        blip = next(picture.iter(A + "blip"), None)
        if about is None or blip is None:
            continue
        target = package.target(_CELL_IMAGES, blip.get(RELATION + "embed"))
        if target is not None and about.get("name"):
            found[about.get("name")] = target
    return found


def read_part(package: Package, name: str | None, pictures: Pictures) -> list[Block]:
    """The text of a picture that is a part of the package; empty for a missing one."""
    if name is None:
        return []
    try:
        return pictures.read(package.read(name))
    except DocumentError:
        return []


def fill_merged(rows: list[list[str]], ranges: Iterable[tuple[int, int, int, int]]) -> list[int]:
    """Copy the first cell of each merged range into its other cells.

    Returns for each row how many rows its merged cells reach down (1 without any).
    """
    depth = [1] * len(rows)
    used = max(map(len, rows), default=0)  # a title may be merged far beyond the table
    for top, left, bottom, right in ranges:
        if top >= len(rows) or left >= len(rows[top]) or not rows[top][left]:
            continue
        depth[top] = max(depth[top], bottom - top + 1)
        value = rows[top][left]
        for row in rows[top : min(bottom + 1, len(rows))]:
            width = min(right + 1, used)
            row.extend([""] * (width - len(row)))
            row[left:width] = [value] * (width - left)
    return depth


def _is_hidden(about: dict[bytes, bytes]) -> bool:
    folded = about.get(b"outlineLevel", b"0") != b"0"
    return about.get(b"hidden") in (b"1", b"true") and not folded


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def _place(anchor: Any) -> tuple[int, int]:
    start = anchor.find(_DRAWING + "from")
    if start is None:
        return 0, 0
    row, column = start.findtext(_DRAWING + "row"), start.findtext(_DRAWING + "col")
    return int(row or 0), int(column or 0)


def _shape_text(shape: Any) -> str:
    lines = ("".join(t.text or "" for t in p.iter(A + "t")).strip() for p in shape.iter(A + "p"))
    return "\n".join(line for line in lines if line)
