"""What editors decided about single documents: it outlives every parse."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.store.document_rows import missing_document
from rag.types import DocumentOptions


class Options:
    """Repository of documents' options; they go with their document. Thread-safe."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    def get(self, document_id: str) -> DocumentOptions:
        """What was decided; the defaults where nothing was, or the document is unknown."""
        table = schema.document_options
        query = sa.select(table.c.options).where(table.c.document_id == document_id)
        with self._database.read() as connection:
            found = connection.execute(query).scalar()
        return DocumentOptions() if found is None else DocumentOptions.model_validate_json(found)

    def change(
        self, document_id: str, changed: Callable[[DocumentOptions], DocumentOptions]
    ) -> DocumentOptions:
        """Replace what was decided by what `changed` makes of it; what others write meanwhile
        is not lost.

        Returns:
            What is kept now.

        Raises:
            NotFound: the document does not exist.
        """
        with self._database.write() as connection:
            _require(connection, document_id)
            options = changed(self.get(document_id))
            self.save(document_id, options)
        return options

    def save(self, document_id: str, options: DocumentOptions) -> None:
        """Replace what was decided.

        Raises:
            NotFound: the document does not exist.
        """
        table = schema.document_options
        with self._database.write() as connection:
            _require(connection, document_id)
            connection.execute(table.delete().where(table.c.document_id == document_id))
            if options == DocumentOptions():
                return
            connection.execute(
                table.insert().values(
                    document_id=document_id,
                    options=options.model_dump_json(exclude_defaults=True),
                    updated_at=self._now(),
                )
            )


def _require(connection: Connection, document_id: str) -> None:
    """Lock the document's row, so that one at a time changes its options."""
    table = schema.documents
    known = sa.select(table.c.id).where(table.c.id == document_id).with_for_update()
    if connection.execute(known).first() is None:
        raise missing_document()
