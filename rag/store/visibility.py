"""What of a knowledge base searches see: the one place that says it in SQL.

A chunk carries its document's part of the answer (`live`) itself, so that resolving search
hits reads no second table; `rag.store.document_states` keeps it right.
"""

from __future__ import annotations

import sqlalchemy as sa

from rag.store.schema import chunks, documents

LIVE: sa.ColumnElement[bool] = ~documents.c.hidden & (documents.c.status != "quarantined")
"""A document that is neither hidden nor in quarantine. Whether anything of it is published
is another question."""

SHOWN: sa.ColumnElement[bool] = chunks.c.live & chunks.c.enabled
"""A chunk that answers may use; also parents, which are read but not searched."""

SEARCHABLE: sa.ColumnElement[bool] = SHOWN & chunks.c.indexed
"""A chunk that has vectors and counts in the statistics of the keyword search."""
