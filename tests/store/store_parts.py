"""Small real values for the store's tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import sqlalchemy as sa

from rag.store.catalog import Catalog
from rag.store.vectors import VectorRow
from rag.types import Block, Chunk, Document, DocumentInfo, DocumentMetadata, Page

DIMENSION = 8


class Clock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def forward(self, **amount: float) -> None:
        self.time += timedelta(**amount)


def empty_database(url: str | Path) -> None:
    """Make a database server's database empty; a file is new in each test anyway."""
    if isinstance(url, Path):
        return
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("DROP SCHEMA public CASCADE"))
        connection.execute(sa.text("CREATE SCHEMA public"))
    engine.dispose()


def chunks_of(info: DocumentInfo, version: int, texts: Sequence[str], **values) -> list[Chunk]:
    return [
        Chunk(
            id=f"{info.id}-{version}-{ordinal}",
            document_id=info.id,
            kb_id=info.kb_id,
            ordinal=ordinal,
            text=text,
            document_name=info.name,
            access=info.kb_id,
            **values,
        )
        for ordinal, text in enumerate(texts)
    ]


def publish(
    catalog: Catalog,
    info: DocumentInfo,
    texts: Sequence[str],
    version: int = 1,
    metadata: DocumentMetadata | None = None,
    sha256: str | None = None,
    **values,
) -> DocumentInfo:
    """Publish texts as one page, each text one chunk of blank-separated tokens."""
    document = Document(
        name=info.name,
        media_type="text/plain",
        sha256=sha256 or info.sha256,
        pages=(Page(number=1, blocks=tuple(Block(kind="paragraph", text=text) for text in texts)),),
        metadata=metadata or DocumentMetadata(),
    )
    return catalog.documents.publish(
        info.id,
        version,
        document,
        chunks_of(info, version, texts),
        token_lists=[text.split() for text in texts],
        tokeniser="blanks-1",
        **values,
    )


def new_document(catalog: Catalog, kb_id: str, name: str = "办法.txt", sha256: str = "a" * 64):
    return catalog.documents.create(kb_id, name, sha256, 10, "text/plain", None)


def row(kb_id: str, number: int, **values) -> VectorRow:
    rng = np.random.default_rng(number)
    standard = {
        "chunk_id": f"{kb_id}-{number}",
        "kb_id": kb_id,
        "document_id": f"{kb_id}-d{number // 10}",
        "access": kb_id,
        "region": "",
        "year": 0,
        "document_type": "",
        "organisation": "",
        "product": "",
        "dense": rng.standard_normal(DIMENSION).astype(np.float32),
        "sparse": {number + 1: 1.0},
    }
    return VectorRow(**{**standard, **values})
