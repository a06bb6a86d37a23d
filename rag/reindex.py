"""Embeds chunks again: another embedder beside the one in use, or vectors that are missing.

A new embedder's vectors are built beside the old ones, which serve until all are there; then
both are swapped. What has been embedded stays when the work is cut off, so that the next
start goes on from there. Only texts from the catalog are used: no file is parsed again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from rag.errors import ZhiwenError
from rag.ingest.rows import vector_rows
from rag.models.embedder import Embedder
from rag.models.registry import Models
from rag.store.catalog import Catalog
from rag.store.vectors import VectorStore
from rag.types import Chunk, Value

log = logging.getLogger(__name__)

BATCH = 256
"""Chunks embedded between two writes: a cut-off loses at most these; chosen by us."""


class ReindexStatus(Value):
    """How far a change of embedder is. `done` and `total` count chunks."""

    state: Literal["idle", "running", "done", "failed", "cancelled"] = "idle"
    embedder: str = ""
    done: int = 0
    total: int = 0
    error: str = ""


class Reindex:
    """Rebuilds vectors from the catalog. Thread-safe; one change of embedder at a time.

    Args:
        catalog: the truth about chunks.
        vectors: the vectors in use.
        models: where the new embedder is put into use.
    """

    def __init__(self, catalog: Catalog, vectors: VectorStore, models: Models) -> None:
        self._catalog = catalog
        self._vectors = vectors
        self._models = models
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None
        self.status = ReindexStatus()

    def start(self, new_embedder: Callable[[], Embedder]) -> None:
        """Change to another embedder in the background; a change under way is given up."""
        with self._lock:
            self._stop()
            self._cancel.clear()
            self.status = ReindexStatus(state="running")
            self._thread = threading.Thread(
                target=self._change, args=(new_embedder,), daemon=True, name="reindex"
            )
            self._thread.start()

    def cancel(self) -> None:
        """Give up a change under way; the old vectors stay in use."""
        with self._lock:
            self._stop()

    def rebuild(self, kb_id: str | None = None) -> int:
        """Embed what the vectors in use are missing; returns how many chunks."""
        return self.fill(self._vectors, self._models.embedder(), kb_id)

    def fill(
        self,
        vectors: VectorStore,
        embedder: Embedder,
        kb_id: str | None = None,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> int:
        """Embed all chunks of the catalog that `vectors` lack.

        Returns:
            How many were embedded.

        Raises:
            ModelError, StoreError: what had been written by then stays.
        """
        missing = self._missing(vectors, kb_id)
        for number, ids in enumerate(_batches(missing)):
            if self._cancel.is_set():
                break
            chunks = list(self._catalog.chunks.get(ids).values())
            self._embed(chunks, vectors, embedder)
            progress(min((number + 1) * BATCH, len(missing)), len(missing))
        return len(missing)

    def _embed(self, chunks: Sequence[Chunk], vectors: VectorStore, embedder: Embedder) -> None:
        if chunks:
            vectors.upsert(vector_rows(chunks, embedder, self._catalog.lexical))

    def _missing(self, vectors: VectorStore, kb_id: str | None) -> list[str]:
        kb_ids = [kb_id] if kb_id else [kb.id for kb in self._catalog.knowledge_bases.list()]
        return [
            chunk_id
            for one in kb_ids
            for chunk_id in sorted(set(self._catalog.chunks.ids(one)) - vectors.chunk_ids(one))
        ]

    def _change(self, new_embedder: Callable[[], Embedder]) -> None:
        try:
            embedder = new_embedder()
            embedder.embed_queries(["你好"])
            self._note(embedder=embedder.name)
            beside = self._vectors.beside(embedder.fingerprint, embedder.dimension)
            self.fill(beside, embedder, progress=lambda d, t: self._note(done=d, total=t))
            if self._cancel.is_set():
                self._note(state="cancelled")
                return
            self._vectors.open(embedder.fingerprint, embedder.dimension)
            self._models.use_embedder(embedder)
            # Documents that were ingested meanwhile have vectors of the old embedder only.
            self.fill(self._vectors, embedder)
            self._note(state="done")
        except ZhiwenError as error:
            self._note(state="failed", error=error.text())
        except Exception as error:
            log.exception("the change of embedder failed")
            self._note(state="failed", error=str(error))

    def _note(self, **changes: object) -> None:
        self.status = self.status.model_copy(update=changes)

    def _stop(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            self._cancel.set()
            self._thread.join()


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for begin in range(0, len(ids), BATCH):
        yield ids[begin : begin + BATCH]
