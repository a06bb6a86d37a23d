"""Questions with their right passages, saved from the retrieval lab."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import sqlalchemy as sa

from rag.errors import NotFound
from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.types import ExpectedPassage, RetrievalCase

CaseList = list[RetrievalCase]


class RetrievalCases:
    """Repository of saved questions. Thread-safe.

    A case names its knowledge bases by id and outlives them: what became of its passages is
    found when it is run.
    """

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    def create(
        self,
        kb_ids: Sequence[str],
        question: str,
        expected: Sequence[ExpectedPassage],
        note: str = "",
        created_by: str = "",
    ) -> RetrievalCase:
        """A new case."""
        case = RetrievalCase(
            id="q" + secrets.token_hex(8),
            kb_ids=tuple(kb_ids),
            question=question,
            expected=tuple(expected),
            note=note,
            created_by=created_by,
            created_at=self._now(),
        )
        with self._database.write() as connection:
            connection.execute(
                schema.retrieval_cases.insert().values(
                    id=case.id,
                    kb_ids=list(case.kb_ids),
                    question=question,
                    expected=[passage.model_dump() for passage in case.expected],
                    note=note,
                    created_by=created_by,
                    created_at=case.created_at,
                )
            )
        return case

    def get(self, case_id: str) -> RetrievalCase:
        """One case.

        Raises:
            NotFound: there is none with this id.
        """
        found = self._find(schema.retrieval_cases.c.id == case_id)
        if not found:
            raise NotFound(
                "这个测试问题不存在，可能已被删除。",
                "请刷新页面查看现有的测试问题。",
                message_en="This saved question does not exist; it may have been deleted.",
                remedy_en="Reload the page to see those that exist.",
            )
        return found[0]

    def list(self) -> CaseList:
        """All cases, the newest first."""
        return self._find(sa.true())

    def delete(self, case_id: str) -> None:
        """Delete a case; an unknown id is ignored."""
        table = schema.retrieval_cases
        with self._database.write() as connection:
            connection.execute(table.delete().where(table.c.id == case_id))

    def _find(self, condition: sa.ColumnElement[bool]) -> CaseList:
        table = schema.retrieval_cases
        query = sa.select(table).where(condition).order_by(table.c.created_at.desc(), table.c.id)
        with self._database.read() as connection:
            rows = connection.execute(query).mappings().all()
        return [RetrievalCase.model_validate(dict(row)) for row in rows]
