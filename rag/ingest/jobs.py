"""Background ingestion: a durable queue (huey on SQLite) inside our own process.

The catalog's job rows are the truth; huey executes. At a start, its queue is filled anew from
the rows that are not finished, so a crash loses nothing and runs nothing twice. A job that
was given up stays in the catalog with its reason (`catalog.jobs.failed`) until somebody tries
it again or dismisses it. Passwords are held in memory only.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import InvalidInput, ModelUnavailable, NotFound, StoreLocked, ZhiwenError
from rag.foreground import lower_priority
from rag.ingest.files import document_name, report_full_disk
from rag.ingest.job_run import JobWatch, note_on, run_job
from rag.ingest.pipeline import Cancelled, Pipeline
from rag.settings import Settings
from rag.store.clock import utc_now
from rag.types import JobInfo, Told

if TYPE_CHECKING:
    from rag.store.catalog import Catalog

log = logging.getLogger(__name__)

RETRY_DELAYS_S = (5.0, 30.0, 120.0)
"""Waits before the retries of a transient failure. Chosen by us: outlasts a restart of a
model server, and gives up while people still remember the upload."""

MAX_ATTEMPTS = len(RETRY_DELAYS_S) + 1
"""Starts of one job; counts those that a crash of the process cut off, so that a file that
kills the process is not started for ever."""

_STOP_WITHIN_S = 20.0

Work = Callable[[Callable[[float], None]], object]


class JobQueue:
    """Submits, runs, cancels and retries ingestion jobs. Thread-safe.

    Args:
        data: the data directory; the queue is `jobs.sqlite` in it.
    """

    def __init__(
        self,
        data: Path,
        pipeline: Pipeline,
        catalog: Catalog,
        settings: Callable[[], Settings],
    ) -> None:
        self._data = data
        self._pipeline = pipeline
        self._catalog = catalog
        self._settings = settings
        self._passwords: dict[str, str] = {}
        self._works: dict[str, Work] = {}
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._huey: Any = None
        self._task: Any = None
        self._consumer: Any = None

    # --- Starting and ending ----------------------------------------------------------

    def start(self) -> None:
        """Start the workers and resume what an earlier process left unfinished."""
        with self._lock:
            if self._consumer is not None:
                return
            self._stopping.clear()
            queue = self._open()
            queue.flush()
            for job in reversed(self._catalog.jobs.list(active_only=True)):
                self._resume(job)
            self._consumer = queue.create_consumer(
                workers=self._settings().ingest.workers,
                worker_type="thread",
                periodic=False,
                initial_delay=0.05,
                max_delay=0.5,
                check_worker_health=False,
                shutdown_timeout=_STOP_WITHIN_S,
            )
            # huey would replace the process's signal handlers, which only the main thread may.
            self._consumer._set_signal_handlers = lambda: None
            self._consumer.start()

    def stop(self) -> None:
        """Stop the workers; running jobs go back to the queue for the next start."""
        self._stopping.set()
        with self._lock:
            consumer, self._consumer = self._consumer, None
            if consumer is not None:
                consumer.stop(graceful=True)
            with self._opening:
                if self._huey is not None:
                    self._huey.storage.close()
                    self._huey = self._task = None

    # --- Jobs -------------------------------------------------------------------------

    def submit(
        self,
        path: Path,
        kb_id: str,
        name: str,
        uploaded_by: str | None = None,
        password: str | None = None,
        *,
        source_id: str | None = None,
        stated: Mapping[str, Any] | None = None,
        document_id: str | None = None,
    ) -> JobInfo:
        """Keep the file and queue it for ingestion; returns at once.

        Args:
            source_id: the source that it comes from.
            stated: facts that its source knows, as JSON values (`source`: an address, …).
            document_id: the document that this is the new content of, whatever its name.

        Raises:
            DiskFull: the file or the job could not be kept.
            NotFound: there is no file at `path`.
        """
        name = document_name(name)
        with report_full_disk(name):
            stored = self._pipeline.files.put(path, name)
            payload = {
                "sha256": stored.sha256,
                "uploaded_by": uploaded_by,
                "source_id": source_id,
                "stated": dict(stated or {}),
                "document_id": document_id,
            }
            job = self._catalog.jobs.create(kb_id, name, document_id=document_id, payload=payload)
            self._enqueue(job.id, password, first=document_id is not None)
        return job

    def submit_reprocess(
        self,
        document_id: str,
        *,
        parse: bool = True,
        version: int | None = None,
        password: str | None = None,
    ) -> JobInfo:
        """Queue a document to be read and cut anew with its current options.

        Args:
            parse: read its original again; False only cuts the stored pages again.
            version: restore the original of this earlier version.

        Returns:
            The new job, or one like it that still waits.

        Raises:
            NotFound: the document or the version's original is gone.
        """
        documents = self._catalog.documents
        info = documents.get(document_id)
        payload: dict[str, Any] = {"action": "recut", "document_id": document_id}
        if version is not None:
            sha256 = documents.version_file(document_id, version).sha256
            payload |= {"action": "restore", "version": version, "sha256": sha256}
        elif parse:
            payload |= {"action": "reprocess", "sha256": info.sha256}
        for job in self._catalog.jobs.list(active_only=True, kb_id=info.kb_id):
            waits = job.status == "queued" and job.document_id == document_id
            if waits and self._catalog.jobs.payload(job.id) == payload:
                return job
        job = self._catalog.jobs.create(
            info.kb_id, info.name, document_id=document_id, payload=payload
        )
        self._enqueue(job.id, password, first=True)
        return job

    def submit_rebuild(self, work: Work, name: str = "重建索引") -> JobInfo:
        """Queue other long work (an index rebuild) that reports 0..1; it can be cancelled
        between its reports, and is not resumed after a restart."""
        job = self._catalog.jobs.create("", name, payload={"work": True})
        self._works[job.id] = work
        self._enqueue(job.id)
        return job

    def cancel(self, job_id: str) -> None:
        """Cancel a waiting job at once, a running one at its next step.

        Raises:
            NotFound: there is no such job.
        """
        if self._catalog.jobs.request_cancel(job_id).status == "cancelled":
            self._forget(job_id)

    def dismiss(self, job_id: str) -> None:
        """Forget a job that is over, with its file when no document refers to that.

        Raises:
            NotFound: there is no such job.
        """
        payload = self._catalog.jobs.payload(job_id)
        self._catalog.jobs.delete(job_id)
        self._forget(job_id)
        self._pipeline.release_file(payload.get("sha256", ""))

    def retry(self, job_id: str, password: str | None = None) -> JobInfo:
        """Queue a failed or cancelled job again, with a password where one is needed.

        Raises:
            InvalidInput: the job is not over, or was done.
            NotFound: the job or its file is gone.
        """
        job = self._catalog.jobs.get(job_id)
        payload = self._catalog.jobs.payload(job_id)
        if job.status not in ("failed", "cancelled"):
            raise InvalidInput(
                "这个任务不需要重试。",
                "只有失败或已取消的任务可以重试。",
                message_en="This job needs no retry.",
                remedy_en="Only failed and cancelled jobs can be tried again.",
            )
        sha256 = payload.get("sha256")
        if "work" in payload or (sha256 is not None and not self._pipeline.files.has(sha256)):
            raise NotFound(
                f"“{job.name}”的文件已不在，无法重试。",
                "请重新上传。",
                message_en=f"The file of {job.name} is gone.",
                remedy_en="Upload it again.",
            )
        self._catalog.jobs.update(job_id, status="queued", progress=0.0, error=None, attempts=0)
        self._enqueue(job_id, password)
        return self._catalog.jobs.get(job_id)

    def wait(self, job_ids: Iterable[str], timeout: float | None = None) -> list[JobInfo]:
        """Wait until the jobs are over or `timeout` seconds have passed; their states then.

        Raises:
            NotFound: one of them does not exist.
        """
        ids = list(job_ids)
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            jobs = [self._catalog.jobs.get(job_id) for job_id in ids]
            over = all(job.status not in ("queued", "running") for job in jobs)
            if over or (deadline is not None and time.monotonic() >= deadline):
                return jobs
            time.sleep(0.05)

    # --- Running ----------------------------------------------------------------------

    def _open(self) -> Any:
        with self._opening:
            if self._huey is None:
                from huey import SqliteHuey

                logging.getLogger("huey").setLevel(logging.WARNING)
                self._huey = SqliteHuey(
                    "ingest", filename=str(self._data / "jobs.sqlite"), results=False
                )
                self._task = self._huey.task(name="ingest")(self._run)
            return self._huey

    def _enqueue(
        self, job_id: str, password: str | None = None, delay: float = 0.0, *, first: bool = False
    ) -> None:
        """Give a job to huey; `first` goes before what is new: a change of something that is
        there is expected sooner than the rest of a long import."""
        if password:
            self._passwords[job_id] = password
        if self._stopping.is_set():
            return  # The next start takes it up from its row.
        self._open()
        if delay:
            self._task.schedule(args=(job_id,), delay=delay, priority=int(first))
        else:
            self._task(job_id, priority=int(first))

    def _resume(self, job: JobInfo) -> None:
        payload = self._catalog.jobs.payload(job.id)
        if self._catalog.jobs.cancel_requested(job.id):
            self._catalog.jobs.update(job.id, status="cancelled")
        elif "work" in payload and job.id not in self._works:
            self._fail(job.id, "程序重新启动，任务没有做完。请在管理页面重新执行。")
        else:
            if job.status == "running":
                self._catalog.jobs.update(job.id, status="queued", progress=0.0)
            wait = (job.next_attempt_at - utc_now()).total_seconds() if job.next_attempt_at else 0.0
            first = payload.get("document_id") is not None
            self._enqueue(job.id, delay=max(wait, 0.0), first=first)

    def _run(self, job_id: str) -> None:
        """What a worker does with one job. Never raises: huey would only log it."""
        lower_priority()
        try:
            job = self._catalog.jobs.get(job_id)
            if job.status != "queued" or self._stopping.is_set():
                return
            if job.attempts >= MAX_ATTEMPTS:
                self._fail(
                    job_id,
                    Told(
                        f"处理时程序意外中断了 {job.attempts} 次。请检查文件后重试。",
                        f"The program broke off {job.attempts} times while processing it. "
                        "Check the file and try again.",
                    ),
                )
                return
            if self._catalog.jobs.claim(job_id):
                self._perform(job)
                self._clear_away(job)
                if not self._catalog.jobs.list(active_only=True):
                    self._pipeline.settle()
        except NotFound:
            log.info("job %s is gone", job_id)
            self._forget(job_id)
        except Exception:
            log.exception("job %s failed", job_id)
            self._fail(
                job_id,
                Told(
                    "任务出了意外。请重试；仍然失败时请查看运行日志。",
                    "Something unexpected happened. Try again; if it fails again, see the log.",
                ),
            )

    def _perform(self, job: JobInfo) -> None:
        payload = self._catalog.jobs.payload(job.id)
        watch = JobWatch(self._catalog, job.id, self._stopping)
        try:
            if "work" in payload:
                self._works[job.id](watch.step)
                self._done(job.id)
                return
            result = run_job(self._pipeline, job, payload, watch, self._passwords.get(job.id))
        except Cancelled:
            if self._stopping.is_set() and not self._catalog.jobs.cancel_requested(job.id):
                # Interrupted by us, not by a fault: it doesn't count as an attempt.
                self._catalog.jobs.update(job.id, status="queued", attempts=job.attempts)
                return
            self._catalog.jobs.update(job.id, status="cancelled")
            self._forget(job.id)
        except ZhiwenError as error:
            if _is_transient(error) and job.attempts < len(RETRY_DELAYS_S):
                delay = RETRY_DELAYS_S[job.attempts]
                note = error.told(
                    f" 将在 {delay:.0f} 秒后自动重试。", f"It is tried again in {delay:.0f} s."
                )
                self._catalog.jobs.update(
                    job.id,
                    status="queued",
                    error=note,
                    next_attempt_at=utc_now() + timedelta(seconds=delay),
                )
                self._enqueue(job.id, delay=delay)
                return
            self._fail(job.id, error.told())
        else:
            if result.document_id is not None and result.waits_behind is None:
                # A new version that was accepted is now the content of its document.
                self._catalog.jobs.update(job.id, document_id=result.document_id)
            self._done(job.id, note_on(result))

    def _clear_away(self, job: JobInfo) -> None:
        """Leave nothing of a job whose knowledge base was deleted while it ran."""
        if not job.kb_id or any(kb.id == job.kb_id for kb in self._catalog.knowledge_bases.list()):
            return
        self._pipeline.vectors.delete_kb(job.kb_id)
        self.dismiss(job.id)

    def _done(self, job_id: str, note: str | None = None) -> None:
        self._catalog.jobs.update(job_id, status="done", progress=1.0, error=note)
        self._forget(job_id)

    def _fail(self, job_id: str, message: str) -> None:
        self._catalog.jobs.update(job_id, status="failed", error=message)
        self._forget(job_id)

    def _forget(self, job_id: str) -> None:
        self._passwords.pop(job_id, None)
        self._works.pop(job_id, None)


def _is_transient(error: ZhiwenError) -> bool:
    """Whether trying again later may help without anyone changing anything."""
    return isinstance(error, ModelUnavailable | StoreLocked)
