"""Searching and looking up in Milvus collections: a server's, and Lite's where no local index
stands before them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rag.errors import StoreError
from rag.store import milvus
from rag.store.expression import equals, search_expression
from rag.types import SearchFilter

READ_BATCH = 2000  # rows in one page of a listing
_WHOLE_ROWS = 1000
"""Rows with their vectors in one answer: about 3 MB, below any limit of a message."""


class MilvusReads:
    """Reads collections by name. Thread-safe.

    Args:
        client: returns the client that is open.
        lite: whether it is Milvus Lite's.
        exists: whether a collection is still there.
    """

    def __init__(
        self, client: Callable[[], Any], lite: bool, exists: Callable[[str], bool]
    ) -> None:
        self._client = client
        self._lite = lite
        self._exists = exists

    def search_dense(
        self, name: str, vector: np.ndarray, filter: SearchFilter, kb_ids: Sequence[str], k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest chunks as (id, cosine).

        Args:
            kb_ids: knowledge bases to tell apart within the collection.
        """
        # A graph search looks at as many candidates as it returns, at least.
        params = {} if self._lite else {"ef": max(milvus.HNSW_EF_SEARCH, k)}
        return self._search(
            name, milvus.DENSE, vector, search_expression(filter, kb_ids), k, params
        )

    def search_sparse(
        self,
        name: str,
        query: Mapping[int, float],
        filter: SearchFilter,
        kb_ids: Sequence[str],
        k: int,
    ) -> list[tuple[str, float]]:
        """The `k` best chunks by words as (id, score)."""
        expression = search_expression(filter, kb_ids)
        return self._search(name, milvus.SPARSE, dict(query), expression, k, {})

    def _search(
        self, name: str, field: str, query: Any, expression: str, k: int, params: dict[str, int]
    ) -> list[tuple[str, float]]:
        try:
            with milvus.plain_errors():
                found = self._client().search(
                    name,
                    data=[query],
                    anns_field=field,
                    filter=expression,
                    limit=k,
                    output_fields=["chunk_id"],
                    search_params={"metric_type": "IP", "params": params},
                )
        except StoreError:
            if not self._exists(name):
                return []  # Deleted while we searched.
            raise
        return [(str(hit["chunk_id"]), float(hit["distance"])) for hit in found[0]]

    def vectors(self, name: str, ids: Iterable[str]) -> dict[str, np.ndarray]:
        """The dense vectors of those chunks that are there."""
        with milvus.plain_errors():
            rows = self._client().get(name, ids=list(ids), output_fields=["chunk_id", milvus.DENSE])
        return {
            str(row["chunk_id"]): np.asarray(row[milvus.DENSE], dtype=np.float32) for row in rows
        }

    def ids(self, name: str, kb_id: str) -> set[str]:
        """Chunks of a knowledge base."""
        rows = self._listed(name, equals("kb_id", kb_id), ["chunk_id"])
        return {str(row["chunk_id"]) for row in rows}

    def kb_ids(self, name: str) -> set[str]:
        """Knowledge bases that any chunk is in."""
        return {str(row["kb_id"]) for row in self._listed(name, 'kb_id != ""', ["kb_id"])}

    def count(self, name: str, kb_id: str | None) -> int:
        """Chunks (of one knowledge base)."""
        expression = "" if kb_id is None else equals("kb_id", kb_id)
        if self._lite:  # Its own count has rows twice that a kill left in log and files.
            rows = self._listed(name, expression or 'kb_id != ""', ["chunk_id"])
            return len({str(row["chunk_id"]) for row in rows})
        with milvus.plain_errors():
            found = self._client().query(name, filter=expression, output_fields=["count(*)"])
        return int(found[0]["count(*)"])

    def _listed(self, name: str, expression: str, fields: list[str]) -> Iterator[dict[str, Any]]:
        with milvus.plain_errors():
            client = self._client()
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

    # --- The record that local indexes are made from ----------------------------------

    def settle(self, name: str) -> None:
        """Take what a kill left in the log of a collection of Lite into its files."""
        with milvus.plain_errors():
            self._client().flush(name)

    def rows(self, name: str, ids: Sequence[str] | None) -> Iterator[list[dict[str, Any]]]:
        """All rows of a collection of Lite, or those of these chunks, in batches."""
        with milvus.plain_errors():
            client = self._client()
            client.load_collection(name)
            if ids is None:
                listed = client.query(name, filter='chunk_id != ""', output_fields=["chunk_id"])
                ids = list(dict.fromkeys(str(row["chunk_id"]) for row in listed))
            for start in range(0, len(ids), _WHOLE_ROWS):
                yield client.get(name, ids=list(ids[start : start + _WHOLE_ROWS]))
            # The rows stay; what goes is the index that Lite built to answer.
            client.release_collection(name)
