"""Draws a page of a PDF or an image file with marked boxes, for citations and for editors."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from rag.errors import InvalidInput, NotFound
from rag.ingest.mupdf import LOCK, open_pdf, pymupdf
from rag.types import BBox, Page

_MARK = (1.0, 0.86, 0.35)
_OPACITY = 0.35
_LINE = (0.18, 0.42, 0.36)
_LINE_PT = 0.9
_MARGIN_PT = 1.5
_PICTURE_SIDE = 2400
"""Longer side of a drawn picture in pixels: larger ones are shown smaller. Chosen by us: a page
at 200 dpi, sharp on every screen."""
_MOST_PIXELS = 12_000_000
"""Pixels of a drawn page: A3 at 150 dpi has a third. A page may claim to be 5 metres wide,
and would take gigabytes. Chosen by us."""


def draw_page(
    path: Path,
    page: int,
    bboxes: Sequence[BBox] = (),
    *,
    dpi: int = 110,
    password: str | None = None,
    outlined: bool = False,
) -> bytes:
    """A page as PNG, with boxes as the parser gives them (`Block.bbox`) marked in yellow.

    Args:
        page: its number from 1.
        outlined: draw the boxes' borders instead, which keeps neighbours apart.
        password: for an encrypted file.

    Raises:
        NotFound: there is no such page.
        EncryptedDocument, CorruptDocument: the file cannot be opened.
    """
    module = pymupdf()
    with LOCK:
        document = open_pdf(path, password)
        try:
            if not 1 <= page <= document.page_count:
                raise _no_such_page(page)
            shown = document[page - 1]
            # Boxes are those of the page as it is shown, which is how the parser turned it.
            shown.remove_rotation()
            for x0, y0, x1, y1 in bboxes:
                box = module.Rect(
                    x0 - _MARGIN_PT, y0 - _MARGIN_PT, x1 + _MARGIN_PT, y1 + _MARGIN_PT
                )
                if outlined:
                    shown.draw_rect(box & shown.rect, color=_LINE, width=_LINE_PT)
                else:
                    shown.draw_rect(box & shown.rect, color=None, fill=_MARK, fill_opacity=_OPACITY)
            pixels = shown.rect.width * shown.rect.height * (dpi / 72) ** 2
            scale = dpi / 72 * min(1.0, (_MOST_PIXELS / max(pixels, 1.0)) ** 0.5)
            image: bytes = shown.get_pixmap(matrix=module.Matrix(scale, scale)).tobytes("png")
            return image
        finally:
            document.close()


def draw_picture(
    path: Path,
    page: int,
    bboxes: Sequence[BBox] = (),
    parsed: Page | None = None,
    *,
    outlined: bool = False,
) -> bytes:
    """A page of an image file as PNG, upright, with boxes as the parser gives them marked.

    Args:
        page: its number from 1; a TIFF has one per picture, other formats have one.
        parsed: what the parser said about the page: its size in points, which the boxes are
            in, and how far it lies turned. Without it boxes are in pixels.
        outlined: draw the boxes' borders instead.

    Raises:
        NotFound: there is no such page.
        CorruptDocument, TooLarge: it cannot be decoded.
    """
    from PIL import Image, ImageDraw

    from rag.ingest.ocr.pixels import from_pillow, open_picture

    with open_picture(path) as picture:
        count = int(getattr(picture, "n_frames", 1)) if picture.format == "TIFF" else 1
        if not 1 <= page <= count:
            raise _no_such_page(page)
        picture.seek(page - 1)
        shown = Image.fromarray(from_pillow(picture))
    scale = shown.width / parsed.width if parsed is not None and parsed.width else 1.0
    shrink = min(1.0, _PICTURE_SIDE / max(shown.size))
    if shrink < 1.0:
        size = (max(round(shown.width * shrink), 1), max(round(shown.height * shrink), 1))
        shown = shown.resize(size, Image.Resampling.LANCZOS)
    marks = Image.new("RGBA", shown.size, (0, 0, 0, 0))
    colour = tuple(round(255 * part) for part in (*_MARK, _OPACITY))
    line = tuple(round(255 * part) for part in (*_LINE, 1.0))
    pen = ImageDraw.Draw(marks)
    for x0, y0, x1, y1 in bboxes:
        box = (x0 - _MARGIN_PT, y0 - _MARGIN_PT, x1 + _MARGIN_PT, y1 + _MARGIN_PT)
        left, top, right, bottom = (edge * scale * shrink for edge in box)
        if right > left and bottom > top:
            place = (left, top, right, bottom)
            if outlined:
                pen.rectangle(place, outline=line, width=2)
            else:
                pen.rectangle(place, fill=colour)
    marked = Image.alpha_composite(shown.convert("RGBA"), marks).convert("RGB")
    if parsed is not None and parsed.rotation:
        # The page lies turned clockwise by so much; Pillow turns the other way.
        marked = marked.rotate(parsed.rotation, expand=True)
    stream = io.BytesIO()
    marked.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def no_page_images() -> InvalidInput:
    """The error for documents that are not made of pages that can be drawn."""
    return InvalidInput(
        "这份文档没有页面图像。",
        "请查看它的文字，或下载原文件。",
        message_en="This document has no page images.",
        remedy_en="See its text, or download the original.",
    )


def _no_such_page(page: int) -> NotFound:
    return NotFound(
        f"这份文档没有第 {page} 页。",
        "请刷新页面后重试。",
        message_en=f"This document has no page {page}.",
        remedy_en="Reload and try again.",
    )
