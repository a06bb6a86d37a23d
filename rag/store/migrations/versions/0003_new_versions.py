"""New versions beside the documents that they would replace; what sources' looks found"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_COLUMNS: dict[str, list[sa.Column[Any]]] = {
    "documents": [sa.Column("new_version_of", sa.String(length=64), nullable=True)],
    "sources": [
        sa.Column("found_count", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("unfinished", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("last_changes", sa.Text(), nullable=True),
    ],
}


def upgrade() -> None:
    for table, columns in _COLUMNS.items():
        for column in columns:
            op.add_column(table, column)
    op.create_index("ix_documents_new_version_of", "documents", ["new_version_of"])


def downgrade() -> None:
    op.drop_index("ix_documents_new_version_of", "documents")
    for table, columns in _COLUMNS.items():
        for column in columns:
            op.drop_column(table, column.name)
