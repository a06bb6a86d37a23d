"""Rows of a local search index as arrays: never changed once made, searched by numpy alone.

A segment holds vectors as one matrix, keywords as postings (for each term the rows that hold
it and their weights) and each filter column as numbers of its distinct values, so that a
filter looks at every distinct value once. Arrays may lie in memory or in a mapped file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rag.store import milvus
from rag.store.expression import stored_year
from rag.store.rows import NO_TERMS

TEXT_COLUMNS = ("kb_id", "document_id", "region", "document_type", "organisation", "product")

_GATHERED = 4
"""Below one in so many rows, picking the rows out costs less than multiplying all of them: at
100,000 rows of 384 numbers all of them take 12 ms and one in eight, picked, 4 ms
(benchmarks/bench_search_speed.py parts)."""

_NOTHING = (np.empty(0, np.intp), np.empty(0, np.float32))


@dataclass(frozen=True, eq=False)
class Segment:
    """Rows 0..n−1.

    Attributes:
        dense: float32 [n, dimension], length one each.
        id_bytes, id_ends: the chunk ids' UTF-8 one after the other, uint8, and the end of
            each, int64 [n].
        year: int32 [n].
        codes: for each of `TEXT_COLUMNS` the places of the rows' values in `values`, int32 [n].
        values: for each of `TEXT_COLUMNS` its distinct values.
        terms: the term ids that any row holds, ascending, uint32 [t].
        starts: where each term's postings begin, and the end of the last, int64 [t + 1].
        rows, weights: postings, rows ascending within a term, int32 and float32.
    """

    dense: np.ndarray
    id_bytes: np.ndarray
    id_ends: np.ndarray
    year: np.ndarray
    codes: dict[str, np.ndarray]
    values: dict[str, tuple[str, ...]]
    terms: np.ndarray
    starts: np.ndarray
    rows: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.id_ends)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Chunk id → row."""
        packed, start, found = self.id_bytes.tobytes(), 0, {}
        for row, end in enumerate(self.id_ends.tolist()):
            found[packed[start:end].decode()] = row
            start = end
        return found

    def id_at(self, row: int) -> str:
        """The chunk id of a row."""
        start = self.id_ends[row - 1] if row else 0
        return self.id_bytes[start : self.id_ends[row]].tobytes().decode()

    def holding(self, column: str, passes: Callable[[str], bool]) -> np.ndarray:
        """bool [n] of the rows whose value in a text column passes."""
        distinct = self.values[column]
        verdicts = np.fromiter((passes(value) for value in distinct), bool, len(distinct))
        return verdicts[self.codes[column]]

    def nearest(
        self, vector: np.ndarray, allowed: np.ndarray | None, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The `k` rows with the largest inner products, and those.

        Args:
            vector: float32 [dimension].
            allowed: bool [n], rows that may be found; None for all of them.
        """
        if allowed is None:
            return _largest(None, self.dense @ vector, k)
        rows = np.flatnonzero(allowed)
        if len(rows) * _GATHERED < len(self):
            return _largest(rows, self.dense[rows] @ vector, k)
        return _largest(rows, (self.dense @ vector)[rows], k)

    def best_by_words(
        self, query: Mapping[int, float], allowed: np.ndarray | None, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The `k` rows with the largest sums of query weight × row weight over the terms, and
        those sums; rows without any of the terms are left out."""
        wanted = np.fromiter(query, np.uint32, len(query))
        at = np.searchsorted(self.terms, wanted)
        scores: np.ndarray | None = None
        for place, (term, weight) in zip(at.tolist(), query.items(), strict=True):
            if place == len(self.terms) or int(self.terms[place]) != term:
                continue
            if scores is None:
                scores = np.zeros(len(self), np.float32)
            span = slice(int(self.starts[place]), int(self.starts[place + 1]))
            # Quicker than adding to picked places, though no row comes twice within a term.
            np.add.at(scores, self.rows[span], self.weights[span] * np.float32(weight))
        if scores is None:
            return _NOTHING
        if allowed is not None:
            scores[~allowed] = 0.0
        rows = np.flatnonzero(scores > 0)
        return _largest(rows, scores[rows], k)


def from_rows(entities: Iterable[Mapping[str, Any]], dimension: int) -> Segment:
    """A segment of rows in the form in which Milvus takes and gives them (`rows.entity`);
    of several with one id the last counts."""
    rows = list({str(entity["chunk_id"]): entity for entity in entities}.values())
    ids = [str(row["chunk_id"]).encode() for row in rows]
    dense = np.zeros((len(rows), dimension), np.float32)
    for number, row in enumerate(rows):
        dense[number] = row[milvus.DENSE]
    codes: dict[str, np.ndarray] = {}
    values: dict[str, tuple[str, ...]] = {}
    for name in TEXT_COLUMNS:
        codes[name], values[name] = _coded([str(row[name]) for row in rows])
    words = [_words(row[milvus.SPARSE]) for row in rows]
    counts = np.array([len(each) for each in words], np.int64)
    total = int(counts.sum())
    terms = np.fromiter((term for each in words for term in each), np.uint32, total)
    weights = np.fromiter((w for each in words for w in each.values()), np.float32, total)
    order = np.argsort(terms, kind="stable")
    distinct, begins = np.unique(terms[order], return_index=True)
    return Segment(
        dense=dense,
        id_bytes=np.frombuffer(b"".join(ids), np.uint8),
        id_ends=np.cumsum([len(each) for each in ids], dtype=np.int64),
        year=np.array([stored_year(int(row["year"])) for row in rows], np.int32),
        codes=codes,
        values=values,
        terms=distinct,
        starts=np.append(begins, total).astype(np.int64),
        rows=np.repeat(np.arange(len(rows), dtype=np.int32), counts)[order],
        weights=weights[order],
    )


def merged(parts: Sequence[tuple[Segment, np.ndarray | None]]) -> Segment:
    """One segment of the rows of several that are wanted, in their order.

    Args:
        parts: segments, each with bool [n] of the rows to leave out, or None.
    """
    kept = [np.arange(len(s)) if dead is None else np.flatnonzero(~dead) for s, dead in parts]
    codes: dict[str, np.ndarray] = {}
    values: dict[str, tuple[str, ...]] = {}
    for name in TEXT_COLUMNS:
        codes[name], values[name] = _joined_column(name, parts, kept)
    pieces, lengths = [], []
    for (segment, _), rows in zip(parts, kept, strict=True):
        width = np.diff(segment.id_ends, prepend=0)
        wanted = np.zeros(len(segment), bool)
        wanted[rows] = True
        pieces.append(segment.id_bytes[np.repeat(wanted, width)])
        lengths.append(width[rows])
    terms, starts, rows, weights = _joined_postings(parts, kept)
    return Segment(
        dense=_joined_matrix(parts, kept),
        id_bytes=np.concatenate(pieces),
        id_ends=np.cumsum(np.concatenate(lengths), dtype=np.int64),
        year=np.concatenate([s.year[rows] for (s, _), rows in zip(parts, kept, strict=True)]),
        codes=codes,
        values=values,
        terms=terms,
        starts=starts,
        rows=rows,
        weights=weights,
    )


def _largest(rows: np.ndarray | None, scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Of rows (None: all) and their scores the `k` largest, largest first, earlier rows first
    among equals."""
    if k < len(scores):
        edge = np.partition(scores, len(scores) - k)[len(scores) - k]
        at = np.flatnonzero(scores >= edge)
    else:
        at = np.arange(len(scores))
    at = at[np.argsort(-scores[at], kind="stable")[:k]]
    return (at if rows is None else rows[at]), scores[at]


def _words(sparse: Mapping[int, float]) -> Mapping[int, float]:
    return {} if sparse.keys() == NO_TERMS.keys() and max(sparse.values()) < 1e-5 else sparse


def _coded(texts: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    places: dict[str, int] = {}
    codes = np.array([places.setdefault(text, len(places)) for text in texts], np.int32)
    return codes, tuple(places)


def _joined_matrix(
    parts: Sequence[tuple[Segment, np.ndarray | None]], kept: Sequence[np.ndarray]
) -> np.ndarray:
    """The rows' vectors, copied to their places at once: the matrix is by far the largest
    array, and of pieces that are joined afterwards it would be there twice."""
    total = sum(map(len, kept))
    joined = np.empty((total, parts[0][0].dense.shape[1]), np.float32)
    first = 0
    for (segment, dead), rows in zip(parts, kept, strict=True):
        place = joined[first : first + len(rows)]
        if dead is None:
            place[:] = segment.dense
        else:
            # With another mode numpy takes into a copy first.
            np.take(segment.dense, rows, axis=0, out=place, mode="clip")
        first += len(rows)
    return joined


def _joined_column(
    name: str, parts: Sequence[tuple[Segment, np.ndarray | None]], kept: Sequence[np.ndarray]
) -> tuple[np.ndarray, tuple[str, ...]]:
    places: dict[str, int] = {}
    pieces = []
    for (segment, _), rows in zip(parts, kept, strict=True):
        old = segment.codes[name][rows]
        new = np.zeros(len(segment.values[name]), np.int32)
        for code in np.unique(old).tolist():
            new[code] = places.setdefault(segment.values[name][code], len(places))
        pieces.append(new[old])
    return np.concatenate(pieces), tuple(places)


def _joined_postings(
    parts: Sequence[tuple[Segment, np.ndarray | None]], kept: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Terms, starts, rows and weights. Each part's postings are sorted already: they only
    move to their new places, which takes a tenth of the time of sorting anew."""
    terms = np.unique(np.concatenate([segment.terms for segment, _ in parts]))
    counts = np.zeros(len(terms), np.int64)
    moved = []
    first = 0
    for (segment, dead), rows_kept in zip(parts, kept, strict=True):
        rows, weights, starts = segment.rows, segment.weights, segment.starts
        if dead is not None:
            alive = ~dead[rows]
            starts = np.append(0, np.cumsum(alive))[starts]
            number = np.zeros(len(segment), np.int32)
            number[rows_kept] = np.arange(len(rows_kept), dtype=np.int32)
            rows, weights = number[rows[alive]], weights[alive]
        at = np.searchsorted(terms, segment.terms)
        counts[at] += np.diff(starts)
        moved.append((at, starts, rows + np.int32(first), weights))
        first += len(rows_kept)
    begins = np.append(0, np.cumsum(counts))
    all_rows = np.empty(int(begins[-1]), np.int32)
    all_weights = np.empty(int(begins[-1]), np.float32)
    free = begins[:-1].copy()
    for at, starts, rows, weights in moved:
        lengths = np.diff(starts)
        places = np.repeat(free[at] - starts[:-1], lengths) + np.arange(len(rows))
        all_rows[places], all_weights[places] = rows, weights
        free[at] += lengths
    used = counts > 0
    return terms[used], np.append(begins[:-1][used], begins[-1]), all_rows, all_weights
