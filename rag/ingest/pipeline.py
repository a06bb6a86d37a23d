"""Runs the offline chain for one file, all or nothing.

The order makes it atomic: vectors are written under the new version's chunk ids, then the
catalog swaps versions in one transaction, then the old vectors go. Search drops hits that
the catalog doesn't know, so nobody ever sees half a document.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import EncryptedDocument, NotFound, ZhiwenError
from rag.ingest.chunk import chunk
from rag.ingest.claims import Claims
from rag.ingest.clean import clean
from rag.ingest.describe import describe
from rag.ingest.embed import embed_chunks, token_lists, vector_rows
from rag.ingest.failures import Cancelled, for_people
from rag.ingest.files import FileStore, StoredFile, document_name, report_full_disk
from rag.ingest.inspect import inspect
from rag.ingest.metadata import merge
from rag.ingest.parse import parse
from rag.ingest.quality import require_text
from rag.ingest.rebuild import fill
from rag.settings import Settings
from rag.types import Chunk, Document, DocumentInfo, IngestResult, JobStage

if TYPE_CHECKING:
    from rag.models.embedder import Embedder
    from rag.store.catalog import Catalog
    from rag.store.vectors import VectorStore

log = logging.getLogger(__name__)
__all__ = ["Cancelled", "Pipeline"]

Report = Callable[[JobStage, float], None]


class Pipeline:
    """Ingests, deletes and rebuilds documents. Thread-safe.

    Args:
        embedder: returns the embedder in use, whose vectors `vectors` has open.
    """

    def __init__(
        self,
        catalog: Catalog,
        vectors: VectorStore,
        embedder: Callable[[], Embedder],
        settings: Callable[[], Settings],
        files: FileStore,
    ) -> None:
        self.catalog = catalog
        self.vectors = vectors
        self.embedder = embedder
        self.settings = settings
        self.files = files
        self._claims = Claims()
        # Embedding uses all cores anyway; one document at a time also keeps documents from
        # going into the old index while a rebuild fills the new one.
        self._index = threading.RLock()

    # --- Ingesting --------------------------------------------------------------------

    def ingest(
        self,
        path: Path,
        kb_id: str,
        name: str,
        *,
        job_id: str | None = None,
        progress: Report | None = None,
        cancelled: Callable[[], bool] | None = None,
        uploaded_by: str | None = None,
        password: str | None = None,
    ) -> IngestResult:
        """Ingest one file; the outcome is in the result, failures included.

        The same content in the knowledge base is a "duplicate"; the same name with other
        content becomes a new version ("replaced"). After a failure or cancellation the
        version that was there before still is, and nothing of the new one.

        Args:
            path: the file; kept in the file store.
            name: what people call it.
            job_id: the job whose document is recorded as soon as it is known.
            progress: called with the stage and 0..1 within it.
            cancelled: asked between stages, pages and embedding batches.
            password: for encrypted files.
        """
        name = document_name(name)
        try:
            return self.attempt(
                path,
                kb_id,
                name,
                job_id=job_id,
                progress=progress,
                cancelled=cancelled,
                uploaded_by=uploaded_by,
                password=password,
            )
        except Cancelled:
            return IngestResult(document_id=None, name=name, status="cancelled")
        except ZhiwenError as error:
            return IngestResult(
                document_id=self._known_id(kb_id, name),
                name=name,
                status="failed",
                error=error.text(),
            )

    def attempt(
        self,
        path: Path,
        kb_id: str,
        name: str,
        *,
        job_id: str | None = None,
        progress: Report | None = None,
        cancelled: Callable[[], bool] | None = None,
        uploaded_by: str | None = None,
        password: str | None = None,
    ) -> IngestResult:
        """`ingest`, but failures are raised, after everything was put back.

        Raises:
            Cancelled: `cancelled` said so.
            ZhiwenError: the file cannot be used, or a model, the store or the disk failed.
        """

        def report(stage: JobStage, share: float) -> None:
            if cancelled is not None and cancelled():
                raise Cancelled
            if progress is not None:
                progress(stage, share)

        name = document_name(name)
        report("inspect", 0.0)
        with report_full_disk(name):
            stored = self.files.put(path, name)
            with self._claims.hold((kb_id, "hash", stored.sha256), (kb_id, "name", name)):
                info = self._claim(kb_id, name, stored, uploaded_by)
                if job_id is not None:
                    self.catalog.jobs.update(job_id, document_id=info.id)
                if info.version > 0 and info.sha256 == stored.sha256:
                    return IngestResult(
                        document_id=info.id,
                        name=name,
                        status="duplicate",
                        pages=info.page_count,
                        chunks=info.chunk_count,
                        flags=info.flags,
                    )
                try:
                    return self._run(info, stored, name, report, password)
                except BaseException as error:
                    self._settle(info, stored, error)
                    raise for_people(error, name) from error

    def _claim(
        self, kb_id: str, name: str, stored: StoredFile, uploaded_by: str | None
    ) -> DocumentInfo:
        """The document that this file is, or becomes: one with the same content, else the
        one of the same name, else a new row."""
        documents = self.catalog.documents
        same = documents.find_by_hash(kb_id, stored.sha256)
        if same is not None and same.version > 0:
            return same
        named = documents.find_by_name(kb_id, name)
        if named is not None and (named.version > 0 or named.sha256 == stored.sha256):
            return named
        for failed in (same, named):
            # Rows of earlier attempts that came to nothing; this one takes their place.
            if failed is not None and failed.version == 0:
                documents.delete(failed.id)
                self.release_file(failed.sha256, but=stored.sha256)
        return documents.create(kb_id, name, stored.sha256, stored.size, "", uploaded_by)

    def _run(
        self,
        info: DocumentInfo,
        stored: StoredFile,
        name: str,
        report: Report,
        password: str | None,
    ) -> IngestResult:
        settings = self.settings().ingest
        replaces = info.version > 0
        if not replaces:
            self.catalog.documents.set_status(info.id, "processing")
        inspection = inspect(stored.path, settings, name=name)
        report("parse", 0.0)
        document = parse(
            stored.path,
            inspection,
            name=name,
            settings=settings,
            password=password,
            progress=lambda share: report("parse", share),
        )
        report("clean", 0.0)
        document = clean(document).model_copy(
            update={"id": info.id, "kb_id": info.kb_id, "version": info.version + 1}
        )
        require_text(document)
        report("chunk", 0.0)
        embedder = self.embedder()
        chunks = chunk(document, settings, embedder.count_tokens)
        report("describe", 0.0)
        metadata = describe(document)
        document = document.model_copy(update={"metadata": metadata, "title": metadata.title})
        chunks = [c.model_copy(update={"metadata": merge(c.metadata, metadata)}) for c in chunks]
        report("embed", 0.0)
        while not self._index.acquire(timeout=0.5):
            report("embed", 0.0)  # may be cancelled while a rebuild is running
        try:
            self._index_and_publish(info, document, chunks, stored, report)
        finally:
            self._index.release()
        if replaces:
            self._drop_version(info)
        return IngestResult(
            document_id=info.id,
            name=name,
            status="replaced" if replaces else "indexed",
            pages=len(document.pages),
            chunks=len(chunks),
            flags=document.flags,
        )

    def _drop_version(self, old: DocumentInfo) -> None:
        """Remove what a published version leaves behind; the new one is in use already, so
        that a failure here is only untidy (the doctor clears up)."""
        ids = [f"{old.id}-{old.version}-{n}" for n in range(old.chunk_count)]
        try:
            self.vectors.delete_chunks(ids, old.kb_id)
            self.release_file(old.sha256)
        except (ZhiwenError, OSError) as error:
            log.warning("version %d of %s was not cleared away: %s", old.version, old.id, error)

    def _index_and_publish(
        self,
        info: DocumentInfo,
        document: Document,
        chunks: list[Chunk],
        stored: StoredFile,
        report: Report,
    ) -> None:
        from rag.text.tokenise import TOKENISER_VERSION

        dense = embed_chunks(chunks, self.embedder(), lambda share: report("embed", share))
        report("store", 0.0)
        tokens = token_lists(chunks)
        rows = vector_rows(chunks, dense, tokens, self.catalog.lexical)
        try:
            self.vectors.upsert(rows)
            report("store", 0.8)
            self.catalog.documents.publish(
                info.id,
                document.version,
                document,
                chunks,
                token_lists=tokens,
                tokeniser=TOKENISER_VERSION,
                size=stored.size,
            )
        except BaseException:
            try:
                self.vectors.delete_chunks([row.chunk_id for row in rows], info.kb_id)
            except ZhiwenError as error:
                # The first failure is what people must hear of.
                log.warning("vectors of %s were not taken back: %s", info.id, error)
            raise

    def _settle(self, info: DocumentInfo, stored: StoredFile, error: BaseException) -> None:
        """Write down how an attempt ended; a published version stays what it was."""
        try:
            if info.version > 0:
                self.release_file(stored.sha256, but=info.sha256)
            elif isinstance(error, Cancelled):
                self.catalog.documents.set_status(info.id, "cancelled")
            else:
                text = for_people(error, info.name)
                message = text.text() if isinstance(text, ZhiwenError) else str(text)
                encrypted = isinstance(error, EncryptedDocument)
                self.catalog.documents.set_status(
                    info.id, "needs_password" if encrypted else "failed", message
                )
        except NotFound:
            log.info("document %s was deleted while it was processed", info.id)

    def _known_id(self, kb_id: str, name: str) -> str | None:
        found = self.catalog.documents.find_by_name(kb_id, name)
        return found.id if found else None

    # --- Deleting ---------------------------------------------------------------------

    def delete_document(self, document_id: str) -> None:
        """Remove a document: its row first, so that it is gone at once, then vectors, file.

        Raises:
            NotFound: there is none with this id.
        """
        info = self.catalog.documents.delete(document_id)
        self.vectors.delete_document(document_id, info.kb_id)
        self.release_file(info.sha256)

    def delete_kb(self, kb_id: str) -> None:
        """Remove a knowledge base with all its documents.

        Raises:
            NotFound: there is none with this id.
        """
        hashes = {info.sha256 for info in self.catalog.documents.list([kb_id])}
        hashes |= {
            str(payload.get("sha256", "")) for payload in self.catalog.jobs.payloads_of(kb_id)
        }
        self.catalog.knowledge_bases.delete(kb_id)
        self.vectors.delete_kb(kb_id)
        for sha256 in hashes - self._wanted_files() - {""}:
            self.files.remove(sha256)

    def release_file(self, sha256: str, but: str = "") -> None:
        """Remove an original unless a document or an unfinished job refers to it, or it is
        the one `but`."""
        if sha256 and sha256 != but and sha256 not in self._wanted_files():
            self.files.remove(sha256)

    def _wanted_files(self) -> set[str]:
        wanted = set(self.catalog.documents.hashes())
        wanted |= {
            str(payload.get("sha256", "")) for payload in self.catalog.jobs.active_payloads()
        }
        return wanted

    # --- Rebuilding -------------------------------------------------------------------

    def rebuild(
        self, kb_id: str | None = None, progress: Callable[[float], None] | None = None
    ) -> int:
        """Compute the vectors of all published chunks again (of one knowledge base, or of
        all), in the index that is in use. Returns how many chunks there were."""
        with self._index:
            return fill(self.catalog, self.vectors, self.embedder(), kb_id, progress=progress)

    def change_embedder(
        self,
        embedder: Embedder,
        progress: Callable[[float], None] | None = None,
        activate: Callable[[], None] | None = None,
    ) -> int:
        """Build another embedder's index beside the one in use, then switch to it.

        Searches go on meanwhile; ingestion waits. What an interrupted call has already
        embedded is kept and not computed again.

        Args:
            activate: called right after the switch, to make `embedder` the one in use.

        Raises:
            ModelError, StoreError: the old index is still in use.
        """
        with self._index:
            target = self.vectors.beside(embedder.fingerprint, embedder.dimension)
            done = {
                chunk_id
                for kb in self.catalog.knowledge_bases.list()
                for chunk_id in target.chunk_ids(kb.id)
            }
            count = fill(self.catalog, target, embedder, done=done, progress=progress)
            self.vectors.open(embedder.fingerprint, embedder.dimension)
            if activate is not None:
                activate()
            self.vectors.drop_stale()
            return count
