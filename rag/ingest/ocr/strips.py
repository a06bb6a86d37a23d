"""Cuts tall images (screenshots of chats and pages) into strips that can be read at full size.

The recogniser shrinks images to a longest side, so a tall one would become unreadable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.ingest.ocr.result import OcrLine, OcrResult

if TYPE_CHECKING:
    import numpy as np

_TALL = 2.2
"""Height in widths from which an image is cut: A4 has 1.41, phone screens up to 2.17."""

_STRIP = 1.5
_MIN_STRIP_PX = 900
_SEARCH = 0.25
_OVERLAP_PX = 60
"""Height of a strip in widths and at least in pixels; share of it in which a blank row is
looked for; overlap where there is none, which covers a line of text. Chosen by us."""

_BLANK_SPREAD = 6
"""Grey values (of 255) that a row without text may vary by; chosen by us."""

_SAME_SHARE = 0.5


def strips_of(rgb: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """The strips of an image from top to bottom, each with its first row; one for images of
    usual shape. Neighbours overlap where no blank row was found to cut at."""
    height, width = rgb.shape[:2]
    if height <= _TALL * width or height <= 2 * _MIN_STRIP_PX:
        return [(0, rgb)]
    step = max(int(_STRIP * width), _MIN_STRIP_PX)
    strips: list[tuple[int, np.ndarray]] = []
    top = 0
    while height - top > step * (1 + _SEARCH):
        cut = _blank_row(rgb, top + step, int(step * _SEARCH))
        if cut is None:
            strips.append((top, rgb[top : top + step + _OVERLAP_PX]))
            top += step
        else:
            strips.append((top, rgb[top:cut]))
            top = cut
    strips.append((top, rgb[top:]))
    return strips


def merge_strips(parts: Sequence[tuple[int, OcrResult]], width: int, height: int) -> OcrResult:
    """One result from those of the strips; a line that two of them saw is taken once, from
    the one that saw more of it."""
    lines: list[OcrLine] = []
    seen = 0
    for top, part in parts:
        before, seen = seen, len(lines)
        for line in part.lines:
            x0, y0, x1, y1 = line.bbox
            moved = replace(line, bbox=(x0, y0 + top, x1, y1 + top))
            twin = next((i for i in range(before, seen) if _is_same(lines[i], moved)), None)
            if twin is None:
                lines.append(moved)
            elif _height(moved) > _height(lines[twin]):
                lines[twin] = moved
    grids = tuple(
        tuple((x0, y0 + top, x1, y1 + top) for x0, y0, x1, y1 in grid)
        for top, part in parts
        for grid in part.grids
    )
    rules = tuple(
        (x0, y0 + top, x1, y1 + top) for top, part in parts for x0, y0, x1, y1 in part.rules
    )
    stamped = any(part.stamped for _, part in parts)
    small = any(part.small for _, part in parts)
    return OcrResult(tuple(lines), 0, width, height, grids, rules, stamped=stamped, small=small)


def _blank_row(rgb: np.ndarray, target: int, reach: int) -> int | None:
    """The middle of the blank rows nearest to `target`."""
    low = max(target - reach, 0)
    band = rgb[low : target + reach].mean(axis=2)
    blank = (band.max(axis=1) - band.min(axis=1)) <= _BLANK_SPREAD
    best: tuple[int, int] | None = None
    start: int | None = None
    for index, flag in enumerate([*blank, False]):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            # A wide gap lies between paragraphs, so it is worth a detour.
            length, middle = min(index - start, 40), low + (start + index) // 2
            if length >= 4 and (best is None or length > best[0]):
                best = (length, middle)
            start = None
    return best[1] if best else None


def _height(line: OcrLine) -> float:
    return line.bbox[3] - line.bbox[1]


def _is_same(a: OcrLine, b: OcrLine) -> bool:
    """Whether two boxes share half of the smaller one."""
    width = min(a.bbox[2], b.bbox[2]) - max(a.bbox[0], b.bbox[0])
    height = min(a.bbox[3], b.bbox[3]) - max(a.bbox[1], b.bbox[1])
    if width <= 0 or height <= 0:
        return False
    smaller = min(_height(a) * (a.bbox[2] - a.bbox[0]), _height(b) * (b.bbox[2] - b.bbox[0]))
    return width * height >= _SAME_SHARE * smaller
