"""What the reading order of a PDF page is made of: items on lines, lines in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.ingest.parse.pdf_cells import with_exponents
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_page import Segment

Edges = tuple[float, float]
"""The left and right edge of a column in points."""


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


def column_of(items: Sequence[Item], edges: Edges) -> Column:
    """The column of these items, those on one height on one line."""
    groups: list[list[Item]] = []
    for item in sorted(items, key=lambda i: (i.middle, i.x0)):
        last = groups[-1] if groups else None
        if last is not None and item.table is None and last[0].table is None:
            reach = 0.5 * min(item.y1 - item.y0, last[0].y1 - last[0].y0)
            if abs(item.middle - last[0].middle) <= reach:
                last.append(item)
                continue
        groups.append([item])
    return Column([row_of(sorted(group, key=lambda i: i.x0)) for group in groups], *edges)


def row_of(items: list[Item]) -> Row:
    """The line of these items, which are given from left to right."""
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
