"""The search index of one Milvus Lite collection: segments in memory, saved as they change.

Readers take the tuple of parts as it is at that moment; a writer makes a new tuple and puts
it in its place, so that neither ever waits for the other. One writer at a time, which the
vector store's lock sees to. A part's gone rows are marked; segments are merged so that there
are never more than about log₂(rows) of them, and rewritten when most of their rows are gone.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rag.store import local_files
from rag.store.local_filter import allowed
from rag.store.local_mark import Mark
from rag.store.local_segment import Segment, from_rows, merged
from rag.types import SearchFilter

log = logging.getLogger(__name__)

_GONE = 0.5
"""Share of gone rows from which on a segment is rewritten; chosen by us."""


@dataclass(frozen=True, eq=False)
class Part:
    """A segment and bool [n] of its rows that are gone (None: none); `file` is "" until it is
    saved."""

    segment: Segment
    dead: np.ndarray | None = None
    file: str = ""

    @cached_property
    def live(self) -> int:
        """Rows that are not gone."""
        return len(self.segment) - (0 if self.dead is None else int(self.dead.sum()))

    def row(self, chunk_id: str) -> int | None:
        """The row of a chunk that is not gone."""
        row = self.segment.row_of.get(chunk_id)
        return None if row is None or (self.dead is not None and self.dead[row]) else row

    def mask(self, condition: SearchFilter, kb_ids: Sequence[str]) -> np.ndarray | None:
        """bool [n] of the rows that may be found; None for all of them."""
        mask = allowed(self.segment, condition, kb_ids)
        if self.dead is None:
            return mask
        return ~self.dead if mask is None else mask & ~self.dead

    def without(self, ids: Iterable[str]) -> Part:
        """This part with those rows gone that hold these chunks."""
        rows = [row for row in (self.segment.row_of.get(i) for i in ids) if row is not None]
        if not rows:
            return self
        dead = np.zeros(len(self.segment), bool) if self.dead is None else self.dead.copy()
        dead[rows] = True
        return Part(self.segment, dead, self.file)


class LocalIndex:
    """Rows of one collection. Many readers, one writer.

    Args:
        folder: where it is kept; made when it is first saved.
        dimension: numbers in a dense vector.
    """

    def __init__(self, folder: Path, dimension: int) -> None:
        self.folder = folder
        self.dimension = dimension
        self.mark: Mark | None = None
        """The state of the collection that the files equal; None when they do not."""
        self._parts: tuple[Part, ...] = ()

    @classmethod
    def load(cls, folder: Path, dimension: int) -> LocalIndex | None:
        """The index as it was saved; None when there is none or it is damaged."""
        try:
            mark, parts = local_files.read_state(folder)
        except local_files.Torn as error:
            if folder.is_dir():
                log.warning("the search index %s is built anew: %s", folder.name, error)
            return None
        if any(segment.dense.shape[1] != dimension for _, segment in parts):
            return None
        index = cls(folder, dimension)
        index.mark = mark
        index._parts = tuple(Part(segment, saved.dead, saved.file) for saved, segment in parts)
        return index

    # --- Reading ----------------------------------------------------------------------

    def search_dense(
        self, vector: np.ndarray, condition: SearchFilter, kb_ids: Sequence[str], k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest chunks as (id, cosine), best first."""
        parts = self._parts
        return _best(
            parts, [p.segment.nearest(vector, p.mask(condition, kb_ids), k) for p in parts], k
        )

    def search_sparse(
        self, query: Mapping[int, float], condition: SearchFilter, kb_ids: Sequence[str], k: int
    ) -> list[tuple[str, float]]:
        """The `k` best chunks by words as (id, score > 0), best first."""
        parts = self._parts
        return _best(
            parts, [p.segment.best_by_words(query, p.mask(condition, kb_ids), k) for p in parts], k
        )

    def vectors(self, ids: Iterable[str]) -> dict[str, np.ndarray]:
        """The dense vectors of those chunks that are there."""
        parts, found = self._parts, {}
        for chunk_id in ids:
            for part in parts:
                row = part.row(chunk_id)
                if row is not None:
                    found[chunk_id] = part.segment.dense[row].copy()
                    break
        return found

    def ids(self, kb_id: str) -> set[str]:
        """Chunks of a knowledge base."""
        return self._where({"kb_id": [kb_id]})

    def ids_of_documents(self, document_ids: Sequence[str], kb_id: str) -> set[str]:
        """Chunks of these documents of a knowledge base."""
        return self._where({"document_id": document_ids, "kb_id": [kb_id]})

    def known(self, ids: Iterable[str]) -> list[str]:
        """Those of the chunks that are there."""
        parts = self._parts
        return [i for i in ids if any(part.row(i) is not None for part in parts)]

    def kb_ids(self) -> set[str]:
        """Knowledge bases that any chunk is in."""
        found: set[str] = set()
        for part in self._parts:
            values, codes = part.segment.values["kb_id"], part.segment.codes["kb_id"]
            live = codes if part.dead is None else codes[~part.dead]
            found.update(values[code] for code in np.unique(live).tolist())
        return found

    def count(self, kb_id: str | None = None) -> int:
        """Chunks (of one knowledge base)."""
        if kb_id is None:
            return sum(part.live for part in self._parts)
        return sum(int(_live(part, {"kb_id": [kb_id]}).sum()) for part in self._parts)

    def is_intact(self) -> bool:
        """Whether the files hold what was written. Reads all of them, so that the first
        search finds their pages in memory."""
        files = [self.folder / part.file for part in self._parts if part.file]
        # A writer may have replaced one meanwhile; its mapping still serves.
        return all(local_files.is_intact(file) or not file.exists() for file in files)

    def _where(self, wanted: Mapping[str, Sequence[str]]) -> set[str]:
        found: set[str] = set()
        for part in self._parts:
            rows = np.flatnonzero(_live(part, wanted))
            found.update(part.segment.id_at(row) for row in rows.tolist())
        return found

    # --- Writing ----------------------------------------------------------------------

    def put(self, entities: Sequence[Mapping[str, Any]]) -> None:
        """Add rows (`rows.entity`), in place of those of the same chunks."""
        if not entities:
            return
        new = Part(from_rows(entities, self.dimension))
        others = (part.without(new.segment.row_of) for part in self._parts)
        self._parts = _settled([*others, new])

    def remove(self, ids: Iterable[str]) -> None:
        """Take these chunks out; unknown ids are ignored."""
        wanted = list(ids)
        self._parts = _settled([part.without(wanted) for part in self._parts])

    def announce(self, ids: Iterable[str], steps: int) -> None:
        """Write down which chunks are about to change; see `local_files.Announcement`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        local_files.announce(self.folder, local_files.Announcement(self.mark, tuple(ids), steps))

    def save(self, mark: Mark | None) -> None:
        """Write what changed; on return the files equal the collection at `mark`.

        A disk that refuses costs no answer and no row, only a new build at the next start.
        """
        self.mark = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for part in self._parts:
                if not part.file or not (self.folder / part.file).exists():
                    saved = self._saved(part)
                    self._parts = tuple(saved if p is part else p for p in self._parts)
            if mark is not None:
                local_files.write_state(
                    self.folder,
                    mark,
                    (local_files.SavedPart(part.file, part.dead) for part in self._parts),
                )
                self.mark = mark
                local_files.withdraw(self.folder)
                local_files.sweep(self.folder, (part.file for part in self._parts))
        except (OSError, local_files.Torn) as error:
            log.warning("the search index %s could not be saved: %s", self.folder.name, error)

    def _saved(self, part: Part) -> Part:
        """The part from its new file, whose pages the system can drop when memory is short."""
        name = local_files.next_name(self.folder, (part.file for part in self._parts))
        try:
            local_files.write_segment(self.folder / name, part.segment)
        except OSError:
            (self.folder / name).unlink(missing_ok=True)
            raise
        return Part(local_files.read_segment(self.folder / name), part.dead, name)


def _best(
    parts: Sequence[Part], found: Sequence[tuple[np.ndarray, np.ndarray]], k: int
) -> list[tuple[str, float]]:
    """The `k` best of what each part found as rows and scores, with their ids."""
    if not parts:
        return []
    rows, scores = (np.concatenate(each) for each in zip(*found, strict=True))
    source = np.repeat(np.arange(len(parts)), [len(rows) for rows, _ in found])
    order = np.argsort(-scores, kind="stable")[:k]
    return [
        (parts[part].segment.id_at(row), score)
        for part, row, score in zip(
            source[order].tolist(), rows[order].tolist(), scores[order].tolist(), strict=True
        )
    ]


def _live(part: Part, wanted: Mapping[str, Sequence[str]]) -> np.ndarray:
    """bool [n] of the rows that are there and have one of the values in each column."""
    rows = np.ones(len(part.segment), bool) if part.dead is None else ~part.dead
    for column, values in wanted.items():
        rows &= part.segment.holding(column, frozenset(values).__contains__)
    return rows


def _settled(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts without empty ones, those with many gone rows rewritten, and the last ones
    merged as long as the one before is not larger than all behind it: each row is then copied
    at most log₂(rows) times, and there are at most as many parts."""
    kept = [part for part in parts if part.live]
    run: list[Part] = []
    while kept and (not run or kept[-1].live <= sum(part.live for part in run)):
        run.insert(0, kept.pop())
    if len(run) > 1:
        run = [_rewritten(run)]
    return tuple(
        _rewritten([part]) if part.live < len(part.segment) * (1 - _GONE) else part
        for part in (*kept, *run)
    )


def _rewritten(parts: Sequence[Part]) -> Part:
    return Part(merged([(part.segment, part.dead) for part in parts]))
