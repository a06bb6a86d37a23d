"""Brings a catalog to this version's tables at start, with Alembic."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from rag.errors import StoreError
from rag.store.database import Database

HEAD = "0004"
"""The newest revision in migrations/versions. Compared first, because importing Alembic
takes a third of a second that an up-to-date catalog need not wait for."""

_SCRIPTS = Path(__file__).parent / "migrations"


def migrate(database: Database) -> None:
    """Create or upgrade the tables, in one transaction: a failed upgrade changes nothing.

    Raises:
        StoreError: the catalog was written by a newer version of the product, or cannot be
            upgraded.
    """
    with database.read() as connection:
        if _revision(connection) == HEAD:
            return
    with database.write() as connection:
        # Another process may have upgraded it while we waited for the lock.
        if _revision(connection) != HEAD:
            _upgrade(connection)


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util.exc import CommandError

    config = Config()
    # ConfigParser gives % a meaning; a directory may have one in its name.
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise StoreError(
            "这个数据目录是由更新的版本写成的，当前版本无法打开。",
            "请升级程序后再启动，数据没有改动。",
            message_en="This data directory was written by a newer version.",
            remedy_en="Upgrade the program and start again; the data was not changed.",
            detail=str(error),
        ) from error


def _revision(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)
