"""Accounts, their sessions, their conversations and what was done by whom."""

from __future__ import annotations

import sqlalchemy as sa

from rag.store.columns import PlainString, PlainText
from rag.store.schema.base import id_column, metadata, time_column

accounts = sa.Table(
    "accounts",
    metadata,
    id_column(),
    sa.Column("name", PlainString(80), nullable=False),
    sa.Column("name_key", PlainString(160), nullable=False, unique=True),
    sa.Column("password_hash", PlainText, nullable=False),
    sa.Column("role", PlainString(20), nullable=False),
    sa.Column("disabled", sa.Boolean, nullable=False),
    time_column("created_at"),
)

sessions = sa.Table(
    "sessions",
    metadata,
    # SHA-256 of the browser's session id: a copy of the catalog opens nobody's session.
    id_column("id_hash"),
    sa.Column(
        "account_id",
        PlainString(64),
        sa.ForeignKey("accounts.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    time_column("created_at"),
    time_column("seen_at"),
)

login_failures = sa.Table(
    "login_failures",
    metadata,
    sa.Column("key", PlainString(200), primary_key=True),
    sa.Column("count", sa.Integer, nullable=False),
    time_column("last_at"),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    time_column("at"),
    sa.Column("person_id", PlainString(128), nullable=False),
    sa.Column("person_name", PlainString(80), nullable=False),
    sa.Column("role", PlainString(20), nullable=False),
    sa.Column("action", PlainString(80), nullable=False),
    sa.Column("target", PlainText, nullable=False),
    sa.Column("detail", PlainText, nullable=False),
    sa.Index(None, "at"),
)

conversations = sa.Table(
    "conversations",
    metadata,
    id_column(),
    sa.Column("owner", PlainString(128), nullable=False),
    sa.Column("title", PlainText, nullable=False),
    sa.Column("kb_ids", sa.JSON, nullable=False),
    time_column("created_at"),
    time_column("updated_at"),
    sa.Index(None, "owner", "updated_at"),
)

messages = sa.Table(
    "messages",
    metadata,
    id_column(),
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
    time_column("created_at"),
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
