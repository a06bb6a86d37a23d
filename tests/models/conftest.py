"""Model folders, the converted bundled model, and a scripted endpoint, shared by the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_models import save_encoder

from rag.models.bundled_convert import prepare
from rag.secrets import Secrets
from tests.llm_server import ScriptedServer


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def spare() -> Iterator[ScriptedServer]:
    """A second endpoint, to fall back to."""
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def secrets(tmp_path: Path) -> Secrets:
    return Secrets(tmp_path)


@pytest.fixture(scope="session")
def bundled_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with the converted bundled model."""
    data = tmp_path_factory.mktemp("bundled")
    prepare(data)
    return data


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_encoder(tmp_path_factory.mktemp("models") / "tiny-encoder")


@pytest.fixture(scope="session")
def reranker_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_encoder(tmp_path_factory.mktemp("models") / "tiny-reranker", labels=1)
