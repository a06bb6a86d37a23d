"""Tells running text in short columns from the cells of a table: part of the PDF parser.

An article of a newspaper is a few lines in each of several columns. Its lines fill their
column and go on in the next one, and those that end early end a sentence; cells do neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median

from rag.ingest.lines import columns

_LARGER = 1.2
_GUTTER_PT = 6.0
_ROOM = 2.1
_INDENT = 2.6
_MIN_WIDTH = 12
_MIN_LINES = 3
_MIN_FULL = 0.4
_MIN_ENDED = 0.7
_MIN_MARKED = 0.3
_APART = 1.9
"""In heights of a line: a headline among the text; glyphs that would still have fitted into a
full line; the widest indent of a paragraph; the step that parts two articles. In points: the
least gutter. Letters (two for a Han character) that a full line has at least; lines of a
column; the shares of lines that are full, of early ends that end a sentence, and of lines with
a mark of punctuation. Chosen by us."""

_MARK = re.compile(r"[，。；！？]|(?<=....)、|[,;.!?](?=\s|$)")
_END = re.compile(r"[。！？；：…!?.;:][”’」』）)\]】]*\s*$")

Box = tuple[float, float, float, float, str]
"""A line of one column: x0, y0, x1, y1 in points, and its text."""


def is_flowing(lines: Sequence[Box]) -> bool:
    """Whether lines are running text in one or more columns; headlines are looked past."""
    if len(lines) < _MIN_LINES:
        return False
    height = median(y1 - y0 for _, y0, _, y1, _ in lines)
    body = [line for line in lines if line[3] - line[1] < _LARGER * height]
    parts = list(_columns(body))
    found = [_Column(part, height) for part in parts]
    total = sum(column.lines for column in found)
    marked = sum(bool(_MARK.search(line[4])) for line in body)
    if total < _MIN_LINES or marked < _MIN_MARKED * total:
        return False
    if any(column.lines >= _MIN_LINES and not column.full for column in found):
        return False
    early = sum(column.early for column in found)
    ended = sum(column.ended for column in found)
    full = sum(column.full for column in found)
    return full >= _MIN_FULL * total and ended >= _MIN_ENDED * early


def _columns(lines: Sequence[Box]) -> Iterator[list[Box]]:
    """The lines by the columns between which nothing stands, each from top to bottom."""
    part: list[Box] = []
    reach = float("-inf")
    for line in sorted(lines):
        if part and line[0] - reach >= _GUTTER_PT:
            yield sorted(part, key=lambda box: box[1])
            part = []
        part.append(line)
        reach = max(reach, line[2])
    if part:
        yield sorted(part, key=lambda box: box[1])


class _Column:
    """How many lines a column has, how many fill it, end early, and end a sentence there."""

    def __init__(self, lines: Sequence[Box], height: float) -> None:
        left = min(line[0] for line in lines)
        right = max(line[2] for line in lines)
        self.lines = len(lines)
        self.full = self.early = self.ended = 0
        sizes = [_glyph(x0, x1, text) for x0, _, x1, _, text in lines]
        counts = [
            len(line[4].strip()) + round((line[0] - left) / size)
            for line, size in zip(lines, sizes, strict=True)
        ]
        for number, (x0, y0, x1, _, text) in enumerate(lines):
            size = sizes[number]
            # Some programs break lines by the number of letters, whatever their widths.
            fills = right - x1 <= _ROOM * size or counts[number] >= max(counts) - 1
            if fills and columns(text.strip()) >= _MIN_WIDTH:
                # A full line below which the text begins far from the edge is a cell.
                self.full += x0 - left <= _INDENT * size
                continue
            last = number + 1 == len(lines) or lines[number + 1][1] - y0 > _APART * height
            if last:
                continue
            self.early += 1
            self.ended += bool(_END.search(text))


def _glyph(x0: float, x1: float, text: str) -> float:
    """The width of a Han character of the line, by its length in letters."""
    return 2 * (x1 - x0) / max(columns(text.strip()), 1)
