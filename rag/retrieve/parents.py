"""Small passages are found, wider ones are read: children give way to their parents.

The last step of a search, after reranking, so that a child's own words decide its rank and
the answer step gets the passage around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rag.types import Chunk, Hit

GetChunks = Callable[[Sequence[str]], Mapping[str, Chunk]]
"""Chunks that answers may use by id; unknown ids are left out."""


def with_parents(hits: Sequence[Hit], get: GetChunks) -> list[Hit]:
    """The hits with each child replaced by its parent, once each, in the place and with the
    scores of its best child.

    A child whose text an earlier parent of the same document already shows (windows of
    sentences overlap) is left out; one whose parent is not there stays itself. Ranks are
    counted anew. Without children the hits come back as they are.

    Args:
        hits: ranked, best first.
    """
    wanted = list(dict.fromkeys(h.chunk.parent_id for h in hits if h.chunk.parent_id))
    if not wanted:
        return list(hits)
    parents = get(wanted)
    kept: list[Hit] = []
    read: dict[str, list[Chunk]] = {}
    seen: set[str] = set()
    for hit in hits:
        chunk = hit.chunk
        parent = parents.get(chunk.parent_id or "")
        # Parents are of the same document; anything else would pass by the access filter.
        if parent is not None and parent.document_id == chunk.document_id:
            shown = read.setdefault(chunk.document_id, [])
            if any(_shows(other, chunk) for other in shown):
                continue
            shown.append(parent)
            hit = hit.model_copy(update={"chunk": parent})
        if hit.chunk.id not in seen:
            seen.add(hit.chunk.id)
            kept.append(hit)
    return [hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(kept, start=1)]


def _shows(parent: Chunk, child: Chunk) -> bool:
    """Whether a parent holds a child: its own, or one that stands in its text."""
    if parent.id == child.parent_id:
        return True
    start, end = parent.char_span
    inside = start <= child.char_span[0] and child.char_span[1] <= end
    return inside and child.text in parent.text
