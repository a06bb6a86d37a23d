"""Recognised lines as the blocks of a page, by the same rules as a PDF's own text: reading
order, columns, paragraphs, headings by size, lists and tables."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from rag.ingest.lines import columns as width_of
from rag.ingest.ocr.result import OcrLine, OcrResult
from rag.ingest.parse.pdf_glyphs import Glyphs
from rag.ingest.parse.pdf_joins import join_pages
from rag.ingest.parse.pdf_layout import Style, column_blocks
from rag.ingest.parse.pdf_page import PageText, Segment
from rag.ingest.parse.pdf_regions import columns_of_page
from rag.ingest.parse.pdf_tables import find_tables
from rag.types import BBox, Block, Page

if TYPE_CHECKING:
    import numpy as np

    from rag.ingest.parse.pdf_tables import FoundTable

_SIZE = 0.85
"""Font size in heights of a recognised line's box, where no line of Chinese tells it better.
Measured on pages of Noto Sans at 10 to 30 points drawn at 170 dpi: 0.7 to 1.0."""

_WIDE, _MIN_WIDE = 0.5, 4
_MIN_TELLING = 3
"""A line of at least so many Han characters, which are this share of it, tells its font size
by its length; so many lines tell the height of boxes. Chosen by us."""

_WIDER, _HIGHER = 1.1, 1.3
"""How much longer than its font says a line may be (letters of Latin are of unequal width),
and how much larger than its height says (letter-spaced headings are). Chosen by us."""

_SAME_SIZE, _NEAR_SIZE = 0.08, 0.18
"""Sizes that differ by less are the same, of lines of Chinese and of others: recognised boxes
are uneven. Chosen by us."""

_BODY_SHARE, _MIN_BODY, _NOTE_LETTERS = 0.7, 6, 10
"""Lines of so much of the longest one's length, at least so many and this share of all, are a
page's text; lines of so few characters outside its edges are notes in the margin. Chosen by
us."""

_LARGER = 1.3
_RIM = 0.2
"""Share of a line's box above and below its characters; chosen by us."""


def to_blocks(
    result: OcrResult,
    *,
    page: int,
    scale: float,
    offset: tuple[float, float] = (0.0, 0.0),
    pixels: np.ndarray | None = None,
) -> tuple[Block, ...]:
    """The blocks of a recognised image in reading order.

    Args:
        page: the number of the page that it is on, from 1.
        scale: points per pixel of the image.
        offset: x and y of the image's top left corner on the page, in points.
        pixels: the image as it was given to `recognise` (height × width × 3), which helps where
            the reading order is doubtful.

    Returns:
        blocks whose boxes are points on the page as it is shown, the image not turned.
    """
    text = page_text(result, page, scale)
    tables = recognised_tables(result, text, scale, pixels)
    style = own_style(text.segments)
    blocks: list[Block] = []
    for column in columns_of_page(text, tables):
        blocks.extend(column_blocks(column, page, style))
    (joined,) = join_pages([Page(number=page, height=text.height, blocks=tuple(blocks))])
    found = (*joined.blocks, *margin_blocks(text))
    return tuple(_placed(block, result, scale, offset) for block in found)


def page_text(result: OcrResult, page: int, scale: float) -> PageText:
    """The recognised lines as a page of text, upright, in points of `scale` per pixel."""
    segments = [_segment(line, scale) for line in result.lines]
    _give_sizes(segments)
    notes = _margin_notes(segments)
    kept = [s for s in segments if not any(s is note for note in notes)]
    found = PageText(page, result.width * scale, result.height * scale, 0, kept, Glyphs())
    found.margin = notes
    return found


def margin_blocks(text: PageText) -> list[Block]:
    """The notes in the margin of a recognised page, each as a paragraph."""
    return [
        Block(
            kind="paragraph",
            text=note.text,
            page=text.number,
            bbox=(round(note.x0, 1), round(note.y0, 1), round(note.x1, 1), round(note.y1, 1)),
        )
        for note in text.margin
    ]


def recognised_tables(
    result: OcrResult, text: PageText, scale: float, pixels: np.ndarray | None = None
) -> list[FoundTable]:
    """The tables with rules of a recognised page; their texts are taken out of its segments.

    Args:
        pixels: the image as it was given to `recognise`; with it the layout model is asked
            where the reading order is doubtful.
    """
    cells = [_scaled(cell, scale) for grid in result.grids for cell in grid]
    rules = [_scaled(rule, scale) for rule in result.rules]
    return find_tables(_Drawn(cells, rules, (text.width, text.height), result, pixels), text)


def own_style(segments: Sequence[Segment]) -> Style:
    """Body and heading sizes of recognised text alone."""
    sizes = sorted(s.size for s in segments for _ in s.text)
    if not sizes:
        return Style(body=10.5)
    body = sizes[len(sizes) // 2]
    larger = sorted({round(s.size, 1) for s in segments if s.size >= _LARGER * body}, reverse=True)
    distinct: list[float] = []
    for size in larger:
        if not distinct or distinct[-1] > size * 1.2:
            distinct.append(size)
    return Style(body, tuple(distinct[:4]))


def spread(text: str, box: BBox, vertical: bool) -> list[tuple[str, float, float, float, float]]:
    """The characters of a line laid along its box, wide ones twice as long as narrow ones: each
    with its x0, y0, x1, y1. They are made a little flatter than the box, which recognition
    draws so wide that boxes of neighbouring lines overlap."""
    x0, y0, x1, y1 = box
    total = max(width_of(text), 1)
    step = (y1 - y0 if vertical else x1 - x0) / total
    rim = _RIM * (x1 - x0 if vertical else y1 - y0)
    chars: list[tuple[str, float, float, float, float]] = []
    at = 0
    for character in text:
        end = at + width_of(character)
        if vertical:
            chars.append((character, x0 + rim, y0 + at * step, x1 - rim, y0 + end * step))
        else:
            chars.append((character, x0 + at * step, y0 + rim, x0 + end * step, y1 - rim))
        at = end
    return chars


class _Drawn:
    """A recognised image in the form in which a PDF page gives its drawings and its picture."""

    def __init__(
        self,
        cells: Sequence[BBox],
        rules: Sequence[BBox],
        size: tuple[float, float],
        result: OcrResult,
        pixels: np.ndarray | None,
    ) -> None:
        self._cells = cells
        self._rules = rules
        self._size = size
        self._result = result
        self._pixels = pixels

    def get_cdrawings(self) -> list[dict[str, Any]]:
        """Each cell as a box that is drawn along its outline, each rule as a line."""
        boxes = [{"type": "s", "rect": c, "items": [("re", c, 1)]} for c in self._cells]
        lines: list[dict[str, Any]] = []
        for x0, y0, x1, y1 in self._rules:
            middle = (y0 + y1) / 2
            if any(c[0] < x1 and c[2] > x0 and c[1] - 4 <= middle <= c[3] + 4 for c in self._cells):
                continue
            item = ("l", (x0, middle), (x1, middle))
            lines.append({"type": "s", "rect": (x0, middle, x1, middle), "items": [item]})
        return [*boxes, *lines]

    def get_pixmap(self, dpi: int, **_: Any) -> SimpleNamespace:
        """The upright image at this resolution; a white spot where there are no pixels."""
        import cv2
        import numpy as np

        if self._pixels is None:
            image: Any = np.full((32, 32, 3), 255, np.uint8)
        else:
            upright = np.rot90(self._pixels, self._result.rotation // 90)
            width, height = (max(round(v * dpi / 72), 32) for v in self._size)
            image = cv2.resize(np.ascontiguousarray(upright), (width, height))
        return SimpleNamespace(
            samples=image.tobytes(), height=image.shape[0], width=image.shape[1], n=3
        )


def _scaled(box: BBox, scale: float) -> BBox:
    x0, y0, x1, y1 = box
    return (x0 * scale, y0 * scale, x1 * scale, y1 * scale)


def _segment(line: OcrLine, scale: float) -> Segment:
    box = _scaled(line.bbox, scale)
    chars = spread(line.text, box, line.vertical)
    return Segment(line.text, *box, 0.0, False, line.vertical, chars)


def _give_sizes(segments: Sequence[Segment]) -> None:
    """Set the font sizes in points: by the length of lines of Chinese, else by height."""
    telling = [s for s in segments if _is_telling(s.text)]
    shares = [_em(s) / max(_height(s), 0.1) for s in telling]
    share = median(shares) if len(shares) >= _MIN_TELLING else _SIZE
    for segment in segments:
        by_height = share * _height(segment)
        if _is_telling(segment.text):
            segment.size = min(_em(segment), _HIGHER * by_height)
        else:
            segment.size = min(by_height, _WIDER * max(_em(segment), 0.5 * by_height))
    _even_out([s for s in segments if _is_telling(s.text)], segments)


def _even_out(telling: Sequence[Segment], segments: Sequence[Segment]) -> None:
    """Give sizes that are nearly the same one value: the commonest among them. Lines of
    Chinese set the values, the others follow."""
    apart = _SAME_SIZE if telling else _NEAR_SIZE
    values: list[float] = []
    weights: dict[float, int] = {}
    for segment in telling or segments:
        size = round(segment.size, 1)
        weights[size] = weights.get(size, 0) + len(segment.text)
    for size in sorted(weights, key=lambda size: -weights[size]):
        if not any(abs(size - value) <= apart * value for value in values):
            values.append(size)
    exact = {id(segment) for segment in telling}
    for segment in segments:
        reach = _SAME_SIZE if id(segment) in exact else _NEAR_SIZE
        nearest = min(values, key=lambda value: abs(value - segment.size), default=0.0)
        if abs(segment.size - nearest) <= reach * nearest:
            segment.size = nearest


def _margin_notes(segments: Sequence[Segment]) -> list[Segment]:
    """Short lines beside a column of long ones, outside its edges."""
    lying = [s for s in segments if not s.vertical]
    longest = max((s.x1 - s.x0 for s in lying), default=0.0)
    body = [s for s in lying if s.x1 - s.x0 >= _BODY_SHARE * longest]
    if len(body) < _MIN_BODY or len(body) < _BODY_SHARE * len(lying):
        return []
    rest = len(body) // 10
    left, right = sorted(s.x0 for s in body)[rest], sorted(s.x1 for s in body)[-1 - rest]
    return [s for s in lying if len(s.text) <= _NOTE_LETTERS and (s.x1 <= left or s.x0 >= right)]


def _is_telling(text: str) -> bool:
    han = sum("一" <= c <= "鿿" for c in text)
    return han >= _MIN_WIDE and han >= _WIDE * len(text)


def _em(segment: Segment) -> float:
    """The width of a Han character, going by the line's length, in points."""
    length = segment.y1 - segment.y0 if segment.vertical else segment.x1 - segment.x0
    return length / max(width_of(segment.text) / 2, 0.5)


def _height(segment: Segment) -> float:
    return segment.x1 - segment.x0 if segment.vertical else segment.y1 - segment.y0


def _placed(block: Block, result: OcrResult, scale: float, offset: tuple[float, float]) -> Block:
    if block.bbox is None:
        return block
    x0, y0, x1, y1 = (value / scale for value in block.bbox)
    x0, y0, x1, y1 = result.as_given((x0, y0, x1, y1))
    left, top = offset
    box = (
        round(x0 * scale + left, 1),
        round(y0 * scale + top, 1),
        round(x1 * scale + left, 1),
        round(y1 * scale + top, 1),
    )
    return block.model_copy(update={"bbox": box})
