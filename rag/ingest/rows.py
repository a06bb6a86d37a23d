"""From chunks to rows of the vector store: embed, tokenise, add what can be filtered by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.retrieve.query import embedding_text, lexical_text
from rag.store.lexical import LexicalStats
from rag.store.rows import VectorRow
from rag.text.tokenise import tokenise
from rag.types import Chunk

if TYPE_CHECKING:
    import numpy as np

    from rag.models.embedder import Embedder


def vector_rows(
    chunks: Sequence[Chunk], embedder: Embedder, lexical: LexicalStats
) -> list[VectorRow]:
    """Embed and tokenise chunks.

    Raises:
        ModelError: they cannot be embedded.
    """
    dense = embedder.embed_passages([embedding_text(chunk) for chunk in chunks])
    tokens = [tokenise(lexical_text(chunk)) for chunk in chunks]
    return [
        vector_row(chunk, vector, lexical.document_weights(terms))
        for chunk, vector, terms in zip(chunks, dense, tokens, strict=True)
    ]


def vector_row(chunk: Chunk, dense: np.ndarray, sparse: dict[int, float]) -> VectorRow:
    """A chunk with its vectors and its filterable metadata."""
    metadata = chunk.metadata
    return VectorRow(
        chunk_id=chunk.id,
        kb_id=chunk.kb_id,
        document_id=chunk.document_id,
        access=chunk.access or chunk.kb_id,
        region=metadata.region or "",
        year=metadata.year or 0,
        document_type=metadata.document_type or "",
        organisation=metadata.organisation or "",
        product=metadata.product or "",
        dense=dense,
        sparse=sparse,
    )
