"""Computes the vectors of searchable chunks again: the catalog is the truth, an index follows."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import TYPE_CHECKING

from rag.ingest.embed import embed_chunks, token_lists, vector_rows

if TYPE_CHECKING:
    from rag.models.embedder import Embedder
    from rag.store.catalog import Catalog
    from rag.store.vectors import VectorStore

BATCH = 256
"""Chunks embedded and written together; chosen by us."""


def fill(
    catalog: Catalog,
    target: VectorStore,
    embedder: Embedder,
    kb_id: str | None = None,
    *,
    done: Set[str] = frozenset(),
    progress: Callable[[float], None] | None = None,
) -> int:
    """Write the vectors of all searchable chunks (of one knowledge base, or of all); returns
    how many chunks there were.

    Args:
        target: where the vectors go; it is open for this embedder.
        done: ids of chunks whose vectors are there already.
        progress: called with 0..1 after each batch; may raise to stop.

    Raises:
        ModelError, StoreError: some batches may have been written.
    """
    total = catalog.chunks.count(kb_id, searchable=True)
    seen = 0
    for batch in catalog.chunks.walk(kb_id, batch=BATCH, searchable=True):
        left = [chunk for chunk in batch if chunk.id not in done]
        if left:
            dense = embed_chunks(left, embedder, lambda _: None, catalog.embeddings)
            target.upsert(vector_rows(left, dense, token_lists(left), catalog.lexical))
        seen += len(batch)
        if progress is not None:
            progress(min(seen / max(total, 1), 1.0))
    for base in target.kb_ids() if kb_id is None else {kb_id}:
        # Deleted or hidden while they were being embedded.
        target.delete_chunks(target.chunk_ids(base) - catalog.chunks.searchable_ids(base), base)
    return seen
