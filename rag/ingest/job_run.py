"""What one job does: passes its payload to the pipeline and follows it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rag.ingest.assemble import MODEL_FAILED
from rag.ingest.failures import Cancelled
from rag.ingest.flags import flag_text
from rag.ingest.pipeline import Pipeline
from rag.types import IngestResult, JobInfo, JobStage, Told

if TYPE_CHECKING:
    from rag.store.catalog import Catalog

REPORT_EVERY_S = 0.25
"""Least time between two writes of progress, and between two looks at the cancel flag."""


class JobWatch:
    """Writes a job's progress and reads its cancel flag, neither too often."""

    def __init__(self, catalog: Catalog, job_id: str, stopping: threading.Event) -> None:
        self._catalog = catalog
        self._job_id = job_id
        self._stopping = stopping
        self._stage: JobStage | None = None
        self._detail = ""
        self._written = self._looked = 0.0
        self._cancelled = False

    def report(self, stage: JobStage, share: float) -> None:
        """Write the progress down, 0..1 within the stage."""
        now = time.monotonic()
        if stage != self._stage or now - self._written >= REPORT_EVERY_S:
            if stage != self._stage and self._stage is not None:
                self._detail = ""
            self._stage, self._written = stage, now
            self._catalog.jobs.update(
                self._job_id, stage=stage, progress=share, detail=self._detail
            )

    def say(self, detail: str) -> None:
        """More about the stage; written with its next progress."""
        self._detail = detail

    def cancelled(self) -> bool:
        """Whether someone cancelled the job, or the queue is stopping."""
        now = time.monotonic()
        if not self._cancelled and now - self._looked >= REPORT_EVERY_S:
            self._looked = now
            self._cancelled = self._catalog.jobs.cancel_requested(self._job_id)
        return self._cancelled or self._stopping.is_set()

    def step(self, share: float) -> None:
        """Progress of work without stages.

        Raises:
            Cancelled: someone asked the job to stop.
        """
        if self.cancelled():
            raise Cancelled
        self.report("embed", share)


def run_job(
    pipeline: Pipeline,
    job: JobInfo,
    payload: Mapping[str, Any],
    watch: JobWatch,
    password: str | None,
) -> IngestResult:
    """Do what a job's payload says: ingest a file, or read, restore or cut a document anew.

    Args:
        job: as it was before this attempt began.

    Raises:
        Cancelled: someone asked to stop.
        ZhiwenError: as `Pipeline.attempt`.
    """
    follow: dict[str, Any] = {"progress": watch.report, "cancelled": watch.cancelled}
    action, document_id = str(payload.get("action", "")), payload.get("document_id")
    if action and job.attempts > 0:
        pipeline.sweep(str(document_id))
    if action == "recut":
        return pipeline.recut(str(document_id), **follow)
    follow |= {"detail": watch.say, "password": password}
    if action == "restore":
        return pipeline.restore(str(document_id), int(payload["version"]), **follow)
    if action == "reprocess":
        return pipeline.reprocess(str(document_id), **follow)
    return pipeline.attempt(
        pipeline.files.path(payload["sha256"]),
        job.kb_id,
        job.name,
        job_id=job.id,
        uploaded_by=payload.get("uploaded_by"),
        source_id=payload.get("source_id"),
        stated=payload.get("stated"),
        document_id=document_id,
        resumed=job.attempts > 0,
        **follow,
    )


def note_on(result: IngestResult) -> Told | None:
    """What people should know about a job that is done; None for nothing."""
    if result.status == "duplicate":
        return Told(
            "内容与已有文档相同，没有重复收录。",
            "The content is that of a document that is there; it was not added again.",
        )
    if result.waits_behind is not None:
        return Told(
            f"新版本待确认，检索仍用第 {result.waits_behind} 版。请打开新版本核对后接受或改正。",
            f"The new version is doubtful; searches still use version {result.waits_behind}. "
            "Open the new version and accept or correct it.",
        )
    if result.status == "quarantined":
        return Told(
            "内容有较多问题，已隔离，暂不参与检索。请打开文档核对后接受或改正。",
            "The content has many problems and is quarantined: it is not searched. "
            "Open the document and accept or correct it.",
        )
    if MODEL_FAILED in result.flags:
        return Told(
            f"{flag_text(MODEL_FAILED)}。文档已收录；模型恢复后可以重新处理。",
            f"{flag_text(MODEL_FAILED, 'en')}. The document is indexed; read it again when the "
            "model is back.",
        )
    return None
