"""The values that recognition hands out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from rag.types import BBox

Rotation = Literal[0, 90, 180, 270]

_WEAK_SHARE = 0.05
"""Share of weak lines up to which a small image is taken for clear: a signature or an ornament
is one among many. Chosen by us."""

_SHOWN_NUMBERS = 3
"""Doubtful numbers that a flag names; chosen by us."""


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A recognised line.

    `bbox` is x0, y0, x1, y1 in pixels of the upright image; `confidence` is the mean
    probability of its characters, 0..1; `vertical` lines run from top to bottom. A letter or
    digit of `weak` lines is doubtful, and so are its long numbers in `numbers`.
    """

    text: str
    bbox: BBox
    confidence: float
    vertical: bool = False
    weak: bool = False
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OcrResult:
    """The lines of an image from top to bottom, not yet in reading order.

    `rotation` is how far the given image is turned clockwise, in degrees: turning it back by
    as much made it upright. `width` and `height` are those of the upright image in pixels,
    and so are the boxes of `lines`, of the ruled `grids` (each a tuple of cells) and of the
    long `rules` that run across. They are levelled: lines ran down to the right by `skew`
    degrees. `stamped` tells that a stamp covers print; the lines of `small` images are so low
    that weak ones are put down to its resolution.
    """

    lines: tuple[OcrLine, ...]
    rotation: Rotation
    width: int
    height: int
    grids: tuple[tuple[BBox, ...], ...] = ()
    rules: tuple[BBox, ...] = ()
    skew: float = 0.0
    stamped: bool = False
    small: bool = False

    @property
    def doubts(self) -> tuple[str, ...]:
        """Flags that tell what of the lines people should compare with the image."""
        found: list[str] = []
        if self.stamped:
            found.append("stamp_over_text")
        weak = sum(line.weak for line in self.lines)
        if self.small and weak > _WEAK_SHARE * len(self.lines):
            found.append("low_resolution")
        numbers = dict.fromkeys(number for line in self.lines for number in line.numbers)
        if numbers:
            more = ["…"] if len(numbers) > _SHOWN_NUMBERS else []
            shown = [*list(numbers)[:_SHOWN_NUMBERS], *more]
            found.append(f"doubtful_numbers:{'，'.join(shown)}")
        return tuple(found)

    @property
    def confidence(self) -> float | None:
        """Mean confidence of the characters, 0..1; None where nothing was recognised."""
        total = sum(len(line.text) for line in self.lines)
        if not total:
            return None
        mean = sum(line.confidence * len(line.text) for line in self.lines) / total
        return min(max(mean, 0.0), 1.0)

    def as_given(self, bbox: BBox) -> BBox:
        """A box of the upright image, in pixels of the image as it was given."""
        x0, y0, x1, y1 = self._tilted(bbox) if self.skew else bbox
        if self.rotation == 90:
            return (self.height - y1, x0, self.height - y0, x1)
        if self.rotation == 180:
            return (self.width - x1, self.height - y1, self.width - x0, self.height - y0)
        if self.rotation == 270:
            return (y0, self.width - x1, y1, self.width - x0)
        return (x0, y0, x1, y1)

    def _tilted(self, bbox: BBox) -> BBox:
        """The box round a levelled box that is turned back, within the image."""
        sine, cosine = math.sin(math.radians(self.skew)), math.cos(math.radians(self.skew))
        middle_x, middle_y = self.width / 2, self.height / 2
        xs: list[float] = []
        ys: list[float] = []
        for x in (bbox[0] - middle_x, bbox[2] - middle_x):
            for y in (bbox[1] - middle_y, bbox[3] - middle_y):
                xs.append(min(max(x * cosine - y * sine + middle_x, 0.0), self.width))
                ys.append(min(max(x * sine + y * cosine + middle_y, 0.0), self.height))
        return (min(xs), min(ys), max(xs), max(ys))
