"""The vector store: dense and sparse vectors of all chunks in Milvus (DESIGN §4).

The same code serves Milvus Lite (a path) and a Milvus server (a URI). They differ in two
decisions. `per_kb`: a server holds few collections well and filters well, so there one
collection holds all knowledge bases of an embedder; on Lite each has one of its own, which a
deletion can drop. `local`: Lite walks every row of a collection in Python at each search, so
there searches and look-ups are answered from arrays of our own (`rag.store.local_store`), and
Lite is the record that they follow and can be made from. Each choice runs on Lite, which is
how the tests cover the server's.

Rules for Lite that this module keeps: a single writer (one lock around every write and every
change of collections), a flush after every batch, collections that are read from loaded and
flushed before any other thread sees them, hits deduplicated by id.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from rag.store import milvus
from rag.store.expression import equals, one_of
from rag.store.local_index import LocalIndex
from rag.store.local_store import LocalStore
from rag.store.lock import ProcessLock
from rag.store.milvus_reads import MilvusReads
from rag.store.recovery import recover
from rag.store.rows import NO_TERMS, PREFIX, Space, VectorRow, entity, group_of, kb_of, unit
from rag.types import SearchFilter

__all__ = ["VectorRow", "VectorStore"]

WRITE_BATCH = 500
"""Rows in one request: a Lite search slows down with rows that are not flushed yet."""


class VectorStore:
    """Vectors of one embedder at a time. Thread-safe; nothing is opened before `open`.

    Args:
        uri: a local path (Milvus Lite) or a server's address (`http://host:19530`).
        token: the server's token, or "user:password".
        per_kb: one collection per knowledge base; by default on Lite alone.
        local: answer from arrays of our own; by default on Lite, and possible there alone.
    """

    def __init__(
        self, uri: str, token: str = "", *, per_kb: bool | None = None, local: bool | None = None
    ) -> None:
        self._lite = milvus.is_lite(uri)
        self._uri = str(Path(uri).expanduser().resolve()) if self._lite else uri
        self._token = token
        self._per_kb = self._lite if per_kb is None else per_kb
        self._use_local = self._lite if local is None else local and self._lite
        self._milvus = MilvusReads(self._connected, self._lite, self._exists)
        self._local: LocalStore | None = None
        self._write = threading.RLock()
        self._connection: milvus.Connection | None = None
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
            other._milvus = MilvusReads(other._connected, other._lite, other._exists)
            other._space = self._ready(fingerprint, dimension)
        return other

    def warm_up(self) -> None:
        """Make the first searches and writes quick: local indexes are read and checked, and
        made anew where they are damaged; Lite builds its keyword lists at a first search."""
        space = self._opened()
        if self._local is not None:
            for name in self._local.damaged():
                with self._writing():
                    if self._exists(name):
                        self._local.build(name)
            self._connected()
            return
        vector = np.zeros(space.dimension, dtype=np.float32)
        vector[0] = 1.0
        for kb_id, name in space.collections.items():
            anything = SearchFilter(kb_ids=(kb_id,))
            self._milvus.search_dense(name, vector, anything, (), 1)
            self._milvus.search_sparse(name, NO_TERMS, anything, (), 1)

    def close(self) -> None:
        """Release the store; another process may open it then."""
        with self._write:
            if self._connection is not None:
                self._connection.close()
            self._connection = self._space = self._local = None
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
            for start in range(0, len(group_rows), WRITE_BATCH):
                batch = group_rows[start : start + WRITE_BATCH]
                with self._writing() as client:
                    name = self._collection(space, group)
                    ids = [row["chunk_id"] for row in batch]
                    with self._changing(name, ids, len(batch)) as index:
                        client.upsert(name, batch)
                        self._flush(client, name)
                        if index is not None:
                            index.put(batch)

    def delete_chunks(self, ids: Iterable[str], kb_id: str | None = None) -> None:
        """Remove these chunks; unknown ids are ignored.

        Args:
            kb_id: the knowledge base that they are all in, which is quicker to know.
        """
        wanted = list(dict.fromkeys(ids))
        for name in self._names(None if kb_id is None else [kb_id]):
            with self._writing() as client:
                if self._local is not None:
                    index = self._local.for_writing(name)
                    self._delete(client, name, [] if index is None else index.known(wanted))
                    continue
                for start in range(0, len(wanted), WRITE_BATCH):
                    batch = wanted[start : start + WRITE_BATCH]
                    if kb_id is None:
                        batch = [row["chunk_id"] for row in client.get(name, ids=batch)]
                    self._delete(client, name, batch)

    def delete_document(self, document_id: str, kb_id: str) -> None:
        """Remove all chunks of a document, of whatever version."""
        self.delete_documents([document_id], kb_id)

    def delete_documents(self, ids: Sequence[str], kb_id: str) -> None:
        """Remove all chunks of these documents of a knowledge base."""
        parts = (ids[start : start + WRITE_BATCH] for start in range(0, len(ids), WRITE_BATCH))
        expressions = [one_of("document_id", part) for part in parts]
        for name in self._names([kb_id]):
            self._delete_found(name, lambda i: i.ids_of_documents(ids, kb_id), expressions)

    def delete_kb(self, kb_id: str) -> None:
        """Remove all chunks of a knowledge base."""
        space = self._opened()
        for name in self._names([kb_id]):
            if not self._per_kb:
                self._delete_found(name, lambda i: i.ids(kb_id), [equals("kb_id", kb_id)])
                continue
            with self._writing() as client:
                before = space.collections
                space.lost(name)
                try:
                    self._drop(client, name)
                except BaseException:
                    space.collections = before
                    raise

    def _delete_found(
        self, name: str, find: Callable[[LocalIndex], set[str]], expressions: Sequence[str]
    ) -> None:
        with self._writing() as client:
            if self._local is not None:
                index = self._local.for_writing(name)
                self._delete(client, name, [] if index is None else sorted(find(index)))
                return
            for expression in expressions:
                client.delete(name, filter=expression)
                self._flush(client, name)

    def _delete(self, client: Any, name: str, ids: Sequence[str]) -> None:
        if not ids:
            return
        batches = [list(ids[at : at + WRITE_BATCH]) for at in range(0, len(ids), WRITE_BATCH)]
        with self._changing(name, ids, len(batches)) as index:
            for batch in batches:
                client.delete(name, ids=batch)
            self._flush(client, name)
            if index is not None:
                index.remove(ids)

    def _drop(self, client: Any, name: str) -> None:
        client.drop_collection(name)
        if self._local is not None:
            self._local.forget(name)

    def _changing(
        self, name: str, ids: Sequence[str], steps: int
    ) -> AbstractContextManager[LocalIndex | None]:
        """Keep the collection's local index, if any, with it through the writes within."""
        return nullcontext() if self._local is None else self._local.changing(name, ids, steps)

    # --- Searching --------------------------------------------------------------------

    def search_dense(
        self, vector: np.ndarray, filter: SearchFilter, k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest chunks as (id, cosine −1..1), best first, without duplicates."""
        vector = unit(vector, self._opened().dimension)
        return self._best(
            filter, k, lambda name, bases: self._reads.search_dense(name, vector, filter, bases, k)
        )

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
        found = self._best(
            filter, k, lambda name, bases: self._reads.search_sparse(name, query, filter, bases, k)
        )
        return [(chunk_id, score) for chunk_id, score in found if score > 0]

    def _best(
        self,
        filter: SearchFilter,
        k: int,
        search: Callable[[str, tuple[str, ...]], list[tuple[str, float]]],
    ) -> list[tuple[str, float]]:
        if k <= 0 or not filter.kb_ids:
            return []
        best: dict[str, float] = {}
        for name in self._names(filter.kb_ids):
            for chunk_id, score in search(name, () if self._per_kb else filter.kb_ids):
                best[chunk_id] = max(score, best.get(chunk_id, -np.inf))
        return sorted(best.items(), key=lambda found: (-found[1], found[0]))[:k]

    # --- Looking things up ------------------------------------------------------------

    def vectors(self, chunk_ids: Sequence[str], kb_ids: Sequence[str]) -> dict[str, np.ndarray]:
        """The dense vectors (float32, length one) of those chunks that are there."""
        wanted = list(dict.fromkeys(chunk_ids))
        found: dict[str, np.ndarray] = {}
        for name in self._names(kb_ids) if wanted else ():
            found |= self._reads.vectors(name, wanted)
        return found

    def chunk_ids(self, kb_id: str) -> set[str]:
        """Ids of all chunks of a knowledge base that have vectors."""
        return {i for name in self._names([kb_id]) for i in self._reads.ids(name, kb_id)}

    def kb_ids(self) -> set[str]:
        """Knowledge bases that have any collection or row here, wanted or not."""
        space = self._opened()
        if self._per_kb:
            return {kb_of(group) for group in space.collections}
        return {kb for name in space.collections.values() for kb in self._reads.kb_ids(name)}

    def count(self, kb_id: str | None = None) -> int:
        """How many chunks have vectors (in one knowledge base)."""
        names = self._names(None if kb_id is None else [kb_id])
        return sum(self._reads.count(name, kb_id) for name in names)

    # --- Other embedders' vectors -----------------------------------------------------

    def stale(self) -> list[str]:
        """Names of collections that hold vectors of embedders other than the open one."""
        own = self._opened().prefix
        names = self._all_names()
        return sorted(n for n in names if n.startswith(PREFIX) and not n.startswith(own))

    def drop_stale(self) -> None:
        """Delete the vectors of all other embedders; they can be computed again."""
        for name in self.stale():
            with self._writing() as client:
                self._drop(client, name)

    # --- Below ------------------------------------------------------------------------

    def _connect(self) -> None:
        if self._connection is not None:
            return
        if self._lock is not None:
            self._lock.acquire()
            recover(Path(self._uri))
        connection = milvus.Connection(self._uri, self._token)
        try:
            if self._use_local:
                self._local = LocalStore(Path(self._uri), self._milvus)
                self._local.sweep()
            else:
                connection.client()
        except BaseException:
            if self._lock is not None:
                self._lock.release()
            raise
        self._connection = connection

    def _ready(self, fingerprint: str, dimension: int) -> Space:
        space = Space(fingerprint, dimension)
        with self._write, milvus.plain_errors():
            for name in self._all_names():
                if not name.startswith(space.prefix):
                    continue
                if self._local is not None:
                    self._local.open(name, dimension)
                else:
                    self._connected().load_collection(name)
                    # Clears rows that a kill between two steps of Lite left twice.
                    self._flush(self._connected(), name)
                space.found(name)
        return space

    def _all_names(self) -> list[str]:
        if self._local is not None:  # Lite would load every collection to list it.
            return self._local.names()
        with milvus.plain_errors():
            return list(self._connected().list_collections())

    def _collection(self, space: Space, group: str) -> str:
        """The group's collection, created if need be. The caller holds the write lock."""
        if group not in space.collections:
            name = space.name(group)
            about = space.fingerprint[:200]
            ready = self._local is None
            milvus.create_collection(
                self._connected(), name, space.dimension, about, self._lite, ready
            )
            if self._local is not None:
                self._local.create(name, space.dimension)
            space.found(name)
        return space.collections[group]

    def _names(self, kb_ids: Iterable[str] | None) -> list[str]:
        """Existing collections that may hold rows of these knowledge bases (None: of any)."""
        collections = self._opened().collections
        groups = collections if kb_ids is None else dict.fromkeys(map(self._group, kb_ids))
        return [collections[group] for group in groups if group in collections]

    def _group(self, kb_id: str) -> str:
        return group_of(kb_id) if self._per_kb else ""

    def _flush(self, client: Any, name: str) -> None:
        # A server flushes by itself and limits how often it may be asked to.
        if self._lite:
            client.flush(name)

    def _exists(self, name: str) -> bool:
        return self._space is not None and name in self._space.collections.values()

    @property
    def _reads(self) -> LocalStore | MilvusReads:
        return self._milvus if self._local is None else self._local

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        with self._write, milvus.plain_errors():
            yield self._connected()

    def _connected(self) -> Any:
        if self._connection is None:
            raise milvus.not_open()
        return self._connection.client()

    def _opened(self) -> Space:
        if self._connection is None or self._space is None:
            raise milvus.not_open()
        return self._space
