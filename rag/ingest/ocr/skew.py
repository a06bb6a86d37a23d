"""Levels pages that were scanned or photographed askew, so that lines and rules run straight
and the rules for reading order hold. Only places are levelled; letters are read as they are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

_MIN_DEGREES, _MOST_DEGREES = 0.4, 15.0
_LONG, _MIN_LINES = 4.0, 3
"""Angles that are worth levelling; they are told from lines so many times longer than high, of
which there must be so many. Chosen by us."""


def skew_of(boxes: np.ndarray) -> float:
    """The angle in degrees by which the lines (n × 4 corners × 2) run down to the right, or,
    where most lines stand, by which those lean; 0.0 where it is small or can't be told."""
    import numpy as np

    if len(boxes) < _MIN_LINES:
        return 0.0
    across = (boxes[:, 1] - boxes[:, 0] + boxes[:, 2] - boxes[:, 3]) / 2
    down = (boxes[:, 3] - boxes[:, 0] + boxes[:, 2] - boxes[:, 1]) / 2
    widths, heights = np.hypot(*across.T), np.hypot(*down.T)
    lying, standing = widths >= _LONG * heights, heights >= _LONG * widths
    if int(lying.sum()) >= max(_MIN_LINES, int(standing.sum())):
        angles = np.degrees(np.arctan2(across[lying, 1], across[lying, 0]))
    elif int(standing.sum()) >= _MIN_LINES:
        angles = np.degrees(np.arctan2(-down[standing, 0], down[standing, 1]))
    else:
        return 0.0
    angle = float(np.median(angles))
    return angle if _MIN_DEGREES <= abs(angle) <= _MOST_DEGREES else 0.0


def turned(points: np.ndarray, degrees: float, width: float, height: float) -> np.ndarray:
    """Points (… × 2) turned counter-clockwise by so many degrees round the middle of an image
    of this size, which levels lines that run down to the right by as much."""
    import numpy as np

    if not degrees:
        return points
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    x, y = points[..., 0] - width / 2, points[..., 1] - height / 2
    result = np.stack([x * cosine + y * sine, y * cosine - x * sine], axis=-1)
    return (result + np.array([width / 2, height / 2])).astype(np.float32)


def levelled(bgr: np.ndarray, degrees: float) -> np.ndarray:
    """The image turned likewise, its size kept."""
    import cv2

    if not degrees:
        return bgr
    height, width = bgr.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    return cv2.warpAffine(bgr, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
