"""Compares the numbers of tables with what extractors read on the same pages: part of the
quality gate, done while the file is open to us.

Tables are put together from pieces, and a number that is cut, glued or lost on the way looks
as right as any other. Each number of a table must be on the page as MuPDF reads it running,
and each number inside the table's frame must be in the table. Where that fails pdfplumber,
which shares no code with MuPDF, is asked; what it doesn't clear up is flagged for people.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rag.ingest.formats import PDF
from rag.types import BBox, Block, Document, Page

FLAG = "table_numbers"
SHOWN = 3
"""Doubtful numbers that a flag names."""
MOST_PAGES = 30
"""Pages of one document that pdfplumber is asked about; it reads some ten a second. Chosen by
us: a document with more doubtful pages is known to be doubtful."""
_NUMBER = re.compile(r"\d[\d,.，．:/%-]*\d%?")
_LEAST_DIGITS = 3
"""Digits of a number that is compared; shorter ones are everywhere. Chosen by us."""
_NARROW = re.compile(r"[\u200b\u2060\u00ad]")
_MARGIN_PT = 1.0
_ROUTES = ("native", "complex")


def check_tables(
    document: Document,
    path: Path,
    password: str | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Document:
    """The document, its pages with doubtful tables flagged "table_numbers:<numbers>".

    Args:
        path: the PDF; other formats say themselves what is in a cell.
        progress: called now and then; may raise to stop.
    """
    tables = {
        page.number: [block for block in page.blocks if block.kind == "table" and block.rows]
        for page in document.pages
        if page.route in _ROUTES
    }
    numbers = [number for number, blocks in tables.items() if blocks]
    if document.media_type != PDF or not numbers:
        return document
    doubts = _doubts(document.pages, tables, numbers, path, password, progress)
    sure = _confirmed(doubts, path, password, progress)
    pages = tuple(_flagged(page, sure.get(page.number, [])) for page in document.pages)
    flags = [flag for page in pages for flag in page.flags if flag.startswith(FLAG)]
    flags = [FLAG] if flags else []
    return document.model_copy(
        update={"pages": pages, "flags": tuple(dict.fromkeys((*document.flags, *flags)))}
    )


class _Doubt:
    """A page's numbers that only the table has, and those that only the page has."""

    def __init__(self, invented: Sequence[str], lost: Sequence[str]) -> None:
        self.invented = list(dict.fromkeys(invented))
        self.lost = list(dict.fromkeys(lost))


def _doubts(
    pages: Sequence[Page],
    tables: dict[int, list[Block]],
    numbers: Sequence[int],
    path: Path,
    password: str | None,
    progress: Callable[[], None],
) -> dict[int, _Doubt]:
    from rag.ingest.mupdf import LOCK, open_pdf

    by_number = {page.number: page for page in pages}
    texts: dict[int, str] = {}
    inside: dict[int, list[str]] = {}
    with LOCK:
        pdf = open_pdf(path, password)
        try:
            for number in numbers:
                progress()
                page = pdf[number - 1]
                texts[number] = _squeezed(page.get_text())
                turned = page.rotation or "rotated" in by_number[number].flags
                inside[number] = [] if turned else _within(page, tables[number])
        finally:
            pdf.close()
    # Headers are repeated on the pages that a table goes on to.
    everything = "\n".join(texts.values())
    found: dict[int, _Doubt] = {}
    for number in numbers:
        rows = [row for block in tables[number] for row in block.rows or ()]
        own = "\n".join(cell for row in rows for cell in row)
        whole = _squeezed("\n".join(block.text for block in by_number[number].blocks) + own)
        doubt = _Doubt(
            [n for n in _numbers_of(own) if n not in texts[number] and n not in everything],
            [n for n in inside[number] if not _is_in(n, whole)],
        )
        if doubt.invented or doubt.lost:
            found[number] = doubt
    return found


def _is_in(number: str, text: str) -> bool:
    """Whether the text has a number, or both parts of two that touch on the page."""
    if number in text:
        return True
    parts = ((number[:at], number[at:]) for at in range(_LEAST_DIGITS, len(number)))
    return any(all(_digits(p) >= _LEAST_DIGITS and p in text for p in pair) for pair in parts)


def _within(page: Any, tables: Sequence[Block]) -> list[str]:
    """The numbers that the page shows inside the frames of its tables."""
    words = page.get_text("words")
    frames = [block.bbox for block in tables if block.bbox is not None]
    lines: dict[tuple[int, int], list[str]] = {}
    for x0, y0, x1, y1, text, block, line, _ in words:
        if any(_is_inside((x0, y0, x1, y1), frame) for frame in frames):
            lines.setdefault((block, line), []).append(text)
    return [number for parts in lines.values() for part in parts for number in _numbers_of(part)]


def _is_inside(box: BBox, frame: BBox) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    inner = (frame[0] + _MARGIN_PT, frame[1] + _MARGIN_PT, frame[2], frame[3])
    return inner[0] < x < inner[2] - _MARGIN_PT and inner[1] < y < inner[3] - _MARGIN_PT


def _confirmed(
    doubts: dict[int, _Doubt], path: Path, password: str | None, progress: Callable[[], None]
) -> dict[int, list[str]]:
    """The doubtful numbers of each page that pdfplumber doesn't clear up."""
    if not doubts:
        return {}
    kept: dict[int, list[str]] = {}
    asked = list(doubts)[:MOST_PAGES]
    try:
        import pdfplumber

        logging.getLogger("pdfminer").setLevel(logging.CRITICAL)
        with pdfplumber.open(path, password=password or "") as pdf:
            for number in asked:
                progress()
                page = pdf.pages[number - 1]
                text = _squeezed(page.extract_text() or "")
                page.close()
                doubt = doubts[number]
                kept[number] = [n for n in doubt.invented if n not in text]
                kept[number] += [n for n in doubt.lost if n in text]
    except Exception:  # it fails on files that MuPDF reads; then the doubt stands
        return {number: doubts[number].invented + doubts[number].lost for number in asked}
    return kept


def _flagged(page: Page, doubtful: Sequence[str]) -> Page:
    if not doubtful:
        return page
    flag = f"{FLAG}:{'、'.join(doubtful[:SHOWN])}"
    return page.model_copy(update={"flags": (*page.flags, flag)})


def _numbers_of(text: str) -> list[str]:
    found = _NUMBER.findall(_NARROW.sub("", text))
    return [number for number in found if _digits(number) >= _LEAST_DIGITS]


def _digits(number: str) -> int:
    return sum(character.isdigit() for character in number)


def _squeezed(text: str) -> str:
    return "".join(_NARROW.sub("", text).split())
