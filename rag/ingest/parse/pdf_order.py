"""Reading order on a PDF page: full-width lines first, then columns, then lines.

Text stands in columns when an empty gutter runs through the page and the lines on both sides
mostly fill their side; the cells of a table without rules don't.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from rag.ingest.parse.pdf_borderless import TextLine, grow
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_page import Segment

_BIN_PT = 2.0
_MIN_GUTTER_PT = 6.0
_MIN_LINES = 4
_MAX_CROSSING = 0.34
_MIN_FILL = 0.55
_MAX_DEPTH = 3
"""Widths in points; lines on each side; share of lines across the gutter; share of its side
that a line fills; columns within columns. Chosen by us on two- and three-column documents."""


@dataclass(slots=True)
class Item:
    """A segment or a table with its box."""

    x0: float
    y0: float
    x1: float
    y1: float
    segment: Segment | None = None
    table: FoundTable | None = None

    @property
    def middle(self) -> float:
        """The vertical centre."""
        return (self.y0 + self.y1) / 2


@dataclass(slots=True)
class Row:
    """The segments of one line of a column, from left to right, or a table."""

    items: list[Item]
    text: str = ""
    size: float = 0.0
    bold: bool = False
    x0: float = 0.0
    y0: float = 0.0
    x1: float = 0.0
    y1: float = 0.0


@dataclass(slots=True)
class Column:
    """Rows from top to bottom between two vertical edges."""

    rows: list[Row] = field(default_factory=list)
    x0: float = 0.0
    x1: float = 0.0


def reading_order(segments: Sequence[Segment], tables: Sequence[FoundTable]) -> list[Column]:
    """The columns of a page in the order in which they are read."""
    items = [Item(s.x0, s.y0, s.x1, s.y1, segment=s) for s in segments if s.text.strip()]
    vertical = [i for i in items if i.segment is not None and i.segment.vertical]
    items = [i for i in items if i.segment is None or not i.segment.vertical]
    items += [Item(*table.bbox, table=table) for table in tables]
    columns = [_column(part, edges) for part, edges in _cut(items, 0) if part]
    if vertical:
        # Vertical writing goes from right to left.
        vertical.sort(key=lambda item: (-item.x1, item.y0))
        rows = [_row([item]) for item in vertical]
        columns.append(Column(rows, min(r.x0 for r in rows), max(r.x1 for r in rows)))
    return columns


Edges = tuple[float, float]


def _cut(items: list[Item], depth: int) -> Iterator[tuple[list[Item], Edges]]:
    """Parts that are read one after the other, each with its left and right edge."""
    if not items:
        return
    edges = (min(i.x0 for i in items), max(i.x1 for i in items))
    gutter = _gutter(items) if depth < _MAX_DEPTH else None
    if gutter is None:
        yield items, edges
        return
    left: list[Item] = []
    right: list[Item] = []
    wide: list[Item] = []
    for item in sorted(items, key=lambda i: i.middle):
        crosses = item.x0 < gutter - _BIN_PT and item.x1 > gutter + _BIN_PT
        if crosses:
            if left or right:
                yield from _cut(left, depth + 1)
                yield from _cut(right, depth + 1)
                left, right = [], []
            wide.append(item)
            continue
        if wide:
            yield wide, edges
            wide = []
        (left if (item.x0 + item.x1) / 2 < gutter else right).append(item)
    if wide:
        yield wide, edges
    yield from _cut(left, depth + 1)
    yield from _cut(right, depth + 1)


def _gutter(items: Sequence[Item]) -> float | None:
    """The x of a gutter between two columns, or None."""
    if len(items) < 2 * _MIN_LINES:
        return None
    low, high = min(i.x0 for i in items), max(i.x1 for i in items)
    width = high - low
    bins = int(width / _BIN_PT) + 1
    if bins < 20:
        return None
    change = [0] * (bins + 1)
    for item in items:
        change[max(int((item.x0 - low) / _BIN_PT), 0)] += 1
        change[min(int((item.x1 - low) / _BIN_PT) + 1, bins)] -= 1
    covered: list[int] = []
    running = 0
    for delta in change[:bins]:
        running += delta
        covered.append(running)
    inner = range(int(bins * 0.2), int(bins * 0.8))
    if not inner:
        return None
    least = min(covered[b] for b in inner)
    if least > _MAX_CROSSING * len(items):
        return None
    run = _longest_run([covered[b] == least for b in inner])
    if run is None or (run[1] - run[0]) * _BIN_PT < _MIN_GUTTER_PT:
        return None
    gutter = low + (inner[0] + (run[0] + run[1]) / 2) * _BIN_PT
    left = [i for i in items if i.x1 <= gutter + _BIN_PT]
    right = [i for i in items if i.x0 >= gutter - _BIN_PT]
    return gutter if _are_columns(left, right) else None


def _are_columns(left: Sequence[Item], right: Sequence[Item]) -> bool:
    if len(left) < _MIN_LINES or len(right) < _MIN_LINES:
        return False
    shared = min(max(i.y1 for i in left), max(i.y1 for i in right)) - max(
        min(i.y0 for i in left), min(i.y0 for i in right)
    )
    shorter = min(max(i.y1 for i in side) - min(i.y0 for i in side) for side in (left, right))
    if shared < 0.4 * shorter:
        return False
    for side in (left, right):
        width = max(i.x1 for i in side) - min(i.x0 for i in side)
        if median(i.x1 - i.x0 for i in side) < _MIN_FILL * width:
            return False
    return True


def _longest_run(flags: Sequence[bool]) -> tuple[int, int] | None:
    best: tuple[int, int] | None = None
    start: int | None = None
    for index, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            if best is None or index - start > best[1] - best[0]:
                best = (start, index)
            start = None
    return best


def _column(items: Sequence[Item], edges: Edges) -> Column:
    groups: list[list[Item]] = []
    for item in sorted(items, key=lambda i: (i.middle, i.x0)):
        last = groups[-1] if groups else None
        if last is not None and item.table is None and last[0].table is None:
            reach = 0.5 * min(item.y1 - item.y0, last[0].y1 - last[0].y0)
            if abs(item.middle - last[0].middle) <= reach:
                last.append(item)
                continue
        groups.append([item])
    return Column([_row(sorted(group, key=lambda i: i.x0)) for group in groups], *edges)


def _row(items: list[Item]) -> Row:
    row = Row(items)
    row.x0, row.x1 = min(i.x0 for i in items), max(i.x1 for i in items)
    row.y0, row.y1 = min(i.y0 for i in items), max(i.y1 for i in items)
    segments = [item.segment for item in items if item.segment is not None]
    if not segments:
        return row
    longest = max(segments, key=lambda s: len(s.text))
    row.size = longest.size
    row.bold = all(s.bold for s in segments if s.text.strip())
    previous: Segment | None = None
    for segment in segments:
        text = segment.text.strip()
        gap = segment.x0 - previous.x1 if previous is not None else 0.0
        row.text += (" " if previous is not None and gap > 0.2 * segment.size else "") + text
        previous = segment
    return row


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
    lines = [
        TextLine([i.segment for i in row.items if i.segment], row.y0, row.y1, row.size)
        for row in rows
    ]
    done = index = 0
    while index < len(rows):
        table = grow(lines, index)
        if table is None or table[0] < done:
            index += 1
            continue
        begin, end, cells = table
        yield from rows[done:begin]
        yield _row([Item(*cells.bbox, table=cells)])
        done = index = end
    yield from rows[done:]
