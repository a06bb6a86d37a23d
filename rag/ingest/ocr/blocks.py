"""Recognised lines as the blocks of a page, by the same rules as a PDF's own text: reading
order, columns, paragraphs, headings by size, lists and tables."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from rag.ingest.lines import columns as width_of
from rag.ingest.ocr.result import OcrLine, OcrResult
from rag.ingest.parse.pdf_glyphs import Glyphs
from rag.ingest.parse.pdf_layout import Style, column_blocks
from rag.ingest.parse.pdf_order import reading_order
from rag.ingest.parse.pdf_page import PageText, Segment
from rag.ingest.parse.pdf_tables import FoundTable, find_tables
from rag.types import BBox, Block

_SIZE = 0.74
"""Font size in heights of a recognised line's box. Measured on pages of Noto Sans at 10 to
30 points drawn at 170 dpi: 0.70 to 0.78."""

_SAME_SIZE = 0.22
"""Line heights that differ by less from the usual one are the same font size: boxes of lines
without tall letters are lower. Chosen by us."""

_LARGER = 1.3


def to_blocks(
    result: OcrResult,
    *,
    page: int,
    scale: float,
    offset: tuple[float, float] = (0.0, 0.0),
) -> tuple[Block, ...]:
    """The blocks of a recognised image in reading order.

    Args:
        page: the number of the page that it is on, from 1.
        scale: points per pixel of the image.
        offset: x and y of the image's top left corner on the page, in points.

    Returns:
        blocks whose boxes are points on the page as it is shown, the image not turned.
    """
    text = page_text(result, page, scale)
    tables = recognised_tables(result, text, scale)
    style = own_style(text.segments)
    blocks: list[Block] = []
    for column in reading_order(text.segments, tables):
        blocks.extend(column_blocks(column, page, style))
    return tuple(_placed(block, result, scale, offset) for block in blocks)


def page_text(result: OcrResult, page: int, scale: float) -> PageText:
    """The recognised lines as a page of text, upright, in points of `scale` per pixel."""
    segments = [_segment(line, scale) for line in result.lines]
    _even_sizes(segments)
    return PageText(page, result.width * scale, result.height * scale, 0, segments, Glyphs())


def recognised_tables(result: OcrResult, text: PageText, scale: float) -> list[FoundTable]:
    """The ruled tables of a recognised page; their texts are taken out of its segments."""
    cells = [
        (x0 * scale, y0 * scale, x1 * scale, y1 * scale)
        for grid in result.grids
        for x0, y0, x1, y1 in grid
    ]
    return find_tables(_Ruled(cells), text) if cells else []


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


class _Ruled:
    """Recognised cells in the form in which a PDF page gives its drawings."""

    def __init__(self, cells: Sequence[BBox]) -> None:
        self._cells = cells

    def get_cdrawings(self) -> list[dict[str, Any]]:
        """Each cell as a box that is drawn along its outline."""
        return [{"type": "s", "rect": cell, "items": [("re", cell, 1)]} for cell in self._cells]


def _segment(line: OcrLine, scale: float) -> Segment:
    x0, y0, x1, y1 = (value * scale for value in line.bbox)
    size = _SIZE * (x1 - x0 if line.vertical else y1 - y0)
    chars = _spread(line.text, (x0, y0, x1, y1), line.vertical)
    return Segment(line.text, x0, y0, x1, y1, size, False, line.vertical, chars)


def _spread(text: str, box: BBox, vertical: bool) -> list[tuple[str, float, float, float, float]]:
    """The characters along the box, wide ones twice as long as narrow ones."""
    x0, y0, x1, y1 = box
    total = max(width_of(text), 1)
    step = (y1 - y0 if vertical else x1 - x0) / total
    chars: list[tuple[str, float, float, float, float]] = []
    at = 0
    for character in text:
        end = at + width_of(character)
        if vertical:
            chars.append((character, x0, y0 + at * step, x1, y0 + end * step))
        else:
            chars.append((character, x0 + at * step, y0, x0 + end * step, y1))
        at = end
    return chars


def _even_sizes(segments: Sequence[Segment]) -> None:
    """Give lines of about the usual height the usual size."""
    if not segments:
        return
    usual = median(s.size for s in segments for _ in s.text)
    for segment in segments:
        if abs(segment.size - usual) <= _SAME_SIZE * usual:
            segment.size = usual


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
