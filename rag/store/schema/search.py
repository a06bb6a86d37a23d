"""What searches count by and what administrators keep for them: words, synonyms, test cases."""

from __future__ import annotations

import sqlalchemy as sa

from rag.store.columns import PlainString, PlainText
from rag.store.schema.base import id_column, metadata, time_column

lexical_terms = sa.Table(
    "lexical_terms",
    metadata,
    sa.Column("term", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("documents", sa.Integer, nullable=False),
)

lexical_totals = sa.Table(
    "lexical_totals",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("chunks", sa.BigInteger, nullable=False),
    sa.Column("tokens", sa.BigInteger, nullable=False),
    sa.Column("reference_length", sa.Float, nullable=False),
    sa.Column("tokeniser", PlainString(80), nullable=False),
)

terms = sa.Table(
    "terms",
    metadata,
    id_column(),
    sa.Column(
        "kb_id",
        PlainString(64),
        sa.ForeignKey("knowledge_bases.id", ondelete="CASCADE"),
        nullable=True,
        index=True,
    ),
    sa.Column("text", PlainString(200), nullable=False),
    # The normalised form: one entry for each word of a knowledge base.
    sa.Column("key", PlainString(200), nullable=False),
    sa.Column("synonyms", sa.JSON, nullable=False),
    time_column("created_at"),
)

retrieval_cases = sa.Table(
    "retrieval_cases",
    metadata,
    id_column(),
    sa.Column("kb_ids", sa.JSON, nullable=False),
    sa.Column("question", PlainText, nullable=False),
    sa.Column("expected", sa.JSON, nullable=False),
    sa.Column("note", PlainText, nullable=False),
    sa.Column("created_by", PlainString(128), nullable=False),
    time_column("created_at"),
)
