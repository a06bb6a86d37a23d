"""Writes the glyphs of a table's cell down as lines: part of the PDF parser."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rag.ingest.lines import join_wrapped
from rag.ingest.parse.pdf_page import Segment

Char = tuple[str, float, float, float, float]
"""A glyph: its text and its box x0, y0, x1, y1 in points."""

_SAME_LINE = 0.5
_BLANK = 0.33
_CLEAN = 0.25
_RAISED = 0.15
_SMALLER = 0.8
_STACKED = 1.8
"""In heights of a line: glyphs that overlap by the first share stand on one line; a gap of the
second is a blank, one of the third parts two cells; a digit that is smaller than the fifth
and raised by the fourth is an exponent or a note's mark; a run taller than the last, and
no wider than one glyph, lies on its side. Chosen by us."""

_FIELD = re.compile(r"[^\s\d：:，,。；;、！？][^\s：:，,。；;、！？]{1,17}\s?[：:](?!//)")
"""A label and its colon at the beginning of a line."""

_EXPONENTS = str.maketrans("0123456789+-−()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾")


@dataclass(slots=True)
class Line:
    """One line of a cell: its glyphs from left to right, and its vertical extent in points."""

    y0: float
    y1: float
    chars: list[Char] = field(default_factory=list)

    @property
    def middle(self) -> float:
        """The vertical centre."""
        return (self.y0 + self.y1) / 2

    @property
    def height(self) -> float:
        """The height of its tallest glyph."""
        return self.y1 - self.y0

    @property
    def x0(self) -> float:
        """The left end of what is seen."""
        return min((c[1] for c in self.chars if not c[0].isspace()), default=self.chars[0][1])

    @property
    def x1(self) -> float:
        """The right end of what is seen."""
        return max((c[3] for c in self.chars if not c[0].isspace()), default=self.chars[0][3])

    @property
    def text(self) -> str:
        """The line's text, blanks where gaps are."""
        return write(self.chars, self.y0, self.y1)


def lines_of(chars: Iterable[Char]) -> list[Line]:
    """The lines of a cell from top to bottom; lines of blanks are left out."""
    lines: list[Line] = []
    for char in chars:
        for line in reversed(lines):
            shared = min(char[4], line.y1) - max(char[2], line.y0)
            if shared >= _SAME_LINE * min(char[4] - char[2], line.height):
                line.chars.append(char)
                if char[4] - char[2] > line.height:
                    line.y0, line.y1 = char[2], char[4]
                break
        else:
            lines.append(Line(char[2], char[4], [char]))
    for line in lines:
        line.chars.sort(key=lambda char: char[1])
    found = [line for line in lines if any(not c[0].isspace() for c in line.chars)]
    return sorted(found, key=lambda line: line.middle)


def write(chars: Sequence[Char], y0: float, y1: float) -> str:
    """Glyphs of one line as text; `y0` and `y1` are the line's extent."""
    height = y1 - y0
    text = ""
    end: float | None = None
    for char in chars:
        if end is not None and char[1] - end > _BLANK * height and not text.endswith(" "):
            text += " "
        raised = char[4] - char[2] < _SMALLER * height and y1 - char[4] > _RAISED * height
        text += char[0].translate(_EXPONENTS) if raised else char[0]
        if not char[0].isspace():
            end = char[3]
    words = text.split()
    # Names spread over their cell ("项  目") are one word.
    if 1 < len(words) < 6 and all(len(word) == 1 and "一" <= word <= "鿿" for word in words):
        return "".join(words)
    return " ".join(words)


def joined(lines: Sequence[Line]) -> str:
    """The text of a cell's lines; those that name a field each are set apart by blanks."""
    texts = [line.text for line in lines]
    if sum(bool(_FIELD.match(text)) for text in texts) < 2:
        return " ".join(join_wrapped(texts).split())
    fields: list[list[str]] = []
    for text in texts:
        if fields and not _FIELD.match(text):
            fields[-1].append(text)
        else:
            fields.append([text])
    return " ".join(" ".join(map(join_wrapped, fields)).split())


def parted(line: Line, edges: Sequence[float]) -> dict[int, Line] | None:
    """The line's parts by column where each edge runs through a gap; None where one cuts a
    word, or where all stands in one column.

    `edges` are the columns' edges from left to right; single letters ("合 计") stay together.
    """
    parts: dict[int, Line] = {}
    for char in line.chars:
        middle = (char[1] + char[3]) / 2
        column = sum(edge <= middle for edge in edges[1:-1])
        if column in parts or not char[0].isspace():
            parts.setdefault(column, Line(line.y0, line.y1)).chars.append(char)
    columns = sorted(parts)
    if len(columns) < 2:
        return None
    for left, right in pairwise(columns):
        if parts[right].x0 - parts[left].x1 < _CLEAN * line.height:
            return None
    texts = [part.text for part in parts.values()]
    if all(len(text) == 1 and text.isalpha() for text in texts):
        return None
    return parts


def is_sideways(segment: Segment) -> bool:
    """Whether a run is written from top to bottom or lies on its side."""
    if segment.vertical:
        return True
    return (
        len(segment.text.strip()) > 1
        and segment.y1 - segment.y0 > _STACKED * max(segment.x1 - segment.x0, segment.size)
        and segment.x1 - segment.x0 < _STACKED * segment.size
    )


def with_exponents(segment: Segment) -> str:
    """The segment's text with raised small digits as exponents."""
    heights = {round(char[4] - char[2], 1) for char in segment.chars if not char[0].isspace()}
    if len(heights) < 2 or min(heights) > _SMALLER * max(heights) or segment.vertical:
        return segment.text
    tallest = max(segment.chars, key=lambda char: char[4] - char[2])
    height = tallest[4] - tallest[2]
    text = ""
    place = 0
    for letter in segment.text:
        if place < len(segment.chars) and letter == segment.chars[place][0]:
            char = segment.chars[place]
            place += 1
            small = char[4] - char[2] < _SMALLER * height
            if small and tallest[4] - char[4] > _RAISED * height:
                letter = letter.translate(_EXPONENTS)
        text += letter
    return text
