"""Who follows a run of the offline chain: told about its progress, asked whether to stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from rag.errors import StoreError
from rag.ingest.failures import Cancelled
from rag.types import JobStage

Report = Callable[[JobStage, float], None]
PATIENCE_S = 10.0
"""How long an edit that somebody waits for waits for a rebuild of the index, in seconds, before
they are told; chosen by us."""


@dataclass(frozen=True)
class Watch:
    """Who follows a run: told about progress, asked whether to stop. Nobody does when all three
    are None; then somebody waits for the run itself."""

    progress: Report | None = None
    detail: Callable[[str], None] | None = None
    cancelled: Callable[[], bool] | None = None

    @property
    def is_followed(self) -> bool:
        """Whether it runs in the background, rather than somebody waiting for its end."""
        return self.progress is not None or self.cancelled is not None

    def is_cancelled(self) -> bool:
        """Whether someone asked to stop."""
        return self.cancelled is not None and self.cancelled()

    def report(self, stage: JobStage, share: float) -> None:
        """Pass progress on.

        Raises:
            Cancelled: someone asked to stop.
        """
        if self.is_cancelled():
            raise Cancelled
        if self.progress is not None:
            self.progress(stage, share)

    def say(self, detail: str) -> None:
        """Pass on more about the stage ("第 3/12 页")."""
        if self.detail is not None:
            self.detail(detail)

    def while_rebuilding(self) -> Callable[[], None]:
        """What to do now and then while a rebuild keeps the index."""
        if self.is_followed:
            return lambda: self.report("embed", 0.0)
        deadline = time.monotonic() + PATIENCE_S

        def impatient() -> None:
            if time.monotonic() > deadline:
                raise _rebuilding()

        return impatient


def _rebuilding() -> StoreError:
    return StoreError(
        "索引正在重建，暂时不能修改文档。",
        "请等重建完成后再试；进度见任务列表。",
        message_en="The index is being rebuilt; documents cannot be changed right now.",
        remedy_en="Try again when the rebuild is done; see the list of jobs.",
    )
