"""The offline chain's service: ingests, changes, deletes and rebuilds documents.

One run of the chain is in `run`, changes to documents that are there in `revise`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import ZhiwenError
from rag.ingest.failures import Cancelled
from rag.ingest.files import StoredFile, document_name, report_full_disk
from rag.ingest.metadata import from_mapping
from rag.ingest.rebuild import fill
from rag.ingest.revise import Revisions
from rag.ingest.watch import Report, Watch
from rag.types import DocumentInfo, IngestResult

if TYPE_CHECKING:
    from rag.models.embedder import Embedder

__all__ = ["Cancelled", "Pipeline"]


class Pipeline(Revisions):
    """Ingests, changes, deletes and rebuilds documents. Thread-safe."""

    # --- Ingesting --------------------------------------------------------------------

    def ingest(self, path: Path, kb_id: str, name: str, **options: Any) -> IngestResult:
        """Ingest one file; the outcome is in the result, failures included.

        The same content in the knowledge base is a "duplicate"; the same name with other
        content becomes a new version ("replaced"). After a failure or cancellation the
        version that was there before still is, and nothing of the new one.

        Args:
            path: the file; kept in the file store.
            name: what people call it.
            options: those of `attempt`.
        """
        name = document_name(name)
        try:
            return self.attempt(path, kb_id, name, **options)
        except Cancelled:
            return IngestResult(document_id=None, name=name, status="cancelled")
        except ZhiwenError as error:
            found = self.catalog.documents.find_by_name(kb_id, name)
            return IngestResult(
                document_id=found.id if found else None,
                name=name,
                status="failed",
                error=error.told(),
            )

    def attempt(
        self,
        path: Path,
        kb_id: str,
        name: str,
        *,
        job_id: str | None = None,
        progress: Report | None = None,
        detail: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        uploaded_by: str | None = None,
        password: str | None = None,
        source_id: str | None = None,
        stated: Mapping[str, Any] | None = None,
        document_id: str | None = None,
        resumed: bool = False,
    ) -> IngestResult:
        """`ingest`, but failures are raised, after everything was put back.

        Args:
            job_id: the job whose document is recorded as soon as it is known.
            progress: called with the stage and 0..1 within it.
            detail: called with more about it ("第 3/12 页").
            cancelled: asked between stages, pages and embedding batches.
            password: for encrypted files.
            source_id: the source that a new document belongs to.
            stated: facts that its source knows (`source`: an address, `title`, …).
            document_id: the document that this file is the new content of, whatever its
                name; found by content and name when None.
            resumed: an earlier attempt was cut off by the end of the process.

        Raises:
            Cancelled: `cancelled` said so.
            ZhiwenError: the file cannot be used, or a model, the store or the disk failed.
        """
        watch = Watch(progress, detail, cancelled)
        name = document_name(name)
        watch.report("inspect", 0.0)
        with report_full_disk(name):
            stored = self.files.put(path, name)
            with self._claims.hold((kb_id, "hash", stored.sha256), (kb_id, "name", name)):
                info = self._claim(kb_id, name, stored, uploaded_by, source_id, document_id)
                facts = from_mapping(stated or {})
                if job_id is not None:
                    current = info.new_version_of or info.id
                    self.catalog.jobs.update(job_id, document_id=current)
                if resumed:
                    self._index.sweep(info)
                if info.version > 0 and info.sha256 == stored.sha256:
                    if document_id is None:
                        return self._result(info, "duplicate")
                    return self._as_it_was(info, name, facts.source, watch)
                with self._settled(info, stored):
                    result = self._run(info, stored, name, watch, password, facts)
                    if result.status != "quarantined":
                        self._drop_new_version(info.id)
                    return result

    def _as_it_was(
        self, info: DocumentInfo, name: str, source: str | None, watch: Watch
    ) -> IngestResult:
        """A followed file with the content that its document has; it may have moved."""
        if info.new_version_of is None:
            self._drop_new_version(info.id)
        moved = source is not None and source != info.metadata.source
        if moved or info.name != name:
            return self._recut(info, watch, name=name, source=source)
        return self._result(info, "duplicate")

    def _claim(
        self,
        kb_id: str,
        name: str,
        stored: StoredFile,
        uploaded_by: str | None,
        source_id: str | None,
        document_id: str | None,
    ) -> DocumentInfo:
        """The document that this file is, or becomes: the one named, else one with the same
        content, else the one of the same name, else a new row."""
        documents = self.catalog.documents
        if document_id is not None:
            new = documents.new_version(document_id)
            waits = new is not None and new.sha256 == stored.sha256
            return new if new is not None and waits else documents.get(document_id)
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
                self._originals.release([failed.sha256], but=stored.sha256)
        return documents.create(kb_id, name, stored.sha256, stored.size, "", uploaded_by, source_id)

    # --- Deleting ---------------------------------------------------------------------

    def delete_document(self, document_id: str) -> None:
        """Remove a document: its row first, so that it is gone at once, then vectors, files.

        Raises:
            NotFound: there is none with this id.
        """
        hashes = self._originals.of_document(document_id)
        info = self.catalog.documents.delete(document_id)
        self.vectors.delete_document(document_id, info.kb_id)
        self._originals.release(hashes)
        self._changed(info.kb_id)

    def delete_kb(self, kb_id: str) -> None:
        """Remove a knowledge base with all its documents.

        Raises:
            NotFound: there is none with this id.
        """
        documents = self.catalog.documents
        hashes = documents.hashes() | documents.version_hashes()
        hashes |= {str(p.get("sha256", "")) for p in self.catalog.jobs.payloads_of(kb_id)}
        self.catalog.knowledge_bases.delete(kb_id)
        self.vectors.delete_kb(kb_id)
        self._originals.release(hashes)

    def release_file(self, sha256: str) -> None:
        """Remove an original unless a document, a kept version or an unfinished job needs it."""
        self._originals.release([sha256])

    # --- Rebuilding -------------------------------------------------------------------

    def rebuild(
        self, kb_id: str | None = None, progress: Callable[[float], None] | None = None
    ) -> int:
        """Compute the vectors of all searchable chunks again (of one knowledge base, or of
        all), in the index that is in use. Returns how many chunks there were."""
        with self._turns.rebuild():
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
        with self._turns.rebuild():
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
