"""Background jobs as people see them; the queue that runs them is in rag.ingest.jobs."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from rag.errors import NotFound
from rag.store import schema
from rag.store.clock import Clock
from rag.store.database import Database
from rag.types import JobInfo, JobStage, JobStatus

ACTIVE: tuple[JobStatus, ...] = ("queued", "running")
LISTED = 500
"""Most jobs in a list with finished ones; older ones are left out. Unfinished ones all count."""

_KEEP: Any = object()
JobList = list[JobInfo]
PayloadList = list[dict[str, Any]]


class Jobs:
    """Repository of jobs. Thread-safe."""

    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    def create(
        self,
        kb_id: str,
        name: str,
        *,
        document_id: str | None = None,
        payload: Mapping[str, Any] | None = None,
    ) -> JobInfo:
        """A new job with status "queued".

        Args:
            name: the file's name as people see it.
            payload: JSON values that the queue needs to run or repeat it; never a password.
        """
        job_id, now = "j" + secrets.token_hex(8), self._now()
        with self._database.write() as connection:
            connection.execute(
                schema.jobs.insert().values(
                    id=job_id,
                    kb_id=kb_id,
                    document_id=document_id,
                    name=name,
                    status="queued",
                    progress=0.0,
                    attempts=0,
                    cancel=False,
                    payload=dict(payload or {}),
                    detail="",
                    created_at=now,
                    updated_at=now,
                )
            )
        return self.get(job_id)

    def get(self, job_id: str) -> JobInfo:
        """One job.

        Raises:
            NotFound: there is none with this id (any more).
        """
        return _job(self._row(job_id))

    def payload(self, job_id: str) -> dict[str, Any]:
        """What `create` was given.

        Raises:
            NotFound: there is none with this id.
        """
        return dict(self._row(job_id)["payload"])

    def unfinished_payloads(self) -> PayloadList:
        """What `create` was given, of all jobs that may still run or be tried again."""
        return self._payloads(schema.jobs.c.status != "done")

    def active_payloads(self) -> PayloadList:
        """What `create` was given, of all jobs that wait or run."""
        return self._payloads(schema.jobs.c.status.in_(ACTIVE))

    def payloads_of(self, kb_id: str) -> PayloadList:
        """What `create` was given, of all jobs of a knowledge base."""
        return self._payloads(schema.jobs.c.kb_id == kb_id)

    def list(self, active_only: bool = False, kb_id: str | None = None) -> JobList:
        """Jobs, newest first: at most `LISTED`, or all unfinished ones when `active_only`."""
        table = schema.jobs
        query = sa.select(table).order_by(table.c.created_at.desc(), table.c.id.desc())
        query = query.where(table.c.status.in_(ACTIVE)) if active_only else query.limit(LISTED)
        if kb_id is not None:
            query = query.where(table.c.kb_id == kb_id)
        return self._jobs(query)

    def failed(self, kb_ids: Iterable[str] | None = None) -> JobList:
        """All jobs (of these knowledge bases) that were given up, newest first."""
        table = schema.jobs
        query = sa.select(table).where(table.c.status == "failed")
        if kb_ids is not None:
            query = query.where(table.c.kb_id.in_(list(kb_ids)))
        return self._jobs(query.order_by(table.c.created_at.desc(), table.c.id.desc()))

    def update(
        self,
        job_id: str,
        *,
        status: JobStatus | None = None,
        stage: JobStage | None = None,
        progress: float | None = None,
        error: str | None = _KEEP,
        document_id: str | None = None,
        attempts: int | None = None,
        detail: str | None = None,
        next_attempt_at: datetime | None = _KEEP,
    ) -> bool:
        """Change the given fields and the time of change. `error=None` and
        `next_attempt_at=None` clear them; a status of "queued" also withdraws an earlier wish
        to cancel, any other one ends the wait for a retry. False when the job is gone."""
        given = {
            "status": status,
            "stage": stage,
            "progress": None if progress is None else min(max(progress, 0.0), 1.0),
            "document_id": document_id,
            "attempts": attempts,
            "detail": detail,
        }
        values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if error is not _KEEP:
            values["error"] = error
        if status == "queued":
            values["cancel"] = False
        elif status is not None:
            values["next_attempt_at"] = None
        if next_attempt_at is not _KEEP:
            values["next_attempt_at"] = next_attempt_at
        with self._database.write() as connection:
            changed = connection.execute(
                schema.jobs.update()
                .where(schema.jobs.c.id == job_id)
                .values(**values, updated_at=self._now())
            )
            return bool(changed.rowcount)

    def claim(self, job_id: str) -> bool:
        """Begin a waiting job: "running", one attempt more. False when it is not waiting (any
        more), so that of several workers one gets it, and none that was cancelled."""
        table = schema.jobs
        waiting = (table.c.status == "queued") & ~table.c.cancel
        with self._database.write() as connection:
            changed = connection.execute(
                table.update()
                .where(table.c.id == job_id, waiting)
                .values(
                    status="running",
                    progress=0.0,
                    error=None,
                    detail="",
                    next_attempt_at=None,
                    attempts=table.c.attempts + 1,
                    updated_at=self._now(),
                )
            )
            return bool(changed.rowcount)

    def request_cancel(self, job_id: str) -> JobInfo:
        """Cancel a waiting job, ask a running one to stop, leave a finished one as it is.

        Raises:
            NotFound: there is none with this id.
        """
        table = schema.jobs
        with self._database.write() as connection:
            connection.execute(
                table.update()
                .where(table.c.id == job_id, table.c.status.in_(ACTIVE))
                .values(
                    status=sa.case((table.c.status == "queued", "cancelled"), else_="running"),
                    next_attempt_at=None,
                    cancel=True,
                    updated_at=self._now(),
                )
            )
        return self.get(job_id)

    def cancel_requested(self, job_id: str) -> bool:
        """Whether the job should stop: someone asked for it, or its row is gone."""
        table = schema.jobs
        with self._database.read() as connection:
            wish = connection.execute(sa.select(table.c.cancel).where(table.c.id == job_id))
            row = wish.first()
        return row is None or bool(row.cancel)

    def delete(self, job_id: str) -> None:
        """Forget a job; nothing happens when it is gone already."""
        with self._database.write() as connection:
            connection.execute(schema.jobs.delete().where(schema.jobs.c.id == job_id))

    def _jobs(self, query: sa.Select[Any]) -> JobList:
        with self._database.read() as connection:
            return [_job(row) for row in connection.execute(query).mappings()]

    def _payloads(self, condition: sa.ColumnElement[bool]) -> PayloadList:
        with self._database.read() as connection:
            found = connection.execute(sa.select(schema.jobs.c.payload).where(condition))
            return [dict(payload) for payload in found.scalars()]

    def _row(self, job_id: str) -> sa.RowMapping:
        table = schema.jobs
        with self._database.read() as connection:
            row = connection.execute(sa.select(table).where(table.c.id == job_id))
            found = row.mappings().first()
        if found is None:
            raise NotFound(
                "这个任务不存在，可能已被清除。",
                "请刷新页面查看现有的任务。",
                message_en="This job does not exist; it may have been cleared.",
                remedy_en="Reload the page to see the jobs that exist.",
            )
        return found


def _job(row: sa.RowMapping) -> JobInfo:
    return JobInfo(**{name: row[name] for name in JobInfo.model_fields if name in row})
