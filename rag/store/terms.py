"""Words of the trade that administrators enter, with their synonyms."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import sqlalchemy as sa

from rag.errors import NotFound
from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.types import Term

TermList = list[Term]


class Terms:
    """Repository of terms; those of a knowledge base go with it. Thread-safe."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now
        self._version = 0

    @property
    def version(self) -> int:
        """A number that grows with each change made by this process: part of cache keys."""
        return self._version

    def list(self, kb_id: str | None) -> TermList:
        """The terms of one knowledge base, or those for all (None), by their text."""
        table = schema.terms
        own = table.c.kb_id.is_(None) if kb_id is None else table.c.kb_id == kb_id
        return self._find(own)

    def valid_in(self, kb_ids: Sequence[str]) -> TermList:
        """The terms of these knowledge bases and those for all."""
        table = schema.terms
        return self._find(table.c.kb_id.is_(None) | table.c.kb_id.in_(list(kb_ids)))

    def save(self, kb_id: str | None, text: str, key: str, synonyms: Sequence[str]) -> Term:
        """Enter a term, or replace the synonyms of the one with the same key.

        Args:
            key: the normalised text, by which a term is known in its knowledge base.

        Raises:
            NotFound: the knowledge base does not exist.
        """
        table = schema.terms
        with self._database.write() as connection:
            if kb_id is not None:
                bases = schema.knowledge_bases
                known = sa.select(bases.c.id).where(bases.c.id == kb_id)
                if connection.execute(known).first() is None:
                    raise NotFound(
                        "这个知识库不存在，可能已被删除。",
                        "请刷新页面后重新选择知识库。",
                        message_en="This knowledge base does not exist; it may have been deleted.",
                        remedy_en="Reload the page and choose another.",
                    )
            own = table.c.kb_id.is_(None) if kb_id is None else table.c.kb_id == kb_id
            connection.execute(table.delete().where(own, table.c.key == key))
            term = Term(
                id="w" + secrets.token_hex(8),
                kb_id=kb_id,
                text=text,
                synonyms=tuple(synonyms),
                created_at=self._now(),
            )
            connection.execute(
                table.insert().values(
                    id=term.id,
                    kb_id=kb_id,
                    text=text,
                    key=key,
                    synonyms=list(term.synonyms),
                    created_at=term.created_at,
                )
            )
        self._version += 1
        return term

    def remove(self, term_ids: Sequence[str]) -> int:
        """Delete terms; unknown ids are ignored. Returns how many there were."""
        table, gone = schema.terms, 0
        with self._database.write() as connection:
            for term_id in dict.fromkeys(term_ids):
                gone += connection.execute(table.delete().where(table.c.id == term_id)).rowcount
        self._version += 1
        return gone

    def _find(self, condition: sa.ColumnElement[bool]) -> TermList:
        table = schema.terms
        query = sa.select(table).where(condition).order_by(table.c.text, table.c.id)
        with self._database.read() as connection:
            rows = connection.execute(query).mappings().all()
        return [
            Term(
                id=row["id"],
                kb_id=row["kb_id"],
                text=row["text"],
                synonyms=tuple(row["synonyms"]),
                created_at=row["created_at"],
            )
            for row in rows
        ]
