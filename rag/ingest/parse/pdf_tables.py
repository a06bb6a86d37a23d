"""Fills the ruled tables of a PDF page with their texts, glyph by glyph.

The glyphs are those that the rest of the page is made of (bold drawn once, nothing invisible);
a merged cell gives its text to each row and column that it covers. What rules leave open
(several rows or columns in one ruled cell) is read from the places of the texts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rag.ingest.parse.pdf_cells import Char, Line, is_sideways, joined, lines_of, parted
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_grid import Cell, find_grids
from rag.ingest.parse.pdf_lined import find_lined
from rag.ingest.parse.pdf_page import PageText
from rag.ingest.parse.pdf_regions import find_regions, is_unsure
from rag.ingest.parse.pdf_unruled import CellLines, open_areas, unruled_rows
from rag.ingest.parse.pdf_upright import with_labels
from rag.ingest.parse.pdf_watermarks import remove_overprints
from rag.ingest.table import is_value

__all__ = ["FoundTable", "find_tables"]

_HEADER_SHARE = 0.13
"""Share of the page's height within which a rule sets off a header; chosen by us."""

_RULE_PT = 3.0
_SNAP_PT = 2.0
"""A box thinner than the first is a rule; edges closer than the second are the same."""

_MAX_ABOVE = 2
"""Lines (a header, "continued") that may stand above the rest of a table on its next page."""

_FULL = 1.6
"""A cell's last line is full when fewer glyphs than this would still have fitted."""

_MIN_ROWS = 3
"""Rows, the first of them perhaps names, of a table that rules part into columns only."""

_FRAME_CELLS = 6
_FRAME_TEXT = 300
"""A grid of fewer cells, one of which holds nearly all text and more characters than the
second, is a frame round a page."""


def find_tables(page: Any, text: PageText) -> list[FoundTable]:
    """The tables of a page; their glyphs are taken out of the page's segments."""
    remove_overprints(text)
    text.segments = with_labels(text.segments)
    drawings = page.get_cdrawings()
    text.drawings = len(drawings)
    text.header_rule = _header_rule(drawings, text)
    found: list[FoundTable] = []
    parts: list[list[Cell]] = []
    whole: list[list[Cell]] = []
    for cells in find_grids(drawings, text.width, text.height):
        left, inner = open_areas(cells, text.segments)
        found.extend(inner)
        (parts if inner else whole).extend(left)
    among = _tables_among(whole, text)
    for cells in [*parts, *whole]:
        # A frame with columns alone is a table when the heights of its lines tell rows.
        alone = not any(cells is other for other in (*parts, *among))
        table = _Filling(cells, text).table(alone=alone)
        if table is not None:
            found.append(table)
    found.extend(find_lined(drawings, text))
    if is_unsure(text, found):
        text.regions = find_regions(page, text)
    return found


def _tables_among(grids: Sequence[list[Cell]], text: PageText) -> list[list[Cell]]:
    """Grids of several rows; one of a single row only where it may be the rest of a table on
    the page before: at the top, and not the first of several stripes."""
    stripes = [g for g in grids if max(c[1] for c in g) - min(c[1] for c in g) < _SNAP_PT]
    found = [grid for grid in grids if not any(grid is stripe for stripe in stripes)]
    if len(stripes) == 1 and len(stripes[0]) > 1:
        top = min(cell[1] for cell in stripes[0])
        above = {round(s.middle / 4) for s in text.segments if s.y1 < top + _SNAP_PT}
        if len(above) <= _MAX_ABOVE:
            found.insert(0, stripes[0])
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


@dataclass(slots=True)
class _Box:
    """A cell of the grid with its text, as half-open ranges of rows and columns."""

    row: int
    column: int
    row_end: int
    column_end: int
    chars: list[Char] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    title: str = ""

    @property
    def text(self) -> str:
        """Its text, below the title that it shares with its neighbours."""
        own = " ".join([*self.runs, joined(self.lines)]).strip()
        return "/".join(part for part in (self.title, own) if part)


class _Filling:
    """One grid while it is filled."""

    def __init__(self, cells: Sequence[Cell], text: PageText) -> None:
        self._text = text
        self._xs = _edges([c[0] for c in cells] + [c[2] for c in cells])
        self._ys = _edges([c[1] for c in cells] + [c[3] for c in cells])
        self._at: dict[tuple[int, int], _Box] = {}
        self._boxes: list[_Box] = []
        for x0, y0, x1, y1 in cells:
            box = _Box(
                _index(self._ys, y0),
                _index(self._xs, x0),
                _index(self._ys, y1),
                _index(self._xs, x1),
            )
            self._boxes.append(box)
            self._place(box)

        self._close(len(self._xs) - 1, len(self._ys) - 1)

    def _close(self, columns: int, rows: int) -> None:
        """Make cells of the places at the top and bottom that a page break left open."""
        for column in range(columns):
            open_rows = [row for row in range(rows) if (row, column) not in self._at]
            runs: list[list[int]] = []
            for row in open_rows:
                if runs and runs[-1][-1] == row - 1:
                    runs[-1].append(row)
                else:
                    runs.append([row])
            for run in runs:
                if run[0] == 0 or run[-1] == rows - 1:
                    box = _Box(run[0], column, run[-1] + 1, column + 1)
                    self._boxes.append(box)
                    self._place(box)

    def table(self, *, alone: bool = False) -> FoundTable | None:
        """The filled table, its glyphs taken out of the page; None if it isn't one.

        Args:
            alone: it is one ruled row, and no table unless that holds several rows.
        """
        xs, ys = self._xs, self._ys
        if len(xs) < 3 or len(ys) < 2:
            return None
        self._collect()
        if sum(bool(box.text) for box in self._boxes) < 2 or self._is_frame():
            return None
        self._part()
        self._adopt()
        rows: list[list[str]] = []
        depth: list[int] = []
        across: list[bool] = []
        full: tuple[bool, ...] = ()
        for row in range(len(ys) - 1):
            boxes = [self._at.get((row, column)) for column in range(len(xs) - 1)]
            starting = [box for box in boxes if box is not None and box.row == row]
            reach = max((box.row_end - row for box in starting), default=1)
            split = self._unruled(boxes) if reach == 1 else None
            single = boxes[0] is not None and all(box is boxes[0] for box in boxes)
            if split is None:
                rows.append([box.text if box is not None else "" for box in boxes])
                split = rows[-1:]
            else:
                rows.extend(split)
                reach = 1
            depth.extend([reach] * len(split))
            across.extend([single] * len(split))
            full = tuple(self._is_full(box) for box in boxes)
        if alone and not _has_rows(rows):
            return None
        self._take_out()
        kept = [i for i, cells in enumerate(rows) if any(cells)]
        if not kept:
            return None
        return FoundTable(
            (xs[0], ys[0], xs[-1], ys[-1]),
            [rows[i] for i in kept],
            tuple(round(x, 1) for x in xs),
            [depth[i] for i in kept],
            [across[i] for i in kept],
            full=full if kept[-1] == len(rows) - 1 else (),
        )

    def _unruled(self, boxes: Sequence[_Box | None]) -> list[list[str]] | None:
        """The rows inside one ruled row, for its columns."""
        cells = {
            id(box): CellLines(box.lines, self._xs[box.column_end])
            for box in boxes
            if box is not None
        }
        return unruled_rows([cells.get(id(box)) for box in boxes])

    def _place(self, box: _Box) -> None:
        for row in range(box.row, box.row_end):
            for column in range(box.column, box.column_end):
                self._at[row, column] = box

    def _find(self, char: Char) -> _Box | None:
        x, y = (char[1] + char[3]) / 2, (char[2] + char[4]) / 2
        return self._at.get((bisect_right(self._ys, y) - 1, bisect_right(self._xs, x) - 1))

    def _collect(self) -> None:
        xs, ys = self._xs, self._ys
        for segment in self._text.segments:
            if segment.x1 < xs[0] or segment.x0 > xs[-1]:
                continue
            if segment.y1 < ys[0] or segment.y0 > ys[-1]:
                continue
            if is_sideways(segment):
                box = self._find(segment.chars[len(segment.chars) // 2])
                if box is not None:
                    box.runs.append(segment.text.strip())
                continue
            for char in segment.chars:
                box = self._find(char)
                if box is not None:
                    box.chars.append(char)
        for box in self._boxes:
            box.lines = lines_of(box.chars)

    def _adopt(self) -> None:
        """Give the label below the table to the cell that the page break cut in its middle."""
        bottom = self._ys[-1]
        for box in self._boxes:
            if box.row_end < len(self._ys) - 1 or box.row_end - box.row < 2 or box.text:
                continue
            left, right = self._xs[box.column], self._xs[box.column_end]
            for segment in list(self._text.segments):
                below = bottom - segment.size < segment.middle < bottom + 1.5 * segment.size
                if below and left <= segment.x0 and segment.x1 <= right:
                    box.runs.append(segment.text.strip())
                    self._text.segments.remove(segment)

    def _is_frame(self) -> bool:
        lengths = sorted((len(box.text) for box in self._boxes), reverse=True)
        longest = lengths[0] > _FRAME_TEXT and lengths[0] > 0.85 * sum(lengths)
        return len(self._boxes) < _FRAME_CELLS and longest

    def _part(self) -> None:
        """Cut cells across several columns whose texts stand in the columns one by one."""
        for box in list(self._boxes):
            if box.column_end - box.column < 2 or box.runs:
                continue
            edges = self._xs[box.column : box.column_end + 1]
            parts = [parted(line, edges) for line in box.lines]
            split = [index for index, part in enumerate(parts) if part]
            # A title above its columns is fine; anything else is text that happens to have gaps.
            if not split or split != list(range(split[0], len(parts))):
                continue
            title = joined(box.lines[: split[0]])
            for column in range(box.column, box.column_end):
                own = _Box(box.row, column, box.row_end, column + 1, title=title)
                own.lines = [
                    part[column - box.column]
                    for part in parts[split[0] :]
                    if part and column - box.column in part
                ]
                self._boxes.append(own)
                self._place(own)

    def _is_full(self, box: _Box | None) -> bool:
        if box is None or not box.lines:
            return False
        last = box.lines[-1]
        left = last.x0 - self._xs[box.column]
        return last.x1 + _FULL * last.height / 1.2 + min(left, 6.0) > self._xs[box.column_end]

    def _take_out(self) -> None:
        """Remove the table's glyphs from the page; what sticks out of the table stays."""
        kept = []
        for segment in self._text.segments:
            if is_sideways(segment) and self._find(segment.chars[len(segment.chars) // 2]):
                continue
            outside = [char for char in segment.chars if self._find(char) is None]
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
        self._text.segments = kept


def _has_rows(rows: Sequence[Sequence[str]]) -> bool:
    """Whether there are rows with a column of numbers."""
    if len(rows) < _MIN_ROWS:
        return False
    return any(sum(map(is_value, column)) >= _MIN_ROWS - 1 for column in zip(*rows, strict=True))


def _edges(values: Sequence[float]) -> list[float]:
    """Distinct edges, those nearer than `_SNAP_PT` to the one before left out."""
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > _SNAP_PT:
            edges.append(value)
    return edges


def _index(edges: Sequence[float], value: float) -> int:
    return min(range(len(edges)), key=lambda i: abs(edges[i] - value))
