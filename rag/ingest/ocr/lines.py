"""Mends the boxes of lines between detection and recognition: watermarks go, and pieces of a
line with a mark between them become one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

_SLANT, _LONE_SLANT = 8.0, 20.0
_TELLING, _MIN_TELLING = 1.6, 3
"""Degrees by which a line may slant against the page's usual line, told from boxes so many
times longer than high; with fewer of those than the last, the usual line lies level, and a
line may slant by the second. Lines on photographed, curved pages differ by less, watermarks
by 30 and more. Chosen by us."""

_LEVEL, _ALIKE, _NEAR = 0.3, 1.35, 1.0
"""Boxes are pieces of one line when their middles differ by less than the first and their
gap is less than the last, in heights, and their heights by less than the second as a ratio."""

_MARK, _RULE, _CLOSE = 0.04, 0.8, 0.12
_INK = 60
"""A gap of less than the third share of the height is none. What stands in a wider one is a
mark when it is higher than the first share of the box and lower than the second, which rules
of tables are not; ink is so much darker (of 255) than the rest. Chosen by us: the detector
leaves out "：" between two words."""


def without_slanted(boxes: np.ndarray) -> np.ndarray:
    """The boxes (n × 4 corners × 2, clockwise from the top left) without those that slant
    against the others: watermarks and stamps."""
    import numpy as np

    if not len(boxes):
        return boxes
    across, down = boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 0]
    widths, heights = np.hypot(*across.T), np.hypot(*down.T)
    # Of a standing line, the long side is the one that runs down.
    lying = np.degrees(np.arctan2(across[:, 1], across[:, 0]))
    standing = np.degrees(np.arctan2(-down[:, 0], down[:, 1]))
    angles = np.where(widths >= heights, lying, standing)
    long = np.maximum(widths, heights) >= _TELLING * np.minimum(widths, heights)
    if int(long.sum()) < _MIN_TELLING:
        return boxes[~long | (np.abs(angles) <= _LONE_SLANT)]
    usual = float(np.median(angles[long]))
    return boxes[~long | (np.abs(angles - usual) <= _SLANT)]


def join_pieces(boxes: np.ndarray, bgr: np.ndarray) -> np.ndarray:
    """The boxes with neighbours on one line made one where a mark stands between them.

    Args:
        boxes: n × 4 corners × 2 in pixels of `bgr` (height × width × 3).
    """
    import numpy as np

    if len(boxes) < 2:
        return boxes
    grey = bgr[:, :, 1]
    ground = int(np.median(grey[::8, ::8]))
    ordered = sorted(boxes, key=lambda box: float(box[:, 0].min()))
    joined: list[np.ndarray] = []
    for box in ordered:
        left = next((i for i in range(len(joined)) if _continues(joined[i], box)), None)
        if left is not None and _has_mark(joined[left], box, grey, ground):
            first = joined[left]
            joined[left] = np.stack([first[0], box[1], box[2], first[3]])
        else:
            joined.append(box)
    return np.stack(_by_rows(joined))


def _by_rows(boxes: list[np.ndarray]) -> list[np.ndarray]:
    """Boxes from top to bottom, those on one level from left to right."""
    rows: list[list[np.ndarray]] = []
    for box in sorted(boxes, key=lambda box: float(box[:, 1].mean())):
        middle = float(box[:, 1].mean())
        if rows and middle < float(rows[-1][0][:, 1].mean()) + _LEVEL * _height(rows[-1][0]):
            rows[-1].append(box)
        else:
            rows.append([box])
    return [box for row in rows for box in sorted(row, key=lambda box: float(box[:, 0].min()))]


def _height(box: np.ndarray) -> float:
    return float(box[:, 1].max() - box[:, 1].min())


def _continues(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether the second box stands right behind the first on one line."""
    low, high = left.min(axis=0), left.max(axis=0)
    start, end = right.min(axis=0), right.max(axis=0)
    height, other = high[1] - low[1], end[1] - start[1]
    smaller = min(height, other)
    if max(height, other) > _ALIKE * smaller or high[0] - low[0] < height:
        return False
    level = abs((low[1] + high[1]) - (start[1] + end[1])) / 2 <= _LEVEL * smaller
    return bool(level and 0 <= start[0] - high[0] <= _NEAR * smaller)


def _has_mark(left: np.ndarray, right: np.ndarray, grey: np.ndarray, ground: int) -> bool:
    """Whether something other than a rule or a blank parts the two boxes, or hardly a gap."""
    import numpy as np

    x0, x1 = int(left[:, 0].max()), int(right[:, 0].min()) + 1
    y0 = int(max(left[:, 1].min(), right[:, 1].min()))
    y1 = int(min(left[:, 1].max(), right[:, 1].max())) + 1
    if x1 - x0 <= _CLOSE * (y1 - y0):
        return True
    gap = grey[y0:y1, x0:x1].astype(np.int16)
    if gap.size == 0:
        return False
    rows = np.flatnonzero((np.abs(gap - ground) > _INK).any(axis=1))
    if not len(rows):
        return False
    height = rows[-1] - rows[0] + 1
    return bool(_MARK * (y1 - y0) <= height <= _RULE * (y1 - y0))
