"""A catalog for each test, on every database that is there.

SQLite always; PostgreSQL too when ZHIWEN_TEST_POSTGRES holds an SQLAlchemy URL of an empty
database that may be emptied (`postgresql+psycopg://…`).
"""

from __future__ import annotations

import os

import pytest
from store_parts import Clock, empty_database

from rag.store.catalog import Catalog

POSTGRES = os.environ.get("ZHIWEN_TEST_POSTGRES", "")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", *(["postgres"] if POSTGRES else [])])
def database_url(request, tmp_path):
    """Where a catalog may be made: a path, or the URL of a database that may be emptied."""
    return tmp_path / "catalog.sqlite" if request.param == "sqlite" else POSTGRES


@pytest.fixture
def catalog(database_url, clock):
    empty_database(database_url)
    opened = Catalog(database_url, clock)
    yield opened
    opened.close()
