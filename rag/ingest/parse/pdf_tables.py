"""Finds ruled tables on a PDF page and fills their cells.

PyMuPDF finds the grid; the texts are put in here, glyph by glyph, so that they are those that
the rest of the page is made of (bold drawn once, nothing invisible) and so that merged cells
give their text to each row and column that they cover.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rag.ingest.lines import join_wrapped
from rag.ingest.parse.pdf_page import PageText
from rag.ingest.table import find_header, is_banner, merge_header
from rag.types import BBox

_MIN_RULES = 2
_MAX_DRAWINGS = 6000
"""Fewer rules across or down make no table; more paths are a drawing, and would take minutes."""

_HEADER_SHARE = 0.13
"""Share of the page's height within which a rule sets off a header; chosen by us."""

_RULE_PT = 3.0
_SNAP_PT = 2.0
"""A filled box thinner than this is a rule; edges closer than this are the same."""


@dataclass(slots=True)
class FoundTable:
    """A table with its header first; `banners` are titles that stood in its first rows.

    `edges` are the columns' left edges, to recognise the same table on the next page.
    """

    bbox: BBox
    rows: list[list[str]]
    banners: list[str]
    has_header: bool
    edges: tuple[float, ...]


def find_tables(page: Any, text: PageText) -> list[FoundTable]:
    """The tables of a page; their glyphs are taken out of the page's segments."""
    drawings = page.get_cdrawings()
    text.drawings = len(drawings)
    text.header_rule = _header_rule(drawings, text)
    if not _has_rules(drawings):
        return []
    try:
        grids = page.find_tables().tables
    except (ValueError, IndexError, ZeroDivisionError, RuntimeError):
        return []  # degenerate drawings; the text is still read as lines
    found: list[FoundTable] = []
    for grid in grids:
        cells = [tuple(cell) for cell in grid.cells if cell is not None]
        table = _fill(cells, tuple(grid.bbox), text)
        if table is not None:
            found.append(table)
    return found


def _has_rules(drawings: Sequence[dict[str, Any]]) -> bool:
    across = down = 0
    if len(drawings) > _MAX_DRAWINGS:
        return False
    for drawing in drawings:
        for item in drawing["items"]:
            if item[0] == "l":
                (x0, y0), (x1, y1) = item[1], item[2]
                across += abs(y0 - y1) < 1 and abs(x0 - x1) > _RULE_PT
                down += abs(x0 - x1) < 1 and abs(y0 - y1) > _RULE_PT
            elif item[0] in ("re", "qu"):
                x0, y0, x1, y1 = drawing["rect"] if item[0] == "qu" else item[1]
                wide, high = abs(x1 - x0), abs(y1 - y0)
                across += wide > _RULE_PT
                down += high > _RULE_PT
            if across >= _MIN_RULES and down >= _MIN_RULES:
                return True
    return False


def _header_rule(drawings: Sequence[dict[str, Any]], text: PageText) -> float | None:
    """The first rule below the top edge that runs across most of the page."""
    found = [
        float(drawing["rect"][3])
        for drawing in drawings[:50]
        if drawing["rect"][3] - drawing["rect"][1] < _RULE_PT
        and drawing["rect"][2] - drawing["rect"][0] > 0.6 * text.width
        and drawing["rect"][3] < _HEADER_SHARE * text.height
    ]
    return min(found, default=None)


def _fill(cells: Sequence[tuple[float, ...]], bbox: BBox, text: PageText) -> FoundTable | None:
    xs = _edges([c[0] for c in cells] + [c[2] for c in cells])
    ys = _edges([c[1] for c in cells] + [c[3] for c in cells])
    if len(xs) < 3 or len(ys) < 3:
        return None
    owner: dict[tuple[int, int], int] = {}
    for number, (x0, y0, x1, y1) in enumerate(cells):
        for row in range(_index(ys, y0), _index(ys, y1)):
            for column in range(_index(xs, x0), _index(xs, x1)):
                owner[row, column] = number
    glyphs: dict[int, list[tuple[str, float, float, float, float]]] = {}
    for segment in text.segments:
        if segment.x1 < xs[0] or segment.x0 > xs[-1] or segment.y1 < ys[0] or segment.y0 > ys[-1]:
            continue
        for char in segment.chars:
            x, y = (char[1] + char[3]) / 2, (char[2] + char[4]) / 2
            cell = owner.get((bisect_right(ys, y) - 1, bisect_right(xs, x) - 1))
            if cell is not None:
                glyphs.setdefault(cell, []).append(char)
    texts = {cell: _cell_text(chars) for cell, chars in glyphs.items()}
    if sum(bool(t) for t in texts.values()) < 2 or _is_frame(cells, texts):
        return None
    rows = [
        [texts.get(owner.get((row, column), -1), "") for column in range(len(xs) - 1)]
        for row in range(len(ys) - 1)
    ]
    depth = [
        max(
            (_index(ys, cells[owner[row, column]][3]) - row)
            if (row, column) in owner and _index(ys, cells[owner[row, column]][1]) == row
            else 1
            for column in range(len(xs) - 1)
        )
        for row in range(len(ys) - 1)
    ]
    _take_out(text, xs, ys, owner)
    return _with_header(rows, depth, bbox, xs)


def _with_header(
    rows: list[list[str]], depth: list[int], bbox: BBox, xs: Sequence[float]
) -> FoundTable | None:
    kept = [i for i, row in enumerate(rows) if any(row)]
    rows, depth = [rows[i] for i in kept], [depth[i] for i in kept]
    used = [i for i in range(len(rows[0])) if any(row[i] for row in rows)]
    rows = [[row[i] for i in used] for row in rows]
    edges = tuple(round(xs[i], 1) for i in used)
    banners: list[str] = []
    while len(rows) > 2 and is_banner(rows[0]):
        banners.append(next(cell for cell in rows.pop(0) if cell))
        depth.pop(0)
    found = find_header(rows, depth)
    if found is not None and found[0] == 0:
        height = found[1]
        rows = [merge_header(rows[:height]), *rows[height:]]
    return FoundTable(bbox, rows, banners, found is not None and found[0] == 0, edges)


def _is_frame(cells: Sequence[tuple[float, ...]], texts: dict[int, str]) -> bool:
    """Whether nearly all text is in one cell: a frame round a page, not a table."""
    lengths = sorted((len(t) for t in texts.values()), reverse=True)
    return len(cells) < 6 and lengths[0] > 300 and lengths[0] > 0.85 * sum(lengths)


def _take_out(
    text: PageText,
    xs: Sequence[float],
    ys: Sequence[float],
    owner: dict[tuple[int, int], int],
) -> None:
    """Remove the table's glyphs from the page; what sticks out of the table stays."""
    kept = []
    for segment in text.segments:
        outside = [
            char
            for char in segment.chars
            if (
                bisect_right(ys, (char[2] + char[4]) / 2) - 1,
                bisect_right(xs, (char[1] + char[3]) / 2) - 1,
            )
            not in owner
        ]
        if len(outside) == len(segment.chars):
            kept.append(segment)
            continue
        visible = [char for char in outside if not char[0].isspace()]
        if visible:
            segment.text = "".join(char[0] for char in outside)
            segment.chars = outside
            segment.x0 = min(char[1] for char in visible)
            segment.x1 = max(char[3] for char in visible)
            kept.append(segment)
    text.segments = kept


def _cell_text(chars: list[tuple[str, float, float, float, float]]) -> str:
    """The cell's glyphs as one text: by line, a line's glyphs from left to right."""
    lines: list[tuple[float, list[tuple[str, float, float, float, float]]]] = []
    for char in chars:
        middle = (char[2] + char[4]) / 2
        for position, (place, line) in enumerate(lines):
            if abs(place - middle) < (char[4] - char[2]) * 0.5:
                line.append(char)
                lines[position] = (place, line)
                break
        else:
            lines.append((middle, [char]))
    lines.sort(key=lambda entry: entry[0])
    texts = ("".join(c[0] for c in sorted(line, key=lambda c: c[1])) for _, line in lines)
    return " ".join(join_wrapped(list(texts)).split())


def _edges(values: Sequence[float]) -> list[float]:
    """Distinct edges, those nearer than `_SNAP_PT` to the one before left out."""
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > _SNAP_PT:
            edges.append(value)
    return edges


def _index(edges: Sequence[float], value: float) -> int:
    return min(range(len(edges)), key=lambda i: abs(edges[i] - value))
