"""How far a Milvus Lite collection has come, read from its files without opening it.

Opening a collection makes Lite load all of its rows, which takes seconds and hundreds of
megabytes at 100,000 rows. The mark tells at a glance whether a local index that was saved
earlier still holds exactly the collection's rows.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

_TOKEN = "search.token"
"""A random name that we give a collection, so that another one of the same name and length
(the data directory was exchanged or restored) is not taken for it. Each process gives a new one
before it writes for the first time: of two copies of a data directory that went on by
themselves, neither has the other's."""


@dataclass(frozen=True)
class Mark:
    """A state of a collection. `sequence` counts up with every row written and every
    deletion; compaction does not touch it."""

    token: str
    sequence: int


def collections(store: Path) -> list[str]:
    """Names of the collections of a Lite store."""
    return sorted(found.parent.name for found in store.glob("collections/*/schema.json"))


def read(store: Path, name: str) -> Mark | None:
    """The mark of a flushed collection; None when a kill left something to recover, or the
    collection has no token yet."""
    folder = store / "collections" / name
    if any((folder / "wal").glob("*")):
        return None
    try:
        token = (folder / _TOKEN).read_text("ascii").strip()
        sequence = _sequence(folder / "manifest.json")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Mark(token, sequence) if token else None


def ensure_token(store: Path, name: str) -> None:
    """Name the collection if it has no name yet.

    Raises:
        OSError: the name cannot be written.
    """
    path = store / "collections" / name / _TOKEN
    if not path.is_file() or not path.read_bytes().strip():
        renew_token(store, name)


def renew_token(store: Path, name: str) -> None:
    """Give the collection a new name, in one step.

    Raises:
        OSError: the name cannot be written; the old one stays.
    """
    path = store / "collections" / name / _TOKEN
    temporary = path.with_suffix(".new")
    with temporary.open("w", encoding="ascii") as file:
        file.write(secrets.token_hex(8))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _sequence(manifest: Path) -> int:
    if not manifest.exists():
        return 0  # Nothing has been flushed yet.
    return int(json.loads(manifest.read_text("utf-8"))["current_seq"])
