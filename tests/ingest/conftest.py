"""A pipeline over a real catalog, a real vector store and a small stand-in embedder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ingest_world import BigramEmbedder, World, close_world, open_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = open_world(tmp_path / "data", BigramEmbedder())
    yield world
    close_world(world)
