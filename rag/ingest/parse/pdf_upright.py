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


_LEVEL = 0.2
_LABEL_STEP = 2.6
_ANSWERS = frozenset(
    "一二三四五六七八九十是否有无男女甲乙丙丁对错优良中差个件台套只张份次项元年月日"
)
"""In font sizes: heights that are the same, and the widest step between the letters of a label;
letters that are values below each other rather than a word. Chosen by us."""


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


def with_labels(segments: Sequence[Segment]) -> list[Segment]:
    """The segments, labels written from top to bottom beside other lines as one word each.

    A form's narrow cells hold such labels ("购买方", "备注"). Letters that stand on the lines of
    other texts are cells of a column.
    """
    single = [s for s in segments if _is_letter(s)]
    if len(single) < 2 or len(single) >= _STACKED * len(segments):
        return list(segments)
    others = [s.middle for s in segments if not _is_letter(s)]
    found: list[list[Segment]] = []
    for segment in sorted(single, key=lambda s: (round((s.x0 + s.x1) / 2), s.y0)):
        last = found[-1] if found else []
        if last and _is_below(last, segment):
            last.append(segment)
        else:
            found.append([segment])
    words: dict[int, Segment] = {}
    used: set[int] = set()
    for stack in found:
        size = stack[0].size
        beside = sum(any(abs(y - s.middle) < _LEVEL * size for y in others) for s in stack)
        letters = {s.text.strip() for s in stack}
        if len(letters) < 2 or letters <= _ANSWERS or beside > (len(stack) - 1) // 2:
            continue
        words[id(stack[0])] = _word(stack)
        used.update(id(s) for s in stack[1:])
    return [words.get(id(s), s) for s in segments if id(s) not in used]


def _is_letter(segment: Segment) -> bool:
    text = segment.text.strip()
    return len(text) == 1 and "一" <= text <= "鿿" and not segment.vertical


def _is_below(stack: Sequence[Segment], segment: Segment) -> bool:
    last = stack[-1]
    if abs(last.x0 + last.x1 - segment.x0 - segment.x1) > 0.6 * segment.size:
        return False
    step = segment.y0 - last.y0
    if not 0.5 * segment.size < step < _LABEL_STEP * segment.size:
        return False
    return len(stack) < 2 or abs(step - (last.y0 - stack[-2].y0)) < 0.3 * step


def _word(stack: Sequence[Segment]) -> Segment:
    """The letters as a word that lies at the middle of their height, in their width."""
    first = stack[0]
    middle = (first.y0 + stack[-1].y1) / 2
    half = (first.y1 - first.y0) / 2
    x0, x1 = min(s.x0 for s in stack), max(s.x1 for s in stack)
    text = "".join(s.text.strip() for s in stack)
    word = Segment(text, x0, middle - half, x1, middle + half, first.size, first.bold)
    wide = (x1 - x0) / len(text)
    word.chars = [
        (c, x0 + i * wide, middle - half, x0 + (i + 1) * wide, middle + half)
        for i, c in enumerate(text)
    ]
    word.font = first.font
    return word


def turned(segment: Segment) -> Item:
    """A segment as it stands on the turned page; `upright` turns its box back."""
    box = (segment.y0, -segment.x1, segment.y1, -segment.x0)
    shown = Segment(segment.text, *box, segment.size, segment.bold, segment.vertical)
    return Item(*box, segment=shown)
