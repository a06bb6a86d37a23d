"""Reads files in a process of its own, so that none of them can take the program along.

A damaged or hostile file may crash a parser's C code, hang it, or ask for all memory. Here
that ends one child process, and the document fails with the number of the page. It also keeps
the interpreter of the chat free of the parsers' work. The child is a plain subprocess
(`python -m rag.ingest.isolate_child`) rather than multiprocessing's, which would run the main
script again. It protects from faults; it is no sandbox against code.
"""

from __future__ import annotations

import atexit
import logging
import queue
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rag.errors import CorruptDocument, DocumentError, TooLarge
from rag.ingest.failures import Cancelled
from rag.ingest.formats import PDF
from rag.ingest.inspect import Inspection
from rag.ingest.isolate_process import Child, Pool
from rag.settings import IngestSettings
from rag.types import Document, DocumentMetadata, Page, PageDecision, PageRoute

log = logging.getLogger(__name__)

Progress = Callable[[float], None]

MEMORY_MB = 3072
"""Most resident memory of a child in MiB: three times what text recognition needs. Chosen by
us."""
MOST_GIVEN_UP = 3
"""Pages of one document that are given up; each costs another reading. Chosen by us."""
SECONDS_PER_MB = 2.0
"""Added to the patience for each MiB of a file without pages, whose parsers report rarely."""
CONVERSION_S = 260.0
"""Patience while another program converts the file; it has a limit of its own below this."""

_POLL_S = 0.1


@dataclass(frozen=True)
class Reading:
    """What became of a file: the document, judged and with editors' decisions applied; those
    decisions with the keys of their pages; what rules found about it."""

    document: Document
    decisions: tuple[PageDecision, ...]
    found: DocumentMetadata


def inspect_isolated(
    path: Path,
    settings: IngestSettings,
    *,
    name: str,
    cancelled: Callable[[], bool] | None = None,
) -> Inspection:
    """`rag.ingest.inspect.inspect` in a child process.

    Raises:
        Cancelled: `cancelled` said so.
        DocumentError: it cannot be read, crashed or hung the child.
    """
    request = {"path": path, "settings": settings, "name": name}
    call = _Call(_patience(path, settings, None), None, cancelled)
    return call.run("inspect", request)


def read_isolated(
    path: Path,
    inspection: Inspection,
    *,
    name: str,
    settings: IngestSettings,
    password: str | None = None,
    routes: Mapping[int, PageRoute] | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    decisions: Sequence[PageDecision] = (),
    same_file: bool = True,
    facts: DocumentMetadata | None = None,
) -> Reading:
    """Parse, clean, judge and describe a file in a child process: all that takes long in
    Python itself is done where it keeps no chat waiting.

    A page of a PDF that crashes or hangs the child is given up: the file is read once more
    with that page as a picture, and the page flagged `skipped_page`.

    Args:
        progress: called with 0..1 as pages are done; may raise to stop.
        cancelled: asked ten times a second; the child is killed at once.
        decisions: what editors decided about the pages; those without a route are applied.
        same_file: see `rag.ingest.quality.apply_decisions`.
        facts: what the file's source knows; what the file states itself comes first.

    Returns:
        The document with its quality; pages that a PDF should have and the parser lost are
        there, empty and flagged `failed_page`.

    Raises:
        Cancelled: `cancelled` said so.
        DocumentError: it cannot be read; or the child crashed, needed too much memory, or made
            no progress for `page_timeout_s`, and the message names the page.
    """
    given_up: dict[int, PageRoute] = {}
    while True:
        request = {
            "path": path, "inspection": inspection, "name": name, "settings": settings,
            "password": password, "routes": {**(routes or {}), **given_up},
            "decisions": tuple(decisions), "same_file": same_file, "facts": facts,
            "given_up": tuple(given_up),
        }  # fmt: skip
        patience_s = _patience(path, settings, inspection)
        call = _Call(patience_s, progress, cancelled, inspection.page_count)
        try:
            reading: Reading = call.run("parse", request)
        except DocumentError as error:
            page = call.failed_page if inspection.media_type == PDF else None
            if page is None or page in given_up or len(given_up) >= MOST_GIVEN_UP:
                raise
            log.warning("page %d is read as a picture: %s", page, error.message)
            given_up[page] = "scanned"
            continue
        document = reading.document.model_copy(update={"pages": tuple(call.pages)})
        return replace(reading, document=document)


def parse_isolated(path: Path, inspection: Inspection, **options: Any) -> Document:
    """The document alone of `read_isolated`, whose options and errors these are."""
    return read_isolated(path, inspection, **options).document


def close_children() -> None:
    """End the children that wait for work; those at work end with their work."""
    _POOL.close()


def _patience(path: Path, settings: IngestSettings, inspection: Inspection | None) -> float:
    """Seconds without progress after which the child is given up."""
    if inspection is not None and getattr(inspection, "convert_from", None) is not None:
        return max(settings.page_timeout_s, CONVERSION_S)
    if inspection is not None and inspection.page_count:
        return settings.page_timeout_s
    return settings.page_timeout_s + SECONDS_PER_MB * path.stat().st_size / (1 << 20)


class _Call:
    """One request to a child, from sending it to its last message."""

    def __init__(
        self,
        patience_s: float,
        progress: Progress | None,
        cancelled: Callable[[], bool] | None,
        page_count: int | None = None,
    ) -> None:
        self._patience_s = patience_s
        self._progress = progress
        self._cancelled = cancelled
        self._page_count = page_count
        self._share = 0.0
        self.failed_page: int | None = None
        self.pages: list[Page] = []

    def run(self, work: str, request: dict[str, Any]) -> Any:
        child = _POOL.take()
        try:
            child.send((work, request, self._patience_s))
            kind, value = self._follow(child)
        except BaseException:
            child.kill()
            raise
        _POOL.give(child)
        if kind == "error":
            raise value
        return value

    def _follow(self, child: Child) -> tuple[str, Any]:
        """The last message; pages and progress before it are taken in on the way."""
        heard = time.monotonic()
        while True:
            if self._cancelled is not None and self._cancelled():
                raise Cancelled
            try:
                kind, value = child.messages.get(timeout=_POLL_S)
            except queue.Empty:
                if time.monotonic() - heard > self._patience_s:
                    self.failed_page = self._page()
                    raise self._hung() from None
                if child.memory_mb() > MEMORY_MB:
                    raise self._too_big() from None
                continue
            if kind == "progress":
                # The same share again is a sign of life, not of progress; the parsers that
                # wait for something else (a conversion) send it on purpose.
                heard, self._share = time.monotonic(), value
                if self._progress is not None:
                    self._progress(value)
            elif kind == "pages":
                heard = time.monotonic()
                self.pages.extend(value)
            elif kind == "memory":
                raise self._too_big()
            elif kind == "gone":
                self.failed_page = self._page()
                raise self._crashed(child.return_code())
            else:
                return kind, value

    def _page(self) -> int | None:
        """The page that was being read; None when unknown."""
        if not self._page_count:
            return None
        return min(round(self._share * self._page_count) + 1, self._page_count)

    def _where(self) -> tuple[str, str]:
        """The same in words, in Chinese and English; empty when unknown."""
        page = self._page()
        return (f"第 {page} 页", f" page {page}") if page else ("", "")

    def _hung(self) -> DocumentError:
        zh, en = self._where()
        return DocumentError(
            f"读取{zh or '文件'}时超过 {self._patience_s:.0f} 秒没有进展，已停止处理。",
            f"请打开核对{zh or '文件'}的内容，删去该页或另存为新的文件后重新上传。",
            message_en=f"Reading{en or ' the file'} made no progress for "
            f"{self._patience_s:.0f} seconds and was stopped.",
            remedy_en=f"Look at{en or ' the file'}, remove it or save the file anew, "
            "and upload that.",
            detail=f"no progress at {self._share:.3f}",
        )

    def _crashed(self, code: int | None) -> CorruptDocument:
        zh, en = self._where()
        log.warning("the child that read a file ended with %s", code)
        return CorruptDocument(
            f"读取{zh or '文件'}时解析程序崩溃，文件可能已损坏。",
            "请用相应的软件打开并另存一份，再重新上传。",
            message_en=f"Reading{en or ' the file'} crashed the parser; "
            "the file is probably damaged.",
            remedy_en="Open it in its program, save a copy and upload that.",
            detail=f"exit status {code} at {self._share:.3f}",
        )

    def _too_big(self) -> TooLarge:
        zh, en = self._where()
        return TooLarge(
            f"读取{zh or '文件'}需要的内存超过 {MEMORY_MB} MB，已停止处理。",
            "请拆分文件，或降低其中图片的分辨率后重新上传。",
            message_en=f"Reading{en or ' the file'} needs more than {MEMORY_MB} MB of memory.",
            remedy_en="Split the file or reduce its pictures, and upload that.",
        )


_POOL = Pool()
atexit.register(close_children)
