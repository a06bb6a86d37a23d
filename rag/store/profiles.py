"""What knowledge bases are about: the source of clarification options and topics."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

import sqlalchemy as sa

from rag.store import schema
from rag.store.database import Database
from rag.store.visibility import LIVE
from rag.types import (
    Chunk,
    Document,
    DocumentMetadata,
    DocumentProfile,
    KnowledgeProfile,
)

HEADINGS_KEPT = 1000
FACETS_KEPT = 300
"""Most headings and most differing record metadata kept per document for the profile.
Chosen by us: enough for options and topics, small enough to load for every question."""


class Profiles:
    """Builds knowledge profiles, each kept until a document of its base changes. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._profiles: dict[str, tuple[int, tuple[DocumentProfile, ...]]] = {}
        self._lock = threading.Lock()

    def profile(self, wanted: Sequence[str]) -> KnowledgeProfile:
        """The profile of these knowledge bases together."""
        entries: list[DocumentProfile] = []
        for kb_id, generation in self._generations(wanted).items():
            with self._lock:
                cached = self._profiles.get(kb_id)
            if cached is None or cached[0] != generation:
                cached = (generation, self._load_profile(kb_id))
                with self._lock:
                    self._profiles[kb_id] = cached
            entries.extend(cached[1])
        return KnowledgeProfile(kb_ids=tuple(wanted), documents=tuple(entries))

    def generation(self, wanted: Sequence[str]) -> str:
        """A text that changes whenever any document of these knowledge bases does."""
        return ",".join(f"{kb}:{count}" for kb, count in self._generations(wanted).items())

    def _generations(self, kb_ids: Sequence[str]) -> dict[str, int]:
        table = schema.knowledge_bases
        with self._database.read() as connection:
            rows = connection.execute(
                sa.select(table.c.id, table.c.generation)
                .where(table.c.id.in_(kb_ids))
                .order_by(table.c.id)
            )
            return {row.id: row.generation for row in rows}

    def _load_profile(self, kb_id: str) -> tuple[DocumentProfile, ...]:
        table = schema.documents
        with self._database.read() as connection:
            rows = connection.execute(
                sa.select(
                    table.c.id,
                    table.c.name,
                    table.c.title,
                    table.c.metadata,
                    table.c.headings,
                    table.c.facets,
                )
                .where(table.c.kb_id == kb_id, table.c.version > 0, LIVE)
                .order_by(table.c.created_at, table.c.id)
            ).mappings()
            return tuple(entry for row in rows for entry in _profile_entries(row))


def profile_headings(document: Document, chunks: Sequence[Chunk]) -> list[str]:
    """Distinct headings and record titles in order, at most `HEADINGS_KEPT`."""
    from_blocks = (block.text.strip() for block in document.blocks if block.kind == "heading")
    from_chunks = (heading for chunk in chunks for heading in chunk.heading_path)
    from_records = (chunk.metadata.title or "" for chunk in chunks if chunk.kind == "record")
    headings: dict[str, None] = {}
    for source in (from_blocks, from_chunks, from_records):
        for heading in source:
            if heading and len(headings) < HEADINGS_KEPT:
                headings[heading] = None
    return list(headings)


_FACETS = ("region", "year", "document_type", "organisation", "product")


def profile_facets(document: Document, chunks: Sequence[Chunk]) -> list[dict[str, Any]]:
    """Distinct filterable metadata of chunks that differs from the document's own, at most
    `FACETS_KEPT`."""
    own = tuple(getattr(document.metadata, name) for name in _FACETS)
    found: dict[tuple[Any, ...], None] = {}
    for chunk in chunks:
        facet = tuple(getattr(chunk.metadata, name) for name in _FACETS)
        if facet != own and any(facet) and len(found) < FACETS_KEPT:
            found[facet] = None
    return [dict(zip(_FACETS, facet, strict=True)) for facet in found]


def _profile_entries(row: sa.RowMapping) -> list[DocumentProfile]:
    metadata = DocumentMetadata.model_validate_json(row["metadata"])
    title = row["title"] or PurePosixPath(row["name"]).stem or row["name"]
    first = DocumentProfile(
        document_id=row["id"],
        name=row["name"],
        title=title,
        metadata=metadata,
        headings=tuple(row["headings"]),
    )
    others = [
        first.model_copy(update={"metadata": metadata.model_copy(update=facet), "headings": ()})
        for facet in row["facets"]
    ]
    return [first, *others]
