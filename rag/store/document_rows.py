"""How documents and their chunks are written as rows of the catalog, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from rag.errors import NotFound, StoreError
from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.store.lexical import LexicalStats, distinct_terms, pack_terms
from rag.types import Chunk, DocumentInfo, DocumentMetadata, Quality

BATCH = 500
"""Most ids in one statement; SQLite refuses more than 32,766 parameters. Chosen by us."""

Conditions = list[sa.ColumnElement[bool]]
Item = TypeVar("Item")

_PASSED = Quality().model_dump_json(exclude_defaults=True)
_OF_INFO = [schema.documents.c[name] for name in DocumentInfo.model_fields]


class DocumentRows:
    """What all parts of the documents' repository share."""

    def __init__(self, database: Database, lexical: LexicalStats, now: Clock) -> None:
        self._database = database
        self._lexical = lexical
        self._now = now

    def get(self, document_id: str) -> DocumentInfo:
        """One document.

        Raises:
            NotFound: there is none with this id.
        """
        found = self._find(schema.documents.c.id == document_id)
        if not found:
            raise missing_document()
        return found[0]

    def _find(self, *conditions: sa.ColumnElement[bool]) -> list[DocumentInfo]:
        """The documents that meet all conditions, newest first."""
        table = schema.documents
        query = (
            sa.select(*_OF_INFO)
            .where(*conditions)
            .order_by(table.c.created_at.desc(), table.c.id.desc())
        )
        with self._database.read() as connection:
            return [_info(row) for row in connection.execute(query).mappings()]

    @staticmethod
    def _touch(connection: Connection, kb_id: str) -> None:
        """Tell caches that documents of the knowledge base changed.

        Raises:
            NotFound: it does not exist.
        """
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


def batches(items: Sequence[Item], size: int = BATCH) -> Iterator[Sequence[Item]]:
    """The items in order, `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def distinct(ids: Iterable[str]) -> list[str]:
    """The ids without repetitions, in order; one id alone may be given as it is."""
    return list(dict.fromkeys([ids] if isinstance(ids, str) else ids))


def metadata_values(metadata: DocumentMetadata) -> dict[str, Any]:
    """The columns that metadata fills: itself, and what documents are selected by."""
    return {
        "metadata": metadata.model_dump_json(),
        "region": metadata.region,
        "document_type": metadata.document_type,
        "publish_date": metadata.publish_date,
        "expiry_date": metadata.expiry_date,
    }


def quality_value(quality: Quality) -> str:
    """The column that a verdict fills."""
    return quality.model_dump_json(exclude_defaults=True)


def chunk_rows(
    document_id: str,
    chunks: Sequence[Chunk],
    token_lists: Sequence[Sequence[str] | None] | None,
    live: bool,
    kept: Mapping[str, tuple[bytes, int]],
) -> list[dict[str, Any]]:
    """The rows of a document's chunks.

    Args:
        token_lists: each chunk's tokens, None for one whose terms are among `kept`; None
            when no tokens are known.
        live: whether the document is neither hidden nor quarantined.
        kept: chunk id → packed terms and length in tokens.

    Raises:
        ValueError: a chunk belongs to another document, the lengths differ, or terms that
            should be kept are not there.
    """
    if token_lists is not None and len(token_lists) != len(chunks):
        raise ValueError(f"{len(chunks)} chunks but {len(token_lists)} token lists")
    rows = []
    for index, chunk in enumerate(chunks):
        if chunk.document_id != document_id:
            raise ValueError(f"chunk {chunk.id} belongs to document {chunk.document_id}")
        terms: bytes | None = None
        count = 0
        if token_lists is not None:
            tokens = token_lists[index]
            if tokens is not None:
                terms, count = pack_terms(distinct_terms(tokens)), len(tokens)
            elif chunk.id in kept:
                terms, count = kept[chunk.id]
            else:
                raise ValueError(f"there are no terms of chunk {chunk.id}")
        rows.append(
            {
                "id": chunk.id,
                "document_id": document_id,
                "kb_id": chunk.kb_id,
                "ordinal": chunk.ordinal,
                "chunk": chunk.model_dump_json(exclude_defaults=True),
                "terms": terms,
                "token_count": count,
                "indexed": chunk.indexed,
                "enabled": chunk.enabled,
                "live": live,
            }
        )
    return rows


def stored_terms(connection: Connection, document_id: str) -> dict[str, tuple[bytes, int]]:
    """Chunk id → packed terms and length in tokens, of a document's chunks that have them."""
    table = schema.chunks
    rows = connection.execute(
        sa.select(table.c.id, table.c.terms, table.c.token_count).where(
            table.c.document_id == document_id, table.c.terms.is_not(None)
        )
    )
    return {row.id: (row.terms, row.token_count) for row in rows}


def missing_document() -> NotFound:
    """There is no document with this id."""
    return NotFound(
        "这个文档不存在，可能已被删除。",
        "请刷新页面查看现有的文档。",
        message_en="This document does not exist; it may have been deleted.",
        remedy_en="Reload the page to see the documents that exist.",
    )


def outdated_document() -> StoreError:
    """A newer version was published meanwhile."""
    return StoreError(
        "这个文档刚刚有了更新的版本，本次处理结果没有保存。",
        "如需替换，请重新上传。",
        message_en="A newer version of this document was just saved; this result was dropped.",
        remedy_en="Upload it again to replace that one.",
    )


def _info(row: sa.RowMapping) -> DocumentInfo:
    values = dict(row)
    values["flags"] = tuple(row["flags"])
    values["metadata"] = DocumentMetadata.model_validate_json(row["metadata"])
    passed = row["quality"] in (_PASSED, '{"status":"passed"}')
    values["quality"] = Quality() if passed else Quality.model_validate_json(row["quality"])
    return DocumentInfo(**values)
