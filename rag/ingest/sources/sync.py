"""Makes a knowledge base agree with a source: the same for folders, sites and databases.

What is new or changed goes into the job queue, where it is read, retried and shown like an
upload; what moved keeps its document; what is gone is hidden, removed or kept. Everything
that was found is written down as an item, so that the next look tells what changed.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import NotFound
from rag.ingest.files import StoredFile
from rag.ingest.sources.found import Found, Look
from rag.ingest.sources.sync_run import GONE, SyncReport, SyncRun
from rag.store.clock import Clock, utc_now
from rag.types import DocumentInfo, JobInfo, Source, SourceChanges, SourceItem, Told

if TYPE_CHECKING:
    from rag.ingest.jobs import JobQueue
    from rag.ingest.pipeline import Pipeline
    from rag.store.catalog import Catalog


__all__ = ["GONE", "SyncReport", "Synchroniser", "known_items"]


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
        return SyncRun(self, source, look, stop).report()

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
            error = job.error or Told("处理被取消。", "Processing was cancelled.")
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

    def drop_new_version(self, info: DocumentInfo) -> None:
        """Delete the new version that waits beside a document, when there is one."""
        new = self._catalog.documents.new_version(info.id)
        if new is not None:
            self.delete(new)

    def forget(self, item: SourceItem) -> None:
        """Drop an item."""
        self._catalog.sources.remove_item(item.source_id, item.key)

    def note_look(self, source: Source, found: int, report: SyncReport, failed: int) -> None:
        """Write down what a look found and did, for people.

        Args:
            found: how many things exist.
            failed: how many of them could not be taken for a new reason.
        """
        counts = {name: getattr(report, name) for name in ("added", "changed", "moved", "removed")}
        counts["failed"] = failed
        changes = None
        if any(counts.values()):
            before = source.last_changes if source.unfinished else None
            if before is not None:
                counts = {name: n + getattr(before, name) for name, n in counts.items()}
            changes = SourceChanges(at=self._now(), **counts)
        self._catalog.sources.note_look(source.id, found, report.unfinished, changes)

    def items(self, source: Source) -> dict[str, SourceItem]:
        """All items by key, with what became of their jobs."""
        return {item.key: self._settled(item) for item in self._catalog.sources.items(source.id)}


def known_items(items: Mapping[str, SourceItem]) -> dict[str, SourceItem]:
    """Those that exist as far as we know."""
    return {key: item for key, item in items.items() if item.stamp != GONE}
