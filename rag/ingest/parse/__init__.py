"""One parser per format; all return the same Document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rag.ingest.inspect import Inspection
from rag.settings import IngestSettings
from rag.types import Document

Progress = Callable[[float], None]
"""Called with 0..1 now and then; may raise to stop the parsing."""


def parse(
    path: Path,
    inspection: Inspection,
    *,
    name: str,
    settings: IngestSettings,
    password: str | None = None,
    progress: Progress | None = None,
) -> Document:
    """Read a file that `inspect` has looked at.

    Args:
        name: the document's name as people see it; not used as a path.
        password: opens an encrypted PDF or Office file.

    Raises:
        EncryptedDocument: a password is needed, or the given one is wrong.
        EmptyDocument: there is no text in it; the message names the reason.
        CorruptDocument, TooLarge, UnsupportedFormat: it cannot be read.
    """
    raise NotImplementedError
