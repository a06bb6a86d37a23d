"""Cuts a document into chunks: the fourth step of the offline chain."""

from __future__ import annotations

from collections.abc import Callable

from rag.settings import IngestSettings
from rag.types import Chunk, Document


def chunk(
    document: Document, settings: IngestSettings, count_tokens: Callable[[str], int]
) -> list[Chunk]:
    """Cut along the document's own structure, else at sentence borders."""
    raise NotImplementedError
