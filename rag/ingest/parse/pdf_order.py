"""Reading order on a PDF page: what runs across the page first, then columns, then lines.

Each stretch of the page is looked at for itself, so that one column, two columns and a figure
across both may follow each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.ingest.parse.pdf_borderless import grow
from rag.ingest.parse.pdf_cells import is_sideways
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_gutters import find_gutter
from rag.ingest.parse.pdf_items import Column, Edges, Item, Row, column_of, row_of
from rag.ingest.parse.pdf_page import Segment
from rag.ingest.parse.pdf_rows import TextLine
from rag.ingest.parse.pdf_upright import stacks, turned

_MAX_DEPTH = 4
_BESIDE = 0.2
"""Columns within columns; how far two lines of one row may reach into each other, in font
sizes. Chosen by us."""


def reading_order(segments: Sequence[Segment], tables: Sequence[FoundTable]) -> list[Column]:
    """The columns of a page in the order in which they are read."""
    written = [s for s in segments if s.text.strip()]
    upright = [s for s in written if s.vertical]
    if not upright:
        upright, written = stacks(written)
    aside = [s for s in written if not s.vertical and is_sideways(s)]
    apart = {id(s) for s in (*upright, *aside)}
    items = [Item(s.x0, s.y0, s.x1, s.y1, segment=s) for s in written if id(s) not in apart]
    items += [Item(*table.bbox, table=table) for table in tables]
    columns = [column_of(part, edges) for part, edges in _cut(items, 0) if part]
    # Writing from top to bottom is writing from left to right on a page that is turned.
    sideways = [turned(s) for s in upright]
    found = [column_of(part, edges) for part, edges in _cut(sideways, 0) if part]
    for column in found:
        column.vertical = True
    columns.extend(found)
    for segment in aside:
        item = Item(segment.x0, segment.y0, segment.x1, segment.y1, segment=segment)
        columns.append(Column([row_of([item])], segment.x0, segment.x1))
    return columns


def _cut(
    items: list[Item], depth: int, edges: Edges | None = None
) -> Iterator[tuple[list[Item], Edges]]:
    """Parts that are read one after the other, each with its left and right edge.

    `edges` are those of the text that the items belong to; their own when None.
    """
    if not items:
        return
    edges = edges or (min(i.x0 for i in items), max(i.x1 for i in items))
    found = find_gutter(items) if depth < _MAX_DEPTH else None
    if found is None:
        yield items, edges
        return
    gutter, top, bottom = found
    above = [i for i in items if i.middle < top]
    below = [i for i in items if i.middle > bottom]
    beside = [i for i in items if top <= i.middle <= bottom]
    yield from _cut(above, depth, edges)
    yield from _cut([i for i in beside if (i.x0 + i.x1) / 2 < gutter], depth + 1)
    yield from _cut([i for i in beside if (i.x0 + i.x1) / 2 >= gutter], depth + 1)
    yield from _cut(below, depth, edges)


def with_tables(rows: Sequence[Row]) -> list[Row]:
    """The rows, those that are tables without rules replaced by one row for each table."""
    found: list[Row] = []
    run: list[Row] = []
    for row in [*rows, None]:
        if row is not None and row.items[0].table is None:
            run.append(row)
            continue
        found.extend(_tables_in(run))
        run = []
        if row is not None:
            found.append(row)
    return found


def _tables_in(rows: Sequence[Row]) -> Iterator[Row]:
    lines: list[TextLine] = []
    first: list[int] = []
    for index, row in enumerate(rows):
        pieces = [i.segment for i in row.items if i.segment]
        last = lines[-1] if lines else None
        if last is not None and _is_beside(last, row, pieces):
            # A label in the middle of its row's height stands between two lines.
            last.pieces = sorted([*last.pieces, *pieces], key=lambda piece: piece.x0)
            last.y1 = max(last.y1, row.y1)
            continue
        lines.append(TextLine(pieces, row.y0, row.y1, row.size))
        first.append(index)
    first.append(len(rows))
    done = index = 0
    while index < len(lines):
        table = grow(lines, index)
        if table is None or table[0] < done:
            index += 1
            continue
        begin, end, cells = table
        yield from rows[first[done] : first[begin]]
        yield row_of([Item(*cells.bbox, table=cells)])
        done = index = end
    yield from rows[first[done] :]


def _is_beside(line: TextLine, row: Row, pieces: Sequence[Segment]) -> bool:
    """Whether the row begins before the line ends, and stands left or right of it."""
    if row.y0 > line.y1 - _BESIDE * min(row.size, line.size):
        return False
    return all(a.x1 + a.size < b.x0 or b.x1 + b.size < a.x0 for a in line.pieces for b in pieces)
