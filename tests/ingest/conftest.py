"""A pipeline over a real catalog, a real vector store and a small stand-in embedder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ingest_world import BigramEmbedder, World

from rag.ingest.files import FileStore
from rag.ingest.jobs import JobQueue
from rag.ingest.pipeline import Pipeline
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.store.vectors import VectorStore


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    data = tmp_path / "data"
    data.mkdir()
    catalog = Catalog(data / "catalog.sqlite")
    vectors = VectorStore(str(data / "vectors.db"))
    embedder = BigramEmbedder()
    vectors.open(embedder.fingerprint, embedder.dimension)
    files = FileStore(data)
    settings = Settings(data=data)
    pipeline = Pipeline(catalog, vectors, lambda: embedder, lambda: settings, files)
    jobs = JobQueue(data, pipeline, catalog, lambda: settings)
    kb = catalog.knowledge_bases.create("测试").id
    yield World(data, catalog, vectors, embedder, files, pipeline, jobs, kb, settings)
    embedder.gate.set()
    jobs.stop()
    vectors.close()
    catalog.close()
