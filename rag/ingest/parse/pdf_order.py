"""Reading order on a PDF page: what runs across the page first, then columns, then lines.

Text stands in columns when an empty gutter runs down between lines that mostly fill their
side or that don't stand side by side; the cells of a table without rules do neither. Each
stretch of the page is looked at for itself, so that one column, two columns and a figure
across both may follow each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from rag.ingest.lines import columns
from rag.ingest.parse.pdf_borderless import TextLine, grow
from rag.ingest.parse.pdf_cells import is_sideways, with_exponents
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_page import Segment

_MIN_GUTTER_PT = 6.0
_MIN_LINES = 3
_FULL = 0.85
_MIN_FULL = 0.5
_MIN_COLUMNS = 14
_MAX_DEPTH = 4
_MAX_GUTTERS = 40
_SIDE_BY_SIDE = 0.5
_MIN_BANDS = 3
_BAND_GAP = 0.75
_MAX_STEP = 1.9
_STACKED = 0.7
_STACK_GAP = 0.9
"""The least gutter in points; lines on each side; share of its side's width that a full line
fills, share of lines that are full, and their usual width in letters (two for a Han character);
columns within columns; gutters that are tried; share of lines with a neighbour on the same
height from which short lines are cells; so many bands of text that begin together on both sides
are rows of a table; the empty height between two bands, and the widest step between lines of
running text, in heights of a line; share of a page's segments that are single glyphs below each
other where it is written from top to bottom, and the widest gap between them in font sizes.
Chosen by us on documents of one to four columns."""


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
    """Rows from top to bottom between two edges.

    In an upright one (`vertical`), writing runs from top to bottom and lines from right to
    left; its coordinates are turned: x is the distance from the top, y the distance to the
    left of the page's left edge. `upright` gives the box on the page.
    """

    rows: list[Row] = field(default_factory=list)
    x0: float = 0.0
    x1: float = 0.0
    vertical: bool = False


def reading_order(segments: Sequence[Segment], tables: Sequence[FoundTable]) -> list[Column]:
    """The columns of a page in the order in which they are read."""
    written = [s for s in segments if s.text.strip()]
    upright = [s for s in written if s.vertical]
    if not upright:
        upright, written = _stacks(written)
    aside = [s for s in written if not s.vertical and is_sideways(s)]
    apart = {id(s) for s in (*upright, *aside)}
    items = [Item(s.x0, s.y0, s.x1, s.y1, segment=s) for s in written if id(s) not in apart]
    items += [Item(*table.bbox, table=table) for table in tables]
    columns = [_column(part, edges) for part, edges in _cut(items, 0) if part]
    # Writing from top to bottom is writing from left to right on a page that is turned.
    turned = [_turned(s) for s in upright]
    found = [_column(part, edges) for part, edges in _cut(turned, 0) if part]
    for column in found:
        column.vertical = True
    columns.extend(found)
    for segment in aside:
        item = Item(segment.x0, segment.y0, segment.x1, segment.y1, segment=segment)
        columns.append(Column([_row([item])], segment.x0, segment.x1))
    return columns


def upright(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """A box of a vertical column on the page."""
    x0, y0, x1, y1 = box
    return (-y1, x0, -y0, x1)


def _stacks(segments: Sequence[Segment]) -> tuple[list[Segment], list[Segment]]:
    """Lines written from top to bottom glyph by glyph, and the other segments.

    No lines unless they are most of the page: a narrow cell stacks its letters as well.
    """
    single = [s for s in segments if len(s.text.strip()) == 1]
    if len(single) < _STACKED * len(segments) or not single:
        return [], list(segments)
    stacks: list[list[Segment]] = []
    for segment in sorted(single, key=lambda s: (round(s.x0 + s.x1), s.y0)):
        last = stacks[-1][-1] if stacks else None
        if (
            last is not None
            and abs(last.x0 + last.x1 - segment.x0 - segment.x1) < 0.6 * segment.size
            and -0.5 * segment.size < segment.y0 - last.y1 < _STACK_GAP * segment.size
        ):
            stacks[-1].append(segment)
        else:
            stacks.append([segment])
    long = [stack for stack in stacks if len(stack) >= _MIN_LINES]
    used = {id(segment) for stack in long for segment in stack}
    if len(used) < _STACKED * len(segments):
        return [], list(segments)
    lines = []
    for stack in long:
        line = Segment("".join(s.text.strip() for s in stack), 0, 0, 0, 0, stack[0].size)
        line.x0, line.x1 = min(s.x0 for s in stack), max(s.x1 for s in stack)
        line.y0, line.y1, line.vertical = stack[0].y0, stack[-1].y1, True
        line.bold = all(s.bold for s in stack)
        lines.append(line)
    return lines, [s for s in segments if id(s) not in used]


def _turned(segment: Segment) -> Item:
    box = (segment.y0, -segment.x1, segment.y1, -segment.x0)
    turned = Segment(segment.text, *box, segment.size, segment.bold, segment.vertical)
    return Item(*box, segment=turned)


Edges = tuple[float, float]


def _cut(
    items: list[Item], depth: int, edges: Edges | None = None
) -> Iterator[tuple[list[Item], Edges]]:
    """Parts that are read one after the other, each with its left and right edge.

    `edges` are those of the text that the items belong to; their own when None.
    """
    if not items:
        return
    edges = edges or (min(i.x0 for i in items), max(i.x1 for i in items))
    found = _gutter(items) if depth < _MAX_DEPTH else None
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


def _gutter(items: Sequence[Item]) -> tuple[float, float, float] | None:
    """The x of the gutter between two columns, and its first and last y; None without any.

    Of several, the one that parts most lines.
    """
    if len(items) < 2 * _MIN_LINES:
        return None
    lines = _lines(items)
    best: tuple[int, float, float, float] | None = None
    for gutter in _gaps(lines):
        for run in _runs(lines, gutter):
            if best is not None and sum(map(len, run)) <= best[0]:
                continue
            inside = [item for line in run for item in line]
            left = [i for i in inside if (i.x0 + i.x1) / 2 < gutter]
            right = [i for i in inside if (i.x0 + i.x1) / 2 >= gutter]
            if _are_columns(left, right):
                top = min(i.middle for i in inside)
                best = (len(inside), gutter, top, max(i.middle for i in inside))
    return best[1:] if best is not None else None


def _lines(items: Sequence[Item]) -> list[list[Item]]:
    """Items on the same height, from top to bottom; each line from left to right."""
    lines: list[list[Item]] = []
    for item in sorted(items, key=lambda i: (i.middle, i.x0)):
        if lines and abs(item.middle - lines[-1][0].middle) <= 0.3 * (item.y1 - item.y0):
            lines[-1].append(item)
        else:
            lines.append([item])
    for line in lines:
        line.sort(key=lambda i: i.x0)
    return lines


def _gaps(lines: Sequence[Sequence[Item]]) -> list[float]:
    """Places where gutters may be: in the middle of the gaps that most lines share."""
    low = min(i.x0 for line in lines for i in line)
    high = max(i.x1 for line in lines for i in line)
    events: dict[float, int] = {}
    for line in lines:
        # A line that ends early, or begins late, leaves the rest of the page empty too.
        ends = [low, *(i.x1 for i in line)]
        starts = [*(i.x0 for i in line), high]
        for end, start in zip(ends, starts, strict=True):
            if start - end >= _MIN_GUTTER_PT:
                events[end] = events.get(end, 0) + 1
                events[start] = events.get(start, 0) - 1
    level = 0
    found: list[tuple[int, float]] = []
    for place, following in pairwise(sorted(events)):
        level += events[place]
        # Narrow remains between two ragged ends are no gutters of their own.
        if level > 0 and following - place >= 1.0:
            found.append((level, (place + following) / 2))
    found.sort(reverse=True)
    return [place for _, place in found[:_MAX_GUTTERS]]


def _runs(lines: Sequence[Sequence[Item]], gutter: float) -> Iterator[list[list[Item]]]:
    """Stretches of lines none of which crosses the gutter, with text on both sides."""
    run: list[list[Item]] = []
    reach = float("-inf")
    for line in [*lines, None]:
        crosses = line is None or any(i.x0 < gutter < i.x1 for i in line)
        if line is not None and not crosses and line[0].middle > reach:
            run.append(list(line))
            continue
        if line is not None and crosses:
            # A tall thing across the gutter (a table, a picture) parts all that it stands beside.
            reach = max(i.y1 for i in line if i.x0 < gutter < i.x1)
        yield from _trimmed(run, gutter)
        run = [] if crosses or line is None else [list(line)]
    return


def _trimmed(run: list[list[Item]], gutter: float) -> Iterator[list[list[Item]]]:
    """The stretch without lines on one side only above and below the other side."""
    sides = [{(i.x0 + i.x1) / 2 < gutter for i in line} for line in run]
    both = [index for index in range(len(run)) if len(sides[index]) == 2]
    if not both and not (any(True in s for s in sides) and any(False in s for s in sides)):
        return
    if run:
        yield run


def _are_columns(left: Sequence[Item], right: Sequence[Item]) -> bool:
    if len(left) < _MIN_LINES or len(right) < _MIN_LINES:
        return False
    if min(i.x0 for i in right) - max(i.x1 for i in left) < _MIN_GUTTER_PT:
        return False
    shared = min(max(i.y1 for i in left), max(i.y1 for i in right)) - max(
        min(i.y0 for i in left), min(i.y0 for i in right)
    )
    shorter = min(max(i.y1 for i in side) - min(i.y0 for i in side) for side in (left, right))
    if shared < 0.4 * shorter:
        return False
    if _are_rows(left, right):
        return False
    fewer, more = sorted((left, right), key=len)
    beside = sum(any(abs(a.middle - b.middle) <= 0.2 * (a.y1 - a.y0) for b in more) for a in fewer)
    if beside < _SIDE_BY_SIDE * len(fewer) and len(fewer) > _MIN_LINES:
        return True
    return all(_is_prose(side) and _is_dense(side) for side in (left, right))


def _is_prose(side: Sequence[Item]) -> bool:
    """Whether most of the side's lines are long and fill its width, as cells seldom do."""
    width = max(i.x1 for i in side) - min(i.x0 for i in side)
    lines = _lines(side)
    full = sum(sum(i.x1 - i.x0 for i in line) >= _FULL * width for line in lines)
    long = median(sum(_columns(i) for i in line) for line in lines)
    return full >= _MIN_FULL * len(lines) and long >= _MIN_COLUMNS


def _columns(item: Item) -> int:
    return columns(item.segment.text) if item.segment is not None else _MIN_COLUMNS


def _is_dense(side: Sequence[Item]) -> bool:
    """Whether the side's lines follow each other as those of a paragraph do."""
    lines = _lines(side)
    steps = [b[0].middle - a[0].middle for a, b in pairwise(lines)]
    height = median(i.y1 - i.y0 for i in side)
    return bool(steps) and median(steps) <= _MAX_STEP * height


def _are_rows(left: Sequence[Item], right: Sequence[Item]) -> bool:
    """Whether both sides are cut into bands that begin together, like wrapped cells."""
    ordered = sorted((*left, *right), key=lambda i: i.y0)
    height = median(i.y1 - i.y0 for i in ordered)
    bands: list[list[Item]] = [[ordered[0]]]
    bottom = ordered[0].y1
    for item in ordered[1:]:
        if item.y0 - bottom > _BAND_GAP * height:
            bands.append([])
        bands[-1].append(item)
        bottom = max(bottom, item.y1)
    if len(bands) < _MIN_BANDS:
        return False
    sides = {id(item) for item in left}
    together = 0
    for band in bands:
        tops = [
            min((i.y0 for i in band if (id(i) in sides) is side), default=float("inf"))
            for side in (True, False)
        ]
        together += abs(tops[0] - tops[1]) <= 0.3 * height
    return together >= 0.8 * len(bands)


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
        text = with_exponents(segment).strip()
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
