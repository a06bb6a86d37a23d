"""Settings, prompts and single facts about the installation."""

from __future__ import annotations

import sqlalchemy as sa

from rag.store.columns import PlainString, PlainText
from rag.store.schema.base import metadata, time_column

settings = sa.Table(
    "settings",
    metadata,
    sa.Column("section", PlainString(80), primary_key=True),
    sa.Column("values", sa.JSON, nullable=False),
)

prompts = sa.Table(
    "prompts",
    metadata,
    sa.Column("name", PlainString(80), primary_key=True),
    sa.Column("text", PlainText, nullable=False),
    time_column("updated_at"),
)

facts = sa.Table(
    "facts",
    metadata,
    sa.Column("name", PlainString(80), primary_key=True),
    sa.Column("value", PlainText, nullable=False),
)
