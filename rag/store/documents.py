"""Documents in the catalog: rows, published content, pages and the knowledge profile."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.store.document_rows import (
    Conditions,
    batches,
    chunk_rows,
    distinct,
    metadata_values,
    missing_document,
    outdated_document,
    quality_value,
    stored_terms,
)
from rag.store.document_states import DocumentStates
from rag.store.document_versions import DocumentVersions
from rag.store.lexical import LexicalStats, unpack_terms
from rag.store.profiles import Profiles, profile_facets, profile_headings
from rag.types import (
    Chunk,
    ChunkStrategy,
    Document,
    DocumentInfo,
    DocumentMetadata,
    DocumentStatus,
    KnowledgeProfile,
    Page,
    Quality,
)

DocumentList = list[DocumentInfo]


class Documents(DocumentStates, DocumentVersions):
    """Repository of documents. Thread-safe."""

    def __init__(self, database: Database, lexical: LexicalStats, now: Clock) -> None:
        super().__init__(database, lexical, now)
        self._profiles = Profiles(database)

    # --- Looking things up ------------------------------------------------------------

    def list(self, kb_ids: Iterable[str], status: DocumentStatus | None = None) -> DocumentList:
        """The documents of these knowledge bases, newest first."""
        conditions: Conditions = [schema.documents.c.kb_id.in_(distinct(kb_ids))]
        if status is not None:
            conditions.append(schema.documents.c.status == status)
        return self._find(*conditions)

    def get_many(self, ids: Iterable[str]) -> DocumentList:
        """Those of the documents that exist, in the order given."""
        wanted = distinct(ids)
        found: dict[str, DocumentInfo] = {}
        for batch in batches(wanted):
            found.update((i.id, i) for i in self._find(schema.documents.c.id.in_(batch)))
        return [found[document_id] for document_id in wanted if document_id in found]

    def select(
        self,
        kb_id: str,
        *,
        expired_before: date | None = None,
        source_id: str | None = None,
        document_type: str | None = None,
        region: str | None = None,
        status: DocumentStatus | None = None,
        older_than: date | None = None,
        name_contains: str | None = None,
    ) -> DocumentList:
        """The documents of a knowledge base that meet all conditions given, newest first.

        Args:
            expired_before: the expiry date that the document states is earlier.
            source_id: it came from this source.
            region: it is about this region or a place inside it ("浙江" finds 浙江/杭州).
            older_than: it was published before that day; without a date of its own, it was
                added before it (UTC).
            name_contains: part of its file name or title, without regard to case.
        """
        table = schema.documents
        conditions: Conditions = [table.c.kb_id == kb_id]
        for column, value in (
            (table.c.source_id, source_id),
            (table.c.document_type, document_type),
            (table.c.status, status),
        ):
            if value is not None:
                conditions.append(column == value)
        if expired_before is not None:
            conditions.append(table.c.expiry_date < expired_before)
        if region is not None:
            inside = table.c.region.startswith(f"{region}/", autoescape=True)
            conditions.append((table.c.region == region) | inside)
        if older_than is not None:
            undated = table.c.publish_date.is_(None)
            midnight = datetime.combine(older_than, time(), UTC)
            added = undated & (table.c.created_at < midnight)
            conditions.append((table.c.publish_date < older_than) | added)
        found = self._find(*conditions)
        if name_contains:
            # In Python: SQLite folds the case of ASCII letters only.
            wanted = name_contains.casefold()
            found = [i for i in found if wanted in f"{i.name}\n{i.title or ''}".casefold()]
        return found

    def find_by_hash(self, kb_id: str, sha256: str) -> DocumentInfo | None:
        """The document with exactly this content, or None."""
        table = schema.documents
        found = self._find(table.c.kb_id == kb_id, table.c.sha256 == sha256)
        return found[0] if found else None

    def find_by_name(self, kb_id: str, name: str) -> DocumentInfo | None:
        """The newest document of exactly this name, or None; no new version that waits."""
        table = schema.documents
        current = table.c.new_version_of.is_(None)
        found = self._find(table.c.kb_id == kb_id, table.c.name == name, current)
        return found[0] if found else None

    def new_version(self, document_id: str) -> DocumentInfo | None:
        """The quarantined new version that waits beside a document, or None."""
        found = self._find(schema.documents.c.new_version_of == document_id)
        return found[0] if found else None

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

    def page(self, document_id: str, number: int) -> Page | None:
        """One page of the published version; None when there is no such page."""
        table = schema.pages
        query = sa.select(table.c.page).where(
            table.c.document_id == document_id, table.c.number == number
        )
        with self._database.read() as connection:
            found = connection.execute(query).scalar()
        return None if found is None else Page.model_validate_json(found)

    def hashes(self) -> set[str]:
        """SHA-256 of every original that some document refers to."""
        with self._database.read() as connection:
            rows = connection.execute(sa.select(schema.documents.c.sha256).distinct())
            return {value for value in rows.scalars() if value}

    def profile(self, kb_ids: Iterable[str]) -> KnowledgeProfile:
        """What these knowledge bases are about: one entry per published document, and one
        more for each differing region, year, type, organisation or product of its records
        (same document id and title). Hidden and quarantined documents are left out. Cached
        until a document changes.
        """
        return self._profiles.profile(distinct(kb_ids))

    def generation(self, kb_ids: Iterable[str]) -> str:
        """A text that changes whenever any document of these knowledge bases does."""
        return self._profiles.generation(distinct(kb_ids))

    # --- Adding, publishing, deleting -------------------------------------------------

    def create(
        self,
        kb_id: str,
        name: str,
        sha256: str,
        size: int,
        media_type: str,
        uploaded_by: str | None = None,
        source_id: str | None = None,
        new_version_of: str | None = None,
    ) -> DocumentInfo:
        """A new row with status "queued" and version 0 (nothing published yet).

        Args:
            name: the file's name as people see it, of any length.
            size: bytes.
            source_id: the source that it comes from; None for an upload.
            new_version_of: the document that it waits to become the new content of.

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
                    **metadata_values(DocumentMetadata()),
                    headings=[],
                    facets=[],
                    uploaded_by=uploaded_by,
                    created_at=now,
                    updated_at=now,
                    quality=quality_value(Quality()),
                    hidden=False,
                    source_id=source_id,
                    new_version_of=new_version_of,
                    strategy="auto",
                    strategy_reason="",
                    orphan_edits=0,
                )
            )
        return self.get(document_id)

    def publish(
        self,
        document_id: str,
        version: int,
        document: Document,
        chunks: Sequence[Chunk],
        *,
        token_lists: Sequence[Sequence[str] | None] | None = None,
        tokeniser: str = "",
        size: int | None = None,
        strategy: ChunkStrategy = "auto",
        strategy_reason: str = "",
        orphan_edits: int = 0,
        status: Literal["indexed", "quarantined"] = "indexed",
        error: str | None = None,
    ) -> DocumentInfo:
        """Make this the document's content, in one transaction: the old version's pages and
        chunks go, the new ones come, the counts, metadata, quality and hash change with them.
        Searches see the old version until the very moment. A hidden document stays hidden.

        Args:
            version: at least the current one.
            chunks: in order; each belongs to this document.
            token_lists: each chunk's tokens as they were indexed. Given, document
                frequencies follow by themselves here, on replacement and on deletion
                (don't call `LexicalStats.add` or `remove` then). None for a chunk takes what
                the catalog has under its id (`Chunks.tokenised_ids`).
            tokeniser: version of the tokeniser that made them.
            size: bytes of the new original, when it changed.
            strategy: how it was cut, and why, in Chinese.
            orphan_edits: how many of its editors' changes fit no chunk any more.
            status: "quarantined" keeps its chunks for people to look at, and from searches.
            error: what people should be told about it.

        Raises:
            NotFound: the document was deleted meanwhile.
            StoreError: a newer version was published meanwhile.
            ValueError: a chunk belongs to another document, lists differ in length, or the
                catalog has no terms under an id without tokens.
        """
        now = self._now()
        values = {
            **metadata_values(document.metadata),
            "status": status,
            "version": version,
            "name": document.name,
            "media_type": document.media_type,
            "sha256": document.sha256,
            "page_count": len(document.pages),
            "chunk_count": len(chunks),
            "flags": list(document.flags),
            "error": error,
            "title": document.title or document.metadata.title,
            "headings": profile_headings(document, chunks),
            "facets": profile_facets(document, chunks),
            "updated_at": now,
            "quality": quality_value(document.quality),
            "strategy": strategy,
            "strategy_reason": strategy_reason,
            "orphan_edits": orphan_edits,
        }
        if size is not None:
            values["size"] = size
        page_rows = [
            {"document_id": document_id, "number": page.number, "page": page.model_dump_json()}
            for page in document.pages
        ]
        with self._database.write() as connection:
            current = self._row(connection, document_id)
            if version < current.version:
                raise outdated_document()
            live = status != "quarantined" and not current.hidden
            kept = stored_terms(connection, document_id) if _has_gaps(token_lists) else {}
            rows = chunk_rows(document_id, chunks, token_lists, live, kept)
            self._remove_content(connection, [document_id])
            for table, table_rows in ((schema.pages, page_rows), (schema.chunks, rows)):
                if table_rows:
                    connection.execute(table.insert(), table_rows)
            self._set(connection, [document_id], values)
            self._count(connection, rows, tokeniser)
            self._remember(
                connection,
                document_id,
                version,
                document,
                len(chunks),
                current.size if size is None else size,
                now,
            )
            self._touch(connection, current.kb_id)
        return self.get(document_id)

    def delete(self, document_id: str) -> DocumentInfo:
        """Delete it with its pages, chunks, versions, options and counts; returns what it was.
        A new version that waits beside it becomes a document of its own.

        Raises:
            NotFound: there is none with this id.
        """
        deleted = self.delete_many([document_id])
        if not deleted:
            raise missing_document()
        return deleted[0]

    def delete_many(self, ids: Iterable[str]) -> DocumentList:
        """Delete documents as `delete` does, in one transaction; unknown ids are ignored.

        Returns:
            What was deleted.
        """
        table, deleted = schema.documents, []
        with self._database.write() as connection:
            for batch in batches(distinct(ids)):
                found = self._find(table.c.id.in_(batch))
                gone = [info.id for info in found]
                self._remove_content(connection, gone)
                for names, values in (
                    (table.c.superseded_by, {"superseded_by": None}),
                    (table.c.new_version_of, {"new_version_of": None, "error": None}),
                ):
                    connection.execute(table.update().where(names.in_(gone)).values(**values))
                connection.execute(table.delete().where(table.c.id.in_(gone)))
                deleted += found
            for kb_id in sorted({info.kb_id for info in deleted}):
                self._touch(connection, kb_id)
        return deleted

    def _remove_content(self, connection: Connection, ids: Sequence[str]) -> None:
        of_documents = schema.chunks.c.document_id.in_(ids)
        self._lexical.forget_chunks(connection, of_documents)
        connection.execute(schema.chunks.delete().where(of_documents))
        connection.execute(schema.pages.delete().where(schema.pages.c.document_id.in_(ids)))

    def _count(
        self, connection: Connection, rows: Sequence[dict[str, Any]], tokeniser: str
    ) -> None:
        counted = [
            row
            for row in rows
            if row["terms"] is not None and row["live"] and row["enabled"] and row["indexed"]
        ]
        self._lexical.count_chunks(
            connection,
            [unpack_terms(row["terms"]) for row in counted],
            sum(row["token_count"] for row in counted),
            tokeniser,
        )


def _has_gaps(token_lists: Sequence[Sequence[str] | None] | None) -> bool:
    return token_lists is not None and any(tokens is None for tokens in token_lists)
