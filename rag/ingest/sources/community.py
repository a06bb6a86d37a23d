"""The one place that imports langchain-community: rows of SQL databases by its loader.

Kept apart and lazy, so that the package can be replaced without touching anything else.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any


def load_rows(engine: Any, query: str, most: int) -> Iterator[dict[str, Any]]:
    """The rows of a query as column → value, at most `most` of them.

    Args:
        engine: an SQLAlchemy engine whose connections can only read.
        query: one statement.
    """
    with warnings.catch_warnings():
        # The package announces its end on every import; it is pinned, and replaceable here.
        warnings.simplefilter("ignore")
        from langchain_community.document_loaders.sql_database import SQLDatabaseLoader
        from langchain_community.utilities.sql_database import SQLDatabase
    # Names of tables play no part, and reading all of them takes minutes in large databases.
    database = SQLDatabase(engine, lazy_table_reflection=True)
    loader = SQLDatabaseLoader(
        query.replace(":", r"\:"),  # ":name" would be taken for a parameter
        database,
        page_content_mapper=lambda _: "",
        metadata_mapper=_values,
    )
    for number, row in enumerate(loader.lazy_load()):
        if number >= most:
            return
        yield dict(row.metadata)


def _values(row: Mapping[str, Any]) -> dict[str, Any]:
    return {str(column): value for column, value in row.items()}
