"""Turns chunks into rows of the vector store: the embed and store steps of the chain."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from rag.foreground import FOREGROUND
from rag.types import Chunk

if TYPE_CHECKING:
    import numpy as np

    from rag.models.embedder import Embedder
    from rag.store.lexical import LexicalStats
    from rag.store.vectors import VectorRow

BATCH = 16
"""Texts between two looks at the cancel flag and at waiting chats; chosen by us: half a second
of work for the bundled embedder on two cores."""

KEEP_EVERY = 16
"""Batches after which new vectors are kept in the cache, so that what an interrupted job has
done is not lost; chosen by us."""

_WINDOW_SHARE = 0.9
"""Share of the model's maximum that a window of a long text fills; the rest is for special
tokens, the instruction and the difference between counting parts and the whole."""


class VectorCache(Protocol):
    """Vectors by the hash of their text (`rag.store.embeddings.Embeddings`)."""

    def get(self, fingerprint: str, hashes: Sequence[str]) -> dict[str, np.ndarray]:
        """Those that are there."""
        ...

    def put(self, fingerprint: str, vectors: Mapping[str, np.ndarray]) -> None:
        """Keep vectors by hash."""
        ...


def sparse_text(chunk: Chunk) -> str:
    """The text whose terms are indexed: title path, passage, and the questions it answers."""
    from rag.retrieve.query import lexical_text

    return "\n".join((lexical_text(chunk), *chunk.questions))


def dense_text(chunk: Chunk) -> str:
    """The text that is embedded: the same, normalised."""
    from rag.retrieve.query import embedding_text
    from rag.text.normalise import normalise

    return "\n".join((embedding_text(chunk), *map(normalise, chunk.questions)))


def embed_chunks(
    chunks: Sequence[Chunk],
    embedder: Embedder,
    step: Callable[[float], None],
    cache: VectorCache | None = None,
) -> np.ndarray:
    """Unit vectors of the chunks, float32 [n, dimension], in their order.

    Texts of like length are embedded together, because a batch is as slow as its longest
    text. A record longer than the model's maximum is embedded in windows, whose mean stands
    for it, so that its end can be found too. Between batches chats go first.

    Args:
        step: called with 0..1 after each batch; may raise to stop.
        cache: vectors of texts that were embedded before; gets the new ones.

    Raises:
        ModelError: the model cannot be loaded or does not answer.
    """
    import numpy as np

    texts = [dense_text(chunk) for chunk in chunks]
    keys = [text_hash(text) for text in texts]
    known = cache.get(embedder.fingerprint, list(dict.fromkeys(keys))) if cache else {}
    wanted = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    left = sorted(wanted, key=lambda key: len(wanted[key]))
    for start in range(0, len(left), BATCH * KEEP_EVERY):
        part = left[start : start + BATCH * KEEP_EVERY]

        def share(done: float, first: int = start, count: int = len(part)) -> None:
            step((first + done * count) / len(left))

        vectors = embed_texts([wanted[key] for key in part], embedder, share)
        new = dict(zip(part, vectors, strict=True))
        if cache is not None:
            cache.put(embedder.fingerprint, new)
        known.update(new)
    if not left:
        step(1.0)
    if not keys:
        return np.zeros((0, embedder.dimension), dtype=np.float32)
    return _unit(np.stack([known[key] for key in keys]).astype(np.float32))


def embed_texts(
    texts: Sequence[str], embedder: Embedder, step: Callable[[float], None] = lambda _: None
) -> np.ndarray:
    """Unit vectors of texts, float32 [n, dimension], in their order; longer ones than the
    model reads by windows. Arguments and errors as for `embed_chunks`."""
    import numpy as np

    owners: list[int] = []
    windows: list[str] = []
    for index, text in enumerate(texts):
        FOREGROUND.give_way()
        parts = _windows(text, embedder)
        owners.extend([index] * len(parts))
        windows.extend(parts)
    sums = np.zeros((len(texts), embedder.dimension), dtype=np.float32)
    order = sorted(range(len(windows)), key=lambda i: len(windows[i]))
    for start in range(0, len(order), BATCH):
        FOREGROUND.give_way()
        batch = order[start : start + BATCH]
        found = embedder.embed_passages([windows[i] for i in batch])
        for position, index in enumerate(batch):
            sums[owners[index]] += found[position]
        step((start + len(batch)) / len(order))
    return _unit(sums)


def text_hash(text: str) -> str:
    """What an embedded text is known by: 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def token_lists(chunks: Sequence[Chunk]) -> list[list[str]]:
    """The index terms of each chunk."""
    from rag.text.tokenise import tokenise

    found = []
    for chunk in chunks:
        FOREGROUND.give_way()
        found.append(tokenise(sparse_text(chunk)))
    return found


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


def _unit(rows: np.ndarray) -> np.ndarray:
    import numpy as np

    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1)


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
