"""Search indexes of our own for all collections of a Milvus Lite store.

Lite stays the store of record; it walks every row in Python at each search, so searches and
look-ups are answered from `LocalIndex`es instead, which hold the same rows as arrays. They lie
in a folder beside the store and follow each write in the same call. What a kill or a power cut
may leave behind is found by comparing marks when a collection is opened:

* the same mark and no announced change: the files are the collection;
* an announced change from the files' mark on: only its rows are read from Milvus again;
* anything else: all rows are read from Milvus again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from rag.store import local_files, local_mark
from rag.store.local_index import LocalIndex
from rag.types import SearchFilter

log = logging.getLogger(__name__)

_T = TypeVar("_T")

SUFFIX = ".search"
"""What the folder's name has behind that of the store."""


class Record(Protocol):
    """The collections themselves, as far as indexes are made from them."""

    def settle(self, name: str) -> None:
        """Open a collection and finish what a kill left half done."""

    def rows(self, name: str, ids: Sequence[str] | None) -> Iterator[list[dict[str, Any]]]:
        """All rows of a collection, or those of these chunks, in batches."""


class LocalStore:
    """The indexes by collection. Many readers; one writer, which the caller sees to.

    Args:
        store: the folder of the Lite store.
        record: reads its collections.
    """

    def __init__(self, store: Path, record: Record) -> None:
        self._store = store
        self._folder = store.with_name(store.name + SUFFIX)
        self._record = record
        self._indexes: dict[str, LocalIndex] = {}
        self._owed: dict[str, tuple[str, ...]] = {}
        """Chunks that must be read again before the next write, by collection."""
        self._renamed: set[str] = set()
        """Collections that this process gave a token of its own."""

    # --- Opening ----------------------------------------------------------------------

    def names(self) -> list[str]:
        """Names of the store's collections."""
        return local_mark.collections(self._store)

    def open(self, name: str, dimension: int) -> None:
        """Take a collection's index from its files, or make it.

        Raises:
            StoreError: it must be made, and the collection cannot be read.
        """
        if name in self._indexes:
            return
        folder = self._folder / name
        index = LocalIndex.load(folder, dimension)
        pending = local_files.announced(folder)
        if index is None or index.mark != self._mark(name) or _begun(index, pending):
            self._record.settle(name)
            with suppress(OSError):
                local_mark.ensure_token(self._store, name)
            mark = self._mark(name)
            if index is not None and pending is not None and _explained(index, pending, mark):
                self._read_again(index, name, pending.ids)
                index.save(mark)
            elif index is None or index.mark != mark or pending is not None:
                index = self._built(name, dimension)
        self._indexes = {**self._indexes, name: index}

    def create(self, name: str, dimension: int) -> None:
        """Begin the index of a new, empty collection."""
        local_files.erase(self._folder / name)
        with suppress(OSError):
            local_mark.ensure_token(self._store, name)
        index = LocalIndex(self._folder / name, dimension)
        self._renamed.add(name)
        index.save(self._mark(name))
        self._indexes = {**self._indexes, name: index}

    def forget(self, name: str) -> None:
        """Remove the index of a collection that was dropped."""
        self._indexes = {known: index for known, index in self._indexes.items() if known != name}
        self._owed.pop(name, None)
        self._renamed.discard(name)
        local_files.erase(self._folder / name)

    def sweep(self) -> None:
        """Remove indexes of collections that are no longer there, and what is left of indexes
        that must be made anew anyway."""
        known = set(self.names())
        for folder in self._folder.glob("*"):
            if folder.is_dir() and (folder.name not in known or not local_files.has_state(folder)):
                with suppress(OSError):
                    local_files.erase(folder)

    def damaged(self) -> list[str]:
        """Collections whose files are not what was written. Reads all files, so that the
        first search finds their pages in memory."""
        return [name for name, index in list(self._indexes.items()) if not index.is_intact()]

    def build(self, name: str) -> None:
        """Make a collection's index anew."""
        index = self._built(name, self._indexes[name].dimension)
        self._indexes = {**self._indexes, name: index}

    def _built(self, name: str, dimension: int) -> LocalIndex:
        log.info("building the search index of %s", name)
        local_files.erase(self._folder / name)
        index = LocalIndex(self._folder / name, dimension)
        for batch in self._record.rows(name, None):
            index.put(batch)
        index.save(self._mark(name))
        return index

    def _read_again(self, index: LocalIndex, name: str, ids: Sequence[str]) -> None:
        rows = [row for batch in self._record.rows(name, ids) for row in batch]
        index.remove(set(ids) - {str(row["chunk_id"]) for row in rows})
        index.put(rows)

    def _mark(self, name: str) -> local_mark.Mark | None:
        return local_mark.read(self._store, name)

    # --- Following writes -------------------------------------------------------------

    @contextmanager
    def changing(self, name: str, ids: Sequence[str], steps: int) -> Iterator[LocalIndex]:
        """The index while chunks of its collection are written or deleted: they are announced
        before and read again should the collection fail meanwhile; the index is saved after.

        Args:
            ids: the chunks.
            steps: by how much the writes move the collection's sequence on, all told.
        """
        index = self._indexes[name]
        if name in self._owed:
            self._catch_up(index, name)
        self._rename(index, name)
        try:
            index.announce(ids, steps)
        except OSError:  # Then a kill costs a whole build instead of a few rows.
            local_files.disown(index.folder)
        try:
            yield index
        except BaseException:
            self._owed[name] = tuple(ids)
            try:
                self._catch_up(index, name)
            except Exception:
                log.exception("%s differs from its search index until it can be read", name)
            raise
        index.save(self._mark(name))

    def _rename(self, index: LocalIndex, name: str) -> None:
        """Give the collection a new token before this process's first write to it. A kill
        between the token and the state, which follow each other at once, costs a new build."""
        if name in self._renamed or index.mark is None or index.mark != self._mark(name):
            return
        with suppress(OSError):
            local_mark.renew_token(self._store, name)
            self._renamed.add(name)
            index.save(self._mark(name))

    def _catch_up(self, index: LocalIndex, name: str) -> None:
        """Read the rows again that a failed write may have changed."""
        self._record.settle(name)
        self._read_again(index, name, self._owed[name])
        index.save(self._mark(name))
        del self._owed[name]

    # --- Reading ----------------------------------------------------------------------

    def search_dense(
        self, name: str, vector: np.ndarray, filter: SearchFilter, kb_ids: Sequence[str], k: int
    ) -> list[tuple[str, float]]:
        """See `LocalIndex.search_dense`; nothing for a collection that is gone."""
        return self._read(name, lambda i: i.search_dense(vector, filter, kb_ids, k), [])

    def search_sparse(
        self,
        name: str,
        query: Mapping[int, float],
        filter: SearchFilter,
        kb_ids: Sequence[str],
        k: int,
    ) -> list[tuple[str, float]]:
        """See `LocalIndex.search_sparse`."""
        return self._read(name, lambda i: i.search_sparse(query, filter, kb_ids, k), [])

    def vectors(self, name: str, ids: Iterable[str]) -> dict[str, np.ndarray]:
        """See `LocalIndex.vectors`."""
        return self._read(name, lambda i: i.vectors(ids), {})

    def ids(self, name: str, kb_id: str) -> set[str]:
        """See `LocalIndex.ids`."""
        return self._read(name, lambda i: i.ids(kb_id), set())

    def kb_ids(self, name: str) -> set[str]:
        """See `LocalIndex.kb_ids`."""
        return self._read(name, lambda i: i.kb_ids(), set())

    def count(self, name: str, kb_id: str | None) -> int:
        """See `LocalIndex.count`."""
        return self._read(name, lambda i: i.count(kb_id), 0)

    def for_writing(self, name: str) -> LocalIndex | None:
        """The index of an open collection as the collection is, also after a failed write; None
        when the collection was dropped meanwhile.

        Raises:
            StoreError: what a failed write left cannot be read yet.
        """
        index = self._indexes.get(name)
        if index is not None and name in self._owed:
            self._catch_up(index, name)
        return index

    def _read(self, name: str, read: Callable[[LocalIndex], _T], nothing: _T) -> _T:
        index = self._indexes.get(name)
        return nothing if index is None else read(index)


def _begun(index: LocalIndex, pending: local_files.Announcement | None) -> bool:
    """Whether a change was announced after the index was saved."""
    return pending is not None and pending.mark == index.mark


def _explained(
    index: LocalIndex, pending: local_files.Announcement, mark: local_mark.Mark | None
) -> bool:
    """Whether what was announced accounts for all that happened since the index was saved."""
    if index.mark is None or mark is None or index.mark.token != mark.token:
        return False
    grown = mark.sequence - index.mark.sequence
    return pending.mark == index.mark and 0 <= grown <= pending.steps
