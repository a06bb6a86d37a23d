"""Changes of documents that leave their content alone: status, hiding, succession, metadata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from rag.store import schema
from rag.store.document_rows import (
    DocumentRows,
    batches,
    distinct,
    metadata_values,
    missing_document,
)
from rag.store.visibility import LIVE
from rag.types import DocumentInfo, DocumentMetadata, DocumentStatus


class DocumentStates(DocumentRows):
    """The part of the documents' repository that changes single columns. Thread-safe."""

    def set_status(
        self,
        document_id: str,
        status: DocumentStatus,
        error: str | None = None,
        flags: Sequence[str] | None = None,
    ) -> None:
        """Change the status; `error` replaces the old one (None clears it), `flags` of None
        leaves them as they are.

        Raises:
            NotFound: the document does not exist.
        """
        values: dict[str, Any] = {"status": status, "error": error, "updated_at": self._now()}
        if flags is not None:
            values["flags"] = list(flags)
        with self._database.write() as connection:
            current = self._row(connection, document_id)
            quarantined = {current.status, status} & {"quarantined"}
            if quarantined and current.status != status:
                with self._visibility_of(connection, [document_id]):
                    self._set(connection, [document_id], values)
                self._touch(connection, current.kb_id)
            else:
                self._set(connection, [document_id], values)

    def set_hidden(self, ids: Iterable[str], hidden: bool) -> list[str]:
        """Hide documents from searches, or show them again; unknown ids are ignored. The
        vectors are the caller's to remove and to write.

        Returns:
            The ids of those that changed, in the order given.
        """
        table, changed = schema.documents, []
        with self._database.write() as connection:
            kb_ids: set[str] = set()
            for batch in batches(distinct(ids)):
                rows = connection.execute(
                    sa.select(table.c.id, table.c.kb_id)
                    .where(table.c.id.in_(batch), table.c.hidden != hidden)
                    .order_by(table.c.id)
                    .with_for_update()
                ).all()
                found = {row.id for row in rows}
                affected = [document_id for document_id in batch if document_id in found]
                if not affected:
                    continue
                with self._visibility_of(connection, affected):
                    values = {"hidden": hidden, "updated_at": self._now()}
                    self._set(connection, affected, values)
                kb_ids |= {row.kb_id for row in rows}
                changed += affected
            for kb_id in sorted(kb_ids):
                self._touch(connection, kb_id)
        return changed

    def set_superseded(self, kb_id: str, newer: Mapping[str, str]) -> bool:
        """Say which documents of a knowledge base are older versions of which.

        Args:
            newer: document id → id of the current one; all that are not in it count as
                current.

        Returns:
            Whether anything changed.
        """
        table = schema.documents
        with self._database.write() as connection:
            before = _superseded(connection, [kb_id])
            wanted = {key: value for key, value in newer.items() if key != value}
            different = [
                {"key": key, "newer": wanted.get(key)}
                for key in sorted(before.keys() | wanted.keys())
                if before.get(key) != wanted.get(key)
            ]
            if not different:
                return False
            connection.execute(
                table.update()
                .where(table.c.id == sa.bindparam("key"), table.c.kb_id == kb_id)
                .values(superseded_by=sa.bindparam("newer")),
                different,
            )
            self._touch(connection, kb_id)
        return True

    def superseded(self, kb_ids: Iterable[str]) -> dict[str, str]:
        """Document id → id of the current version, of all older versions in these knowledge
        bases."""
        with self._database.read() as connection:
            return _superseded(connection, distinct(kb_ids))

    def set_metadata(
        self, document_id: str, metadata: DocumentMetadata, title: str | None = None
    ) -> DocumentInfo:
        """Replace what the catalog lists about a document. Its chunks keep their own copies
        until they are published again.

        Args:
            title: the listed title; that of the metadata when left out.

        Raises:
            NotFound: the document does not exist.
        """
        values = {**metadata_values(metadata), "title": title or metadata.title}
        with self._database.write() as connection:
            current = self._row(connection, document_id)
            self._set(connection, [document_id], {**values, "updated_at": self._now()})
            self._touch(connection, current.kb_id)
        return self.get(document_id)

    def set_source(self, document_id: str, source_id: str | None) -> None:
        """Say which source a document comes from; None for an upload.

        Raises:
            NotFound: the document does not exist.
        """
        with self._database.write() as connection:
            self._row(connection, document_id)
            self._set(connection, [document_id], {"source_id": source_id})

    def refresh_visibility(self, ids: Iterable[str]) -> None:
        """Record for the chunks of these documents again whether searches may find them, and
        count the keyword statistics anew."""
        with self._database.write() as connection:
            for batch in batches(distinct(ids)):
                _carry_over(connection, schema.chunks.c.document_id.in_(batch))
            self._lexical.recount()

    @contextmanager
    def _visibility_of(self, connection: Connection, ids: Sequence[str]) -> Iterator[None]:
        """Around a change that may hide or show documents: afterwards their chunks and the
        statistics of the keyword search agree with it."""
        of_documents = schema.chunks.c.document_id.in_(ids)
        self._lexical.forget_chunks(connection, of_documents)
        yield
        _carry_over(connection, of_documents)
        self._lexical.recall_chunks(connection, of_documents)

    @staticmethod
    def _row(connection: Connection, document_id: str) -> Any:
        """The document's row, locked until the transaction ends.

        Raises:
            NotFound: the document does not exist.
        """
        table = schema.documents
        row = connection.execute(
            sa.select(
                table.c.id,
                table.c.kb_id,
                table.c.status,
                table.c.version,
                table.c.hidden,
                table.c.size,
            )
            .where(table.c.id == document_id)
            .with_for_update()
        ).first()
        if row is None:
            raise missing_document()
        return row

    @staticmethod
    def _set(connection: Connection, ids: Sequence[str], values: Mapping[str, Any]) -> None:
        table = schema.documents
        connection.execute(table.update().where(table.c.id.in_(ids)).values(**values))


def _superseded(connection: Connection, kb_ids: Sequence[str]) -> dict[str, str]:
    table = schema.documents
    rows = connection.execute(
        sa.select(table.c.id, table.c.superseded_by).where(
            table.c.kb_id.in_(kb_ids), table.c.superseded_by.is_not(None)
        )
    )
    return {row.id: row.superseded_by for row in rows}


def _carry_over(connection: Connection, condition: sa.ColumnElement[bool]) -> None:
    """Write down for chunks whether their document may be found."""
    table, chunks = schema.documents, schema.chunks
    live = sa.exists().where(table.c.id == chunks.c.document_id, LIVE).correlate(chunks)
    connection.execute(chunks.update().where(condition).values(live=live))
