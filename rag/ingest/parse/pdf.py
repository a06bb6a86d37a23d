"""PDF: pages in reading order, with tables, headings and flags.

Each page is read by the route that suits it (`pdf_route`): by its text, by recognition of the
whole page or of its pictures, or by cross-checking a text that may be wrong. Without text
recognition, such pages are flagged instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rag.ingest.inspect import too_many_pages
from rag.ingest.mupdf import LOCK, open_pdf, pymupdf
from rag.ingest.ocr.blocks import margin_blocks
from rag.ingest.parse.pdf_furniture import remove_furniture
from rag.ingest.parse.pdf_joins import join_pages
from rag.ingest.parse.pdf_layout import Style, column_blocks, key_of
from rag.ingest.parse.pdf_page import PageText, box_as_shown
from rag.ingest.parse.pdf_reader import PdfReader, Reading
from rag.ingest.parse.pdf_regions import columns_of_page
from rag.ingest.parse.pdf_route import SCAN_SHARE
from rag.ingest.parse.pdf_running import with_running
from rag.ingest.parse.pdf_scan import insert_picture, picture_blocks, repeated_keys
from rag.settings import IngestSettings
from rag.types import Block, Page, PageRoute

_UNREAD = {"no_text", "garbled", "failed_page", "ocr_off", "ocr_failed"}
_MAX_OUTLINE = 5000


def parse_pdf(
    path: Path,
    settings: IngestSettings,
    password: str | None = None,
    progress: Callable[[float], None] | None = None,
    *,
    routes: Mapping[int, PageRoute] | None = None,
) -> tuple[tuple[Page, ...], str | None, tuple[str, ...]]:
    """The pages, the title among the file's properties, and flags of the whole document.

    Args:
        progress: called with 0..1 after each page; may raise to stop.
        routes: pages (from 1) that are read by this route whatever they look like:
            `scanned` touches nothing but the picture of the page.

    Raises:
        CorruptDocument, EncryptedDocument, TooLarge: it cannot be read.
    """
    module = pymupdf()
    flags: list[str] = []
    readings: list[Reading] = []
    with LOCK:
        document = open_pdf(path, password)
    reader = PdfReader(module, document, path, settings, password, routes or {})
    try:
        with LOCK:
            count = int(document.page_count)
            if count > settings.max_pages:
                raise too_many_pages(count, settings.max_pages)
            if document.is_repaired:
                flags.append("repaired")
            title = (document.metadata or {}).get("title") or None
            outline = _outline(document)
        for number in range(1, count + 1):
            readings.append(reader.read(number))
            if progress is not None:
                progress(number / count)
    finally:
        reader.close()
        with LOCK:
            document.close()
    texts = [reading.text for reading in readings]
    if remove_furniture(texts, [reading.tables for reading in readings]):
        flags.append("header_footer")
    style = _style(texts, outline)
    repeated = repeated_keys([[p.view.key for p in r.pictures] for r in readings])
    pages = [_page(reading, style, repeated) for reading in readings]
    joined = [
        page.model_copy(update={"blocks": (*with_running(page.blocks, text), *margin_blocks(text))})
        for page, text in zip(join_pages(pages), texts, strict=True)
    ]
    shown = (_as_shown(page, text) for page, text in zip(joined, texts, strict=True))
    return tuple(shown), title, tuple(flags)


def _page(reading: Reading, style: Style, repeated: set[str]) -> Page:
    text = reading.text
    blocks: list[Block] = []
    for column in columns_of_page(text, reading.tables):
        blocks.extend(column_blocks(column, text.number, style))
    flags = list(reading.flags)
    for picture in reading.pictures:
        if picture.view.key in repeated:
            continue
        found = picture_blocks(picture.result, picture.view, text.number)
        if found:
            blocks = insert_picture(blocks, found, picture.view.bbox)
            flags.append("pictures_read")
    if not blocks and text.picture_share > SCAN_SHARE and not _UNREAD & set(flags):
        flags.append("no_text")  # a route that an editor forced may see nothing of a picture
    if not blocks and not flags and not text.invisible_share:
        flags.append("blank")
    return Page(
        number=text.number,
        route=reading.route,
        rotation=text.rotation,
        width=round(text.width, 1) or None,
        height=round(text.height, 1) or None,
        blocks=tuple(blocks),
        flags=tuple(dict.fromkeys(flags)),
        confidence=text.confidence,
    )


def _as_shown(page: Page, text: PageText) -> Page:
    """The page with its boxes where people see them."""
    if not text.turned:
        return page
    blocks = tuple(
        block.model_copy(update={"bbox": box_as_shown(block.bbox, text)})
        if block.bbox is not None
        else block
        for block in page.blocks
    )
    if text.turned == 180:
        return page.model_copy(update={"blocks": blocks})
    return page.model_copy(update={"blocks": blocks, "width": page.height, "height": page.width})


def _style(texts: Sequence[PageText], outline: dict[str, int]) -> Style:
    sizes: Counter[float] = Counter()
    bold = total = 0
    for text in texts:
        for segment in text.segments:
            length = len(segment.text)
            sizes[round(segment.size * 2) / 2] += length
            bold += length * segment.bold
            total += length
    if not sizes:
        return Style(body=10.5)
    body = sizes.most_common(1)[0][0]
    larger = sorted((s for s in sizes if s >= body * 1.18), reverse=True)
    distinct: list[float] = []
    for size in larger:
        if not distinct or distinct[-1] - size > 1.0:
            distinct.append(size)
    return Style(body, tuple(distinct[:4]), bold > total / 2, outline)


def _outline(document: Any) -> dict[str, int]:
    """Headings of the document's own outline and their levels."""
    try:
        entries = document.get_toc(simple=True)[:_MAX_OUTLINE]
    except (RuntimeError, ValueError):
        return {}
    found: dict[str, int] = {}
    for level, text, _ in entries:
        key = key_of(str(text))
        if 2 <= len(key) <= 60:
            found.setdefault(key, int(level))
    return found
