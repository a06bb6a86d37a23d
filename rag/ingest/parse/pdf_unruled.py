"""Reads the rows of ruled tables that no rules part: part of the PDF parser.

Invoices, quotations and orders rule a frame, sometimes columns, seldom their items. Rows are
told by the lines' heights then: numbers stand on the line of their row and never wrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from rag.ingest.lines import join_wrapped
from rag.ingest.parse.pdf_borderless import MAX_COLUMNS, cells_of, is_form, tidied, widened
from rag.ingest.parse.pdf_cells import Line, joined
from rag.ingest.parse.pdf_flow import is_flowing
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_grid import Cell, gathered
from rag.ingest.parse.pdf_lined import lines_of_segments
from rag.ingest.parse.pdf_page import Segment
from rag.ingest.parse.pdf_rows import Span, TextLine
from rag.ingest.table import is_value

_NEAR_PT = 2.0
_SAME = 0.3
_MIN_UNRULED = 3
_MOSTLY = 0.6
_MIN_VALUES = 0.5
_FULL = 1.4
_ABOVE = 0.7
_TALL_GAP = 2.6
"""Points by which edges may differ. In heights of a line: how far the lines of one row may
stand apart, how near to its edge a full line ends, how far above the first number a header
stands, and the gap behind which rows begin anew. Lines side by side in most cells of a row
from which each is a row (two may be a wrapped heading, unless they are numbers); the share of
the cells that is most; the share of a column's lines that are numbers. Chosen by us."""

_MIN_PIECES = 3
_MIN_LINES = 2
"""Pieces of a line, and such lines, from which an area is a table. Chosen by us."""


class CellLines(NamedTuple):
    """The lines of a cell from top to bottom, and the cell's right edge in points."""

    lines: Sequence[Line]
    right: float


def unruled_rows(cells: Sequence[CellLines | None]) -> list[list[str]] | None:
    """The rows inside one ruled row, a text for each of its columns; None when its cells hold
    wrapped text, or one row.

    Args:
        cells: one for each column, the same object for the columns of a merged cell; None
            where there is no cell.
    """
    distinct = {id(cell): cell for cell in cells if cell is not None}
    filled = [cell for cell in distinct.values() if cell.lines]
    most = max((len(cell.lines) for cell in filled), default=0)
    if most < 2:
        return None
    height = median(line.height for cell in filled for line in cell.lines)
    numbers = [cell for cell in filled if _is_counted(cell)]
    full = [cell for cell in filled if len(cell.lines) == most]
    even = len(full) >= max(2, _MOSTLY * len(filled))
    if len(numbers) >= 2:
        places = _number_rows(filled, numbers, height)
    elif even and (most >= _MIN_UNRULED or sum(map(_is_all_numbers, full)) >= 2):
        places = [line.middle for line in full[0].lines]
        if not _keep_to(filled, places):
            return None
    else:
        return None
    if len(places) < 2:
        return None
    placed: list[list[list[Line]]] = [[[] for _ in cells] for _ in places]
    for column, cell in enumerate(cells):
        for line in cell.lines if cell is not None else ():
            # A line midway between two rows goes on with the upper one.
            row = min(range(len(places)), key=lambda i: abs(places[i] + _SAME - line.middle))
            placed[row][column].append(line)
    return [[joined(lines) for lines in row] for row in placed]


def _is_counted(cell: CellLines) -> bool:
    values = sum(is_value(line.text) for line in cell.lines)
    return values >= 2 and values >= _MIN_VALUES * len(cell.lines)


def _is_all_numbers(cell: CellLines) -> bool:
    return all(is_value(line.text) for line in cell.lines)


def _keep_to(cells: Sequence[CellLines], places: Sequence[float]) -> bool:
    lines = [line for cell in cells for line in cell.lines]
    return all(min(abs(place - line.middle) for place in places) <= _NEAR_PT for line in lines)


def _number_rows(
    filled: Sequence[CellLines], numbers: Sequence[CellLines], height: float
) -> list[float]:
    """The middles of the rows: of numbers, of a header above them, and of texts that don't
    go on from the line above."""
    places = [line.middle for cell in numbers for line in cell.lines if is_value(line.text)]
    first = min(places)
    for cell in filled:
        for index, line in enumerate(cell.lines):
            above = line.middle < first - _ABOVE * height
            before = cell.lines[index - 1] if index else None
            if above:
                goes_on = before is not None
            else:
                size = line.height / 1.2
                goes_on = before is None or before.x1 + _FULL * size > cell.right - size
                goes_on = goes_on or line.middle - before.middle < 0.5 * height if before else True
            if not goes_on:
                places.append(line.middle)
    rows: list[float] = []
    for place in sorted(places):
        if not rows or place - rows[-1] > _SAME * height:
            rows.append(place)
    return rows


def open_areas(
    cells: list[Cell], segments: list[Segment]
) -> tuple[list[list[Cell]], list[FoundTable]]:
    """A grid without the cells across it that hold tables of their own, and those tables.

    The texts of the tables are taken out of `segments`; the rest of the grid may be several
    grids then. What stands in its other cells across the frame is a table of one column.
    """
    left, right = min(c[0] for c in cells), max(c[2] for c in cells)
    columns = len({round(c[0] / _NEAR_PT) for c in cells})
    found: list[FoundTable] = []
    kept: list[Cell] = []
    for cell in sorted(cells, key=lambda c: c[1]):
        across = cell[0] <= left + _NEAR_PT and cell[2] >= right - _NEAR_PT
        inside = [s for s in segments if _is_inside(s, cell)] if across else []
        table = _area(inside, cell) if len(inside) > _MIN_PIECES * _MIN_LINES else None
        if table is None or len(table.edges) - 1 <= columns:
            kept.append(cell)
            continue
        above = kept[-1] if kept and abs(kept[-1][3] - cell[1]) <= _NEAR_PT else None
        names = [s for s in segments if above is not None and _is_inside(s, above)]
        if above is not None and _MIN_PIECES <= len(names) <= 2 * len(table.edges):
            both = (above[0], above[1], cell[2], cell[3])
            named = _area([*names, *inside], both)
            if named is not None and not any(named.across):
                table, inside = named, [*names, *inside]
                kept.pop()
        found.append(table)
        used = {id(segment) for segment in inside}
        segments[:] = [s for s in segments if id(s) not in used]
    if not found:
        return [cells], []
    grids: list[list[Cell]] = []
    for grid in gathered(kept):
        if len({round(cell[0] / _NEAR_PT) for cell in grid}) > 1:
            grids.append(grid)
        else:
            found.extend(_text_of(cell, segments) for cell in sorted(grid, key=lambda c: c[1]))
    return grids, [table for table in found if table.rows]


def _text_of(cell: Cell, segments: list[Segment]) -> FoundTable:
    """The text of a cell as wide as its frame, as a table of one column; taken out of
    `segments`."""
    inside = [s for s in segments if _is_inside(s, cell) and s.text.strip()]
    used = {id(segment) for segment in inside}
    segments[:] = [s for s in segments if id(s) not in used]
    lines = [
        " ".join(piece.text.strip() for piece in line.pieces) for line in lines_of_segments(inside)
    ]
    text = join_wrapped(lines)
    return FoundTable(cell, [[text]] if text else [], (cell[0], cell[2]), ruled=False)


def _is_inside(segment: Segment, cell: Cell) -> bool:
    middle = (segment.x0 + segment.x1) / 2
    return cell[0] < middle < cell[2] and cell[1] < segment.middle < cell[3]


def _area(segments: Sequence[Segment], cell: Cell) -> FoundTable | None:
    """The table that the lines of a framed area make; lines of another kind run across it."""
    lines = lines_of_segments([s for s in segments if s.text.strip()])
    for line in lines:
        line.pieces = _with_spread_words(line.pieces)
    wide = [line for line in lines if len(line.pieces) >= _MIN_PIECES]
    if len(wide) < _MIN_LINES or not any(_has_numbers(line) for line in wide[1:]):
        return None
    spans: list[Span] = [(p.x0, p.x1) for p in wide[0].pieces]
    fitted: list[TextLine] = []
    for line in lines[lines.index(wide[0]) :]:
        wider = widened(spans, line, fitted)
        if wider is not None:
            spans = wider
            fitted.append(line)
    spans = tidied(spans, fitted)
    fitting = {id(line) for line in fitted}
    if not _MIN_PIECES <= len(spans) <= MAX_COLUMNS or len(fitting) < _MIN_LINES:
        return None
    rows: list[list[str]] = []
    across: list[bool] = []
    for run in _runs(lines, fitting):
        if id(run[0]) not in fitting:
            text = " ".join(piece.text.strip() for piece in run[0].pieces)
            rows.append([text] * len(spans))
            across.append(True)
            continue
        part = cells_of(run, spans)
        if part is None or is_form(part):
            return None
        rows.extend(part.rows)
        across.extend([False] * len(part.rows))
    boxes = [(p.x0, p.y0, p.x1, p.y1, p.text) for line in wide for p in line.pieces]
    if is_flowing(boxes):
        return None
    edges = [spans[0][0], *((a[1] + b[0]) / 2 for a, b in pairwise(spans)), spans[-1][1]]
    return FoundTable(
        cell, rows, tuple(round(edge, 1) for edge in edges), across=across, ruled=False
    )


def _with_spread_words(pieces: Sequence[Segment]) -> list[Segment]:
    """The pieces of a line, single letters next to each other ("合    计") as one word."""
    found: list[Segment] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last is None or not (_is_letters(last) and _is_letters(piece)):
            found.append(piece)
            continue
        word = Segment(
            last.text.strip() + piece.text.strip(), last.x0, last.y0, piece.x1, last.y1, last.size
        )
        word.chars = [*last.chars, *piece.chars]
        found[-1] = word
    return found


def _is_letters(piece: Segment) -> bool:
    letters = [char[0] for char in piece.chars if not char[0].isspace()]
    spread = len(letters) == 1 or piece.x1 - piece.x0 > 1.5 * len(letters) * piece.size
    return spread and all("一" <= letter <= "鿿" for letter in letters)


def _has_numbers(line: TextLine) -> bool:
    return sum(is_value(piece.text) for piece in line.pieces) >= 2


def _runs(lines: Sequence[TextLine], fitting: set[int]) -> list[list[TextLine]]:
    """Lines that follow each other closely in the same columns; others each for itself."""
    runs: list[list[TextLine]] = []
    for line in lines:
        last = runs[-1][-1] if runs else None
        near = last is not None and line.y0 - last.y1 <= _TALL_GAP * line.size
        if near and id(line) in fitting and id(last) in fitting:
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs
