"""A catalog for each test, on every database that is there.

SQLite always; PostgreSQL too when ZHIWEN_TEST_POSTGRES holds an SQLAlchemy URL of an empty
database that may be emptied (`postgresql+psycopg://…`).
"""

from __future__ import annotations

import os

import pytest
import sqlalchemy as sa
from store_parts import Clock

from rag.store.catalog import Catalog

POSTGRES = os.environ.get("ZHIWEN_TEST_POSTGRES", "")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", *(["postgres"] if POSTGRES else [])])
def catalog(request, tmp_path, clock):
    url = tmp_path / "catalog.sqlite"
    if request.param == "postgres":
        url = POSTGRES
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            connection.execute(sa.text("DROP SCHEMA public CASCADE"))
            connection.execute(sa.text("CREATE SCHEMA public"))
        engine.dispose()
    opened = Catalog(url, clock)
    yield opened
    opened.close()
