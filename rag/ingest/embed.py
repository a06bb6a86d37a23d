"""Turns chunks into rows of the vector store: the embed and store steps of the chain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rag.types import Chunk

if TYPE_CHECKING:
    import numpy as np

    from rag.models.embedder import Embedder
    from rag.store.lexical import LexicalStats
    from rag.store.vectors import VectorRow

BATCH = 32
"""Texts between two looks at the cancel flag; chosen by us: one to two seconds of work for
the bundled embedder on two cores, and several of its own batches."""

_WINDOW_SHARE = 0.9
"""Share of the model's maximum that a window of a long text fills; the rest is for special
tokens, the instruction and the difference between counting parts and the whole."""


def embed_chunks(
    chunks: Sequence[Chunk], embedder: Embedder, step: Callable[[float], None]
) -> np.ndarray:
    """Unit vectors of the chunks, float32 [n, dimension], in their order.

    Texts of like length are embedded together, because a batch is as slow as its longest
    text. A record longer than the model's maximum is embedded in windows, whose mean stands
    for it, so that its end can be found too.

    Args:
        step: called with 0..1 after each batch; may raise to stop.

    Raises:
        ModelError: the model cannot be loaded or does not answer.
    """
    import numpy as np

    from rag.retrieve.query import embedding_text

    owners: list[int] = []
    texts: list[str] = []
    for index, chunk in enumerate(chunks):
        windows = _windows(embedding_text(chunk), embedder)
        owners.extend([index] * len(windows))
        texts.extend(windows)
    sums = np.zeros((len(chunks), embedder.dimension), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        found = embedder.embed_passages([texts[i] for i in batch])
        for position, index in enumerate(batch):
            sums[owners[index]] += found[position]
        step((start + len(batch)) / len(order))
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / np.where(norms > 0, norms, 1)


def token_lists(chunks: Sequence[Chunk]) -> list[list[str]]:
    """The index terms of each chunk."""
    from rag.retrieve.query import lexical_text
    from rag.text.tokenise import tokenise

    return [tokenise(lexical_text(chunk)) for chunk in chunks]


def vector_rows(
    chunks: Sequence[Chunk],
    dense: np.ndarray,
    tokens: Sequence[Sequence[str]],
    lexical: LexicalStats,
) -> list[VectorRow]:
    """The rows of the vector store, in the order of the chunks."""
    from rag.store.vectors import VectorRow

    return [
        VectorRow(
            chunk_id=chunk.id,
            kb_id=chunk.kb_id,
            document_id=chunk.document_id,
            access=chunk.access,
            region=chunk.metadata.region or "",
            year=chunk.metadata.year or 0,
            document_type=chunk.metadata.document_type or "",
            organisation=chunk.metadata.organisation or "",
            product=chunk.metadata.product or "",
            dense=vector,
            sparse=lexical.document_weights(terms),
        )
        for chunk, vector, terms in zip(chunks, dense, tokens, strict=True)
    ]


def _windows(text: str, embedder: Embedder) -> list[str]:
    """The text, or its parts when it is longer than the model reads."""
    limit = int(embedder.max_tokens * _WINDOW_SHARE)
    # A token is at least a character in all vocabularies that we met.
    if len(text) <= limit or embedder.count_tokens(text) <= limit:
        return [text]
    from rag.ingest.chunk.split import atoms, pack

    lead, _, rest = text.partition("\n")
    if embedder.count_tokens(lead) > limit // 3:
        lead, rest = "", text
    room = limit - embedder.count_tokens(lead)
    groups = pack(atoms(rest, 0, len(rest), room, embedder.count_tokens), room)
    return [f"{lead}\n{rest[group[0].start : group[-1].end]}".strip() for group in groups]
