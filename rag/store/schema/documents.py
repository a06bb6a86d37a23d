"""Knowledge bases and their documents: what was read, how it was cut, its vectors and sources."""

from __future__ import annotations

import sqlalchemy as sa

from rag.store.columns import PlainString, PlainText, ToldText, UtcDateTime
from rag.store.schema.base import id_column, metadata, time_column

knowledge_bases = sa.Table(
    "knowledge_bases",
    metadata,
    id_column(),
    sa.Column("name", PlainString(80), nullable=False),
    # The name as it is compared: width, case and surrounding blanks don't make a new name.
    sa.Column("name_key", PlainString(160), nullable=False, unique=True),
    sa.Column("description", PlainText, nullable=False),
    sa.Column("public", sa.Boolean, nullable=False),
    # Counts every change of its documents; caches compare it.
    sa.Column("generation", sa.Integer, nullable=False),
    time_column("created_at"),
)

documents = sa.Table(
    "documents",
    metadata,
    id_column(),
    sa.Column(
        "kb_id",
        PlainString(64),
        sa.ForeignKey("knowledge_bases.id", ondelete="CASCADE"),
        nullable=False,
    ),
    sa.Column("name", PlainText, nullable=False),
    sa.Column("status", PlainString(20), nullable=False),
    # 0 until the first version is published.
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("media_type", PlainString(160), nullable=False),
    sa.Column("sha256", PlainString(64), nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("page_count", sa.Integer, nullable=False),
    sa.Column("chunk_count", sa.Integer, nullable=False),
    sa.Column("flags", sa.JSON, nullable=False),
    sa.Column("error", ToldText),
    sa.Column("title", PlainText),
    sa.Column("metadata", PlainText, nullable=False),
    sa.Column("headings", sa.JSON, nullable=False),
    # Metadata of records that differs from the document's own (one JSONL file, many cities).
    sa.Column("facets", sa.JSON, nullable=False),
    sa.Column("uploaded_by", PlainString(128)),
    time_column("created_at"),
    time_column("updated_at"),
    sa.Column("quality", PlainText, nullable=False),
    sa.Column("hidden", sa.Boolean, nullable=False),
    # No foreign keys: all are cleared when what they name is deleted.
    sa.Column("superseded_by", PlainString(64)),
    # A quarantined new version: the document that searches use until it is accepted.
    sa.Column("new_version_of", PlainString(64), index=True),
    sa.Column("source_id", PlainString(64), index=True),
    sa.Column("strategy", PlainString(20), nullable=False),
    sa.Column("strategy_reason", PlainText, nullable=False),
    sa.Column("orphan_edits", sa.Integer, nullable=False),
    # Copies from `metadata`, to select by.
    sa.Column("region", PlainText),
    sa.Column("document_type", PlainText),
    sa.Column("publish_date", sa.Date),
    sa.Column("expiry_date", sa.Date),
    sa.Index(None, "kb_id", "sha256"),
    sa.Index(None, "kb_id", "superseded_by", "id"),
)

document_options = sa.Table(
    "document_options",
    metadata,
    sa.Column(
        "document_id",
        PlainString(64),
        sa.ForeignKey("documents.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("options", PlainText, nullable=False),
    time_column("updated_at"),
)

versions = sa.Table(
    "versions",
    metadata,
    sa.Column(
        "document_id",
        PlainString(64),
        sa.ForeignKey("documents.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("sha256", PlainString(64), nullable=False),
    sa.Column("page_count", sa.Integer, nullable=False),
    sa.Column("chunk_count", sa.Integer, nullable=False),
    time_column("published_at"),
    sa.Column("name", PlainText, nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    # Whether its original is kept, so that it can be restored.
    sa.Column("kept", sa.Boolean, nullable=False),
)

pages = sa.Table(
    "pages",
    metadata,
    sa.Column(
        "document_id",
        PlainString(64),
        sa.ForeignKey("documents.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("page", PlainText, nullable=False),
)

chunks = sa.Table(
    "chunks",
    metadata,
    sa.Column("id", PlainString(160), primary_key=True),
    sa.Column(
        "document_id",
        PlainString(64),
        sa.ForeignKey("documents.id", ondelete="CASCADE"),
        nullable=False,
    ),
    sa.Column("kb_id", PlainString(64), nullable=False, index=True),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.Column("chunk", PlainText, nullable=False),
    # Its distinct term ids (uint32, little-endian) and length in tokens: what the document
    # frequencies lose when it goes, without cutting the text into words again.
    sa.Column("terms", sa.LargeBinary),
    sa.Column("token_count", sa.Integer, nullable=False),
    # The chunk's own `indexed` and `enabled`, and whether its document is neither hidden nor
    # quarantined: see rag.store.visibility.
    sa.Column("indexed", sa.Boolean, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("live", sa.Boolean, nullable=False),
    sa.Index(None, "document_id", "ordinal"),
)

embeddings = sa.Table(
    "embeddings",
    metadata,
    sa.Column("fingerprint", PlainString(200), primary_key=True),
    sa.Column("hash", PlainString(64), primary_key=True),
    # Little-endian float16.
    sa.Column("vector", sa.LargeBinary, nullable=False),
    sa.Column("used_at", UtcDateTime, nullable=False, index=True),
)

sources = sa.Table(
    "sources",
    metadata,
    id_column(),
    sa.Column(
        "kb_id",
        PlainString(64),
        sa.ForeignKey("knowledge_bases.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    sa.Column("kind", PlainString(20), nullable=False),
    sa.Column("name", PlainText, nullable=False),
    sa.Column("config", sa.JSON, nullable=False),
    sa.Column("every_s", sa.Float, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("status", PlainString(20), nullable=False),
    sa.Column("error", ToldText),
    sa.Column("last_run_at", UtcDateTime),
    sa.Column("next_run_at", UtcDateTime),
    # Things at the source at the last look, and whether more of them are to be queued.
    sa.Column("found_count", sa.Integer, nullable=False),
    sa.Column("unfinished", sa.Boolean, nullable=False),
    sa.Column("last_changes", PlainText),
    time_column("created_at"),
)

source_items = sa.Table(
    "source_items",
    metadata,
    sa.Column(
        "source_id",
        PlainString(64),
        sa.ForeignKey("sources.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    # SHA-256 of the key: addresses may be longer than a database's index allows.
    sa.Column("key_hash", PlainString(64), primary_key=True),
    sa.Column("key", PlainText, nullable=False),
    sa.Column("stamp", PlainText, nullable=False),
    sa.Column("sha256", PlainString(64), nullable=False),
    sa.Column("document_id", PlainString(64)),
    sa.Column("job_id", PlainString(64)),
    sa.Column("error", ToldText),
    time_column("seen_at"),
)

jobs = sa.Table(
    "jobs",
    metadata,
    id_column(),
    # No foreign key: a job outlives its knowledge base for the moment that it needs to stop.
    sa.Column("kb_id", PlainString(64), nullable=False, index=True),
    sa.Column("document_id", PlainString(64)),
    sa.Column("name", PlainText, nullable=False),
    sa.Column("status", PlainString(20), nullable=False, index=True),
    sa.Column("stage", PlainString(20)),
    sa.Column("progress", sa.Float, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("error", ToldText),
    sa.Column("cancel", sa.Boolean, nullable=False),
    sa.Column("payload", sa.JSON, nullable=False),
    time_column("created_at"),
    time_column("updated_at"),
    sa.Column("detail", ToldText, nullable=False),
    sa.Column("next_attempt_at", UtcDateTime),
)
