"""Words of the trade that administrators enter, with their synonyms."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from rag.errors import NotFound
from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.text.vocabulary import Vocabulary
from rag.types import Term

TermList = list[Term]

_VERSION = "terms_version"
"""Name of the catalog's note that counts the changes."""
_BATCH = 500
_KEPT = 8
"""Vocabularies that are kept ready, one for each choice of knowledge bases. Chosen by us."""


class Terms:
    """Repository of terms; those of a knowledge base go with it. Thread-safe."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now
        self._lock = threading.Lock()
        self._ready: OrderedDict[tuple[str, ...], tuple[int, Vocabulary]] = OrderedDict()

    @property
    def version(self) -> int:
        """A number that grows with each change, by whatever process."""
        table = schema.facts
        query = sa.select(table.c.value).where(table.c.name == _VERSION)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar() or 0)

    def vocabulary(self, kb_ids: Sequence[str]) -> Vocabulary:
        """What finds the terms of these knowledge bases and those for all in a text; made once
        for each version."""
        key, version = tuple(sorted(set(kb_ids))), self.version
        with self._lock:
            kept = self._ready.get(key)
            if kept is not None and kept[0] == version:
                self._ready.move_to_end(key)
                return kept[1]
        made = Vocabulary((term.text, *term.synonyms) for term in self.valid_in(key))
        with self._lock:
            self._ready[key] = version, made
            self._ready.move_to_end(key)
            while len(self._ready) > _KEPT:
                self._ready.popitem(last=False)
        return made

    def list(self, kb_id: str | None) -> TermList:
        """The terms of one knowledge base, or those for all (None), by their text."""
        return self._find(_own(kb_id))

    def valid_in(self, kb_ids: Sequence[str]) -> TermList:
        """The terms of these knowledge bases and those for all."""
        table = schema.terms
        return self._find(table.c.kb_id.is_(None) | table.c.kb_id.in_(list(kb_ids)))

    def count(self, kb_id: str | None) -> int:
        """How many terms a knowledge base has, or there are for all (None)."""
        table = schema.terms
        query = sa.select(sa.func.count()).select_from(table).where(_own(kb_id))
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def get(self, term_ids: Sequence[str]) -> TermList:
        """Those of the terms that exist."""
        wanted = list(dict.fromkeys(term_ids))
        found: TermList = []
        for start in range(0, len(wanted), _BATCH):
            found += self._find(schema.terms.c.id.in_(wanted[start : start + _BATCH]))
        return found

    def save(self, kb_id: str | None, text: str, key: str, synonyms: Sequence[str]) -> Term:
        """Enter a term, or replace the synonyms of the one with the same key.

        Args:
            key: the normalised text, by which a term is known in its knowledge base.

        Raises:
            NotFound: the knowledge base does not exist.
        """
        return self.save_all(kb_id, [(text, key, synonyms)])[0]

    def save_all(
        self,
        kb_id: str | None,
        entries: Sequence[tuple[str, str, Sequence[str]]],
        instead_of: Sequence[str] = (),
    ) -> TermList:
        """Enter terms given as text, key and synonyms, all or none.

        Args:
            instead_of: ids of terms that go.

        Raises:
            NotFound: the knowledge base does not exist.
        """
        table, at = schema.terms, self._now()
        made = [
            Term(
                id="w" + secrets.token_hex(8),
                kb_id=kb_id,
                text=text,
                synonyms=tuple(synonyms),
                created_at=at,
            )
            for text, _, synonyms in entries
        ]
        keys = [key for _, key, _ in entries]
        with self._database.write() as connection:
            if kb_id is not None:
                _require(connection, kb_id)
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                connection.execute(table.delete().where(_own(kb_id), table.c.key.in_(batch)))
            for start in range(0, len(instead_of), _BATCH):
                gone = list(instead_of[start : start + _BATCH])
                connection.execute(table.delete().where(_own(kb_id), table.c.id.in_(gone)))
            if made:
                rows = [
                    {
                        "id": term.id,
                        "kb_id": kb_id,
                        "text": term.text,
                        "key": key,
                        "synonyms": list(term.synonyms),
                        "created_at": term.created_at,
                    }
                    for term, key in zip(made, keys, strict=True)
                ]
                connection.execute(table.insert(), rows)
            _count_change(connection)
        return made

    def remove(self, term_ids: Sequence[str]) -> int:
        """Delete terms; unknown ids are ignored. Returns how many there were."""
        table, gone = schema.terms, 0
        with self._database.write() as connection:
            for term_id in dict.fromkeys(term_ids):
                gone += connection.execute(table.delete().where(table.c.id == term_id)).rowcount
            _count_change(connection)
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


def _own(kb_id: str | None) -> sa.ColumnElement[bool]:
    column = schema.terms.c.kb_id
    return column.is_(None) if kb_id is None else column == kb_id


def _require(connection: Connection, kb_id: str) -> None:
    bases = schema.knowledge_bases
    if connection.execute(sa.select(bases.c.id).where(bases.c.id == kb_id)).first() is None:
        raise NotFound(
            "这个知识库不存在，可能已被删除。",
            "请刷新页面后重新选择知识库。",
            message_en="This knowledge base does not exist; it may have been deleted.",
            remedy_en="Reload the page and choose another.",
        )


def _count_change(connection: Connection) -> None:
    """In the change's own transaction, so that no process sees one without the other."""
    connection.execute(
        sa.text(
            "INSERT INTO facts (name, value) VALUES (:name, '1') ON CONFLICT (name) "
            "DO UPDATE SET value = CAST(CAST(facts.value AS INTEGER) + 1 AS VARCHAR(20))"
        ),
        {"name": _VERSION},
    )
