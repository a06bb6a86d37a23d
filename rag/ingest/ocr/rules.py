"""Finds the rules of tables in an image, and the cells between them.

Long straight dark runs are rules; rules that hang together frame a table; the areas that they
enclose are its cells, merged ones included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from rag.types import BBox

if TYPE_CHECKING:
    import numpy as np

_LONG = 2.2
_MIN_LONG_PX = 40
"""A rule is so many lines' heights long, and at least so many pixels: strokes of letters are
shorter. Chosen by us."""

_LINE_PX = 24
"""Height of a line where none is known."""

_BLOCK_PX, _DARKER = 31, 12
"""A pixel is dark when it is so much darker (of 255) than its neighbourhood of so many
pixels, which holds for photos with shadows too. Chosen by us."""

_MIN_CELLS = 4
_FILLED = 0.6
"""Cells of the smallest table; share of its own box that a cell fills (others are areas
between rules that are no cell). Chosen by us."""

_MOST_CELLS = 3000
_LONG_SHARE, _THICK_PX = 0.25, 24
"""A rule across is long from this share of the image's width on, and up to so many pixels
high (slanted ones are). Chosen by us."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What was found, in pixels: the sides of cells as x, y0, y1, the cells of each table, and
    the boxes of long rules across."""

    upright: tuple[tuple[float, float, float], ...] = ()
    grids: tuple[tuple[BBox, ...], ...] = ()
    across: tuple[BBox, ...] = ()


def find_rules(bgr: np.ndarray, line_px: float | None = None) -> Rules:
    """The rules and tables of an image of height × width × 3.

    Args:
        line_px: the usual height of its lines of text.
    """
    import cv2

    line = line_px or _LINE_PX
    grey = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    dark = cv2.adaptiveThreshold(
        grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, _BLOCK_PX, _DARKER
    )
    length = max(int(_LONG * line), _MIN_LONG_PX)
    across = cv2.morphologyEx(
        dark, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_RECT, (length, 1))
    )
    if not across.any():
        return Rules()
    down = cv2.morphologyEx(
        dark, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_RECT, (1, length))
    )
    long = _long_rules(across)
    if not down.any():
        return Rules(across=long)
    # Slanted rules fall apart into pieces a pixel or two apart.
    near = cv2.getStructuringElement(cv2.MORPH_RECT, (5, 5))
    mask = cv2.dilate(cv2.bitwise_or(across, down), near)
    grids = [
        grid
        for frame in _frames(mask, line)
        if (grid := _cells(mask, down, frame, line)) is not None
    ]
    grids.sort(key=lambda grid: min(cell[1] for cell in grid))
    sides = {(c[0], c[1], c[3]) for g in grids for c in g} | {
        (c[2], c[1], c[3]) for g in grids for c in g
    }
    return Rules(tuple(sorted(sides)), tuple(map(tuple, grids)), long)


def split_at_rules(boxes: np.ndarray, rules: Rules) -> np.ndarray:
    """Boxes of lines (n × 4 × 2) cut where a table's upright rule runs through them: the
    detector takes neighbouring cells for one line when they are close."""
    import numpy as np

    if not rules.upright or not len(boxes):
        return boxes
    result: list[np.ndarray] = []
    for box in boxes:
        (x0, y0), (x1, y1) = box.min(axis=0), box.max(axis=0)
        height, middle = y1 - y0, (y0 + y1) / 2
        cuts = [
            x
            for x, top, bottom in rules.upright
            if top <= middle <= bottom and x0 + 0.4 * height < x < x1 - 0.4 * height
        ]
        if not cuts or x1 - x0 < y1 - y0:
            result.append(box)
            continue
        edges = [x0, *_distinct(cuts, 0.4 * height), x1]
        for left, right in pairwise(edges):
            corners = [(left, y0), (right, y0), (right, y1), (left, y1)]
            result.append(np.array(corners, np.float32))
    return np.stack(result)


def _long_rules(across: np.ndarray) -> tuple[BBox, ...]:
    """The rules that are long for the image, such as those of three-line tables."""
    import cv2

    least = _LONG_SHARE * across.shape[1]
    joined = cv2.dilate(across, cv2.getStructuringElement(cv2.MORPH_RECT, (9, 3)))
    count, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    found = [
        (float(x), float(y), float(x + width), float(y + height))
        for x, y, width, height, _area in stats[1:count]
        if width >= least and height <= _THICK_PX
    ]
    return tuple(sorted(found, key=lambda box: box[1]))


def _frames(mask: np.ndarray, line: float) -> list[tuple[int, int, int, int]]:
    """Boxes of rules that hang together: x0, y0, x1, y1, large enough for two rows."""
    import cv2

    count, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    frames: list[tuple[int, int, int, int]] = []
    for x, y, width, height, _area in stats[1:count]:
        if width > 3 * line and height > 2 * line:
            frames.append((int(x), int(y), int(x + width), int(y + height)))
    return frames


def _cells(
    mask: np.ndarray, down: np.ndarray, frame: tuple[int, int, int, int], line: float
) -> list[BBox] | None:
    import cv2
    import numpy as np

    x0, y0, x1, y1 = frame
    # Three-line tables have no sides, so the frame is closed by hand.
    inside = np.pad(mask[y0:y1, x0:x1], 2, constant_values=255)
    if not down[y0:y1, x0:x1].any():
        return None
    count, _, stats, _ = cv2.connectedComponentsWithStats(255 - inside, connectivity=4)
    if count > _MOST_CELLS:
        return None
    cells: list[BBox] = []
    for x, y, width, height, area in stats[1:count]:
        if height < 0.5 * line or width < 0.5 * line or area < _FILLED * width * height:
            continue
        left, top = float(x + x0 - 2), float(y + y0 - 2)
        cells.append((left, top, left + float(width), top + float(height)))
    if len(cells) < _MIN_CELLS:
        return None
    cells = _snapped(cells, line)
    columns = {cell[0] for cell in cells}
    rows = {cell[1] for cell in cells}
    return cells if len(columns) >= 2 and len(rows) >= 2 else None


def _snapped(cells: Sequence[BBox], line: float) -> list[BBox]:
    """The cells with common edges: those of neighbours lie a rule's width apart."""
    reach = 0.45 * line
    xs = _centres([c[0] for c in cells] + [c[2] for c in cells], reach)
    ys = _centres([c[1] for c in cells] + [c[3] for c in cells], reach)
    return [(xs[x0], ys[y0], xs[x1], ys[y1]) for x0, y0, x1, y1 in cells]


def _centres(values: Sequence[float], reach: float) -> dict[float, float]:
    """Each value's group: values closer than `reach` to the one before, by their mean."""
    found: dict[float, float] = {}
    group: list[float] = []
    for value in [*sorted(values), None]:
        if group and (value is None or value - group[-1] > reach):
            mean = sum(group) / len(group)
            found.update(dict.fromkeys(group, mean))
            group = []
        if value is not None:
            group.append(value)
    return found


def _distinct(values: Sequence[float], reach: float) -> list[float]:
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > reach:
            kept.append(float(value))
    return kept
