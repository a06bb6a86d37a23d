"""Vectors by the text that they stand for, so that no text is embedded twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

import numpy as np
import sqlalchemy as sa

from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.store.document_rows import batches

TOUCH_AFTER = timedelta(days=1)
"""Age of the last recorded use from which a new one is recorded. Chosen by us: reading stays
reading, and `prune` counts in days."""


class Embeddings:
    """A cache of unit vectors, kept as float16. Thread-safe."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    def get(self, fingerprint: str, hashes: Sequence[str]) -> dict[str, np.ndarray]:
        """The vectors that are there, by hash, as float32 [dimension]; their components are
        exact to 2⁻¹¹ of themselves.

        Args:
            fingerprint: the embedder's; the vectors of two are never mixed.
            hashes: of the texts, at most 64 characters each.
        """
        table, found, worn = schema.embeddings, {}, []
        before = self._now() - TOUCH_AFTER
        with self._database.read() as connection:
            for batch in batches(list(dict.fromkeys(hashes))):
                rows = connection.execute(
                    sa.select(table.c.hash, table.c.vector, table.c.used_at).where(
                        table.c.fingerprint == fingerprint, table.c.hash.in_(batch)
                    )
                )
                for row in rows:
                    found[row.hash] = np.frombuffer(row.vector, dtype="<f2").astype(np.float32)
                    if row.used_at < before:
                        worn.append(row.hash)
        self._touch(fingerprint, worn)
        return found

    def put(self, fingerprint: str, vectors: Mapping[str, np.ndarray]) -> None:
        """Keep vectors by hash, replacing what was there.

        Raises:
            ValueError: a vector is not finite, or beyond float16 (65,504).
        """
        now = self._now()
        rows = [
            {"fingerprint": fingerprint, "hash": key, "vector": _packed(vector), "used_at": now}
            for key, vector in sorted(vectors.items())
        ]
        table = schema.embeddings
        if not rows:
            return
        with self._database.write() as connection:
            connection.execute(
                sa.text(
                    "INSERT INTO embeddings (fingerprint, hash, vector, used_at) "
                    "VALUES (:fingerprint, :hash, :vector, :used_at) "
                    "ON CONFLICT (fingerprint, hash) DO UPDATE "
                    "SET vector = excluded.vector, used_at = excluded.used_at"
                ).bindparams(sa.bindparam("used_at", type_=table.c.used_at.type)),
                rows,
            )

    def prune(self, keep_days: float) -> int:
        """Forget vectors that were not used for this many days; returns how many."""
        table = schema.embeddings
        before = self._now() - timedelta(days=keep_days)
        with self._database.write() as connection:
            return connection.execute(table.delete().where(table.c.used_at < before)).rowcount

    def unused(self, days: float) -> int:
        """How many vectors `prune` with this many days would forget."""
        table = schema.embeddings
        before = self._now() - timedelta(days=days)
        with self._database.read() as connection:
            query = sa.select(sa.func.count()).where(table.c.used_at < before)
            return int(connection.execute(query).scalar_one())

    def count(self) -> int:
        """How many vectors are kept."""
        with self._database.read() as connection:
            query = sa.select(sa.func.count()).select_from(schema.embeddings)
            return int(connection.execute(query).scalar_one())

    def _touch(self, fingerprint: str, hashes: Sequence[str]) -> None:
        table = schema.embeddings
        for batch in batches(hashes):
            with self._database.write() as connection:
                connection.execute(
                    table.update()
                    .where(table.c.fingerprint == fingerprint, table.c.hash.in_(batch))
                    .values(used_at=self._now())
                )


def _packed(vector: np.ndarray) -> bytes:
    with np.errstate(over="ignore"):
        small = np.asarray(vector).reshape(-1).astype("<f2")
    if not np.isfinite(small).all():
        raise ValueError("a vector is not finite, or too large for half precision")
    return small.tobytes()
