import sqlite3

import pytest
import sqlalchemy as sa

from rag.errors import StoreError
from rag.store import schema
from rag.store.catalog import Catalog
from rag.store.migrate import HEAD


def test_the_scripts_make_exactly_the_tables_of_the_schema(catalog):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    with catalog.database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []


def test_head_is_the_newest_script():
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", "rag/store/migrations")
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


def test_reopening_keeps_everything(tmp_path):
    for _ in range(2):
        catalog = Catalog(tmp_path / "数据 100%" / "catalog.sqlite")
        names = [kb.name for kb in catalog.knowledge_bases.list()]
        if not names:
            catalog.knowledge_bases.create("人事手册")
        catalog.close()
    assert names == ["人事手册"]


def test_a_catalog_of_a_newer_version_is_refused_untouched(tmp_path):
    path = tmp_path / "catalog.sqlite"
    Catalog(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="更新的版本"):
        Catalog(path)
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchone() == ("9999",)


def test_a_file_that_is_no_database_is_a_plain_error(tmp_path):
    path = tmp_path / "catalog.sqlite"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError) as refused:
        Catalog(path)
    assert refused.value.remedy


def test_the_file_is_private(tmp_path):
    Catalog(tmp_path / "catalog.sqlite").close()
    assert (tmp_path / "catalog.sqlite").stat().st_mode & 0o077 == 0


def test_sqlite_runs_as_intended(tmp_path):
    catalog = Catalog(tmp_path / "catalog.sqlite")
    with catalog.database.read() as connection:
        pragmas = {
            name: connection.execute(sa.text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "foreign_keys", "synchronous")
        }
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 1}
    catalog.close()
