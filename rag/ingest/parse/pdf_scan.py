"""Draws PDF pages and their pictures for text recognition, and lays what was recognised over
the page: as its text (scans) or as blocks at the pictures' places (mixed pages)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rag.ingest.ocr import OcrLine, OcrResult, to_blocks
from rag.ingest.ocr.blocks import page_text, recognised_tables
from rag.ingest.ocr.engine import LONGEST_SIDE
from rag.ingest.ocr.picture import is_worth_reading
from rag.ingest.parse.pdf_page import PageText, Segment
from rag.types import BBox, Block

if TYPE_CHECKING:
    import numpy as np

    from rag.ingest.parse.pdf_tables import FoundTable

_TALL = 2.2
_MOST_PIXELS = 24_000_000
"""Pages up to so many times taller than wide are drawn no larger than the recogniser takes
them; taller ones, which it reads in strips, up to so many pixels (72 MB). Chosen by us."""

_SMALL_PX = 1200
"""Pages that would be drawn smaller than this are drawn at their pictures' own resolution."""

_MIN_PICTURE_PT = 20.0
_MIN_PICTURE_SHARE = 0.002
_GAP_PT = 3.0
_MARGIN_PT = 2.0
"""Pictures lower or narrower than the first, or smaller than this share of the page, hold no
text; those closer than the third are parts of one. Chosen by us."""

_MOST_PICTURES = 24
"""Pictures of a page that are read one by one; with more, the page is read as a whole."""

_FILLED = 0.8
"""A picture that covers so much of what is drawn is a scan of it. Chosen by us."""

_SAME_PLACE = 0.5
_REPEATED_PAGES, _REPEATED_SHARE = 3, 0.3
"""The same picture on so many pages, and this share of them, is a letterhead or a background.
Chosen by us."""


@dataclass(slots=True)
class View:
    """A part of a page as pixels (height × width × 3, RGB).

    `bbox` is its place on the upright page in points, `scale` the points per pixel. `key`
    is the same for the same picture on other pages. `detail` is how many pixels a picture that
    fills the part has for each of them.
    """

    pixels: np.ndarray
    bbox: BBox
    scale: float
    key: str = ""
    detail: float = 1.0


def draw(module: Any, page: Any, dpi: int, clip: BBox | None = None) -> View:
    """Draw a page as `read_page` left it, or the part in `clip`; under the lock of MuPDF."""
    import numpy as np

    box = module.Rect(clip) & page.rect if clip is not None else page.rect
    width, height = max(box.width, 1.0), max(box.height, 1.0)
    zoom = dpi / 72
    if max(width, height) * zoom < _SMALL_PX:
        finest = max((_zoom_of(image) for image in page.get_image_info()), default=zoom)
        zoom = max(zoom, min(finest, _SMALL_PX / max(width, height)))
    if height <= _TALL * width:
        zoom = min(zoom, LONGEST_SIDE / max(width, height))
    else:
        zoom = min(zoom, LONGEST_SIDE / width, math.sqrt(_MOST_PIXELS / (width * height)))
    drawn = page.get_pixmap(
        matrix=module.Matrix(zoom, zoom), clip=box, alpha=False, colorspace=module.csRGB
    )
    pixels = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.h, drawn.w, 3)
    place = (box.x0, box.y0, box.x1, box.y1)
    return View(pixels.copy(), place, 1 / zoom, detail=_detail(page, place, zoom))


def draw_pictures(module: Any, page: Any, dpi: int) -> list[View]:
    """Draw the pictures of a page, neighbouring ones together, each at its place."""
    images = page.get_image_info(xrefs=True)
    boxes = _gathered([module.Rect(image["bbox"]) & page.rect for image in images])
    area = max(page.rect.width * page.rect.height, 1.0)
    kept = [
        box
        for box in boxes
        if min(box[2] - box[0], box[3] - box[1]) >= _MIN_PICTURE_PT
        and (box[2] - box[0]) * (box[3] - box[1]) >= _MIN_PICTURE_SHARE * area
    ]
    if len(kept) > _MOST_PICTURES:
        return [draw(module, page, dpi)]
    views: list[View] = []
    for box in kept:
        wide = (
            box[0] - _MARGIN_PT, box[1] - _MARGIN_PT, box[2] + _MARGIN_PT, box[3] + _MARGIN_PT
        )  # fmt: skip
        view = draw(module, page, dpi, wide)
        inside = sorted(i["xref"] for i in images if _share(i["bbox"], box) > 0.9 and i["xref"])
        if inside:
            view.key = f"{inside}@{tuple(round(v / 4) for v in box)}"
        views.append(view)
    return views


def lay_scan(text: PageText, result: OcrResult, view: View) -> list[FoundTable]:
    """Make the recognised lines the text of a scanned page; returns its tables.

    What was typed over the scan (a stamp, a page number) stays where nothing was recognised.
    """
    found = page_text(result, text.number, view.scale)
    typed = [] if result.rotation else text.segments
    typed = [s for s in typed if not any(_covers(line, s) for line in found.segments)]
    text.segments = [*found.segments, *typed]
    text.margin = found.margin
    text.width, text.height = found.width, found.height
    text.turned = (360 - result.rotation) % 360 if result.rotation else text.turned
    text.confidence = result.confidence
    return recognised_tables(result, text, view.scale, view.pixels)


def without_native(result: OcrResult, view: View, text: PageText) -> OcrResult:
    """The recognised lines of a picture but for those that are the page's own text, which
    stands over or beside the picture."""
    if result.rotation:
        return result
    left, top = view.bbox[0], view.bbox[1]

    def is_native(line: OcrLine) -> bool:
        box = tuple(v * view.scale for v in line.bbox)
        placed = (box[0] + left, box[1] + top, box[2] + left, box[3] + top)
        covered = sum(_overlap(placed, (s.x0, s.y0, s.x1, s.y1)) for s in text.segments)
        return covered >= _SAME_PLACE * max(_area(placed), 1e-6)

    lines = tuple(line for line in result.lines if not is_native(line))
    return replace(result, lines=lines, skew=0.0)


def insert_picture(blocks: Sequence[Block], picture: Sequence[Block], box: BBox) -> list[Block]:
    """The blocks of a page with those of a picture after the text above it, in its column."""
    above = -1
    below = len(blocks)
    for index, block in enumerate(blocks):
        if block.bbox is None or min(block.bbox[2], box[2]) <= max(block.bbox[0], box[0]):
            continue
        if (block.bbox[1] + block.bbox[3]) / 2 <= (box[1] + box[3]) / 2:
            above = index
        elif below == len(blocks):
            below = index
    at = above + 1 if above >= 0 else below
    return [*blocks[:at], *picture, *blocks[at:]]


def picture_blocks(result: OcrResult, view: View, page: int) -> tuple[Block, ...]:
    """The blocks of a recognised picture, none when it says nothing."""
    if not is_worth_reading(result):
        return ()
    return to_blocks(result, page=page, scale=view.scale, offset=(view.bbox[0], view.bbox[1]))


def repeated_keys(keys: Sequence[Sequence[str]]) -> set[str]:
    """The keys of pictures that stand on many pages, given those of each page."""
    counts: dict[str, int] = {}
    for page in keys:
        for key in set(page):
            counts[key] = counts.get(key, 0) + 1
    least = max(_REPEATED_PAGES, _REPEATED_SHARE * len(keys))
    return {key for key, count in counts.items() if key and count >= least}


def _zoom_of(image: dict[str, Any]) -> float:
    """Pixels of a picture per point on the page."""
    x0, _, x1, _ = image["bbox"]
    return float(image["width"]) / max(x1 - x0, 1.0)


def _detail(page: Any, place: BBox, zoom: float) -> float:
    """Pixels of the pictures that fill a part of a page per pixel drawn; 1.0 where none do."""
    filling = [
        _zoom_of(image) for image in page.get_image_info() if _share(place, image["bbox"]) > _FILLED
    ]
    return max(filling, default=zoom) / zoom


def _gathered(boxes: Sequence[Any]) -> list[BBox]:
    """Boxes that touch or overlap as one: scanners cut pages into strips and tiles."""
    found: list[list[float]] = []
    for box in boxes:
        if box.is_empty:
            continue
        merged = [box.x0, box.y0, box.x1, box.y1]
        rest: list[list[float]] = []
        for other in found:
            near = (
                other[0] <= merged[2] + _GAP_PT
                and other[2] >= merged[0] - _GAP_PT
                and other[1] <= merged[3] + _GAP_PT
                and other[3] >= merged[1] - _GAP_PT
            )
            if near:
                merged = [
                    min(merged[0], other[0]), min(merged[1], other[1]),
                    max(merged[2], other[2]), max(merged[3], other[3]),
                ]  # fmt: skip
            else:
                rest.append(other)
        found = [*rest, merged]
    return sorted(((b[0], b[1], b[2], b[3]) for b in found), key=lambda b: (b[1], b[0]))


def _covers(line: Segment, segment: Segment) -> bool:
    box = (segment.x0, segment.y0, segment.x1, segment.y1)
    return _overlap((line.x0, line.y0, line.x1, line.y1), box) > _SAME_PLACE * _area(box)


def _overlap(a: Sequence[float], b: Sequence[float]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return max(width, 0.0) * max(height, 0.0)


def _area(box: Sequence[float]) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def _share(inner: Sequence[float], outer: Sequence[float]) -> float:
    return _overlap(inner, outer) / max(_area(inner), 1e-6)
