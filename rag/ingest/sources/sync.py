"""Makes a knowledge base agree with a source: the same for folders, sites and databases.

What is new or changed goes into the job queue, where it is read, retried and shown like an
upload; what moved keeps its document; what is gone is hidden, removed or kept. Everything
that was found is written down as an item, so that the next look tells what changed.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import NotFound, ZhiwenError
from rag.ingest.files import StoredFile
from rag.ingest.sources.found import Found, Look
from rag.store.clock import Clock, utc_now
from rag.types import DocumentInfo, JobInfo, Source, SourceItem

if TYPE_CHECKING:
    from rag.ingest.jobs import JobQueue
    from rag.ingest.pipeline import Pipeline
    from rag.store.catalog import Catalog

log = logging.getLogger(__name__)

GONE = "gone"
"""Stamp of an item whose document is hidden because it is gone from the source."""
MOST_AT_ONCE = 200
"""Files queued by one look; the next one goes on. Chosen by us: a huge folder doesn't fill
the queue before the first file is read."""
SUSPICIOUS = 10
"""Known things from which "all gone at once" is more likely a disk that isn't mounted than a
folder that was emptied; chosen by us."""


@dataclass(frozen=True)
class SyncReport:
    """What one synchronisation did, in numbers of things at the source. `passed_over` are
    those that we don't take; `unfinished` says that the next one goes on."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: int = 0
    passed_over: int = 0
    unfinished: bool = False


class Synchroniser:
    """Brings documents into line with looks at sources. One look of a source at a time."""

    def __init__(
        self, catalog: Catalog, pipeline: Pipeline, jobs: JobQueue, now: Clock = utc_now
    ) -> None:
        self._catalog = catalog
        self._pipeline = pipeline
        self._jobs = jobs
        self._now = now

    def settle(self, source_id: str) -> bool:
        """Write down what became of queued items; whether some are still on their way."""
        waiting = False
        for item in self._catalog.sources.items(source_id):
            if item.job_id is not None:
                waiting |= self._settled(item).job_id is not None and item.error is None
        return waiting

    def run(self, source: Source, look: Look, stop: threading.Event) -> SyncReport:
        """Compare what exists with what is known, and act.

        Raises:
            ZhiwenError, OSError: the source cannot be looked at; what was done stays.
        """
        return _Run(self, source, look, stop).report()

    # --- Items and their documents ----------------------------------------------------

    def save(self, item: SourceItem) -> SourceItem:
        """Write an item with the present time."""
        item = item.model_copy(update={"seen_at": self._now()})
        self._catalog.sources.save_item(item)
        return item

    def document(self, item: SourceItem | None) -> DocumentInfo | None:
        """The item's document, or None when there is none (any more)."""
        if item is None or item.document_id is None:
            return None
        try:
            return self._catalog.documents.get(item.document_id)
        except NotFound:
            return None

    def job(self, item: SourceItem) -> JobInfo | None:
        """The item's job, or None when there is none (any more)."""
        try:
            return self._catalog.jobs.get(item.job_id) if item.job_id else None
        except NotFound:
            return None

    def _settled(self, item: SourceItem) -> SourceItem:
        job = self.job(item)
        if job is None:
            return self.save(item.model_copy(update={"job_id": None})) if item.job_id else item
        document_id = job.document_id or item.document_id
        if job.status == "done":
            update = {"document_id": document_id, "job_id": None, "error": None}
        elif job.status in ("failed", "cancelled"):
            # The job stays linked: people may retry it from the list of failures.
            error = job.error or "处理被取消。"
            update = {"document_id": document_id, "error": error}
        else:
            update = {"document_id": document_id, "error": None}
        changed = item.model_copy(update=update)
        return self.save(changed) if changed != item else item

    def cancel(self, item: SourceItem) -> None:
        """Cancel the item's job when it is not over."""
        job = self.job(item)
        if job is not None and job.status in ("queued", "running"):
            self._jobs.cancel(job.id)

    def submit(
        self, source: Source, found: Found, stored: StoredFile, old: SourceItem | None
    ) -> str:
        """Queue content; returns the job's id.

        Args:
            old: the item whose document it is the new content of.
        """
        own = self.document(old)
        if own is not None and own.source_id != source.id:
            own = None  # somebody uploaded the same content; it is theirs
        name = self._name(source, found.name, own)
        job = self._jobs.submit(
            stored.path,
            source.kb_id,
            name,
            uploaded_by=source.name,
            source_id=source.id,
            stated=dict(found.stated),
            document_id=own.id if own else None,
        )
        return job.id

    def _name(self, source: Source, name: str, own: DocumentInfo | None) -> str:
        """The document's name: that of the file, behind the source's where another document
        has it, which would otherwise be replaced."""
        other = self._catalog.documents.find_by_name(source.kb_id, name)
        taken = other is not None and other.source_id != source.id
        return f"{source.name}/{name}" if taken and other != own else name

    def put(self, content: bytes | Path, name: str) -> StoredFile:
        """Keep content in the file store."""
        data = BytesIO(content) if isinstance(content, bytes) else content
        return self._pipeline.files.put(data, name)

    def release(self, sha256: str) -> None:
        """Drop content that nothing refers to."""
        self._pipeline.release_file(sha256)

    def hide(self, info: DocumentInfo, hidden: bool) -> None:
        """Hide a document, or show it again."""
        if info.hidden != hidden:
            self._pipeline.set_hidden([info.id], hidden)

    def delete(self, info: DocumentInfo) -> None:
        """Delete a document."""
        self._pipeline.delete_document(info.id)

    def forget(self, item: SourceItem) -> None:
        """Drop an item."""
        self._catalog.sources.remove_item(item.source_id, item.key)

    def items(self, source: Source) -> dict[str, SourceItem]:
        """All items by key, with what became of their jobs."""
        return {item.key: self._settled(item) for item in self._catalog.sources.items(source.id)}


class _Run:
    """One synchronisation."""

    def __init__(
        self, parts: Synchroniser, source: Source, look: Look, stop: threading.Event
    ) -> None:
        self._parts = parts
        self._source = source
        self._look = look
        self._stop = stop
        self._known = parts.items(source)
        self._counts: Counter[str] = Counter()
        self._submitted = 0
        self._moved_from: set[str] = set()

    def report(self) -> SyncReport:
        seen: set[str] = set()
        vanished = self._vanished()
        unfinished = False
        for found in self._look.found:
            if self._stop.is_set() or self._submitted >= MOST_AT_ONCE:
                unfinished = True
                break
            if not found.passed_over:
                seen.add(found.key)
            self._counts[self._take(found, vanished)] += 1
        if not unfinished and not self._stop.is_set():
            # Only now: what is gone from one place may have been found at another.
            self._remove_all(seen if self._look.listing is None else self._look.listing)
        return SyncReport(**self._counts, unfinished=unfinished)

    # --- What exists ------------------------------------------------------------------

    def _take(self, found: Found, vanished: dict[str, SourceItem]) -> str:
        """Act on one thing; the name of the report's field that counts it."""
        item = self._known.get(found.key)
        if found.passed_over:
            return "passed_over"
        if found.gone:
            return self._gone(item) if item is not None and item.stamp != GONE else "passed_over"
        if found.error:
            self._note(found.key, item, found.error)
            return "failed"
        if found.content is None or (item is not None and self._is_as_it_was(item, found)):
            return self._back(item, found.stamp) if item is not None else "passed_over"
        try:
            return self._read(found, item, vanished)
        except FileNotFoundError:
            return "passed_over"  # deleted since the look began
        except (OSError, ZhiwenError) as error:
            text = error.message if isinstance(error, ZhiwenError) else "文件无法读取。"
            log.info("%s of source %s: %s", found.key, self._source.id, error)
            self._note(found.key, item, text)
            return "failed"

    def _is_as_it_was(self, item: SourceItem, found: Found) -> bool:
        """Whether its content was taken and its stamp is the same. What a job failed to read is
        tried again when it changes, or by people."""
        taken = item.document_id is not None or item.job_id is not None
        return bool(found.stamp) and item.stamp == found.stamp and taken

    def _read(self, found: Found, item: SourceItem | None, vanished: dict[str, SourceItem]) -> str:
        assert found.content is not None
        stored = self._parts.put(found.content(), found.name)
        digest = found.digest or stored.sha256
        document = self._parts.document(item)
        on_its_way = item is not None and item.job_id is not None
        if item is not None and item.sha256 == digest and (document or on_its_way):
            if document is not None and document.sha256 != stored.sha256:
                self._parts.release(stored.sha256)
            return self._back(item, found.stamp)
        moved = vanished.pop(digest, None) if item is None else None
        old = moved or item
        if old is not None:
            self._parts.cancel(old)
            self._free_others(old)
        job_id = self._parts.submit(self._source, found, stored, old)
        self._submitted += 1
        returned = self._parts.document(old) if old and old.stamp == GONE else None
        if returned is not None:
            self._parts.hide(returned, False)
        if moved is not None:
            self._parts.forget(moved)
            self._moved_from.add(moved.key)
        new = SourceItem(
            source_id=self._source.id,
            key=found.key,
            stamp=found.stamp,
            sha256=digest,
            document_id=old.document_id if old else None,
            job_id=job_id,
            seen_at=datetime.min,
        )
        try:
            self._known[found.key] = self._parts.save(new)
        except NotFound:
            self._parts.cancel(new)  # the source was deleted meanwhile
            raise
        return "moved" if moved else "changed" if item is not None else "added"

    def _back(self, item: SourceItem, stamp: str) -> str:
        """An item whose content is what it was; shown again when it had been gone."""
        returned = item.stamp == GONE
        document = self._parts.document(item) if returned else None
        if document is not None:
            self._parts.hide(document, False)
        error = item.error if item.job_id else None
        if item.stamp != stamp or item.error != error:
            self._parts.save(item.model_copy(update={"stamp": stamp, "error": error}))
        return "changed" if returned else "unchanged"

    def _note(self, key: str, item: SourceItem | None, error: str) -> None:
        """Write down why something cannot be taken at the moment; its document stays."""
        if item is None:
            item = SourceItem(source_id=self._source.id, key=key, seen_at=datetime.min)
        if item.error != error:
            self._parts.save(item.model_copy(update={"error": error}))

    def _free_others(self, item: SourceItem) -> None:
        """Let others that had the same content, and so the same document, get one of their
        own at the next look."""
        for other in self._sharing(item):
            freed = {"stamp": "", "sha256": "", "document_id": None, "job_id": None}
            self._known[other.key] = self._parts.save(other.model_copy(update=freed))

    def _sharing(self, item: SourceItem) -> list[SourceItem]:
        return [
            other
            for other in self._known.values()
            if other.key != item.key
            and other.stamp != GONE
            and item.document_id is not None
            and other.document_id == item.document_id
        ]

    # --- What is gone -----------------------------------------------------------------

    def _vanished(self) -> dict[str, SourceItem]:
        """Items that are gone for certain, by their content, to be found again elsewhere."""
        listing = self._look.listing
        if listing is None:
            return {}
        return {
            item.sha256: item
            for item in self._known.values()
            if item.key not in listing
            and item.sha256
            and item.document_id is not None
            and not self._look.unseen(item.key)
            and not self._sharing(item)
        }

    def _remove_all(self, exists: frozenset[str] | set[str]) -> None:
        gone = [
            item
            for key, item in self._known.items()
            if key not in exists and key not in self._moved_from and not self._look.unseen(key)
        ]
        alive = [item for item in self._known.values() if item.stamp != GONE]
        suspicious = not exists and len(alive) >= SUSPICIOUS
        for item in gone:
            if self._stop.is_set():
                return
            if item.stamp != GONE:
                self._counts[self._gone(item, gently=suspicious)] += 1

    def _gone(self, item: SourceItem, gently: bool = False) -> str:
        """Act on something that doesn't exist any more, as the source is configured.

        Args:
            gently: nothing is deleted, only hidden.
        """
        try:
            self._parts.cancel(item)
            document = self._parts.document(item)
            ours = document is not None and document.source_id == self._source.id
            removal = str(self._source.config.get("removal", "hide"))
            if document is None or not ours or self._sharing(item) or removal == "keep":
                self._parts.forget(item)
            elif document.version == 0 or (removal == "remove" and not gently):
                self._parts.delete(document)
                self._parts.forget(item)
            else:
                self._parts.hide(document, True)
                changed = {"stamp": GONE, "job_id": None, "error": None}
                self._parts.save(item.model_copy(update=changed))
        except ZhiwenError as error:
            self._note(item.key, item, error.message)
            return "failed"
        return "removed"


def known_items(items: Mapping[str, SourceItem]) -> dict[str, SourceItem]:
    """Those that exist as far as we know."""
    return {key: item for key, item in items.items() if item.stamp != GONE}
