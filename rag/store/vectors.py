"""The vector store: dense and sparse vectors of all chunks in Milvus (DESIGN §4).

The same code serves Milvus Lite (a path) and a Milvus server (a URI). They differ in one
decision, `per_kb`: Lite walks every row of a collection in Python at each search, so there
each knowledge base has a collection of its own; a server holds few collections well and
filters well, so there one collection holds all knowledge bases of an embedder. Both layouts
run on both, which is how the tests cover the server's.

Rules for Lite that this module keeps: a single writer (one lock around every write and every
change of collections), a flush after every batch, collections loaded and flushed before any
other thread sees them, hits deduplicated by id.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rag.errors import StoreError
from rag.store import milvus
from rag.store.expression import equals, one_of, search_expression
from rag.store.lock import ProcessLock
from rag.store.recovery import recover
from rag.store.rows import NO_TERMS, Space, VectorRow, entity, group_of, kb_of, unit
from rag.types import SearchFilter

__all__ = ["VectorRow", "VectorStore"]

WRITE_BATCH = 500
"""Rows in one request: a Lite search slows down with rows that are not flushed yet."""

READ_BATCH = 2000  # rows in one page of a listing

_PREFIX = "zhiwen_"


class VectorStore:
    """Vectors of one embedder at a time. Thread-safe; nothing is opened before `open`.

    Args:
        uri: a local path (Milvus Lite) or a server's address (`http://host:19530`).
        token: the server's token, or "user:password".
        per_kb: one collection per knowledge base; by default on Lite alone.
    """

    def __init__(self, uri: str, token: str = "", *, per_kb: bool | None = None) -> None:
        self._lite = milvus.is_lite(uri)
        self._uri = str(Path(uri).expanduser().resolve()) if self._lite else uri
        self._token = token
        self._per_kb = self._lite if per_kb is None else per_kb
        self._write = threading.RLock()
        self._client: Any = None
        self._space: Space | None = None
        self._lock = ProcessLock(Path(self._uri + ".lock")) if self._lite else None

    # --- Opening and closing ----------------------------------------------------------

    def open(self, fingerprint: str, dimension: int) -> None:
        """Use the vectors of this embedder from now on; those of others stay untouched.

        Args:
            fingerprint: the embedder's; another one means other, incomparable vectors.
            dimension: numbers in a dense vector.

        Raises:
            StoreLocked: another process has the local store open.
            StoreError: it cannot be opened or reached.
        """
        with self._write:
            self._connect()
            self._space = self._ready(fingerprint, dimension)

    @property
    def fingerprint(self) -> str:
        """The fingerprint that `open` was given last."""
        return self._opened().fingerprint

    def beside(self, fingerprint: str, dimension: int) -> VectorStore:
        """Another embedder's vectors in the same store, to be built while this one serves.

        It shares this store's connection; `close` of this one ends both. `open` with the
        same fingerprint then switches over.
        """
        other = object.__new__(VectorStore)
        with self._write:
            self._connect()
            other.__dict__.update(self.__dict__)
            other._space = self._ready(fingerprint, dimension)
        return other

    def warm_up(self) -> None:
        """Search each collection once: Lite builds its keyword lists at the first search."""
        space = self._opened()
        vector = np.zeros(space.dimension, dtype=np.float32)
        vector[0] = 1.0
        for name in space.collections.values():
            self._search(name, milvus.DENSE, vector, "", 1)
            self._search(name, milvus.SPARSE, NO_TERMS, "", 1)

    def close(self) -> None:
        """Release the store; another process may open it then."""
        with self._write:
            client, self._client, self._space = self._client, None, None
            if client is not None:
                milvus.disconnect(client, self._uri)
            if self._lock is not None:
                self._lock.release()

    # --- Writing ----------------------------------------------------------------------

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        """Write rows, replacing those of the same chunk id; they can be found on return.

        Raises:
            ValueError: a vector has the wrong dimension, no length or is not finite.
            DiskFull, StoreError: the store failed; some batches may have been written.
        """
        space = self._opened()
        entities: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            entities.setdefault(self._group(row.kb_id), []).append(entity(row, space.dimension))
        for group, group_rows in entities.items():
            with self._writing() as client:
                name = self._collection(space, group)
                for start in range(0, len(group_rows), WRITE_BATCH):
                    client.upsert(name, group_rows[start : start + WRITE_BATCH])
                    self._flush(client, name)

    def delete_chunks(self, ids: Iterable[str], kb_id: str | None = None) -> None:
        """Remove these chunks; unknown ids are ignored.

        Args:
            kb_id: the knowledge base that they are all in, which is quicker to know.
        """
        wanted = list(dict.fromkeys(ids))
        for name in self._names(None if kb_id is None else [kb_id]):
            for start in range(0, len(wanted), WRITE_BATCH):
                batch = wanted[start : start + WRITE_BATCH]
                with self._writing() as client:
                    if kb_id is None:
                        batch = [row["chunk_id"] for row in client.get(name, ids=batch)]
                    if batch:
                        client.delete(name, ids=batch)
            with self._writing() as client:
                self._flush(client, name)

    def delete_document(self, document_id: str, kb_id: str) -> None:
        """Remove all chunks of a document, of whatever version."""
        self.delete_documents([document_id], kb_id)

    def delete_documents(self, ids: Sequence[str], kb_id: str) -> None:
        """Remove all chunks of these documents of a knowledge base."""
        for start in range(0, len(ids), WRITE_BATCH):
            self._delete_where(kb_id, one_of("document_id", ids[start : start + WRITE_BATCH]))

    def delete_kb(self, kb_id: str) -> None:
        """Remove all chunks of a knowledge base."""
        space = self._opened()
        if not self._per_kb:
            self._delete_where(kb_id, equals("kb_id", kb_id))
            return
        with self._writing() as client:
            group = self._group(kb_id)
            name = space.collections.get(group)
            if name is not None:
                space.collections = {k: v for k, v in space.collections.items() if v != name}
                client.drop_collection(name)

    def _delete_where(self, kb_id: str, expression: str) -> None:
        for name in self._names([kb_id]):
            with self._writing() as client:
                client.delete(name, filter=expression)
                self._flush(client, name)

    # --- Searching --------------------------------------------------------------------

    def search_dense(
        self, vector: np.ndarray, filter: SearchFilter, k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest chunks as (id, cosine −1..1), best first, without duplicates."""
        space = self._opened()
        return self._search_all(milvus.DENSE, unit(vector, space.dimension), filter, k)

    def search_sparse(
        self, weights: Mapping[int, float], filter: SearchFilter, k: int
    ) -> list[tuple[str, float]]:
        """The `k` best chunks by keywords as (id, BM25 > 0), best first; empty for no weights.

        Args:
            weights: `LexicalStats.query_weights` of the question's tokens.
        """
        query = {term: float(weight) for term, weight in weights.items() if weight > 0}
        if not query:
            return []
        found = self._search_all(milvus.SPARSE, query, filter, k)
        return [(chunk_id, score) for chunk_id, score in found if score > 0]

    def _search_all(
        self, vector_field: str, query: Any, filter: SearchFilter, k: int
    ) -> list[tuple[str, float]]:
        expression = search_expression(filter, () if self._per_kb else filter.kb_ids)
        best: dict[str, float] = {}
        if k <= 0 or not filter.kb_ids:
            return []
        for name in self._names(filter.kb_ids):
            for chunk_id, score in self._search(name, vector_field, query, expression, k):
                best[chunk_id] = max(score, best.get(chunk_id, -np.inf))
        return sorted(best.items(), key=lambda found: (-found[1], found[0]))[:k]

    def _search(
        self, name: str, vector_field: str, query: Any, expression: str, k: int
    ) -> list[tuple[str, float]]:
        graph = vector_field == milvus.DENSE and not self._lite
        # A graph search looks at as many candidates as it returns, at least.
        params = {"ef": max(milvus.HNSW_EF_SEARCH, k)} if graph else {}
        try:
            with milvus.plain_errors():
                found = self._connected().search(
                    name,
                    data=[query],
                    anns_field=vector_field,
                    filter=expression,
                    limit=k,
                    output_fields=["chunk_id"],
                    search_params={"metric_type": "IP", "params": params},
                )
        except StoreError:
            if name not in self._opened().collections.values():
                return []  # Deleted while we searched.
            raise
        return [(str(hit["chunk_id"]), float(hit["distance"])) for hit in found[0]]

    # --- Looking things up ------------------------------------------------------------

    def vectors(self, chunk_ids: Sequence[str], kb_ids: Sequence[str]) -> dict[str, np.ndarray]:
        """The dense vectors (float32, length one) of those chunks that are there."""
        wanted = list(dict.fromkeys(chunk_ids))
        found: dict[str, np.ndarray] = {}
        for name in self._names(kb_ids) if wanted else ():
            with milvus.plain_errors():
                rows = self._connected().get(
                    name, ids=wanted, output_fields=["chunk_id", milvus.DENSE]
                )
            for row in rows:
                found[str(row["chunk_id"])] = np.asarray(row[milvus.DENSE], dtype=np.float32)
        return found

    def chunk_ids(self, kb_id: str) -> set[str]:
        """Ids of all chunks of a knowledge base that have vectors."""
        return {
            str(row["chunk_id"])
            for name in self._names([kb_id])
            for row in self._rows(name, equals("kb_id", kb_id), ["chunk_id"])
        }

    def kb_ids(self) -> set[str]:
        """Knowledge bases that have any collection or row here, wanted or not."""
        space = self._opened()
        if self._per_kb:
            return {kb_of(group) for group in space.collections}
        return {
            str(row["kb_id"])
            for name in space.collections.values()
            for row in self._rows(name, 'kb_id != ""', ["kb_id"])
        }

    def count(self, kb_id: str | None = None) -> int:
        """How many chunks have vectors (in one knowledge base)."""
        if self._lite:  # Its own count has rows twice that a kill left in log and files.
            bases = self.kb_ids() if kb_id is None else {kb_id}
            return sum(len(self.chunk_ids(base)) for base in bases)
        expression = "" if kb_id is None else equals("kb_id", kb_id)
        total = 0
        for name in self._names(None if kb_id is None else [kb_id]):
            with milvus.plain_errors():
                rows = self._connected().query(name, filter=expression, output_fields=["count(*)"])
            total += int(rows[0]["count(*)"])
        return total

    def _rows(self, name: str, expression: str, fields: list[str]) -> Iterator[dict[str, Any]]:
        with milvus.plain_errors():
            client = self._connected()
            if self._lite:
                yield from client.query(name, filter=expression, output_fields=fields)
                return
            # A server returns at most 16,384 rows at a time.
            iterator = client.query_iterator(
                name, batch_size=READ_BATCH, filter=expression, output_fields=fields
            )
            try:
                while batch := iterator.next():
                    yield from batch
            finally:
                iterator.close()

    # --- Other embedders' vectors -----------------------------------------------------

    def stale(self) -> list[str]:
        """Names of collections that hold vectors of embedders other than the open one."""
        space = self._opened()
        with milvus.plain_errors():
            names = self._connected().list_collections()
        own = _PREFIX + space.key
        return sorted(n for n in names if n.startswith(_PREFIX) and not n.startswith(own))

    def drop_stale(self) -> None:
        """Delete the vectors of all other embedders; they can be computed again."""
        for name in self.stale():
            with self._writing() as client:
                client.drop_collection(name)

    # --- Below ------------------------------------------------------------------------

    def _connect(self) -> None:
        if self._client is not None:
            return
        if self._lock is not None:
            self._lock.acquire()
            recover(Path(self._uri))
        try:
            self._client = milvus.connect(self._uri, self._token)
        except BaseException:
            if self._lock is not None:
                self._lock.release()
            raise

    def _ready(self, fingerprint: str, dimension: int) -> Space:
        space = Space(fingerprint, dimension)
        own = _PREFIX + space.key
        with self._writing() as client:
            for name in client.list_collections():
                if name.startswith(own):
                    client.load_collection(name)
                    # Clears rows that a kill between two steps of Lite left twice.
                    self._flush(client, name)
                    space.collections[name.removeprefix(own).removeprefix("_")] = name
        return space

    def _collection(self, space: Space, group: str) -> str:
        """The group's collection, created if need be. The caller holds the write lock."""
        if group not in space.collections:
            name = _PREFIX + space.key + (f"_{group}" if group else "")
            about = space.fingerprint[:200]
            milvus.create_collection(self._client, name, space.dimension, about, self._lite)
            space.collections = {**space.collections, group: name}
        return space.collections[group]

    def _names(self, kb_ids: Iterable[str] | None) -> list[str]:
        """Existing collections that may hold rows of these knowledge bases (None: of any)."""
        collections = self._opened().collections
        if kb_ids is None:
            return list(collections.values())
        groups = dict.fromkeys(self._group(kb_id) for kb_id in kb_ids)
        return [collections[group] for group in groups if group in collections]

    def _group(self, kb_id: str) -> str:
        return group_of(kb_id) if self._per_kb else ""

    def _flush(self, client: Any, name: str) -> None:
        # A server flushes by itself and limits how often it may be asked to.
        if self._lite:
            client.flush(name)

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        with self._write, milvus.plain_errors():
            yield self._connected()

    def _connected(self) -> Any:
        if self._client is None:
            raise StoreError(
                "向量库还没有打开。",
                "请稍候再试。",
                message_en="The vector store is not open yet.",
                remedy_en="Try again in a moment.",
            )
        return self._client

    def _opened(self) -> Space:
        self._connected()
        if self._space is None:
            raise RuntimeError("VectorStore.open has not been called")
        return self._space
