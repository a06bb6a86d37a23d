"""What all tables share: their metadata, the names of their constraints, common columns."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from rag.store.columns import PlainString, UtcDateTime

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

metadata = sa.MetaData(naming_convention=NAMING)


def id_column(name: str = "id", **options: Any) -> sa.Column[str]:
    """The primary key: an id of text."""
    return sa.Column(name, PlainString(64), primary_key=True, **options)


def time_column(name: str) -> sa.Column[datetime]:
    """A time (UTC) that is always there."""
    return sa.Column(name, UtcDateTime, nullable=False)
