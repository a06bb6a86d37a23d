"""Reads the pages of a PDF one by one, each by the route that suits it.

MuPDF's lock is held only while a page is read or drawn, never during recognition, so that
people can look at other PDFs meanwhile.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.ingest.clean_running import is_page_number
from rag.ingest.mupdf import LOCK, damaged_pdf
from rag.ingest.ocr import OcrResult, available, recognise
from rag.ingest.parse import pdf_scan
from rag.ingest.parse.pdf_abnormal import mend
from rag.ingest.parse.pdf_extractors import Extractors
from rag.ingest.parse.pdf_glyphs import Glyphs, verdict_of
from rag.ingest.parse.pdf_page import PageText, read_page
from rag.ingest.parse.pdf_route import INVISIBLE_SHARE, is_abnormal, left_out, noted, route_of
from rag.ingest.parse.pdf_scan import View
from rag.ingest.parse.pdf_tables import find_tables
from rag.settings import IngestSettings
from rag.types import PageRoute

if TYPE_CHECKING:
    from rag.ingest.parse.pdf_tables import FoundTable

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Picture:
    """A recognised picture of a mixed page; its view without the pixels."""

    view: View
    result: OcrResult


@dataclass(slots=True)
class Reading:
    """A page as it was read: its text and tables, the route taken and what was noticed."""

    text: PageText
    route: PageRoute
    tables: list[FoundTable] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)


class PdfReader:
    """Reads pages of one open document. `close` it; the document stays open."""

    def __init__(
        self,
        module: Any,
        document: Any,
        path: Path,
        settings: IngestSettings,
        password: str | None,
        routes: Mapping[int, PageRoute],
    ) -> None:
        self._module = module
        self._document = document
        self._settings = settings
        self._routes = routes
        self._extractors = Extractors(path, password)
        self._no_ocr = available(settings) is not None
        self._known: dict[str, OcrResult] = {}

    def close(self) -> None:
        """Close what second opinions have opened."""
        self._extractors.close()

    def read(self, number: int) -> Reading:
        """Read the page with this number, from 1.

        Raises:
            CorruptDocument: it is the document's only page and cannot be read at all.
        """
        forced = self._routes.get(number)
        try:
            with LOCK:
                page = self._document[number - 1]
                reading = self._begin(page, number, forced)
                views = self._views(page, reading)
        except (RuntimeError, ValueError) as error:
            return self._failed(number, error)
        finish = {
            "scanned": self._finish_scan,
            "mixed": self._finish_mixed,
            "abnormal": self._finish_abnormal,
        }.get(reading.route)
        if finish is not None:
            finish(page, reading, views)
        if forced is not None and reading.route == forced:
            text, pictures = reading.text, bool(reading.pictures)
            tables = bool(reading.tables)
            missed = left_out(text, forced, tables=tables, pictures=pictures)
            reading.flags.extend(flag for flag in missed if flag not in reading.flags)
        reading.flags = [*noted(reading.text), *reading.flags]
        return reading

    def _begin(self, page: Any, number: int, forced: PageRoute | None) -> Reading:
        if forced == "scanned":
            # Nothing else of the page is touched: its text may be what hangs or crashes.
            rotation = int(page.rotation)
            page.remove_rotation()
            return Reading(_empty(page, number, rotation), "scanned")
        text = read_page(self._module, page)
        abnormal = is_abnormal(text) if forced is None else forced == "abnormal"
        if abnormal:
            by_font = read_page(self._module, page, by_font=True)
            by_font.rotation, by_font.turned = text.rotation, text.turned
            by_font.unembedded = frozenset(
                str(font[3]).split("+")[-1]
                for font in page.get_fonts(full=True)
                if font[1] == "n/a"
            )
            return Reading(by_font, "abnormal")
        if not text.segments:
            text.drawings = len(page.get_cdrawings())
            return Reading(text, forced or route_of(text, tables=False))
        tables = find_tables(page, text)
        return Reading(text, forced or route_of(text, tables=bool(tables)), tables)

    def _views(self, page: Any, reading: Reading) -> list[View]:
        """What of the page must be looked at."""
        if self._no_ocr or reading.route not in ("scanned", "mixed", "abnormal"):
            return []
        if reading.route == "mixed":
            return pdf_scan.draw_pictures(self._module, page, self._settings.ocr_dpi)
        return [pdf_scan.draw(self._module, page, self._settings.ocr_dpi)]

    def _finish_scan(self, page: Any, reading: Reading, views: list[View]) -> None:
        del page
        text = reading.text
        result = self._recognise(views[0], reading) if views else None
        if result is not None and result.lines:
            reading.tables = pdf_scan.lay_scan(text, result, views[0])
            reading.flags.extend(("recognised", *result.doubts))
        if not reading.tables and all(is_page_number(s.text) for s in text.segments):
            text.segments = []
        if "recognised" in reading.flags and (text.segments or reading.tables):
            return
        reading.flags = [flag for flag in reading.flags if flag != "recognised"]
        hidden = " ".join(segment.text for segment in text.hidden)
        if self._no_ocr and text.invisible_share > INVISIBLE_SHARE and _is_good(hidden):
            text.segments = [*text.segments, *text.hidden]
            text.hidden = []
            reading.flags.append("hidden_layer")
            return
        reading.flags.append("no_text")
        if self._no_ocr:
            reading.flags.append("ocr_off")

    def _finish_mixed(self, page: Any, reading: Reading, views: list[View]) -> None:
        del page
        if self._no_ocr:
            reading.flags.extend(("image_text", "ocr_off"))
            return
        weights = [0.0, 0.0]
        for view in views:
            result = self._known.get(view.key) if view.key else None
            if result is None:
                result = self._recognise(view, reading)
            if result is None:
                continue
            if view.key:
                self._known[view.key] = result
            result = pdf_scan.without_native(result, view, reading.text)
            if result.lines:
                reading.flags.extend(result.doubts)
                letters = sum(len(line.text) for line in result.lines)
                weights[0] += letters
                weights[1] += letters * (result.confidence or 0.0)
                place = View(view.pixels[:0], view.bbox, view.scale, view.key)
                reading.pictures.append(Picture(place, result))
        if weights[0]:
            reading.text.confidence = weights[1] / weights[0]

    def _finish_abnormal(self, page: Any, reading: Reading, views: list[View]) -> None:
        text = reading.text
        result = self._recognise(views[0], reading) if views else None
        scale = views[0].scale if views else 1.0
        mended = mend(text, self._extractors, result, scale)
        text.segments = mended.segments
        if mended.outcome == "right":
            reading.route = "native"
        elif mended.outcome == "mended":
            reading.flags.append("mended_text")
            text.confidence = result.confidence if result is not None else None
            reading.flags.extend(result.doubts if result is not None else ())
        else:
            doubtful = mended.outcome == "kept" and text.glyphs.verdict() == "doubtful"
            reading.flags.append("doubtful_text" if doubtful else "garbled")
        if self._no_ocr and mended.outcome != "mended":
            reading.flags.append("ocr_off")
        if result is not None and result.rotation:
            reading.tables = pdf_scan.lay_scan(text, result, views[0])
        elif text.segments:
            with LOCK:
                reading.tables = find_tables(page, text)

    def _failed(self, number: int, error: Exception) -> Reading:
        """A page that cannot be read as text, looked at instead where that is possible."""
        try:
            with LOCK:
                page = self._document[number - 1]
                reading = Reading(_empty(page, number, int(page.rotation)), "scanned")
                page.remove_rotation()
                views = self._views(page, reading)
            self._finish_scan(page, reading, views)
        except (RuntimeError, ValueError):
            reading = Reading(PageText(number, 0.0, 0.0, 0, [], Glyphs()), "abnormal")
        if not reading.text.segments and not reading.tables:
            if self._document.page_count == 1:
                raise damaged_pdf(str(error)) from error
            reading.route = "abnormal"
            reading.flags = []
        reading.flags.append("failed_page")
        return reading

    def _recognise(self, view: View, reading: Reading) -> OcrResult | None:
        """Recognition of a view; a failure of the engine costs this page only."""
        try:
            return recognise(view.pixels, self._settings, detail=view.detail)
        except Exception:
            log.exception("recognition failed on page %d", reading.text.number)
            reading.flags.append("ocr_failed")
            return None


def _empty(page: Any, number: int, rotation: int) -> PageText:
    rect = page.rect
    return PageText(number, float(rect.width), float(rect.height), rotation, [], Glyphs())


def _is_good(text: str) -> bool:
    return bool(text.strip()) and verdict_of(text) == "good"
