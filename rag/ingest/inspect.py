"""Finds out what a file really is, by content: the first step of the offline chain."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from rag.settings import IngestSettings


class Inspection(NamedTuple):
    """What a file is.

    `extension` is that of the real format, with the dot. `encoding` is set for text formats,
    `page_count` for PDFs that can be opened without a password.
    """

    media_type: str
    extension: str
    sha256: str
    size: int
    encrypted: bool = False
    encoding: str | None = None
    page_count: int | None = None


def inspect(path: Path, settings: IngestSettings, *, name: str | None = None) -> Inspection:
    """Determine format, hash and encoding.

    Args:
        name: the name that a person gave the file when `path` has another one; its extension
            tells text formats apart (CSV, Markdown, JSONL, plain text).

    Raises:
        EmptyDocument, CorruptDocument, UnsupportedFormat, TooLarge: it cannot be read; the
            message names the real format and says what to do.
    """
    raise NotImplementedError
