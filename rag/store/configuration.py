"""What administrators change at run time: settings, prompts and small single facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database


class StoredSettings:
    """The admin page's layer of `rag.settings` (`rag.settings_layers.SettingsRows`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self) -> dict[str, dict[str, Any]]:
        """Section → field → value as they were saved."""
        table = schema.settings
        with self._database.read() as connection:
            rows = connection.execute(sa.select(table)).all()
        return {row.section: dict(row[1]) for row in rows}

    def save(self, section: str, values: Mapping[str, Any]) -> None:
        """Replace the values of one section; empty values remove it."""
        table = schema.settings
        with self._database.write() as connection:
            connection.execute(table.delete().where(table.c.section == section))
            if values:
                connection.execute(
                    table.insert().values({"section": section, "values": dict(values)})
                )


class StoredPrompts:
    """Prompts that were changed on the admin page; the files keep the originals."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    def load(self) -> dict[str, str]:
        """Name → changed text."""
        table = schema.prompts
        with self._database.read() as connection:
            return {row.name: row.text for row in connection.execute(sa.select(table))}

    def save(self, name: str, text: str) -> None:
        """Use this text from the next turn on."""
        table = schema.prompts
        with self._database.write() as connection:
            connection.execute(table.delete().where(table.c.name == name))
            connection.execute(table.insert().values(name=name, text=text, updated_at=self._now()))

    def reset(self, name: str) -> None:
        """Go back to the file's text."""
        with self._database.write() as connection:
            connection.execute(schema.prompts.delete().where(schema.prompts.c.name == name))


class Facts:
    """Single named values of this installation (which embedder the vectors are of, …)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, name: str) -> str:
        """The value, or an empty string."""
        table = schema.facts
        with self._database.read() as connection:
            found = connection.execute(sa.select(table.c.value).where(table.c.name == name))
            return str(found.scalar() or "")

    def set(self, name: str, value: str) -> None:
        """Store a value; an empty one removes it."""
        table = schema.facts
        with self._database.write() as connection:
            connection.execute(table.delete().where(table.c.name == name))
            if value:
                connection.execute(table.insert().values(name=name, value=value))
