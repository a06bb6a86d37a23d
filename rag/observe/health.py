"""The doctor: looks for differences between what should be and what is, and mends them.

The catalog is the truth. Each check is a small function; the same list serves the command
line, the admin page and the tests.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from rag.errors import ZhiwenError
from rag.observe.content_checks import CONTENT_CHECKS
from rag.observe.findings import Check, HealthFinding, Installation, OriginalFiles, Rebuilder
from rag.observe.index_checks import INDEX_CHECKS
from rag.observe.place_checks import PLACE_CHECKS
from rag.settings import Settings
from rag.settings_layers import SettingsService
from rag.store.catalog import Catalog
from rag.store.clock import Clock, utc_now
from rag.store.vectors import VectorStore

__all__ = ["CHECKS", "Doctor", "HealthFinding"]

log = logging.getLogger(__name__)

CHECKS: tuple[Check, ...] = (*PLACE_CHECKS, *CONTENT_CHECKS, *INDEX_CHECKS)


class Doctor:
    """Checks and repairs one installation.

    Args:
        catalog, vectors, files: what is compared. `vectors` must be open for its checks.
        rebuilder: embeds chunks again (the ingestion pipeline).
        data: the data directory.
        now: the clock.
        free_bytes: free space at a path, in bytes.
        checks: which checks to run, in order.
        settings: those in force; read from the data directory and the catalog when None.
    """

    def __init__(
        self,
        catalog: Catalog,
        vectors: VectorStore,
        files: OriginalFiles,
        rebuilder: Rebuilder,
        data: Path,
        *,
        now: Clock = utc_now,
        free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
        checks: tuple[Check, ...] = CHECKS,
        settings: Callable[[], Settings] | None = None,
    ) -> None:
        stored = settings or (lambda: SettingsService(data, catalog.settings).current)
        self._installation = Installation(
            catalog, vectors, files, rebuilder, data, now, free_bytes, stored
        )
        self._checks = checks

    def check(self) -> list[HealthFinding]:
        """One finding per check; a check that fails itself is an error finding."""
        return [self._look(check) for check in self._checks]

    def repair(self) -> list[HealthFinding]:
        """Mend everything that can be mended, then look again."""
        return [self._mend(check) for check in self._checks]

    def _look(self, check: Check) -> HealthFinding:
        try:
            return check.look(self._installation)
        except Exception as error:
            return _failed(check, error)

    def _mend(self, check: Check) -> HealthFinding:
        finding = self._look(check)
        if not finding.repairable or check.mend is None:
            return finding
        try:
            check.mend(self._installation)
        except Exception as error:
            return _failed(check, error)
        return self._look(check)


def _failed(check: Check, error: Exception) -> HealthFinding:
    name = check.look.__name__
    if isinstance(error, ZhiwenError):
        return HealthFinding(
            name=name,
            severity="error",
            message=error.message,
            remedy=error.remedy,
            message_en=error.message_en,
            remedy_en=error.remedy_en,
        )
    log.exception("health check %s failed", name)
    return HealthFinding(
        name=name,
        severity="error",
        message=f"检查“{name}”没有完成：{error}",
        remedy="请查看运行窗口里的日志。",
        message_en=f"The check “{name}” failed: {error}",
        remedy_en="See the log in the console.",
    )
