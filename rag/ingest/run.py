"""One run of the offline chain: from a file to published content, or back to what there was.

The file is read in a child process (`isolate`), assembled into chunks (`assemble`) and
published so that nobody ever sees half a document (`index`). What editors decided about a
document is kept apart (`catalog.options`) and applied each time.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import EncryptedDocument, NotFound, StoreError, ZhiwenError
from rag.ingest.assemble import Assembled, Language, assemble
from rag.ingest.claims import Claims, IndexTurns, Seldom
from rag.ingest.failures import Cancelled, for_people
from rag.ingest.files import FileStore, StoredFile
from rag.ingest.index import Index
from rag.ingest.isolate import Reading, inspect_isolated, read_isolated
from rag.ingest.memory import give_back
from rag.ingest.metadata import merge
from rag.ingest.originals import Originals
from rag.ingest.supersede import superseded
from rag.settings import Settings
from rag.types import (
    Document,
    DocumentInfo,
    DocumentMetadata,
    DocumentOptions,
    IngestResult,
    IngestStatus,
    JobStage,
    PageDecision,
)

if TYPE_CHECKING:
    from rag.models.embedder import Embedder
    from rag.store.catalog import Catalog
    from rag.store.vectors import VectorStore

log = logging.getLogger(__name__)

Report = Callable[[JobStage, float], None]
PATIENCE_S = 10.0
"""How long an edit that somebody waits for waits for a rebuild of the index, in seconds, before
they are told; chosen by us."""


@dataclass(frozen=True)
class Watch:
    """Who follows a run: told about progress, asked whether to stop. Nobody does when all three
    are None; then somebody waits for the run itself."""

    progress: Report | None = None
    detail: Callable[[str], None] | None = None
    cancelled: Callable[[], bool] | None = None

    @property
    def is_followed(self) -> bool:
        """Whether it runs in the background, rather than somebody waiting for its end."""
        return self.progress is not None or self.cancelled is not None

    def is_cancelled(self) -> bool:
        """Whether someone asked to stop."""
        return self.cancelled is not None and self.cancelled()

    def report(self, stage: JobStage, share: float) -> None:
        """Pass progress on.

        Raises:
            Cancelled: someone asked to stop.
        """
        if self.is_cancelled():
            raise Cancelled
        if self.progress is not None:
            self.progress(stage, share)

    def say(self, detail: str) -> None:
        """Pass on more about the stage ("第 3/12 页")."""
        if self.detail is not None:
            self.detail(detail)

    def while_rebuilding(self) -> Callable[[], None]:
        """What to do now and then while a rebuild keeps the index."""
        if self.is_followed:
            return lambda: self.report("embed", 0.0)
        deadline = time.monotonic() + PATIENCE_S

        def impatient() -> None:
            if time.monotonic() > deadline:
                raise _rebuilding()

        return impatient


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
        options = self.catalog.options.get(info.id)
        facts = merge(facts, DocumentMetadata(source=info.metadata.source))
        reading = self._read(stored.path, name, options, watch, password, same_file, facts)
        # Read again: its cut or metadata may have been edited while the file was read.
        latest = self.catalog.options.get(info.id)
        update = {"decisions": reading.decisions, "accepted": latest.accepted and same_file}
        decided = latest.model_copy(update=update)
        version = info.version if same_file and info.version else info.version + 1
        document = reading.document.model_copy(
            update={"id": info.id, "kb_id": info.kb_id, "version": version}
        )
        made = self._assemble(document, decided, watch, rules=reading.found)
        published = self._publish(info, made, decided, watch, stored.size)
        if decided != self.catalog.options.get(info.id):
            self._remember(info.id, reading.decisions, same_file)
        self._originals.trim(info.id, self.settings().ingest.keep_versions)
        self._changed(info.kb_id)
        give_back()
        return result_of(published, "replaced" if info.version else "indexed")

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
                watch.say(f"第 {min(round(share * count), count)}/{count} 页")
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
            return self._index.publish(now, made, options, watch.report, size)

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
            message = text.text() if isinstance(text, ZhiwenError) else str(text)
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


def _rebuilding() -> StoreError:
    return StoreError(
        "索引正在重建，暂时不能修改文档。",
        "请等重建完成后再试；进度见任务列表。",
        message_en="The index is being rebuilt; documents cannot be changed right now.",
        remedy_en="Try again when the rebuild is done; see the list of jobs.",
    )
