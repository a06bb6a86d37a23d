"""Finds a document's metadata by rules: the fifth step of the offline chain."""

from __future__ import annotations

from rag.types import Document, DocumentMetadata


def describe(document: Document) -> DocumentMetadata:
    """Title, region, year, dates, type, number, organisation and product."""
    raise NotImplementedError
