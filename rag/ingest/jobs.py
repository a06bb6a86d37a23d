"""Background ingestion: a durable queue (huey on SQLite) inside our own process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rag.ingest.pipeline import Pipeline
from rag.settings import Settings
from rag.types import JobInfo

if TYPE_CHECKING:
    from rag.store.catalog import Catalog


class JobQueue:
    """Submits, runs, cancels and retries ingestion jobs. Thread-safe."""

    def __init__(
        self,
        data: Path,
        pipeline: Pipeline,
        catalog: Catalog,
        settings: Callable[[], Settings],
    ) -> None:
        self.data = data
        self.pipeline = pipeline
        self.catalog = catalog
        self.settings = settings

    def start(self) -> None:
        """Start the workers and resume what an earlier process left unfinished."""
        raise NotImplementedError

    def stop(self) -> None:
        """Stop the workers; running jobs go back to the queue for the next start."""
        raise NotImplementedError

    def submit(
        self,
        path: Path,
        kb_id: str,
        name: str,
        uploaded_by: str | None = None,
        password: str | None = None,
    ) -> JobInfo:
        """Queue a file for ingestion."""
        raise NotImplementedError

    def cancel(self, job_id: str) -> None:
        """Cancel a waiting job at once, a running one at its next step."""
        raise NotImplementedError

    def retry(self, job_id: str, password: str | None = None) -> JobInfo:
        """Queue a failed or cancelled job again."""
        raise NotImplementedError

    def wait(self, job_ids: Iterable[str], timeout: float | None = None) -> list[JobInfo]:
        """Wait until the jobs are over or `timeout` seconds have passed."""
        raise NotImplementedError
