"""Removes what extraction left behind: the third step of the offline chain."""

from __future__ import annotations

from rag.types import Document


def clean(document: Document) -> Document:
    """The document without control characters, letter-spacing and empty blocks."""
    raise NotImplementedError
