"""Tables of the catalog: the truth from which the vector store can be rebuilt (DESIGN §4).

Values of `rag.types` are kept as their own JSON in text columns; what is searched or sorted
by has a column of its own. All times are UTC.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from rag.store.columns import PlainString, PlainText, UtcDateTime

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

metadata = sa.MetaData(naming_convention=NAMING)


def _id(name: str = "id", **options: Any) -> sa.Column[str]:
    return sa.Column(name, PlainString(64), primary_key=True, **options)


def _time(name: str) -> sa.Column[datetime]:
    return sa.Column(name, UtcDateTime, nullable=False)


knowledge_bases = sa.Table(
    "knowledge_bases",
    metadata,
    _id(),
    sa.Column("name", PlainString(80), nullable=False),
    # The name as it is compared: width, case and surrounding blanks don't make a new name.
    sa.Column("name_key", PlainString(160), nullable=False, unique=True),
    sa.Column("description", PlainText, nullable=False),
    sa.Column("public", sa.Boolean, nullable=False),
    # Counts every change of its documents; caches compare it.
    sa.Column("generation", sa.Integer, nullable=False),
    _time("created_at"),
)

documents = sa.Table(
    "documents",
    metadata,
    _id(),
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
    sa.Column("error", PlainText),
    sa.Column("title", PlainText),
    sa.Column("metadata", PlainText, nullable=False),
    sa.Column("headings", sa.JSON, nullable=False),
    # Metadata of records that differs from the document's own (one JSONL file, many cities).
    sa.Column("facets", sa.JSON, nullable=False),
    sa.Column("uploaded_by", PlainString(128)),
    _time("created_at"),
    _time("updated_at"),
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
    _time("updated_at"),
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
    _time("published_at"),
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
    _id(),
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
    sa.Column("error", PlainText),
    sa.Column("last_run_at", UtcDateTime),
    sa.Column("next_run_at", UtcDateTime),
    # Things at the source at the last look, and whether more of them are to be queued.
    sa.Column("found_count", sa.Integer, nullable=False),
    sa.Column("unfinished", sa.Boolean, nullable=False),
    sa.Column("last_changes", PlainText),
    _time("created_at"),
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
    sa.Column("error", PlainText),
    _time("seen_at"),
)

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

jobs = sa.Table(
    "jobs",
    metadata,
    _id(),
    # No foreign key: a job outlives its knowledge base for the moment that it needs to stop.
    sa.Column("kb_id", PlainString(64), nullable=False, index=True),
    sa.Column("document_id", PlainString(64)),
    sa.Column("name", PlainText, nullable=False),
    sa.Column("status", PlainString(20), nullable=False, index=True),
    sa.Column("stage", PlainString(20)),
    sa.Column("progress", sa.Float, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("error", PlainText),
    sa.Column("cancel", sa.Boolean, nullable=False),
    sa.Column("payload", sa.JSON, nullable=False),
    _time("created_at"),
    _time("updated_at"),
    sa.Column("detail", PlainText, nullable=False),
    sa.Column("next_attempt_at", UtcDateTime),
)

conversations = sa.Table(
    "conversations",
    metadata,
    _id(),
    sa.Column("owner", PlainString(128), nullable=False),
    sa.Column("title", PlainText, nullable=False),
    sa.Column("kb_ids", sa.JSON, nullable=False),
    _time("created_at"),
    _time("updated_at"),
    sa.Index(None, "owner", "updated_at"),
)

messages = sa.Table(
    "messages",
    metadata,
    _id(),
    sa.Column(
        "conversation_id",
        PlainString(64),
        sa.ForeignKey("conversations.id", ondelete="CASCADE"),
        nullable=False,
    ),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("role", PlainString(20), nullable=False),
    sa.Column("content", PlainText, nullable=False),
    sa.Column("status", PlainString(20), nullable=False, index=True),
    sa.Column("answer", PlainText),
    sa.Column("feedback", PlainString(8)),
    sa.Column("feedback_reason", PlainText, nullable=False),
    _time("created_at"),
    sa.UniqueConstraint("conversation_id", "position"),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column(
        "message_id",
        PlainString(64),
        sa.ForeignKey("messages.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("event", PlainText, nullable=False),
)

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
    _time("updated_at"),
)

terms = sa.Table(
    "terms",
    metadata,
    _id(),
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
    _time("created_at"),
)

retrieval_cases = sa.Table(
    "retrieval_cases",
    metadata,
    _id(),
    sa.Column("kb_ids", sa.JSON, nullable=False),
    sa.Column("question", PlainText, nullable=False),
    sa.Column("expected", sa.JSON, nullable=False),
    sa.Column("note", PlainText, nullable=False),
    sa.Column("created_by", PlainString(128), nullable=False),
    _time("created_at"),
)

facts = sa.Table(
    "facts",
    metadata,
    sa.Column("name", PlainString(80), primary_key=True),
    sa.Column("value", PlainText, nullable=False),
)

accounts = sa.Table(
    "accounts",
    metadata,
    _id(),
    sa.Column("name", PlainString(80), nullable=False),
    sa.Column("name_key", PlainString(160), nullable=False, unique=True),
    sa.Column("password_hash", PlainText, nullable=False),
    sa.Column("role", PlainString(20), nullable=False),
    sa.Column("disabled", sa.Boolean, nullable=False),
    _time("created_at"),
)

sessions = sa.Table(
    "sessions",
    metadata,
    # SHA-256 of the browser's session id: a copy of the catalog opens nobody's session.
    _id("id_hash"),
    sa.Column(
        "account_id",
        PlainString(64),
        sa.ForeignKey("accounts.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    _time("created_at"),
    _time("seen_at"),
)

login_failures = sa.Table(
    "login_failures",
    metadata,
    sa.Column("key", PlainString(200), primary_key=True),
    sa.Column("count", sa.Integer, nullable=False),
    _time("last_at"),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    _time("at"),
    sa.Column("person_id", PlainString(128), nullable=False),
    sa.Column("person_name", PlainString(80), nullable=False),
    sa.Column("role", PlainString(20), nullable=False),
    sa.Column("action", PlainString(80), nullable=False),
    sa.Column("target", PlainText, nullable=False),
    sa.Column("detail", PlainText, nullable=False),
    sa.Index(None, "at"),
)
