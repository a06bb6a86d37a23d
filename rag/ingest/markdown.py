"""Shows a document as Markdown: for people, the command line and the chunk preview."""

from __future__ import annotations

from rag.types import Document


def to_markdown(document: Document) -> str:
    """The document's blocks in reading order as Markdown."""
    raise NotImplementedError
