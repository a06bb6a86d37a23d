"""Runs the offline chain for one file, all or nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rag.ingest.files import FileStore
from rag.settings import Settings
from rag.types import IngestResult, JobStage

if TYPE_CHECKING:
    from rag.models.embedder import Embedder
    from rag.store.catalog import Catalog
    from rag.store.vectors import VectorStore


class Pipeline:
    """Ingests, deletes and rebuilds documents. Thread-safe."""

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

    def ingest(
        self,
        path: Path,
        kb_id: str,
        name: str,
        *,
        job_id: str | None = None,
        progress: Callable[[JobStage, float], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        uploaded_by: str | None = None,
        password: str | None = None,
    ) -> IngestResult:
        """Ingest one file; the outcome is in the result, people-facing failures included."""
        raise NotImplementedError

    def delete_document(self, document_id: str) -> None:
        """Remove a document: rows, vectors and file."""
        raise NotImplementedError

    def delete_kb(self, kb_id: str) -> None:
        """Remove a knowledge base with all its documents."""
        raise NotImplementedError

    def rebuild(
        self, kb_id: str | None = None, progress: Callable[[float], None] | None = None
    ) -> int:
        """Embed all chunks of the catalog again; returns how many."""
        raise NotImplementedError
