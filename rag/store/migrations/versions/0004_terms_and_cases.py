"""Words of the trade with their synonyms; questions saved as retrieval tests"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "terms",
        sa.Column("id", sa.String(length=64), primary_key=True),
        sa.Column(
            "kb_id",
            sa.String(length=64),
            sa.ForeignKey("knowledge_bases.id", ondelete="CASCADE"),
            nullable=True,
        ),
        sa.Column("text", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("synonyms", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
    )
    op.create_index("ix_terms_kb_id", "terms", ["kb_id"])
    op.create_table(
        "retrieval_cases",
        sa.Column("id", sa.String(length=64), primary_key=True),
        sa.Column("kb_ids", sa.JSON(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("expected", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_by", sa.String(length=128), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("retrieval_cases")
    op.drop_index("ix_terms_kb_id", "terms")
    op.drop_table("terms")
