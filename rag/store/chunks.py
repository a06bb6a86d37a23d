"""Chunks of the published versions: what search results are resolved to, and what pages show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from rag.store import schema
from rag.store.database import Database
from rag.store.document_rows import batches
from rag.store.visibility import SEARCHABLE, SHOWN
from rag.types import Chunk

ChunkList = list[Chunk]


class Chunks:
    """Repository of published chunks; an id that is not in it is not part of any answer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """The chunks among these ids that answers may use, in the order asked for; left out
        are those that are switched off, or of hidden or quarantined documents."""
        wanted = list(dict.fromkeys(ids))
        table = schema.chunks
        found: dict[str, str] = {}
        with self._database.read() as connection:
            for batch in batches(wanted):
                rows = connection.execute(
                    sa.select(table.c.id, table.c.chunk).where(table.c.id.in_(batch), SHOWN)
                )
                found.update((row.id, row.chunk) for row in rows)
        return {id_: Chunk.model_validate_json(found[id_]) for id_ in wanted if id_ in found}

    def find(self, chunk_id: str) -> Chunk | None:
        """One chunk whatever its state, for people who look after it; None for an unknown id."""
        table = schema.chunks
        found = self._chunks(sa.select(table.c.chunk).where(table.c.id == chunk_id))
        return found[0] if found else None

    def list(self, document_id: str, offset: int = 0, limit: int = 100) -> ChunkList:
        """Chunks of a document by ordinal, `limit` from `offset` on, whatever their state."""
        table = schema.chunks
        query = (
            sa.select(table.c.chunk)
            .where(table.c.document_id == document_id)
            .order_by(table.c.ordinal)
            .offset(max(offset, 0))
            .limit(max(limit, 0))
        )
        return self._chunks(query)

    def of_document(self, document_id: str) -> ChunkList:
        """All chunks of a document in order, whatever their state."""
        return self.of_documents([document_id])

    def of_documents(self, document_ids: Sequence[str]) -> ChunkList:
        """All chunks of some hundred documents, each one's in order, whatever their state."""
        table = schema.chunks
        return self._chunks(
            sa.select(table.c.chunk)
            .where(table.c.document_id.in_(document_ids))
            .order_by(table.c.document_id, table.c.ordinal)
        )

    def ids(self, kb_id: str) -> set[str]:
        """Ids of all published chunks of a knowledge base, whatever their state."""
        return self._ids(schema.chunks.c.kb_id == kb_id)

    def tokenised_ids(self, document_id: str, tokeniser: str) -> set[str]:
        """Ids of the chunks of a document whose terms are kept as this version of the tokeniser
        makes them: publishing them again needs no tokens."""
        table, totals = schema.chunks, schema.lexical_totals
        current = sa.exists().where(totals.c.tokeniser == tokeniser)
        return self._ids(table.c.document_id == document_id, table.c.terms.is_not(None), current)

    def searchable_ids(self, kb_id: str) -> set[str]:
        """Ids of the chunks of a knowledge base that the vector store must hold."""
        return self._ids(schema.chunks.c.kb_id == kb_id, SEARCHABLE)

    def walk(
        self, kb_id: str | None = None, batch: int = 500, *, searchable: bool = False
    ) -> Iterator[ChunkList]:
        """All published chunks (of one knowledge base) in batches, by id; no transaction is
        held between batches.

        Args:
            searchable: only those that the vector store must hold.
        """
        table = schema.chunks
        last = ""
        while True:
            query = sa.select(table.c.chunk).where(table.c.id > last).order_by(table.c.id)
            if kb_id is not None:
                query = query.where(table.c.kb_id == kb_id)
            if searchable:
                query = query.where(SEARCHABLE)
            found = self._chunks(query.limit(batch))
            if not found:
                return
            last = found[-1].id
            yield found

    def neighbours(self, chunk_id: str, before: int = 1, after: int = 1) -> ChunkList:
        """The chunk with the searchable ones among up to `before` and `after` others around it
        in its document, in order; empty when the chunk is not searchable itself."""
        table = schema.chunks
        with self._database.read() as connection:
            place = connection.execute(
                sa.select(table.c.document_id, table.c.ordinal).where(
                    table.c.id == chunk_id, SEARCHABLE
                )
            ).first()
        if place is None:
            return []
        query = (
            sa.select(table.c.chunk)
            .where(
                table.c.document_id == place.document_id,
                table.c.ordinal.between(place.ordinal - before, place.ordinal + after),
                SEARCHABLE,
            )
            .order_by(table.c.ordinal)
        )
        return self._chunks(query)

    def count(self, kb_id: str | None = None, *, searchable: bool = False) -> int:
        """How many chunks are published (in one knowledge base), or how many of them are
        `searchable`."""
        query = sa.select(sa.func.count()).select_from(schema.chunks)
        if searchable:
            query = query.where(SEARCHABLE)
        if kb_id is not None:
            query = query.where(schema.chunks.c.kb_id == kb_id)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def _ids(self, *conditions: sa.ColumnElement[bool]) -> set[str]:
        with self._database.read() as connection:
            query = sa.select(schema.chunks.c.id).where(*conditions)
            return set(connection.execute(query).scalars())

    def _chunks(self, query: sa.Select[Any]) -> ChunkList:
        with self._database.read() as connection:
            return [Chunk.model_validate_json(row) for row in connection.execute(query).scalars()]
