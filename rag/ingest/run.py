"""One run of the offline chain: from a file to published content, or back to what there was.

The file is read in a child process (`isolate`), assembled into chunks (`assemble`) and
published so that nobody ever sees half a document (`index`). What editors decided about a
document is kept apart (`catalog.options`) and applied each time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import EncryptedDocument, NotFound, ZhiwenError
from rag.ingest.assemble import Assembled, Language, assemble, status_of
from rag.ingest.claims import Claims, IndexTurns, Seldom
from rag.ingest.failures import Cancelled, for_people
from rag.ingest.files import FileStore, StoredFile
from rag.ingest.index import Index
from rag.ingest.isolate import Reading, inspect_isolated, read_isolated
from rag.ingest.memory import give_back
from rag.ingest.metadata import merge
from rag.ingest.new_version import as_content_of, belongs_beside, joined, note_on_new_version
from rag.ingest.originals import Originals
from rag.ingest.supersede import superseded
from rag.ingest.watch import Watch
from rag.settings import Settings
from rag.types import (
    Document,
    DocumentInfo,
    DocumentMetadata,
    DocumentOptions,
    IngestResult,
    IngestStatus,
    PageDecision,
    Told,
)

if TYPE_CHECKING:
    from rag.models.embedder import Embedder
    from rag.store.catalog import Catalog
    from rag.store.vectors import VectorStore

log = logging.getLogger(__name__)


class Runs:
    """What all ways of making a document's content share. Thread-safe.

    Args:
        embedder: returns the embedder in use, whose vectors `vectors` has open.
        language: returns what language models may do for documents.
    """

    def __init__(
        self,
        catalog: Catalog,
        vectors: VectorStore,
        embedder: Callable[[], Embedder],
        settings: Callable[[], Settings],
        files: FileStore,
        language: Callable[[], Language] = Language,
    ) -> None:
        self.catalog = catalog
        self.vectors = vectors
        self.embedder = embedder
        self.settings = settings
        self.files = files
        self._language = language
        self._originals = Originals(files, catalog)
        self._index = Index(catalog, vectors, embedder)
        self._claims = Claims()
        self._turns = IndexTurns()
        self._succession = Seldom()

    def _run(
        self,
        info: DocumentInfo,
        stored: StoredFile,
        name: str,
        watch: Watch,
        password: str | None,
        facts: DocumentMetadata,
    ) -> IngestResult:
        """Read the file, make it the document's content, and clear away what that replaces."""
        if info.version == 0:
            self.catalog.documents.set_status(info.id, "processing")
        same_file = info.sha256 == stored.sha256
        options = self._options(info)
        facts = merge(facts, DocumentMetadata(source=info.metadata.source))
        reading = self._read(stored.path, name, options, watch, password, same_file, facts)
        # Read again: its cut or metadata may have been edited while the file was read.
        latest = self._options(info)
        update = {"decisions": reading.decisions, "accepted": latest.accepted and same_file}
        decided = latest.model_copy(update=update)
        version = info.version if same_file and info.version else info.version + 1
        document = reading.document.model_copy(
            update={"id": info.id, "kb_id": info.kb_id, "version": version}
        )
        made = self._assemble(document, decided, watch, rules=reading.found)
        published = self._publish(info, made, decided, watch, stored.size)
        if published.id == info.id and decided != self.catalog.options.get(info.id):
            self._remember(info.id, reading.decisions, same_file)
        waiting = self.catalog.documents.new_version(published.id)
        if waiting is not None:
            note = note_on_new_version(published)
            self.catalog.documents.set_status(waiting.id, waiting.status, note)
        self._originals.trim(published.id, self.settings().ingest.keep_versions)
        self._changed(info.kb_id)
        give_back()
        return self._result(published, "replaced" if info.version else "indexed")

    def _read(
        self,
        path: Path,
        name: str,
        options: DocumentOptions,
        watch: Watch,
        password: str | None,
        same_file: bool,
        facts: DocumentMetadata,
    ) -> Reading:
        settings = self.settings().ingest
        inspection = inspect_isolated(path, settings, name=name, cancelled=watch.is_cancelled)
        count = inspection.page_count or 0
        watch.report("parse", 0.0)

        def progress(share: float) -> None:
            if count:
                page = min(round(share * count), count)
                watch.say(Told(f"第 {page}/{count} 页", f"Page {page} of {count}"))
            watch.report("parse", share)

        reading = read_isolated(
            path,
            inspection,
            name=name,
            settings=settings,
            password=password,
            routes={
                d.page: d.route for d in options.decisions if d.route and d.action == "reparse"
            },
            progress=progress,
            cancelled=watch.is_cancelled,
            decisions=options.decisions,
            same_file=same_file,
            facts=facts,
        )
        watch.report("clean", 1.0)
        return reading

    def _assemble(
        self,
        document: Document,
        options: DocumentOptions,
        watch: Watch,
        *,
        found: DocumentMetadata | None = None,
        rules: DocumentMetadata | None = None,
    ) -> Assembled:
        """Cut and describe it; a passage that was there before keeps its questions. A cut that
        somebody waits for asks no language model."""
        waited_for = found is not None and not watch.is_followed
        return assemble(
            document,
            options,
            self.settings().ingest,
            self.embedder(),
            watch.report,
            Language() if waited_for else self._language(),
            found=found,
            rules=rules,
            earlier=self.catalog.chunks.of_document(document.id),
        )

    def _publish(
        self,
        info: DocumentInfo,
        made: Assembled,
        options: DocumentOptions,
        watch: Watch,
        size: int | None = None,
    ) -> DocumentInfo:
        watch.report("embed", 0.0)
        with self._turns.document(watch.while_rebuilding()):
            # Read again: it may have been hidden while its file was read.
            now = self.catalog.documents.get(info.id)
            status = status_of(made.document, options)
            if belongs_beside(made, status, now):
                return self._publish_beside(now, made, options, watch, size)
            if now.new_version_of is None:
                return self._index.publish(now, made, options, watch.report, size)
            current = self.catalog.documents.get(now.new_version_of)
            if status == "indexed":
                return self._take_its_place(now, current, made, options, watch)
            note = note_on_new_version(current)
            return self._index.publish(now, made, options, watch.report, size, note=note)

    def _publish_beside(
        self,
        current: DocumentInfo,
        made: Assembled,
        options: DocumentOptions,
        watch: Watch,
        size: int | None,
    ) -> DocumentInfo:
        """Publish a doubtful new version as a document of its own; the one before it stays."""
        documents, document = self.catalog.documents, made.document
        new = documents.new_version(current.id) or documents.create(
            current.kb_id,
            document.name,
            document.sha256,
            size or 0,
            document.media_type,
            current.uploaded_by,
            current.source_id,
            new_version_of=current.id,
        )
        try:
            published = self._index.publish(
                new,
                as_content_of(made, new, current.version + 1),
                options,
                watch.report,
                size,
                note=note_on_new_version(current),
                along=lambda: self.catalog.options.save(new.id, options),
            )
        except BaseException:
            if new.version == 0:
                documents.delete(new.id)
            raise
        self._originals.release([new.sha256], but=document.sha256)
        return published

    def _take_its_place(
        self,
        new: DocumentInfo,
        current: DocumentInfo,
        made: Assembled,
        options: DocumentOptions,
        watch: Watch,
    ) -> DocumentInfo:
        """Make a new version that was accepted or mended the content of its document."""

        def along() -> None:
            self.catalog.options.save(current.id, options)
            self.catalog.documents.delete(new.id)

        content = as_content_of(made, current, current.version + 1)
        return self._index.publish(current, content, options, watch.report, new.size, along=along)

    def _options(self, info: DocumentInfo) -> DocumentOptions:
        """What editors decided about a document, or about it and the one that it is to replace."""
        own = self.catalog.options.get(info.id)
        if info.new_version_of is None:
            return own
        return joined(own, self.catalog.options.get(info.new_version_of), info)

    def _drop_new_version(self, document_id: str) -> None:
        """Remove the new version that waits beside a document, when there is one."""
        new = self.catalog.documents.new_version(document_id)
        if new is not None:
            hashes = self._originals.of_document(new.id)
            self.catalog.documents.delete(new.id)
            self._originals.release(hashes)

    def _result(self, info: DocumentInfo, status: IngestStatus) -> IngestResult:
        """`result_of`, with the version that searches use while a new one waits."""
        result = result_of(info, status)
        if info.new_version_of is None:
            return result
        current = self.catalog.documents.get(info.new_version_of)
        return result.model_copy(update={"waits_behind": current.version})

    def _remember(
        self, document_id: str, decisions: Sequence[PageDecision], same_file: bool
    ) -> None:
        """Write down what a run learned about the decisions; edits made meanwhile stay."""
        keys = {(d.page, d.action, d.at): d.page_key for d in decisions}

        def learned(latest: DocumentOptions) -> DocumentOptions:
            kept = tuple(
                d.model_copy(update={"page_key": keys.get((d.page, d.action, d.at), d.page_key)})
                for d in latest.decisions
            )
            return latest.model_copy(
                update={"decisions": kept, "accepted": latest.accepted and same_file}
            )

        self.catalog.options.change(document_id, learned)

    @contextmanager
    def _settled(self, info: DocumentInfo, stored: StoredFile) -> Iterator[None]:
        """Write down how an attempt failed; a published version stays what it was."""
        try:
            yield
        except BaseException as error:
            try:
                self._settle(info, stored, error)
            except NotFound:
                log.info("document %s was deleted while it was processed", info.id)
            raise for_people(error, info.name) from error

    def _settle(self, info: DocumentInfo, stored: StoredFile, error: BaseException) -> None:
        if info.version > 0:
            self._originals.release([stored.sha256], but=info.sha256)
        elif isinstance(error, Cancelled):
            self.catalog.documents.set_status(info.id, "cancelled")
        else:
            text = for_people(error, info.name)
            message = text.told() if isinstance(text, ZhiwenError) else str(text)
            encrypted = isinstance(error, EncryptedDocument)
            self.catalog.documents.set_status(
                info.id, "needs_password" if encrypted else "failed", message
            )

    # --- Keeping current --------------------------------------------------------------

    def _changed(self, kb_id: str, *, now: bool = False) -> None:
        """Find anew which documents of a knowledge base are older versions of others."""

        def work() -> None:
            documents = self.catalog.documents
            documents.set_superseded(kb_id, superseded(documents.list([kb_id])))

        self._succession.run(kb_id, work, now=now)

    def settle(self) -> None:
        """Catch up on what was put off while many documents came in."""
        for kb_id in self._succession.due():
            self._changed(str(kb_id), now=True)


def result_of(info: DocumentInfo, status: IngestStatus) -> IngestResult:
    """What became of a document that has content; "quarantined" where it is."""
    return IngestResult(
        document_id=info.id,
        name=info.name,
        status="quarantined" if info.status == "quarantined" else status,
        pages=info.page_count,
        chunks=info.chunk_count,
        flags=info.flags,
    )
