"""Writing from top to bottom on a PDF page, read as writing on a page that is turned."""

from __future__ import annotations

from collections.abc import Sequence

from rag.ingest.parse.pdf_items import Item
from rag.ingest.parse.pdf_page import Segment
from rag.types import BBox

_MIN_STACK = 3
_STACKED = 0.7
_STACK_GAP = 0.9
"""Glyphs below each other that are a line; share of a page's segments that are single glyphs
in such lines where it is written from top to bottom; the widest gap between them in font
sizes. Chosen by us."""


def upright(box: BBox) -> BBox:
    """A box of a vertical column on the page."""
    x0, y0, x1, y1 = box
    return (-y1, x0, -y0, x1)


def stacks(segments: Sequence[Segment]) -> tuple[list[Segment], list[Segment]]:
    """Lines written from top to bottom glyph by glyph, and the other segments.

    No lines unless they are most of the page: a narrow cell stacks its letters as well.
    """
    single = [s for s in segments if len(s.text.strip()) == 1]
    if len(single) < _STACKED * len(segments) or not single:
        return [], list(segments)
    found: list[list[Segment]] = []
    for segment in sorted(single, key=lambda s: (round(s.x0 + s.x1), s.y0)):
        last = found[-1][-1] if found else None
        if (
            last is not None
            and abs(last.x0 + last.x1 - segment.x0 - segment.x1) < 0.6 * segment.size
            and -0.5 * segment.size < segment.y0 - last.y1 < _STACK_GAP * segment.size
        ):
            found[-1].append(segment)
        else:
            found.append([segment])
    long = [stack for stack in found if len(stack) >= _MIN_STACK]
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


def turned(segment: Segment) -> Item:
    """A segment as it stands on the turned page; `upright` turns its box back."""
    box = (segment.y0, -segment.x1, segment.y1, -segment.x0)
    shown = Segment(segment.text, *box, segment.size, segment.bold, segment.vertical)
    return Item(*box, segment=shown)
