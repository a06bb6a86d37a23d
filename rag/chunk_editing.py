"""Editing single chunks: what editors change is indexed before the call returns.

Part of `rag.curation`. An edit is kept apart from the automatic cut (`rag.ingest.edits`), so
that it survives each new parse; only chunks whose text changed are embedded again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from rag.access.audit import Audit
from rag.access.rights import Rights
from rag.errors import InvalidInput, NotFound
from rag.ingest import edits
from rag.ingest.claims import Claims
from rag.ingest.files import FileStore
from rag.ingest.jobs import JobQueue
from rag.ingest.pipeline import Pipeline
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.store.clock import Clock, utc_now
from rag.types import Chunk, ChunkEdit, DocumentInfo, DocumentOptions, Person

Edits = tuple[ChunkEdit, ...]


class ChunkEditing:
    """The part of the curation that changes single chunks. Thread-safe.

    Args:
        now: the clock.
    """

    def __init__(
        self,
        catalog: Catalog,
        pipeline: Pipeline,
        jobs: JobQueue,
        files: FileStore,
        audit: Audit,
        settings: Callable[[], Settings],
        now: Clock = utc_now,
    ) -> None:
        self._catalog = catalog
        self._pipeline = pipeline
        self._jobs = jobs
        self._files = files
        self._audit = audit
        self._now = now
        self._rights = Rights(catalog, audit, settings)
        self._claims = Claims()

    def edit_chunk(self, person: Person, chunk_id: str, text: str) -> DocumentInfo:
        """Give a chunk another text; its document as it is then.

        Raises:
            InvalidInput: the text is blank, the chunk is a parent, or the document is being
                processed.
            ModelError, StoreError: nothing was changed.
        """
        return self._edit(
            person,
            [chunk_id],
            "chunk.edit",
            lambda chunks, kept, by, at: edits.with_text(
                chunks, kept, chunk_id, text, by=by, at=at
            ),
        )

    def split_chunk(self, person: Person, chunk_id: str, positions: Sequence[int]) -> DocumentInfo:
        """Split a chunk at character positions of its text. Otherwise as `edit_chunk`."""
        return self._edit(
            person,
            [chunk_id],
            "chunk.split",
            lambda chunks, kept, by, at: edits.with_split(
                chunks, kept, chunk_id, positions, by=by, at=at
            ),
        )

    def merge_chunks(self, person: Person, chunk_ids: Sequence[str]) -> DocumentInfo:
        """Make one chunk of neighbours of one document. Otherwise as `edit_chunk`."""
        return self._edit(
            person,
            chunk_ids,
            "chunk.merge",
            lambda chunks, kept, by, at: edits.with_merge(chunks, kept, chunk_ids, by=by, at=at),
        )

    def switch_chunk(self, person: Person, chunk_id: str, enabled: bool) -> DocumentInfo:
        """Keep a chunk from being found, or let it be found again. Otherwise as `edit_chunk`."""
        return self._edit(
            person,
            [chunk_id],
            "chunk.switch_on" if enabled else "chunk.switch_off",
            lambda chunks, kept, by, at: edits.with_switch(
                chunks, kept, chunk_id, enabled, by=by, at=at
            ),
        )

    def reset_chunk(self, person: Person, chunk_id: str) -> DocumentInfo:
        """Undo the last step that made a chunk what it is; earlier ones stay, to be undone by
        further calls. Otherwise as `edit_chunk`."""
        return self._edit(
            person,
            [chunk_id],
            "chunk.reset",
            lambda chunks, kept, by, at: edits.without_edit(chunks, kept, chunk_id),  # noqa: ARG005
        )

    def _edit(
        self, person: Person, chunk_ids: Sequence[str], action: str, edited: _Builder
    ) -> DocumentInfo:
        info = self._document_of(person, chunk_ids)
        by, at = person.name or person.id, self._now()

        def changed(options: DocumentOptions) -> DocumentOptions:
            chunks = self._catalog.chunks.of_document(info.id)
            kept = edited(chunks, options.edits, by, at)
            return options.model_copy(update={"edits": kept})

        found = self._recut(info, changed)
        self._audit.record(person, action, info.id, f"{info.name} {' '.join(chunk_ids)}")
        return found

    def _document_of(self, person: Person, chunk_ids: Sequence[str]) -> DocumentInfo:
        owners: set[str] = set()
        for chunk_id in chunk_ids:
            chunk = self._catalog.chunks.find(chunk_id)
            if chunk is None:
                raise _chunk_gone()
            owners.add(chunk.document_id)
        if len(owners) != 1:
            raise InvalidInput(
                "请选择同一份文档里的片段。", message_en="Choose chunks of one document."
            )
        return self._rights.editable_document(person, owners.pop())

    def _recut(
        self, info: DocumentInfo, changed: Callable[[DocumentOptions], DocumentOptions]
    ) -> DocumentInfo:
        """Change a document's options and index what follows from it: both or neither."""
        with self._claims.hold(info.id):
            self._refuse_while_processed(info)
            before = self._catalog.options.get(info.id)
            saved = self._catalog.options.change(info.id, changed)
            if saved == before:
                return self._catalog.documents.get(info.id)
            try:
                self._pipeline.recut(info.id)
            except BaseException:
                self._take_back(info.id, saved, before)
                raise
            return self._catalog.documents.get(info.id)

    def _take_back(self, document_id: str, saved: DocumentOptions, before: DocumentOptions) -> None:
        try:
            self._catalog.options.change(
                document_id, lambda options: before if options == saved else options
            )
        except NotFound:
            return  # It was deleted meanwhile, and its options with it.

    def _refuse_while_processed(self, info: DocumentInfo) -> None:
        """A worker may hold the document for minutes; nobody should have to wait for that."""
        active = self._catalog.jobs.list(active_only=True, kb_id=info.kb_id)
        if any(job.document_id == info.id and job.status == "running" for job in active):
            raise InvalidInput(
                f"《{info.name}》正在处理中，暂时不能修改。",
                "请等处理完成后再试；您的修改没有保存。",
                message_en=f"{info.name} is being processed and cannot be changed right now.",
                remedy_en="Try again when that is done; your change was not saved.",
            )


class _Builder(Protocol):
    def __call__(self, chunks: Sequence[Chunk], kept: Edits, by: str, at: datetime) -> Edits: ...


def _chunk_gone() -> NotFound:
    return NotFound(
        "这个片段不存在，可能已被重新切分。",
        "请刷新页面后再试。",
        message_en="This chunk does not exist; the document may have been cut again.",
        remedy_en="Reload the page and try again.",
    )
