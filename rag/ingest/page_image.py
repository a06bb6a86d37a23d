"""Draws a PDF page with marked boxes, for the page view of a citation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rag.errors import NotFound
from rag.ingest.mupdf import LOCK, open_pdf, pymupdf
from rag.types import BBox

_MARK = (1.0, 0.86, 0.35)
_MARGIN_PT = 1.5
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
) -> bytes:
    """A page as PNG, with boxes as the parser gives them (`Block.bbox`) marked in yellow.

    Args:
        page: its number from 1.
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
                raise NotFound(
                    f"这份文档没有第 {page} 页。",
                    "请刷新页面后重试。",
                    message_en=f"This document has no page {page}.",
                    remedy_en="Reload and try again.",
                )
            shown = document[page - 1]
            # Boxes are those of the page as it is shown, which is how the parser turned it.
            shown.remove_rotation()
            for x0, y0, x1, y1 in bboxes:
                box = module.Rect(
                    x0 - _MARGIN_PT, y0 - _MARGIN_PT, x1 + _MARGIN_PT, y1 + _MARGIN_PT
                )
                shown.draw_rect(box & shown.rect, color=None, fill=_MARK, fill_opacity=0.35)
            pixels = shown.rect.width * shown.rect.height * (dpi / 72) ** 2
            scale = dpi / 72 * min(1.0, (_MOST_PIXELS / max(pixels, 1.0)) ** 0.5)
            image: bytes = shown.get_pixmap(matrix=module.Matrix(scale, scale)).tobytes("png")
            return image
        finally:
            document.close()
