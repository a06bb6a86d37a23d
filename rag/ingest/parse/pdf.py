"""PDF with a text layer: pages in reading order, with tables, headings and flags.

Scanned and garbled pages are flagged and stay empty; text recognition is not part of this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rag.ingest.inspect import too_many_pages
from rag.ingest.mupdf import LOCK, open_pdf, pymupdf
from rag.ingest.parse.pdf_furniture import is_page_number, remove_furniture
from rag.ingest.parse.pdf_joins import join_pages
from rag.ingest.parse.pdf_layout import Style, column_blocks, key_of
from rag.ingest.parse.pdf_order import reading_order
from rag.ingest.parse.pdf_page import PageText, box_as_shown, read_page
from rag.ingest.parse.pdf_tables import FoundTable, find_tables
from rag.settings import IngestSettings
from rag.types import Block, Page, PageRoute

_SCAN_SHARE = 0.05
_MIXED_SHARE = 0.04
_INVISIBLE_SHARE = 0.5
_OUTLINED_PATHS = 50
"""Share of the page that pictures cover for a page without characters to be a scan, and for
one with characters to be mixed; share of invisible characters that is worth a flag: measured
on 28 real documents. So many paths without a character are letters drawn as outlines."""

_MAX_OUTLINE = 5000


def parse_pdf(
    path: Path,
    settings: IngestSettings,
    password: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> tuple[tuple[Page, ...], str | None, tuple[str, ...]]:
    """The pages, the title among the file's properties, and flags of the whole document.

    Raises:
        CorruptDocument, EncryptedDocument, TooLarge: it cannot be read.
    """
    module = pymupdf()
    flags: list[str] = []
    texts: list[PageText] = []
    tables: list[list[FoundTable]] = []
    failed: set[int] = set()
    with LOCK:
        document = open_pdf(path, password)
    try:
        with LOCK:
            count = int(document.page_count)
            if count > settings.max_pages:
                raise too_many_pages(count, settings.max_pages)
            if document.is_repaired:
                flags.append("repaired")
            title = (document.metadata or {}).get("title") or None
            outline = _outline(document)
        for number in range(count):
            # The lock is released between pages, so that people can look at other PDFs.
            with LOCK:
                text, found = _read(module, document, number, failed)
            texts.append(text)
            tables.append(found)
            if progress is not None:
                progress((number + 1) / count)
    finally:
        with LOCK:
            document.close()
    if remove_furniture(texts):
        flags.append("header_footer")
    style = _style(texts, outline)
    pages = [
        _page(text, found, style, text.number in failed)
        for text, found in zip(texts, tables, strict=True)
    ]
    joined = join_pages(pages)
    shown = (_as_shown(page, text) for page, text in zip(joined, texts, strict=True))
    return tuple(shown), title, tuple(flags)


def _read(
    module: Any, document: Any, number: int, failed: set[int]
) -> tuple[PageText, list[FoundTable]]:
    from rag.ingest.parse.pdf_glyphs import Glyphs

    try:
        page = document[number]
        text = read_page(module, page)
        if text.glyphs.is_abnormal() or not text.segments:
            text.drawings = len(page.get_cdrawings()) if not text.segments else 0
            return text, []
        return text, find_tables(page, text)
    except (RuntimeError, ValueError) as error:
        if number == 0 and document.page_count == 1:
            from rag.ingest.mupdf import damaged_pdf

            raise damaged_pdf(str(error)) from error
        failed.add(number + 1)
        return PageText(number + 1, 0.0, 0.0, 0, [], Glyphs()), []


def _page(text: PageText, tables: Sequence[FoundTable], style: Style, failed: bool) -> Page:
    route, flags = _route(text, bool(tables), failed)
    blocks: list[Block] = []
    if route not in ("abnormal", "scanned"):
        columns = reading_order(text.segments, tables)
        if any(s.vertical for s in text.segments):
            flags.append("vertical")
        for column in columns:
            blocks.extend(column_blocks(column, text.number, style))
    return Page(
        number=text.number,
        route=route,
        rotation=text.rotation,
        width=round(text.width, 1) or None,
        height=round(text.height, 1) or None,
        blocks=tuple(blocks),
        flags=tuple(flags),
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


def _route(text: PageText, tables: bool, failed: bool) -> tuple[PageRoute, list[str]]:
    flags: list[str] = []
    if failed:
        return "abnormal", ["failed_page"]
    if text.rotation or text.turned:
        flags.append("rotated")
    if text.invisible_share > _INVISIBLE_SHARE:
        flags.append("invisible_text")
    if text.fake_bold:
        flags.append("fake_bold")
    if text.watermark:
        flags.append("watermark")
    if text.glyphs.is_abnormal():
        return "abnormal", [*flags, "garbled"]
    if not text.glyphs.total:
        outlined = text.drawings > _OUTLINED_PATHS
        if text.picture_share > _SCAN_SHARE or outlined:
            return "scanned", [*flags, "no_text"]
        return "native", [*flags, *(() if text.invisible_share else ("blank",))]
    # A scanner stamps its pages with numbers, which don't make them readable.
    only_numbers = not tables and all(is_page_number(segment.text) for segment in text.segments)
    if text.picture_share > _SCAN_SHARE and only_numbers:
        return "scanned", [*flags, "no_text"]
    if text.picture_share > _MIXED_SHARE:
        return "mixed", [*flags, "image_text"]
    return "native", flags


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
