"""Fills the ruled tables of a PDF page with their texts, glyph by glyph.

The glyphs are those that the rest of the page is made of (bold drawn once, nothing invisible);
a merged cell gives its text to each row and column that it covers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rag.ingest.lines import join_wrapped
from rag.ingest.parse.pdf_grid import Cell, find_grids
from rag.ingest.parse.pdf_page import PageText
from rag.ingest.table import find_header, is_banner, merge_header
from rag.types import BBox

_HEADER_SHARE = 0.13
"""Share of the page's height within which a rule sets off a header; chosen by us."""

_RULE_PT = 3.0
_SNAP_PT = 2.0
"""A box thinner than the first is a rule; edges closer than the second are the same."""

_MIN_UNRULED = 3
"""Lines side by side in most cells of a row from which each is a row. Chosen by us: two may
be a wrapped heading."""

Char = tuple[str, float, float, float, float]
Line = tuple[float, str]


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
    found: list[FoundTable] = []
    for cells in find_grids(drawings, text.width, text.height):
        table = _fill(cells, text)
        if table is not None:
            found.append(table)
    return found


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


def _fill(cells: Sequence[Cell], text: PageText) -> FoundTable | None:
    xs = _edges([c[0] for c in cells] + [c[2] for c in cells])
    ys = _edges([c[1] for c in cells] + [c[3] for c in cells])
    if len(xs) < 3 or len(ys) < 3:
        return None
    owner: dict[tuple[int, int], int] = {}
    for number, (x0, y0, x1, y1) in enumerate(cells):
        for row in range(_index(ys, y0), _index(ys, y1)):
            for column in range(_index(xs, x0), _index(xs, x1)):
                owner[row, column] = number
    glyphs: dict[int, list[Char]] = {}
    for segment in text.segments:
        if segment.x1 < xs[0] or segment.x0 > xs[-1] or segment.y1 < ys[0] or segment.y0 > ys[-1]:
            continue
        for char in segment.chars:
            x, y = (char[1] + char[3]) / 2, (char[2] + char[4]) / 2
            cell = owner.get((bisect_right(ys, y) - 1, bisect_right(xs, x) - 1))
            if cell is not None:
                glyphs.setdefault(cell, []).append(char)
    lines = {cell: _cell_lines(chars) for cell, chars in glyphs.items()}
    texts = {cell: _joined(found) for cell, found in lines.items()}
    if sum(bool(t) for t in texts.values()) < 2 or _is_frame(cells, texts):
        return None
    rows: list[list[str]] = []
    depth: list[int] = []
    for row in range(len(ys) - 1):
        owners = [owner.get((row, column), -1) for column in range(len(xs) - 1)]
        starting = [n for n in set(owners) if n >= 0 and _index(ys, cells[n][1]) == row]
        reach = max((_index(ys, cells[n][3]) - row for n in starting), default=1)
        split = _unruled_rows(owners, lines) if reach == 1 else None
        if split is None:
            rows.append([texts.get(n, "") for n in owners])
            depth.append(reach)
        else:
            rows.extend(split)
            depth.extend([1] * len(split))
    _take_out(text, xs, ys, owner)
    return _with_header(rows, depth, (xs[0], ys[0], xs[-1], ys[-1]), xs)


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


def _is_frame(cells: Sequence[Cell], texts: dict[int, str]) -> bool:
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


def _cell_lines(chars: list[Char]) -> list[Line]:
    """The cell's lines from top to bottom: vertical centre and text."""
    groups: list[tuple[float, list[Char]]] = []
    for char in chars:
        middle = (char[2] + char[4]) / 2
        for place, group in groups:
            if abs(place - middle) < (char[4] - char[2]) * 0.5:
                group.append(char)
                break
        else:
            groups.append((middle, [char]))
    groups.sort(key=lambda entry: entry[0])
    texts = [(y, "".join(c[0] for c in sorted(g, key=lambda c: c[1]))) for y, g in groups]
    return [(y, text.strip()) for y, text in texts if text.strip()]


def _joined(lines: Sequence[Line]) -> str:
    return " ".join(join_wrapped([text for _, text in lines]).split())


def _unruled_rows(owners: Sequence[int], lines: dict[int, list[Line]]) -> list[list[str]] | None:
    """The rows inside one ruled row: some tables are ruled only every few rows. None when
    the cells' lines don't stand side by side, which means that they are wrapped text."""
    filled = {n: lines[n] for n in owners if lines.get(n)}
    most = max(map(len, filled.values()), default=0)
    full = [found for found in filled.values() if len(found) == most]
    if most < _MIN_UNRULED or len(full) < max(2, 0.6 * len(filled)):
        return None
    places = [y for y, _ in full[0]]
    rows = [[""] * len(owners) for _ in places]
    for column, number in enumerate(owners):
        for y, text in filled.get(number, ()):
            row = min(range(most), key=lambda i: abs(places[i] - y))
            if abs(places[row] - y) > _SNAP_PT:
                return None
            rows[row][column] = text
    return rows


def _edges(values: Sequence[float]) -> list[float]:
    """Distinct edges, those nearer than `_SNAP_PT` to the one before left out."""
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > _SNAP_PT:
            edges.append(value)
    return edges


def _index(edges: Sequence[float], value: float) -> int:
    return min(range(len(edges)), key=lambda i: abs(edges[i] - value))
