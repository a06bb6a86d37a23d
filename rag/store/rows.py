"""Rows of the vector store: what a chunk brings, and the form in which Milvus takes it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rag.store import milvus
from rag.store.expression import clip, stored_year

NO_TERMS = {0: 1e-6}
"""Stands for "no terms": Milvus refuses an empty row. Its weight decides no ranking."""

PREFIX = "zhiwen_"
"""What the names of all our collections begin with."""

_PLAIN_ID = re.compile(r"[A-Za-z0-9_]{1,64}")


@dataclass(frozen=True)
class VectorRow:
    """One chunk's vectors and what it can be filtered by.

    `region`, `document_type`, `organisation` and `product` are "" and `year` is 0 where
    unknown. `dense` is float32 [dimension], of any length above zero; `sparse` is term id →
    weight (`LexicalStats.document_weights`) and may be empty.
    """

    chunk_id: str
    kb_id: str
    document_id: str
    access: str
    region: str
    year: int
    document_type: str
    organisation: str
    product: str
    dense: np.ndarray
    sparse: dict[int, float]


@dataclass
class Space:
    """The collections of one embedder. `collections` maps a knowledge base's id (or "" for the
    shared one) to one that is ready; it is replaced, never changed, so readers need no lock."""

    fingerprint: str
    dimension: int
    collections: dict[str, str] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """What the names of this embedder's collections begin with."""
        named = f"{self.fingerprint}\0{self.dimension}".encode()
        return PREFIX + hashlib.blake2b(named, digest_size=6).hexdigest()

    def name(self, group: str) -> str:
        """The name of the collection of a knowledge base (or of "", the shared one)."""
        return self.prefix + (f"_{group}" if group else "")

    def found(self, name: str) -> None:
        """Note a collection of this embedder that is ready."""
        group = name.removeprefix(self.prefix).removeprefix("_")
        self.collections = {**self.collections, group: name}

    def lost(self, name: str) -> None:
        """Note that a collection is no more."""
        self.collections = {k: v for k, v in self.collections.items() if v != name}


def group_of(kb_id: str) -> str:
    """A knowledge base's id in the letters that collection names allow."""
    if _PLAIN_ID.fullmatch(kb_id):
        return "k" + kb_id
    return "x" + kb_id.encode().hex()


def kb_of(group: str) -> str:
    """The inverse of `group_of`."""
    return group[1:] if group.startswith("k") else bytes.fromhex(group[1:]).decode()


def entity(row: VectorRow, dimension: int) -> dict[str, Any]:
    """The row as Milvus takes it.

    Raises:
        ValueError: see `unit`; or a sparse weight is not finite.
    """
    sparse = {int(term): float(weight) for term, weight in row.sparse.items() if weight > 0}
    if not np.isfinite(list(sparse.values())).all():
        raise ValueError(f"chunk {row.chunk_id}: a sparse weight is not finite")
    return {
        "chunk_id": row.chunk_id,
        "kb_id": row.kb_id,
        "document_id": row.document_id,
        "access": row.access,
        "region": clip("region", row.region),
        "year": stored_year(row.year),
        "document_type": clip("document_type", row.document_type),
        "organisation": clip("organisation", row.organisation),
        "product": clip("product", row.product),
        milvus.DENSE: unit(row.dense, dimension),
        milvus.SPARSE: sparse or dict(NO_TERMS),
    }


def unit(vector: np.ndarray, dimension: int) -> np.ndarray:
    """The vector as float32 of length one.

    Raises:
        ValueError: it has another dimension, no length, or is not finite.
    """
    plain = np.asarray(vector, dtype=np.float32).reshape(-1)
    if plain.shape != (dimension,):
        raise ValueError(f"a vector has {plain.shape[0]} numbers, not {dimension}")
    length = float(np.linalg.norm(plain))
    if not np.isfinite(length) or length == 0.0:
        raise ValueError("a vector has no length or is not finite")
    return plain / length
