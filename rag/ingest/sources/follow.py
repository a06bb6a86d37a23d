"""Follows sources in the background: each is looked at when it is due."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING

from pydantic import BaseModel

from rag.errors import InvalidInput, NotFound, ZhiwenError
from rag.ingest.sources.fetch import Fetcher
from rag.ingest.sources.folder import FolderConfig, followed_folder, look_into
from rag.ingest.sources.found import Look
from rag.ingest.sources.sql import SqlConfig, look_at
from rag.ingest.sources.sync import Synchroniser, SyncReport, known_items
from rag.ingest.sources.web import Site, WebConfig
from rag.secrets import Secrets
from rag.settings import Settings
from rag.store.clock import Clock, utc_now
from rag.types import Source, SourceItem, SourceKind, Told

if TYPE_CHECKING:
    from rag.ingest.jobs import JobQueue
    from rag.ingest.pipeline import Pipeline
    from rag.store.catalog import Catalog

log = logging.getLogger(__name__)

CONFIGS: Mapping[SourceKind, type[BaseModel]] = {
    "folder": FolderConfig,
    "web": WebConfig,
    "sql": SqlConfig,
}
"""What each kind's `Source.config` holds."""
AGAIN_AFTER_S = 30.0
"""Least seconds until a source that failed is tried again; chosen by us."""
GO_ON_AFTER_S = 2.0
"""Seconds until a look that queued as much as it may goes on; chosen by us: with
`sync.MOST_WAITING` things waiting, a source brings more than any machine reads."""
_TICK_S = 1.0
_QUICK, _SLOW = 2, 2
"""Threads for folders and for sites and databases, so that a slow site delays no folder."""


def secret_name(source_id: str) -> str:
    """Under which name a source's password is kept."""
    return f"source:{source_id}"


class Follower:
    """Looks at sources, in the background and on demand. Thread-safe.

    Args:
        now: the clock.
    """

    def __init__(
        self,
        catalog: Catalog,
        pipeline: Pipeline,
        jobs: JobQueue,
        secrets: Secrets,
        settings: Callable[[], Settings],
        now: Clock = utc_now,
    ) -> None:
        self.reports: dict[str, SyncReport] = {}
        self._catalog = catalog
        self._pipeline = pipeline
        self._secrets = secrets
        self._settings = settings
        self._now = now
        self._synchroniser = Synchroniser(catalog, pipeline, jobs, now)
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._pools: dict[bool, ThreadPoolExecutor] = {}
        self._waiting: set[str] = set()

    def wake(self) -> None:
        """Look for due sources now."""
        self._wake.set()

    def sync(self, source_id: str) -> SyncReport:
        """Synchronise one source and wait for the look at it; what is new is then queued.

        Raises:
            NotFound: there is no such source.
            InvalidInput: it is being synchronised already.
            ZhiwenError: the source cannot be looked at; it is noted with the source, too.
        """
        if not self._catalog.sources.claim(source_id):
            source = self._catalog.sources.get(source_id)
            raise InvalidInput(
                f"“{source.name}”正在同步。",
                "请稍候再试。",
                message_en=f"{source.name} is being synchronised.",
                remedy_en="Try again in a moment.",
            )
        return self._synchronise(self._catalog.sources.get(source_id))

    def cancel_jobs(self, source_id: str) -> None:
        """Cancel what was found at a source and still waits to be read."""
        for item in self._catalog.sources.items(source_id):
            self._synchroniser.cancel(item)

    def start(self) -> None:
        """Follow all sources in the background until `stop`."""
        if self._thread is not None:
            return
        self._stop.clear()
        self._catalog.sources.release()
        self._waiting = {source.id for source in self._catalog.sources.list()}
        self._pools = {
            quick: ThreadPoolExecutor(count, thread_name_prefix="source")
            for quick, count in ((True, _QUICK), (False, _SLOW))
        }
        self._thread = threading.Thread(target=self._follow, daemon=True, name="sources")
        self._thread.start()

    def stop(self) -> None:
        """End following; a synchronisation that runs stops after its present page or file."""
        self._stop.set()
        self._wake.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
            for pool in self._pools.values():
                pool.shutdown(wait=True, cancel_futures=True)
            self._catalog.sources.release()

    def _follow(self) -> None:
        while not self._stop.is_set():
            try:
                for source in self._catalog.sources.due(self._now()):
                    if self._catalog.sources.claim(source.id):
                        self._pools[source.kind == "folder"].submit(self._quietly, source.id)
                self._settle()
            except Exception:
                log.exception("sources could not be followed")
            self._wake.wait(_TICK_S)
            self._wake.clear()

    def _settle(self) -> None:
        """Write down what became of what was queued."""
        for source_id in list(self._waiting):
            try:
                waiting = self._synchroniser.settle(source_id)
            except NotFound:
                waiting = False  # it was deleted meanwhile
            if not waiting:
                self._waiting.discard(source_id)

    def _quietly(self, source_id: str) -> None:
        try:
            self._synchronise(self._catalog.sources.get(source_id))
        except NotFound:
            log.info("source %s was deleted", source_id)
        except ZhiwenError as error:
            log.info("source %s: %s", source_id, error)
        except Exception:
            log.exception("source %s failed", source_id)

    def _synchronise(self, source: Source) -> SyncReport:
        """Look at a claimed source and note how it went."""
        every = self._settings().sources.folder_every_s if source.kind == "folder" else None
        wait = every or source.every_s
        error: str | None = Told(
            "同步时出了意外，请查看运行日志。", "Something unexpected happened; see the log."
        )
        try:
            report = self._synchroniser.run(source, self._look(source), self._stop)
            error = None
            self.reports[source.id] = report
            if report.unfinished:
                wait = min(wait, GO_ON_AFTER_S)
            return report
        except ZhiwenError as failure:
            error = failure.told()
            raise
        except OSError as failure:
            why = failure.strerror or type(failure).__name__
            error = Told(f"无法访问：{why}。", f"It cannot be reached: {why}.")
            raise
        finally:
            self._waiting.add(source.id)
            self._note(source.id, error, max(wait, AGAIN_AFTER_S) if error else wait)

    def _note(self, source_id: str, error: str | None, wait_s: float) -> None:
        try:
            self._catalog.sources.update(
                source_id,
                status="failed" if error else "ok",
                error=error,
                next_run_at=self._now() + timedelta(seconds=wait_s),
            )
        except NotFound:
            log.info("source %s was deleted while it was synchronised", source_id)

    def _look(self, source: Source) -> Look:
        settings = self._settings()
        max_bytes = settings.ingest.max_file_mb << 20
        known = known_items({item.key: item for item in self._catalog.sources.items(source.id)})
        config = CONFIGS[source.kind].model_validate(source.config)
        if isinstance(config, FolderConfig):
            root = followed_folder(config, settings.sources.folder_roots)
            return look_into(root, config, known, name=source.name, max_bytes=max_bytes)
        if isinstance(config, SqlConfig):
            return look_at(
                config,
                self._secrets.get(secret_name(source.id)),
                name=source.name,
                data=settings.data,
                max_rows=settings.sources.max_rows,
                stop=self._stop,
            )
        assert isinstance(config, WebConfig)
        agent = settings.sources.user_agent
        return Site(
            config,
            Fetcher(agent, settings.sources.allow_private, self._stop),
            known,
            kept=self._kept,
            user_agent=agent,
            max_pages=settings.sources.max_pages,
            max_bytes=max_bytes,
            stop=self._stop,
        ).look()

    def _kept(self, item: SourceItem) -> bytes | None:
        """The stored text of a page that was fetched before."""
        document = self._synchroniser.document(item)
        if document is None or not document.sha256 or not self._pipeline.files.has(document.sha256):
            return None
        return self._pipeline.files.path(document.sha256).read_bytes()
