"""Vectors of a benchmark's texts, computed once and kept in a folder of the caller's choice."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from rag.models.bundled import BundledEmbedder
from rag.models.completer import Completer
from rag.models.embedder import Embedder
from rag.retrieve.query import embedding_text, query_text
from rag.types import Chunk


def passage_vectors(embedder: Embedder, passages: Sequence[Chunk], cache: Path) -> np.ndarray:
    """float32 [len(passages), dimension] of the texts that ingestion would embed."""
    return _stored(
        embedder, [embedding_text(chunk) for chunk in passages], embedder.embed_passages, cache
    )


def question_vectors(embedder: Embedder, questions: Sequence[str], cache: Path) -> np.ndarray:
    """float32 [len(questions), dimension]."""
    return _stored(embedder, [query_text(q) for q in questions], embedder.embed_queries, cache)


def _stored(
    embedder: Embedder,
    texts: Sequence[str],
    embed: Callable[[Sequence[str]], np.ndarray],
    cache: Path,
) -> np.ndarray:
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{embedder.fingerprint}_{embed.__name__}.npz"
    known: dict[str, np.ndarray] = {}
    if path.is_file():
        with np.load(path) as stored:
            known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
    keys = [hashlib.sha256(text.encode()).hexdigest()[:24] for text in texts]
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if missing:
        began = time.perf_counter()
        vectors = embed(list(missing.values()))
        known.update(zip(missing, vectors, strict=True))
        temporary = path.with_suffix(".tmp.npz")
        np.savez(temporary, keys=np.array(list(known)), vectors=np.stack(list(known.values())))
        temporary.replace(path)
        seconds = time.perf_counter() - began
        print(f"  embedded {len(missing)} texts in {seconds:.0f} s", flush=True)
    return np.stack([known[key] for key in keys])


def bundled_embedder(cache: Path) -> Embedder:
    """The product's default embedder, built under `cache` when it is not there."""
    return BundledEmbedder(cache)


def bundled_completer(cache: Path) -> Completer:
    """The product's completion model; the encoder's words are built under `cache`."""
    return Completer(cache)
