"""Earlier contents of documents, and which of their originals are kept for restoring."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from rag.errors import NotFound
from rag.store import schema
from rag.store.document_rows import DocumentRows, batches, distinct
from rag.types import Document, DocumentVersion

VersionList = list[DocumentVersion]


class VersionFile(NamedTuple):
    """The original of a version: what it was called, its content's SHA-256, size in bytes."""

    name: str
    sha256: str
    size: int


class DocumentVersions(DocumentRows):
    """The part of the documents' repository that remembers versions. Thread-safe."""

    def versions(self, document_id: str) -> VersionList:
        """All versions that were published, newest first; empty for an unknown document."""
        table = schema.versions
        query = (
            sa.select(*(table.c[name] for name in DocumentVersion.model_fields))
            .where(table.c.document_id == document_id)
            .order_by(table.c.version.desc())
        )
        with self._database.read() as connection:
            return [DocumentVersion(**row) for row in connection.execute(query).mappings()]

    def version_file(self, document_id: str, version: int) -> VersionFile:
        """The original of one version.

        Raises:
            NotFound: there is no such version, or its original was not kept.
        """
        table = schema.versions
        query = sa.select(table.c.name, table.c.sha256, table.c.size).where(
            table.c.document_id == document_id, table.c.version == version, table.c.kept
        )
        with self._database.read() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise NotFound(
                f"这个文档的第 {version} 版已无法恢复，原文件没有保留。",
                "请重新上传那一版的文件。",
                message_en=f"Version {version} of this document cannot be restored; its "
                "original was not kept.",
                remedy_en="Upload that version's file again.",
            )
        return VersionFile(row.name, row.sha256, row.size)

    def version_hashes(self) -> set[str]:
        """SHA-256 of every original that is kept for some version."""
        table = schema.versions
        with self._database.read() as connection:
            rows = connection.execute(sa.select(table.c.sha256).where(table.c.kept).distinct())
            return {value for value in rows.scalars() if value}

    def hashes_of(self, ids: Iterable[str]) -> set[str]:
        """SHA-256 of the originals of all versions of these documents."""
        table = schema.versions
        found: set[str] = set()
        with self._database.read() as connection:
            for batch in batches(distinct(ids)):
                query = sa.select(table.c.sha256).where(table.c.document_id.in_(batch))
                found.update(connection.execute(query).scalars())
        return found - {""}

    def trim_versions(self, document_id: str, keep: int) -> set[str]:
        """Keep the current original and the `keep` newest different ones before it.

        Returns:
            SHA-256 of the originals that this document no longer needs; another document
            still may (`hashes`, `version_hashes`).
        """
        table = schema.versions
        with self._database.write() as connection:
            current = connection.execute(
                sa.select(schema.documents.c.sha256).where(schema.documents.c.id == document_id)
            ).scalar()
            rows = connection.execute(
                sa.select(table.c.sha256)
                .where(table.c.document_id == document_id, table.c.kept)
                .order_by(table.c.version.desc())
            ).scalars()
            earlier = [sha256 for sha256 in dict.fromkeys(rows) if sha256 != current]
            dropped = set(earlier[max(keep, 0) :])
            if dropped:
                connection.execute(
                    table.update()
                    .where(table.c.document_id == document_id, table.c.sha256.in_(dropped))
                    .values(kept=False)
                )
        return dropped

    @staticmethod
    def _remember(
        connection: Connection,
        document_id: str,
        version: int,
        document: Document,
        chunk_count: int,
        size: int,
        now: datetime,
    ) -> None:
        table = schema.versions
        connection.execute(
            table.delete().where(table.c.document_id == document_id, table.c.version == version)
        )
        connection.execute(
            table.insert().values(
                document_id=document_id,
                version=version,
                sha256=document.sha256,
                page_count=len(document.pages),
                chunk_count=chunk_count,
                published_at=now,
                name=document.name,
                size=size,
                kept=bool(document.sha256),
            )
        )
