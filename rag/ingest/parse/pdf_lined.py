"""Finds tables that have rules across but none down ("three-line tables") on a PDF page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from rag.ingest.parse.pdf_borderless import (
    MAX_COLUMNS,
    cells_of,
    columns_of,
    is_form,
    spread,
)
from rag.ingest.parse.pdf_cells import is_sideways
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_grid import Edge, rules
from rag.ingest.parse.pdf_page import PageText, Segment
from rag.ingest.parse.pdf_rows import Span, TextLine

_SAME_PT = 4.0
_MIN_WIDTH = 0.2
_MAX_BANDS = 120
_MIN_EDGE = 0.06
_MAX_GAP = 3.5
_MAX_STEP = 1.9
_MAX_RATIO = 1.3
_MIN_FILLED = 0.45
"""Ends of rules of one table agree within the first (points); they are longer than the second
share of the page's width; a page with more bands than the third is a form or drawing; rules
nearer to the page's edge than the fourth share belong to its header; in font sizes, the widest
empty band in a table and the widest step between lines of its header; the largest ratio of
its font sizes to their median; the least share of its cells that are filled. Chosen by us."""


def find_lined(drawings: Sequence[dict[str, Any]], text: PageText) -> list[FoundTable]:
    """The tables between rules; their segments are taken out of the page.

    Called after the ruled tables, whose texts are no longer among the page's segments.
    """
    if not text.segments or len(drawings) < 2:
        return []
    across, _ = rules([d for d in drawings if not _is_shade(d)], text.width, text.height)
    across = [
        edge
        for edge in across
        if _MIN_EDGE * text.height < edge.place < (1 - _MIN_EDGE) * text.height
    ]
    long = [edge for edge in across if edge.end - edge.start > _MIN_WIDTH * text.width]
    found: list[FoundTable] = []
    for group in _groups(long):
        if len(group) - 1 <= _MAX_BANDS:
            found.extend(_tables(group, across, text))
    return found


def _is_shade(drawing: dict[str, Any]) -> bool:
    """Whether it is a coloured area: shaded rows begin and end anywhere in a table."""
    x0, y0, x1, y1 = drawing["rect"]
    return drawing.get("type") == "f" and min(x1 - x0, y1 - y0) > _SAME_PT


def _groups(edges: Sequence[Edge]) -> list[list[Edge]]:
    """Rules of the same extent, from top to bottom, two or more."""
    groups: list[list[Edge]] = []
    for edge in sorted(edges):
        for group in groups:
            if (
                abs(group[0].start - edge.start) <= _SAME_PT
                and abs(group[0].end - edge.end) <= _SAME_PT
            ):
                group.append(edge)
                break
        else:
            groups.append([edge])
    return [group for group in groups if len(group) > 1]


def _tables(group: Sequence[Edge], across: Sequence[Edge], text: PageText) -> list[FoundTable]:
    """Tables in runs of bands between neighbouring rules."""
    found: list[FoundTable] = []
    bands = [_lines(text.segments, a, b) for a, b in pairwise(group)]
    index = 0
    while index < len(bands):
        best: tuple[int, FoundTable] | None = None
        end = index
        while end < len(bands) and _is_tabular(bands[end], end == index):
            end += 1
        for stop in range(end, index, -1):
            table = _table(bands[index:stop], group[index : stop + 1], across)
            if table is not None:
                best = (stop, table)
                break
        if best is None:
            index += 1
            continue
        start, (index, table) = index, best
        found.append(table)
        inside = {id(p) for band in bands[start:index] for line in band for p in line.pieces}
        text.segments = [s for s in text.segments if id(s) not in inside]
    return found


def _is_tabular(lines: Sequence[TextLine], first: bool) -> bool:
    if not lines:
        return False
    several = sum(len(line.pieces) > 1 for line in lines)
    return several >= 0.5 * len(lines) or ((several > 0 or not first) and len(lines) <= 3)


def _lines(segments: Sequence[Segment], top: Edge, bottom: Edge) -> list[TextLine]:
    inside = [
        s
        for s in segments
        if top.place - 2 < s.middle < bottom.place + 2
        and s.x0 > top.start - _SAME_PT
        and s.x1 < top.end + 2 * _SAME_PT
        and s.text.strip()
        and not is_sideways(s)
    ]
    return lines_of_segments(inside)


def lines_of_segments(segments: Sequence[Segment]) -> list[TextLine]:
    """Segments gathered to printed lines from top to bottom."""
    lines: list[TextLine] = []
    for segment in sorted(segments, key=lambda s: s.middle):
        last = lines[-1] if lines else None
        if last is not None:
            shared = min(segment.y1, last.y1) - max(segment.y0, last.y0)
            if shared > 0.6 * min(segment.y1 - segment.y0, last.y1 - last.y0):
                last.pieces.append(segment)
                last.size = max(last.size, segment.size)
                continue
        lines.append(TextLine([segment], segment.y0, segment.y1, segment.size))
    for line in lines:
        line.pieces.sort(key=lambda s: s.x0)
    return lines


def _table(
    bands: Sequence[Sequence[TextLine]], edges: Sequence[Edge], across: Sequence[Edge]
) -> FoundTable | None:
    """The table whose rows lie in these bands; the first band is its header where there are
    two or more."""
    lines = [line for band in bands for line in band]
    head = list(bands[0])
    body = lines[len(head) :]
    several = [line for line in body if len(line.pieces) > 1]
    short = _short_rules(across, edges[0], edges[1])
    if len(bands) < 2 or not several or not _is_even(lines) or not (short or _is_tight(head)):
        return None
    spans = columns_of(body)
    titled = 0
    while spans is not None and titled < len(head):
        wider = columns_of([*head[titled:], *body])
        if wider is not None and (len(wider) == len(spans) or titled == len(head) - 1):
            spans = wider
            break
        titled += 1
    if spans is None or not 2 <= len(spans) <= MAX_COLUMNS:
        return None
    groups: list[list[str]] = []
    for line in head[:titled]:
        titles = spread(line, spans, short)
        if titles is None:
            return None
        groups.append(titles)
    head = head[titled:]
    places = [edge.place for edge in edges]
    # Rules under each row part the rows; three of them only set off the header.
    inner = places[1:-1] if len(bands) > 2 and _one_row_each(bands[1:]) else places[1:2]
    table = cells_of([*head], spans, groups, inner) if head else None
    rows = cells_of(body, spans, (), inner if len(inner) > 1 else ())
    if rows is None or is_form(rows) or not _is_filled(rows):
        return None
    if table is not None:
        rows.rows = [*table.rows, *rows.rows]
    else:
        rows.rows = [*groups, *rows.rows]
    rows.header = len(rows.rows) - len(rows.depth) if head or groups else 0
    rows.depth = [1] * len(rows.rows)
    rows.across = [False] * len(rows.rows)
    rows.bbox = (edges[0].start, edges[0].place, edges[0].end, edges[-1].place)
    return rows


def _is_even(lines: Sequence[TextLine]) -> bool:
    """Whether the lines are alike and near to each other, as those of a table are."""
    sizes = [piece.size for line in lines for piece in line.pieces]
    near = all(b.y0 - a.y1 <= _MAX_GAP * max(a.size, b.size) for a, b in pairwise(lines))
    return near and max(sizes) <= _MAX_RATIO * median(sizes)


def _is_tight(head: Sequence[TextLine]) -> bool:
    """Whether the lines of the header stand as near as those of one cell."""
    return all(b.y0 - a.y0 <= _MAX_STEP * max(a.size, b.size) for a, b in pairwise(head))


def _is_filled(table: FoundTable) -> bool:
    cells = [cell for row in table.rows for cell in row]
    return sum(map(bool, cells)) >= _MIN_FILLED * len(cells)


def _one_row_each(bands: Sequence[Sequence[TextLine]]) -> bool:
    """Whether most bands hold one row: at most one line that is filled throughout."""
    single = sum(sum(len(line.pieces) > 1 for line in band) <= 1 for band in bands)
    return single >= 0.7 * len(bands)


def _short_rules(across: Sequence[Edge], top: Edge, bottom: Edge) -> list[Span]:
    return [
        (edge.start, edge.end)
        for edge in across
        if top.place + 2 < edge.place < bottom.place - 2
        and edge.end - edge.start < 0.9 * (top.end - top.start)
    ]
