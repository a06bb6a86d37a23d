"""One installation over a real catalog and vector store, with a small stand-in embedder."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rag.ingest.files import FileStore
from rag.ingest.jobs import JobQueue
from rag.ingest.pipeline import Pipeline
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.store.vectors import VectorStore


class BigramEmbedder:
    """Counts character pairs: similar texts get similar vectors, at no cost."""

    name = "bigrams"
    max_tokens = 200

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension
        self.fingerprint = f"bigrams_{dimension}"
        self.batches: list[int] = []
        self.error: Exception | None = None
        self.gate = threading.Event()
        self.gate.set()

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for pair in zip(text, text[1:] + " ", strict=True):
                found[row, zlib.crc32("".join(pair).encode()) % self.dimension] += 1
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-6)

    def embed_passages(self, texts: Sequence[str], progress: object = None) -> np.ndarray:
        self.gate.wait(10)
        if self.error is not None:
            raise self.error
        self.batches.append(len(texts))
        return self.embed_queries(texts)

    def count_tokens(self, text: str) -> int:
        return len(text)


@dataclass
class World:
    """The parts of one installation."""

    data: Path
    catalog: Catalog
    vectors: VectorStore
    embedder: BigramEmbedder
    files: FileStore
    pipeline: Pipeline
    jobs: JobQueue
    kb: str
    settings: Settings = field(default_factory=Settings)

    def file(self, name: str, text: str) -> Path:
        """A text file outside the store."""
        folder = self.data.parent / "uploads"
        folder.mkdir(exist_ok=True)
        path = folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def chunk_texts(self) -> list[str]:
        """The published chunks' texts."""
        return [c.text for batch in self.catalog.chunks.walk(self.kb) for c in batch]

    def is_consistent(self) -> bool:
        """Whether the vector store holds just what may be searched."""
        return self.catalog.chunks.searchable_ids(self.kb) == self.vectors.chunk_ids(self.kb)


def open_world(data: Path, embedder: BigramEmbedder, kb: str | None = None) -> World:
    """Open an installation, with a new knowledge base unless one is named."""
    data.mkdir(exist_ok=True)
    catalog = Catalog(data / "catalog.sqlite")
    vectors = VectorStore(str(data / "vectors.db"))
    vectors.open(embedder.fingerprint, embedder.dimension)
    files = FileStore(data)
    settings = Settings(data=data)
    pipeline = Pipeline(catalog, vectors, lambda: embedder, lambda: settings, files)
    jobs = JobQueue(data, pipeline, catalog, lambda: settings)
    kb = kb or catalog.knowledge_bases.create("测试").id
    return World(data, catalog, vectors, embedder, files, pipeline, jobs, kb, settings)


def close_world(world: World) -> None:
    """Stop the queue and release the installation."""
    world.embedder.gate.set()
    world.jobs.stop()
    world.vectors.close()
    world.catalog.close()
