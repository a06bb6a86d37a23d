"""Quality, hiding, versions, editors' options, cached embeddings and sources"""

import json
from datetime import date
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_PASSED = '{"status":"passed"}'


def upgrade() -> None:
    # Columns are added in place: copying a table, as SQLite would otherwise need, drops the
    # old one, and that deletes the rows of all tables that refer to it.
    for table, columns in _COLUMNS.items():
        for column in columns:
            op.add_column(table, column)
    _create_tables()
    op.create_index("ix_documents_source_id", "documents", ["source_id"])
    op.create_index(
        "ix_documents_kb_id_superseded_by_id", "documents", ["kb_id", "superseded_by", "id"]
    )
    _copy_metadata()
    _complete_versions()


_COLUMNS: dict[str, list[sa.Column[Any]]] = {
    "documents": [
        sa.Column("quality", sa.Text(), nullable=False, server_default=_PASSED),
        sa.Column("hidden", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("superseded_by", sa.String(length=64), nullable=True),
        sa.Column("source_id", sa.String(length=64), nullable=True),
        sa.Column("strategy", sa.String(length=20), nullable=False, server_default="structural"),
        sa.Column("strategy_reason", sa.Text(), nullable=False, server_default=""),
        sa.Column("orphan_edits", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("region", sa.Text(), nullable=True),
        sa.Column("document_type", sa.Text(), nullable=True),
        sa.Column("publish_date", sa.Date(), nullable=True),
        sa.Column("expiry_date", sa.Date(), nullable=True),
    ],
    "versions": [
        sa.Column("name", sa.Text(), nullable=False, server_default=""),
        sa.Column("size", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("kept", sa.Boolean(), nullable=False, server_default=sa.false()),
    ],
    "chunks": [
        sa.Column("indexed", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("enabled", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("live", sa.Boolean(), nullable=False, server_default=sa.true()),
    ],
    "jobs": [
        sa.Column("detail", sa.Text(), nullable=False, server_default=""),
        sa.Column("next_attempt_at", sa.DateTime(), nullable=True),
    ],
}


def _create_tables() -> None:
    op.create_table(
        "document_options",
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.id"],
            name="fk_document_options_document_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("document_id", name="pk_document_options"),
    )
    op.create_table(
        "embeddings",
        sa.Column("fingerprint", sa.String(length=200), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.Column("used_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", "hash", name="pk_embeddings"),
    )
    op.create_index("ix_embeddings_used_at", "embeddings", ["used_at"])
    op.create_table(
        "sources",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("kb_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("config", sa.JSON(), nullable=False),
        sa.Column("every_s", sa.Float(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("last_run_at", sa.DateTime(), nullable=True),
        sa.Column("next_run_at", sa.DateTime(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["kb_id"], ["knowledge_bases.id"], name="fk_sources_kb_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sources"),
    )
    op.create_index("ix_sources_kb_id", "sources", ["kb_id"])
    op.create_table(
        "source_items",
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("stamp", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=True),
        sa.Column("job_id", sa.String(length=64), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("seen_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name="fk_source_items_source_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", "key_hash", name="pk_source_items"),
    )


def _copy_metadata() -> None:
    """What documents say about themselves, into the columns that they are selected by."""
    connection = op.get_bind()
    documents = sa.table(
        "documents",
        sa.column("id", sa.String),
        sa.column("metadata", sa.Text),
        sa.column("region", sa.Text),
        sa.column("document_type", sa.Text),
        sa.column("publish_date", sa.Date),
        sa.column("expiry_date", sa.Date),
    )
    found = connection.execute(sa.select(documents.c.id, documents.c.metadata)).all()
    rows: list[dict[str, str | date | None]] = []
    for document_id, text in found:
        values = json.loads(text)
        rows.append(
            {
                "key": document_id,
                "new_region": values.get("region"),
                "new_type": values.get("document_type"),
                "new_publish": _date(values.get("publish_date")),
                "new_expiry": _date(values.get("expiry_date")),
            }
        )
    if rows:
        connection.execute(
            documents.update()
            .where(documents.c.id == sa.bindparam("key"))
            .values(
                region=sa.bindparam("new_region"),
                document_type=sa.bindparam("new_type"),
                publish_date=sa.bindparam("new_publish"),
                expiry_date=sa.bindparam("new_expiry"),
            ),
            rows,
        )


def _date(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None


def _complete_versions() -> None:
    """Names of all versions; size and original are there of the current ones only, because
    those of earlier ones were not kept before."""
    op.execute(
        "UPDATE versions SET name = (SELECT documents.name FROM documents "
        "WHERE documents.id = versions.document_id)"
    )
    op.execute(
        "UPDATE versions SET kept = (1 = 1), size = (SELECT documents.size FROM documents "
        "WHERE documents.id = versions.document_id) WHERE EXISTS (SELECT 1 FROM documents "
        "WHERE documents.id = versions.document_id AND documents.sha256 = versions.sha256)"
    )


def downgrade() -> None:
    op.drop_index("ix_documents_kb_id_superseded_by_id", "documents")
    op.drop_index("ix_documents_source_id", "documents")
    for table in ("source_items", "sources", "embeddings", "document_options"):
        op.drop_table(table)
    for table, columns in _COLUMNS.items():
        for column in columns:
            op.drop_column(table, column.name)
