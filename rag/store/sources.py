"""Places that knowledge bases follow, and what was found there (rag.ingest.sources)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from rag.errors import NotFound
from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.types import Source, SourceChanges, SourceItem, SourceKind

SourceList = list[Source]
ItemList = list[SourceItem]

_KEEP: Any = object()


class Sources:
    """Repository of sources and their items. Thread-safe."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    def create(
        self,
        kb_id: str,
        kind: SourceKind,
        name: str,
        config: Mapping[str, Any],
        every_s: float = 3600.0,
        enabled: bool = True,
    ) -> Source:
        """A new source, due at once.

        Args:
            config: JSON values that its kind understands; never a password.
            every_s: seconds between two synchronisations.

        Raises:
            NotFound: the knowledge base does not exist.
        """
        source_id, bases = "s" + secrets.token_hex(8), schema.knowledge_bases
        with self._database.write() as connection:
            if connection.execute(sa.select(bases.c.id).where(bases.c.id == kb_id)).first() is None:
                raise NotFound(
                    "这个知识库不存在，可能已被删除。",
                    "请刷新页面后重新选择知识库。",
                    message_en="This knowledge base does not exist; it may have been deleted.",
                    remedy_en="Reload the page and choose another.",
                )
            connection.execute(
                schema.sources.insert().values(
                    id=source_id,
                    kb_id=kb_id,
                    kind=kind,
                    name=name,
                    config=dict(config),
                    every_s=every_s,
                    enabled=enabled,
                    status="new",
                    found_count=0,
                    unfinished=False,
                    created_at=self._now(),
                )
            )
        return self.get(source_id)

    def get(self, source_id: str) -> Source:
        """One source.

        Raises:
            NotFound: there is none with this id.
        """
        found = self._find(schema.sources.c.id == source_id)
        if not found:
            raise _missing()
        return found[0]

    def list(self, kb_id: str | None = None) -> SourceList:
        """All sources (of one knowledge base), oldest first."""
        return self._find(*([] if kb_id is None else [schema.sources.c.kb_id == kb_id]))

    def due(self, now: datetime) -> SourceList:
        """The enabled sources whose next synchronisation is not in the future, those that
        waited longest first. One that is "running" is not due."""
        table = schema.sources
        found = self._find(
            table.c.enabled,
            table.c.status != "running",
            table.c.next_run_at.is_(None) | (table.c.next_run_at <= now),
        )
        return sorted(found, key=lambda source: source.next_run_at or source.created_at)

    def update(
        self,
        source_id: str,
        *,
        name: str | None = None,
        config: Mapping[str, Any] | None = None,
        every_s: float | None = None,
        enabled: bool | None = None,
        status: Literal["new", "running", "ok", "failed"] | None = None,
        error: str | None = _KEEP,
        last_run_at: datetime | None = None,
        next_run_at: datetime | None = _KEEP,
    ) -> Source:
        """Change the given fields. `error=None` clears it; `next_run_at=None` makes it due.

        Raises:
            NotFound: there is none with this id.
        """
        given = {
            "name": name,
            "config": None if config is None else dict(config),
            "every_s": every_s,
            "enabled": enabled,
            "status": status,
            "last_run_at": last_run_at,
        }
        values: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        if error is not _KEEP:
            values["error"] = error
        if next_run_at is not _KEEP:
            values["next_run_at"] = next_run_at
        if values:
            table = schema.sources
            with self._database.write() as connection:
                connection.execute(table.update().where(table.c.id == source_id).values(**values))
        return self.get(source_id)

    def note_look(
        self, source_id: str, found: int, unfinished: bool, changes: SourceChanges | None
    ) -> None:
        """Write down what a look at a source found: how many things, whether more of them are
        to be queued, and what changed (None leaves the changes of an earlier look)."""
        values: dict[str, Any] = {"found_count": found, "unfinished": unfinished}
        if changes is not None:
            values["last_changes"] = changes.model_dump_json()
        table = schema.sources
        with self._database.write() as connection:
            connection.execute(table.update().where(table.c.id == source_id).values(**values))

    def claim(self, source_id: str) -> bool:
        """Begin a synchronisation: "running". False when it runs already or is gone, so that
        of several processes one does it."""
        table = schema.sources
        with self._database.write() as connection:
            changed = connection.execute(
                table.update()
                .where(table.c.id == source_id, table.c.status != "running")
                .values(status="running", last_run_at=self._now())
            )
            return bool(changed.rowcount)

    def release(self) -> int:
        """Make sources that a process left "running" when it ended due again; how many."""
        table = schema.sources
        with self._database.write() as connection:
            changed = connection.execute(
                table.update()
                .where(table.c.status == "running")
                .values(status="new", next_run_at=None)
            )
            return changed.rowcount

    def delete(self, source_id: str) -> Source:
        """Forget a source and its items; returns what it was. Its documents stay, as if they
        had been uploaded.

        Raises:
            NotFound: there is none with this id.
        """
        documents, table = schema.documents, schema.sources
        with self._database.write() as connection:
            source = self.get(source_id)
            connection.execute(
                documents.update().where(documents.c.source_id == source_id).values(source_id=None)
            )
            connection.execute(table.delete().where(table.c.id == source_id))
        return source

    # --- What was found there ---------------------------------------------------------

    def items(self, source_id: str) -> ItemList:
        """Everything that was found at a source, by key."""
        table = schema.source_items
        query = (
            sa.select(*(table.c[name] for name in SourceItem.model_fields))
            .where(table.c.source_id == source_id)
            .order_by(table.c.key)
        )
        with self._database.read() as connection:
            return [SourceItem(**row) for row in connection.execute(query).mappings()]

    def save_item(self, item: SourceItem) -> None:
        """Write an item, replacing the one of the same key.

        Raises:
            NotFound: its source is gone.
        """
        table, sources = schema.source_items, schema.sources
        with self._database.write() as connection:
            known = sa.select(sources.c.id).where(sources.c.id == item.source_id)
            if connection.execute(known.with_for_update()).first() is None:
                raise _missing()
            connection.execute(table.delete().where(_is_item(item.source_id, item.key)))
            connection.execute(table.insert().values(**item.model_dump(), key_hash=_hash(item.key)))

    def remove_item(self, source_id: str, key: str) -> None:
        """Forget an item; nothing happens when it is not there."""
        with self._database.write() as connection:
            connection.execute(schema.source_items.delete().where(_is_item(source_id, key)))

    def _find(self, *conditions: sa.ColumnElement[bool]) -> SourceList:
        table, items = schema.sources, schema.source_items
        of_source = sa.select(sa.func.count()).where(items.c.source_id == table.c.id)
        waiting = of_source.where(items.c.job_id.is_not(None), items.c.error.is_(None))
        query = (
            sa.select(
                table,
                of_source.correlate(table).scalar_subquery().label("item_count"),
                waiting.correlate(table).scalar_subquery().label("waiting_count"),
            )
            .where(*conditions)
            .order_by(table.c.created_at, table.c.id)
        )
        with self._database.read() as connection:
            return [_source(row) for row in connection.execute(query).mappings()]


def _source(row: sa.RowMapping) -> Source:
    values, changes = dict(row), row["last_changes"]
    values["last_changes"] = changes and SourceChanges.model_validate_json(changes)
    return Source(**values)


def _is_item(source_id: str, key: str) -> sa.ColumnElement[bool]:
    table = schema.source_items
    return (table.c.source_id == source_id) & (table.c.key_hash == _hash(key))


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _missing() -> NotFound:
    return NotFound(
        "这个来源不存在，可能已被删除。",
        "请刷新页面查看现有的来源。",
        message_en="This source does not exist; it may have been deleted.",
        remedy_en="Reload the page to see the sources that exist.",
    )
