"""What a health check says, and what the checks look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.store.clock import Clock
from rag.store.vectors import VectorStore
from rag.types import Value

Severity = Literal["ok", "info", "warning", "error"]


class HealthFinding(Value):
    """One line of the health report.

    `name` is stable for machines; `message` and `remedy` are for people, in Chinese, with
    English variants; `repairable` says that `Doctor.repair` can mend it.
    """

    name: str
    severity: Severity
    message: str
    remedy: str = ""
    repairable: bool = False
    message_en: str = ""
    remedy_en: str = ""


class OriginalFiles(Protocol):
    """The original files by their content (rag.ingest.files.FileStore)."""

    def hashes(self) -> Iterable[str]:
        """SHA-256 of every stored file."""
        ...

    def path(self, sha256: str) -> Path:
        """Where the content lies."""
        ...

    def has(self, sha256: str) -> bool:
        """Whether the content is there."""
        ...

    def remove(self, sha256: str) -> None:
        """Delete the content."""
        ...


class Rebuilder(Protocol):
    """Embeds chunks of the catalog again (rag.ingest.pipeline.Pipeline)."""

    def rebuild(self, kb_id: str | None = None) -> int:
        """Embed all chunks of a knowledge base; returns how many."""
        ...


@dataclass(frozen=True)
class Installation:
    """What the checks look at. `free_bytes` gives the free space at a path; `settings` are
    those in force."""

    catalog: Catalog
    vectors: VectorStore
    files: OriginalFiles
    rebuilder: Rebuilder
    data: Path
    now: Clock
    free_bytes: Callable[[Path], int]
    settings: Callable[[], Settings] = Settings


@dataclass(frozen=True)
class Check:
    """One check: a function that looks, and one that mends (None where people must)."""

    look: Callable[[Installation], HealthFinding]
    mend: Callable[[Installation], None] | None = None


def ok(name: str, message: str, message_en: str) -> HealthFinding:
    """A finding that all is well."""
    return HealthFinding(name=name, severity="ok", message=message, message_en=message_en)


def some(items: Sequence[str], most: int = 3) -> str:
    """The first few items for a message, and that there are more."""
    return "、".join(items[:most]) + (" …" if len(items) > most else "")
