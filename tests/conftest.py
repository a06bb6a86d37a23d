"""Fixtures for tests that need the whole application: the samples, ingested once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.application import SAMPLE_DIRECTORY, SAMPLE_KNOWLEDGE_BASE, Application, opened


@pytest.fixture(scope="session")
def sample_application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """The application with the sample knowledge base. Tests leave it as they found it."""
    with opened(tmp_path_factory.mktemp("samples") / "data") as application:
        kb = application.kb_named(SAMPLE_KNOWLEDGE_BASE, create=True)
        for path in sorted(SAMPLE_DIRECTORY.iterdir()):
            stored = application.files.put(path, path.name)
            result = application.pipeline.ingest(stored.path, kb.id, path.name)
            assert result.status == "indexed", f"{path.name}: {result.error}"
        application.ready.set()
        yield application


@pytest.fixture(scope="session")
def sample_kb(sample_application: Application) -> str:
    """Id of the sample knowledge base."""
    return sample_application.kb_named(SAMPLE_KNOWLEDGE_BASE).id


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    """An empty application of the test's own."""
    with opened(tmp_path / "data") as application:
        application.ready.set()
        yield application
