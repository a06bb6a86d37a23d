"""Lifts stamps and seals off a page before its lines are found: their coloured ink hides the
dark print under it, and their own words run round and through the lines.

A stamp is told by its outline: a ring, whole or cut off by the page's edge, or a small frame
with sides on which dark print stands. Red headings, coloured tables, logos without an
outline and writing in blue ink stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag.types import BBox

if TYPE_CHECKING:
    import numpy as np

_COLOURED = 42
"""Ink is red or blue when its strongest channel is so much (of 255) above its green one, the
paper's own tint left out. Chosen by us: worn stamps on copies have 60 and more, yellowed paper
and the noise of photographs stay below 30."""

_FEW = 2e-4
"""Pages with a smaller share of coloured pixels have no stamp: the look ends there."""

_MIN_SIDE, _MOST_FRAME = 0.035, 0.32
"""Sides of a stamp and of the largest frame, in longest sides of the image; rings may fill it.
Name seals are 12 mm and round ones 30 to 50 mm, on A4 (297 mm) and on slips a third of it.
Chosen by us."""

_CLOSED = 0.004
"""Gaps in an outline up to this share of the longest side are closed: 8 pixels of 2000, where
print crosses it."""

_BAND = (0.88, 1.04)
_RING_SHARE, _LOOSE_SHARE = 0.68, 0.04
_FULL = 0.6
"""An outline is a ring when so many of its directions have ink between these shares of its
radius, not so much of its connected ink lies beyond it, and not so much of its area is inked.
Chosen by us: worn rings have 0.75 and more of the first; large characters have a tenth of the
second and more."""

_ROUND_BAND, _ROUND_SHARE = (0.58, 0.84), 0.4
"""A ring has words that run round when so many directions have ink between these shares of its
radius: circles of diagrams have none but at the ends of their words. Chosen by us."""

_DIRECTIONS, _MIN_DIRECTIONS = 120, 40
_FIT = 0.03
"""Directions that are looked at, and how many must lie within the page; an arc is a ring's part
when half of its ink is nearer to the circle than this share of the radius. Chosen by us."""

_SIDE_BAND, _SIDE_SHARE = 0.12, 0.75
_MOST_RATIO, _MOST_RING_RATIO = 4.5, 1.7
"""Ink within this share of a box along its four sides, which must cover so much of each, makes
a frame; the longest frames and rings as ratios of their sides. Chosen by us."""

_DARK, _DARKER, _MIN_DARK = 0.6, 0.75, 1.2e-5
"""Print is darker than these shares of the paper and of the ink; so much of it, as a share of
the image's area, must touch the ink for a stamp to cover it: 35 pixels of 2000 × 1414. Chosen
by us."""

_NOISE, _GAIN, _RIM_GAIN = 10, 5.0, 1.6
"""Ink that is darker by more than the first (of 255) than most of its stamp hides print, which
is drawn so many times stronger; less at the rim of the ink, which compression darkens. Chosen
by us; measured on stamps of 80 % opacity."""


@dataclass(frozen=True, slots=True)
class Lifted:
    """An image without its stamps, and the boxes (in its pixels) of those that cover print."""

    pixels: np.ndarray
    covering: tuple[BBox, ...] = ()


@dataclass(frozen=True, slots=True)
class _Outline:
    """The ellipse or box of a stamp in pixels."""

    x: float
    y: float
    half_width: float
    half_height: float
    round: bool

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is enclosed."""
        return float(self.distance(x, y)) < 1

    def distance(self, x: Any, y: Any) -> Any:
        """How far points are from the middle, in radii."""
        import numpy as np

        return np.hypot((x - self.x) / self.half_width, (y - self.y) / self.half_height)

    def box(self, width: int, height: int) -> tuple[int, int, int, int]:
        """The pixels of an image of this size that it may touch: left, top, right, bottom."""
        reach = 1.04
        return (
            max(int(self.x - reach * self.half_width), 0),
            max(int(self.y - reach * self.half_height), 0),
            min(int(self.x + reach * self.half_width) + 2, width),
            min(int(self.y + reach * self.half_height) + 2, height),
        )


def lift_stamps(bgr: np.ndarray) -> Lifted:
    """The image (height × width × 3 bytes, BGR) with its stamps taken off and the print under
    them kept; the very same array where there is none."""
    import numpy as np

    height, width = bgr.shape[:2]
    if min(height, width) < 64:
        return Lifted(bgr)
    inks = [
        ink for strong, other in ((2, 0), (0, 2)) if (ink := _ink(bgr, strong, other)) is not None
    ]
    pixels = bgr
    covering: list[BBox] = []
    for ink in inks:
        for outline in _outlines(ink):
            x0, y0, x1, y1 = outline.box(width, height)
            own = ink[y0:y1, x0:x1] & _area(outline, x0, y0, x1, y1)
            if not own.any():
                continue
            covers = _covers(pixels[y0:y1, x0:x1], own, _MIN_DARK * width * height)
            if not covers and not _is_written_round(outline, ink):
                continue
            if pixels is bgr:
                pixels = bgr.copy()
            pixels[y0:y1, x0:x1] = _cleaned(pixels[y0:y1, x0:x1], own)
            if covers:
                covering.append((float(x0), float(y0), float(x1), float(y1)))
    return Lifted(np.ascontiguousarray(pixels), tuple(covering))


def _ink(bgr: np.ndarray, strong: int, other: int) -> np.ndarray | None:
    """Where the ink of one colour is (0 or 255); None where there is too little of it.

    Args:
        strong: the channel of the colour; `other` is that of the other colour.
    """
    import cv2
    import numpy as np

    sample = bgr[::4, ::4].astype(np.int16)
    excess = sample[:, :, strong] - sample[:, :, 1]
    tint = max(int(np.median(excess)), 0)
    seen = (excess > tint + _COLOURED) & (sample[:, :, strong] >= sample[:, :, other])
    if seen.mean() < _FEW:
        return None
    over = cv2.subtract(bgr[:, :, strong], bgr[:, :, 1]) > tint + _COLOURED
    ink = over & (bgr[:, :, strong] >= bgr[:, :, other])
    return ink.astype(np.uint8) * 255


def _outlines(ink: np.ndarray) -> list[_Outline]:
    """The outlines of stamps in ink of one colour, none inside another."""
    import cv2

    longest = max(ink.shape)
    reach = max(int(_CLOSED * longest) | 1, 3)
    near = cv2.dilate(ink, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(near, connectivity=8)
    found: list[_Outline] = []
    for label in sorted(range(1, count), key=lambda n: -int(stats[n][2]) * int(stats[n][3])):
        x, y, w, h = (int(v) for v in stats[label][:4])
        if not _MIN_SIDE * longest <= max(w, h):
            continue
        if any(outline.holds(x + w / 2, y + h / 2) for outline in found):
            continue
        part = (labels[y : y + h, x : x + w] == label) & (ink[y : y + h, x : x + w] > 0)
        outline = _outline(part, x, y, ink)
        if outline is not None:
            found.append(outline)
    return found


def _outline(part: np.ndarray, x: int, y: int, ink: np.ndarray) -> _Outline | None:
    """The outline that connected ink (a mask whose top left corner is at x, y) draws."""
    longest = max(ink.shape)
    height, width = part.shape
    ratio = max(width, height) / max(min(width, height), 1)
    if min(width, height) >= _MIN_SIDE * longest:
        box = _Outline(x + width / 2, y + height / 2, width / 2, height / 2, True)
        if ratio <= _MOST_RING_RATIO and _is_ring(box, part, x, y, ink):
            return box
        if max(width, height) <= _MOST_FRAME * longest and ratio <= _MOST_RATIO and _is_frame(part):
            return _Outline(box.x, box.y, box.half_width, box.half_height, False)
    circle = _circle(part, x, y)
    if circle is None or not _MIN_SIDE <= 2 * circle.half_width / longest <= 1:
        return None
    return circle if _is_ring(circle, part, x, y, ink) else None


def _circle(part: np.ndarray, x: int, y: int) -> _Outline | None:
    """The circle on which connected ink lies, such as that of a stamp cut off by the edge."""
    import numpy as np

    rows, columns = np.nonzero(part)
    if len(rows) < 3 * _MIN_DIRECTIONS:
        return None
    xs, ys = columns + float(x), rows + float(y)
    terms = np.stack([xs, ys, np.ones_like(xs)], axis=1)
    (a, b, c), *_ = np.linalg.lstsq(terms, xs * xs + ys * ys, rcond=None)
    radius = float(np.sqrt(max(c + (a * a + b * b) / 4, 1.0)))
    off = np.abs(np.hypot(xs - a / 2, ys - b / 2) - radius)
    if float(np.median(off)) > _FIT * radius:
        return None
    # The middle of the stroke was fitted; the outline is its outer edge.
    radius += float(np.median(off))
    return _Outline(float(a / 2), float(b / 2), radius, radius, True)


def _is_ring(outline: _Outline, part: np.ndarray, x: int, y: int, ink: np.ndarray) -> bool:
    import numpy as np

    height, width = ink.shape
    rows, columns = np.nonzero(part)
    distance = outline.distance(columns + float(x), rows + float(y))
    if float((distance > _BAND[1] + 0.02).mean()) > _LOOSE_SHARE:
        return False
    if _inked_directions(outline, ink, _BAND) < _RING_SHARE:
        return False
    x0, y0, x1, y1 = outline.box(width, height)
    area = _area(outline, x0, y0, x1, y1)
    return float((ink[y0:y1, x0:x1][area > 0] > 0).mean()) < _FULL


def _is_written_round(outline: _Outline, ink: np.ndarray) -> bool:
    """Whether words run round inside a ring."""
    return outline.round and _inked_directions(outline, ink, _ROUND_BAND) >= _ROUND_SHARE


def _inked_directions(outline: _Outline, ink: np.ndarray, band: tuple[float, float]) -> float:
    """Share of the directions within the image that have ink between two shares of the radius;
    0.0 where hardly any direction lies within it."""
    import numpy as np

    height, width = ink.shape
    angles = np.linspace(0, 2 * np.pi, _DIRECTIONS, endpoint=False)[:, None]
    shares = np.linspace(*band, 16)[None, :]
    xs = np.rint(outline.x + outline.half_width * shares * np.cos(angles)).astype(int)
    ys = np.rint(outline.y + outline.half_height * shares * np.sin(angles)).astype(int)
    inside = (xs >= 0) & (xs < width) & (ys >= 0) & (ys < height)
    within = inside[:, 8]
    if int(within.sum()) < _MIN_DIRECTIONS:
        return 0.0
    inked = (ink[ys.clip(0, height - 1), xs.clip(0, width - 1)] > 0) & inside
    return float(inked.any(axis=1)[within].mean())


def _is_frame(part: np.ndarray) -> bool:
    """Whether connected ink has four straight sides and isn't a filled box."""
    height, width = part.shape
    if float(part.mean()) > _FULL:
        return False
    deep = max(int(_SIDE_BAND * min(height, width)), 2)
    sides = (
        part[:deep].any(axis=0), part[-deep:].any(axis=0),
        part[:, :deep].any(axis=1), part[:, -deep:].any(axis=1),
    )  # fmt: skip
    return all(float(side.mean()) >= _SIDE_SHARE for side in sides)


def _area(outline: _Outline, x0: int, y0: int, x1: int, y1: int) -> np.ndarray:
    """The part of a box of pixels that the outline encloses, as 0 or 255."""
    import numpy as np

    if not outline.round:
        return np.full((y1 - y0, x1 - x0), 255, np.uint8)
    rows, columns = np.mgrid[y0:y1, x0:x1]
    enclosed = outline.distance(columns, rows) <= _BAND[1] + 0.01
    return enclosed.astype(np.uint8) * 255


def _covers(bgr: np.ndarray, own: np.ndarray, least: float) -> bool:
    """Whether dark print stands under or right beside a stamp's own ink."""
    import cv2
    import numpy as np

    value = bgr.max(axis=2)
    paper, ink = _paper(value, own), float(np.median(value[own > 0]))
    dark = value < min(_DARK * paper, _DARKER * ink)
    touched = cv2.dilate(own, np.ones((5, 5), np.uint8)) > 0
    return int((dark & touched).sum()) >= max(least, 12)


def _cleaned(bgr: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The part of an image with its coloured ink turned into paper, and what is darker than
    most of that ink into print. Ink is as bright as paper in its own colour, print is not."""
    import cv2
    import numpy as np

    value = cv2.GaussianBlur(bgr.max(axis=2), (3, 3), 0).astype(np.float32)
    ink = float(np.median(value[own > 0]))
    deep = cv2.erode(own, np.ones((5, 5), np.uint8)) > 0
    drop = np.maximum(ink - value - _NOISE, 0) * np.where(deep, _GAIN, _RIM_GAIN)
    ground = [_paper(bgr[:, :, channel], own) for channel in range(3)]
    clean = np.stack([np.clip(level - drop, 0, 255) for level in ground], axis=2)
    changed = cv2.dilate(own, np.ones((3, 3), np.uint8)) > 0
    return np.where(changed[:, :, None], clean.astype(np.uint8), bgr)


def _paper(values: np.ndarray, own: np.ndarray) -> float:
    """The usual value of the paper round the ink."""
    import numpy as np

    free = values[own == 0]
    if not free.size:
        return 255.0
    return float(np.median(free[free >= np.median(free)]))
