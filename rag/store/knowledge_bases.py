"""Knowledge bases in the catalog: named sets of documents."""

from __future__ import annotations

import secrets
import unicodedata
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from rag.errors import InvalidInput, NameTaken, NotFound
from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.store.lexical import LexicalStats
from rag.types import KnowledgeBase

NAME_LENGTH = 80
"""Longest name of a knowledge base or account, in characters. Chosen by us."""


IdList = list[str]
KnowledgeBaseList = list[KnowledgeBase]


class KnowledgeBases:
    """Repository of knowledge bases. Thread-safe."""

    def __init__(self, database: Database, lexical: LexicalStats, now: Clock) -> None:
        self._database = database
        self._lexical = lexical
        self._now = now

    def create(self, name: str, description: str = "", public: bool = True) -> KnowledgeBase:
        """Create an empty knowledge base.

        Args:
            name: 1..80 characters after trimming; compared without case and width.
            description: shown to people.
            public: whether visitors without an account may ask it.

        Raises:
            InvalidInput: the name is empty, too long or holds control characters.
            NameTaken: another knowledge base has this name.
        """
        name = valid_name(name)
        # Hexadecimal, because the id is also part of names that allow only letters and digits.
        kb_id = "kb" + secrets.token_hex(8)
        with self._database.write() as connection:
            _refuse_taken(connection, name, None)
            connection.execute(
                schema.knowledge_bases.insert().values(
                    id=kb_id,
                    name=name,
                    name_key=name_key(name),
                    description=description.strip(),
                    public=public,
                    generation=0,
                    created_at=self._now(),
                )
            )
        return self.get(kb_id)

    def list(self) -> KnowledgeBaseList:
        """All knowledge bases, oldest first, with their counts."""
        with self._database.read() as connection:
            rows = connection.execute(_with_counts().order_by(*_OLDEST_FIRST)).mappings()
            return [_knowledge_base(row) for row in rows]

    def get(self, kb_id: str) -> KnowledgeBase:
        """One knowledge base.

        Raises:
            NotFound: there is none with this id.
        """
        return self._one(schema.knowledge_bases.c.id == kb_id)

    def by_name(self, name: str) -> KnowledgeBase:
        """The knowledge base of this name (without regard to case and width).

        Raises:
            NotFound: there is none with this name.
        """
        return self._one(schema.knowledge_bases.c.name_key == name_key(name), name.strip())

    def rename(self, kb_id: str, name: str) -> KnowledgeBase:
        """Give it another name; the same rules and errors as `create`.

        Raises:
            NotFound: there is none with this id.
        """
        name = valid_name(name)
        with self._database.write() as connection:
            _refuse_taken(connection, name, kb_id)
            self._change(connection, kb_id, {"name": name, "name_key": name_key(name)})
        return self.get(kb_id)

    def describe(
        self, kb_id: str, *, description: str | None = None, public: bool | None = None
    ) -> KnowledgeBase:
        """Change the description or who may ask it; None leaves a field as it is.

        Raises:
            NotFound: there is none with this id.
        """
        values: dict[str, Any] = {}
        if description is not None:
            values["description"] = description.strip()
        if public is not None:
            values["public"] = public
        if values:
            with self._database.write() as connection:
                self._change(connection, kb_id, values)
        return self.get(kb_id)

    def delete(self, kb_id: str) -> IdList:
        """Delete it with its documents, pages, chunks and jobs, in one transaction; a running
        job is asked to stop. Returns the ids of the deleted documents.

        Raises:
            NotFound: there is none with this id.
        """
        with self._database.write() as connection:
            listed = connection.execute(
                sa.select(schema.documents.c.id).where(schema.documents.c.kb_id == kb_id)
            )
            document_ids = list(listed.scalars())
            self._lexical.forget_chunks(connection, schema.chunks.c.kb_id == kb_id)
            connection.execute(schema.chunks.delete().where(schema.chunks.c.kb_id == kb_id))
            of_kb = schema.jobs.c.kb_id == kb_id
            running = schema.jobs.c.status == "running"
            connection.execute(schema.jobs.update().where(of_kb, running).values(cancel=True))
            connection.execute(schema.jobs.delete().where(of_kb, ~running))
            gone = connection.execute(
                schema.knowledge_bases.delete().where(schema.knowledge_bases.c.id == kb_id)
            )
            if not gone.rowcount:
                raise _missing()
        return document_ids

    def _one(self, condition: sa.ColumnElement[bool], name: str = "") -> KnowledgeBase:
        with self._database.read() as connection:
            row = connection.execute(_with_counts().where(condition)).mappings().first()
        if row is None:
            raise _missing(name)
        return _knowledge_base(row)

    @staticmethod
    def _change(connection: Connection, kb_id: str, values: dict[str, Any]) -> None:
        changed = connection.execute(
            schema.knowledge_bases.update()
            .where(schema.knowledge_bases.c.id == kb_id)
            .values(**values)
        )
        if not changed.rowcount:
            raise _missing()


def valid_name(name: str) -> str:
    """The trimmed name.

    Raises:
        InvalidInput: empty, longer than `NAME_LENGTH`, or with control characters.
    """
    trimmed = name.strip()
    if not trimmed:
        raise InvalidInput(
            "名称不能为空。",
            "请输入名称。",
            message_en="The name is empty.",
            remedy_en="Enter a name.",
        )
    if len(trimmed) > NAME_LENGTH:
        raise InvalidInput(
            f"名称太长：{len(trimmed)} 个字。",
            f"请不要超过 {NAME_LENGTH} 个字。",
            message_en=f"The name is too long: {len(trimmed)} characters.",
            remedy_en=f"Use at most {NAME_LENGTH} characters.",
        )
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in trimmed):
        raise InvalidInput(
            "名称里有控制字符。",
            "请删去换行、制表符等字符。",
            message_en="The name holds control characters.",
            remedy_en="Remove line breaks, tabs and the like.",
        )
    return trimmed


def name_key(name: str) -> str:
    """The form in which names are compared: "ＨＲ 手册" and "hr 手册" are the same."""
    return unicodedata.normalize("NFKC", name.strip()).casefold()


_OLDEST_FIRST = (schema.knowledge_bases.c.created_at, schema.knowledge_bases.c.id)


def _with_counts() -> sa.Select[Any]:
    documents = schema.documents
    counts = (
        sa.select(
            documents.c.kb_id,
            sa.func.count().label("document_count"),
            sa.func.sum(documents.c.chunk_count).label("chunk_count"),
        )
        .where(documents.c.new_version_of.is_(None))
        .group_by(documents.c.kb_id)
        .subquery()
    )
    return sa.select(
        schema.knowledge_bases,
        sa.func.coalesce(counts.c.document_count, 0).label("document_count"),
        sa.func.coalesce(counts.c.chunk_count, 0).label("chunk_count"),
    ).outerjoin(counts, counts.c.kb_id == schema.knowledge_bases.c.id)


def _knowledge_base(row: sa.RowMapping) -> KnowledgeBase:
    return KnowledgeBase(**{name: row[name] for name in KnowledgeBase.model_fields})


def _refuse_taken(connection: Connection, name: str, own_id: str | None) -> None:
    table = schema.knowledge_bases
    other = connection.execute(
        sa.select(table.c.id).where(table.c.name_key == name_key(name))
    ).scalar()
    if other is not None and other != own_id:
        raise NameTaken(
            f"已有名为“{name}”的知识库。",
            "请换一个名称。",
            message_en=f"There is already a knowledge base named “{name}”.",
            remedy_en="Choose another name.",
        )


def _missing(name: str = "") -> NotFound:
    return NotFound(
        f"没有名为“{name}”的知识库。" if name else "这个知识库不存在，可能已被删除。",
        "请检查名称，或刷新页面查看现有的知识库。",
        message_en=(
            f"There is no knowledge base named “{name}”."
            if name
            else "This knowledge base does not exist; it may have been deleted."
        ),
        remedy_en="Check the name, or reload the page to see those that exist.",
    )
