"""Gives chunks ids made from their content, so that what did not change keeps its vector."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence

from rag.ingest.embed import sparse_text
from rag.types import Chunk

_DIGEST_BYTES = 8


def with_content_ids(chunks: Sequence[Chunk], document_id: str) -> list[Chunk]:
    """The chunks of one document with ids "{document id}-{16 hexadecimal digits}", parent ids
    to match, and ordinals from 0.

    The digits stand for all that the vector store keeps of a chunk: what is embedded and
    tokenised and what searches filter by. Chunks with the same content are numbered ("…-2").
    """
    seen: Counter[str] = Counter()
    ids: dict[str, str] = {}
    for chunk in chunks:
        made = f"{document_id}-{_digest(chunk)}"
        seen[made] += 1
        ids[chunk.id] = made if seen[made] == 1 else f"{made}-{seen[made]}"
    return [
        chunk.model_copy(
            update={
                "id": ids[chunk.id],
                "parent_id": ids.get(chunk.parent_id) if chunk.parent_id else None,
                "ordinal": ordinal,
            }
        )
        for ordinal, chunk in enumerate(chunks)
    ]


def _digest(chunk: Chunk) -> str:
    known = chunk.metadata
    content = json.dumps(
        [
            sparse_text(chunk), chunk.kb_id, chunk.access, chunk.indexed, known.region, known.year,
            known.document_type, known.organisation, known.product,
        ]
    )  # fmt: skip
    return hashlib.blake2b(
        content.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES
    ).hexdigest()
