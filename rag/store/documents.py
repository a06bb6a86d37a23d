"""Documents in the catalog: rows, published versions, pages and the knowledge profile."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from rag.errors import NotFound, StoreError
from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.store.lexical import LexicalStats, distinct_terms, pack_terms
from rag.store.profiles import Profiles, profile_facets, profile_headings
from rag.types import (
    Chunk,
    Document,
    DocumentInfo,
    DocumentMetadata,
    DocumentStatus,
    KnowledgeProfile,
    Page,
)

_UNSET: Any = object()
DocumentList = list[DocumentInfo]
Conditions = list[sa.ColumnElement[bool]]


class Documents:
    """Repository of documents. Thread-safe."""

    def __init__(self, database: Database, lexical: LexicalStats, now: Clock) -> None:
        self._database = database
        self._lexical = lexical
        self._now = now
        self._profiles = Profiles(database)

    def create(
        self,
        kb_id: str,
        name: str,
        sha256: str,
        size: int,
        media_type: str,
        uploaded_by: str | None = None,
    ) -> DocumentInfo:
        """A new row with status "queued" and version 0 (nothing published yet).

        Args:
            name: the file's name as people see it, of any length.
            size: bytes.

        Raises:
            NotFound: the knowledge base does not exist.
        """
        document_id, now = "d" + secrets.token_hex(8), self._now()
        with self._database.write() as connection:
            self._touch(connection, kb_id)
            connection.execute(
                schema.documents.insert().values(
                    id=document_id,
                    kb_id=kb_id,
                    name=name,
                    status="queued",
                    version=0,
                    media_type=media_type,
                    sha256=sha256,
                    size=size,
                    page_count=0,
                    chunk_count=0,
                    flags=[],
                    metadata=DocumentMetadata().model_dump_json(),
                    headings=[],
                    facets=[],
                    uploaded_by=uploaded_by,
                    created_at=now,
                    updated_at=now,
                )
            )
        return self.get(document_id)

    def get(self, document_id: str) -> DocumentInfo:
        """One document.

        Raises:
            NotFound: there is none with this id.
        """
        found = self._select(schema.documents.c.id == document_id)
        if not found:
            raise _missing()
        return found[0]

    def list(self, kb_ids: Iterable[str], status: DocumentStatus | None = None) -> DocumentList:
        """The documents of these knowledge bases, newest first."""
        conditions: Conditions = [schema.documents.c.kb_id.in_(_ids(kb_ids))]
        if status is not None:
            conditions.append(schema.documents.c.status == status)
        return self._select(*conditions)

    def find_by_hash(self, kb_id: str, sha256: str) -> DocumentInfo | None:
        """The document with exactly this content, or None."""
        table = schema.documents
        found = self._select(table.c.kb_id == kb_id, table.c.sha256 == sha256)
        return found[0] if found else None

    def find_by_name(self, kb_id: str, name: str) -> DocumentInfo | None:
        """The newest document of exactly this name, or None."""
        table = schema.documents
        found = self._select(table.c.kb_id == kb_id, table.c.name == name)
        return found[0] if found else None

    def set_status(
        self,
        document_id: str,
        status: DocumentStatus,
        error: str | None = None,
        flags: Sequence[str] | None = None,
    ) -> None:
        """Change the status; `error` replaces the old one (None clears it), `flags` of None
        leaves them as they are.

        Raises:
            NotFound: the document does not exist.
        """
        values: dict[str, Any] = {"status": status, "error": error, "updated_at": self._now()}
        if flags is not None:
            values["flags"] = list(flags)
        with self._database.write() as connection:
            changed = connection.execute(
                schema.documents.update()
                .where(schema.documents.c.id == document_id)
                .values(**values)
            )
            if not changed.rowcount:
                raise _missing()

    def publish(
        self,
        document_id: str,
        version: int,
        document: Document,
        chunks: Sequence[Chunk],
        *,
        token_lists: Sequence[Sequence[str]] | None = None,
        tokeniser: str = "",
        size: int | None = None,
    ) -> DocumentInfo:
        """Make this the document's content, in one transaction: the old version's pages and
        chunks go, the new ones come, the counts, metadata and hash change with them, and the
        status becomes "indexed". Searches see the old version until the very moment.

        Args:
            version: at least the current one.
            chunks: in order; each belongs to this document.
            token_lists: each chunk's tokens as they were indexed. Given, document
                frequencies follow by themselves here, on replacement and on deletion
                (don't call `LexicalStats.add` or `remove` then).
            tokeniser: version of the tokeniser that made them.
            size: bytes of the new original, when it changed.

        Raises:
            NotFound: the document was deleted meanwhile.
            StoreError: a newer version was published meanwhile.
        """
        now = self._now()
        values = {
            "status": "indexed",
            "version": version,
            "name": document.name,
            "media_type": document.media_type,
            "sha256": document.sha256,
            "page_count": len(document.pages),
            "chunk_count": len(chunks),
            "flags": list(document.flags),
            "error": None,
            "title": document.title or document.metadata.title,
            "metadata": document.metadata.model_dump_json(),
            "headings": profile_headings(document, chunks),
            "facets": profile_facets(document, chunks),
            "updated_at": now,
        }
        if size is not None:
            values["size"] = size
        page_rows = [
            {"document_id": document_id, "number": page.number, "page": page.model_dump_json()}
            for page in document.pages
        ]
        chunk_rows, term_lists = _chunk_rows(document_id, chunks, token_lists)
        with self._database.write() as connection:
            current = connection.execute(
                sa.select(schema.documents.c.kb_id, schema.documents.c.version)
                .where(schema.documents.c.id == document_id)
                .with_for_update()
            ).first()
            if current is None:
                raise _missing()
            if version < current.version:
                raise _outdated()
            self._remove_content(connection, document_id)
            for rows, table in ((page_rows, schema.pages), (chunk_rows, schema.chunks)):
                if rows:
                    connection.execute(table.insert(), rows)
            if token_lists is not None:
                self._lexical.count_chunks(
                    connection, term_lists, sum(len(tokens) for tokens in token_lists), tokeniser
                )
            connection.execute(
                schema.documents.update()
                .where(schema.documents.c.id == document_id)
                .values(**values)
            )
            connection.execute(
                schema.versions.delete().where(
                    schema.versions.c.document_id == document_id,
                    schema.versions.c.version == version,
                )
            )
            connection.execute(
                schema.versions.insert().values(
                    document_id=document_id,
                    version=version,
                    sha256=document.sha256,
                    page_count=len(document.pages),
                    chunk_count=len(chunks),
                    published_at=now,
                )
            )
            self._touch(connection, current.kb_id)
        return self.get(document_id)

    def delete(self, document_id: str) -> DocumentInfo:
        """Delete it with its pages, chunks and counts; returns what it was.

        Raises:
            NotFound: there is none with this id.
        """
        with self._database.write() as connection:
            info = self.get(document_id)
            self._remove_content(connection, document_id)
            connection.execute(
                schema.documents.delete().where(schema.documents.c.id == document_id)
            )
            self._touch(connection, info.kb_id)
        return info

    def pages(self, document_id: str) -> tuple[Page, ...]:
        """The pages of the published version, in order; empty before the first."""
        table = schema.pages
        with self._database.read() as connection:
            rows = connection.execute(
                sa.select(table.c.page)
                .where(table.c.document_id == document_id)
                .order_by(table.c.number)
            )
            return tuple(Page.model_validate_json(page) for page in rows.scalars())

    def hashes(self) -> set[str]:
        """SHA-256 of every original that some document refers to."""
        with self._database.read() as connection:
            rows = connection.execute(sa.select(schema.documents.c.sha256).distinct())
            return {value for value in rows.scalars() if value}

    def profile(self, kb_ids: Iterable[str]) -> KnowledgeProfile:
        """What these knowledge bases are about: one entry per published document, and one
        more for each differing region, year, type, organisation or product of its records
        (same document id and title). Cached until a document changes.
        """
        return self._profiles.profile(_ids(kb_ids))

    def generation(self, kb_ids: Iterable[str]) -> str:
        """A text that changes whenever any document of these knowledge bases does."""
        return self._profiles.generation(_ids(kb_ids))

    def _select(self, *conditions: sa.ColumnElement[bool]) -> DocumentList:
        table = schema.documents
        query = (
            sa.select(table)
            .where(*conditions)
            .order_by(table.c.created_at.desc(), table.c.id.desc())
        )
        with self._database.read() as connection:
            return [_info(row) for row in connection.execute(query).mappings()]

    def _remove_content(self, connection: Connection, document_id: str) -> None:
        of_document = schema.chunks.c.document_id == document_id
        self._lexical.forget_chunks(connection, of_document)
        connection.execute(schema.chunks.delete().where(of_document))
        connection.execute(schema.pages.delete().where(schema.pages.c.document_id == document_id))

    @staticmethod
    def _touch(connection: Connection, kb_id: str) -> None:
        table = schema.knowledge_bases
        changed = connection.execute(
            table.update().where(table.c.id == kb_id).values(generation=table.c.generation + 1)
        )
        if not changed.rowcount:
            raise NotFound(
                "这个知识库不存在，可能已被删除。",
                "请刷新页面后重新选择知识库。",
                message_en="This knowledge base does not exist; it may have been deleted.",
                remedy_en="Reload the page and choose another.",
            )


def _ids(kb_ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([kb_ids] if isinstance(kb_ids, str) else kb_ids))


def _info(row: sa.RowMapping) -> DocumentInfo:
    values = {name: row[name] for name in DocumentInfo.model_fields if name in row}
    values["flags"] = tuple(row["flags"])
    values["metadata"] = DocumentMetadata.model_validate_json(row["metadata"])
    return DocumentInfo(**values)


def _chunk_rows(
    document_id: str, chunks: Sequence[Chunk], token_lists: Sequence[Sequence[str]] | None
) -> tuple[list[dict[str, Any]], list[Any]]:
    if token_lists is not None and len(token_lists) != len(chunks):
        raise ValueError(f"{len(chunks)} chunks but {len(token_lists)} token lists")
    rows, term_lists = [], []
    for index, chunk in enumerate(chunks):
        if chunk.document_id != document_id:
            raise ValueError(f"chunk {chunk.id} belongs to document {chunk.document_id}")
        terms, count = None, 0
        if token_lists is not None:
            distinct = distinct_terms(token_lists[index])
            term_lists.append(distinct)
            terms, count = pack_terms(distinct), len(token_lists[index])
        rows.append(
            {
                "id": chunk.id,
                "document_id": document_id,
                "kb_id": chunk.kb_id,
                "ordinal": chunk.ordinal,
                "chunk": chunk.model_dump_json(exclude_defaults=True),
                "terms": terms,
                "token_count": count,
            }
        )
    return rows, term_lists


def _missing() -> NotFound:
    return NotFound(
        "这个文档不存在，可能已被删除。",
        "请刷新页面查看现有的文档。",
        message_en="This document does not exist; it may have been deleted.",
        remedy_en="Reload the page to see the documents that exist.",
    )


def _outdated() -> StoreError:
    return StoreError(
        "这个文档刚刚有了更新的版本，本次处理结果没有保存。",
        "如需替换，请重新上传。",
        message_en="A newer version of this document was just saved; this result was dropped.",
        remedy_en="Upload it again to replace that one.",
    )
