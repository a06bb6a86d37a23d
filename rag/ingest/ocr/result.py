"""The values that recognition hands out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rag.types import BBox

Rotation = Literal[0, 90, 180, 270]


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A recognised line.

    `bbox` is x0, y0, x1, y1 in pixels of the upright image; `confidence` is the mean
    probability of its characters, 0..1; `vertical` lines run from top to bottom.
    """

    text: str
    bbox: BBox
    confidence: float
    vertical: bool = False


@dataclass(frozen=True, slots=True)
class OcrResult:
    """The lines of an image from top to bottom, not yet in reading order.

    `rotation` is how far the given image is turned clockwise, in degrees: turning it back by
    as much made it upright. `width` and `height` are those of the upright image in pixels,
    and so are the boxes of `lines`, of the ruled `grids` (each a tuple of cells) and of the
    long `rules` that run across.
    """

    lines: tuple[OcrLine, ...]
    rotation: Rotation
    width: int
    height: int
    grids: tuple[tuple[BBox, ...], ...] = ()
    rules: tuple[BBox, ...] = ()

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
        x0, y0, x1, y1 = bbox
        if self.rotation == 90:
            return (self.height - y1, x0, self.height - y0, x1)
        if self.rotation == 180:
            return (self.width - x1, self.height - y1, self.width - x0, self.height - y0)
        if self.rotation == 270:
            return (y0, self.width - x1, y1, self.width - x0)
        return bbox
