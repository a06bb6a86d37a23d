"""What a running turn keeps to itself, apart from the chain that all turns share."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from langchain_core.callbacks import CallbackManagerForChainRun
from langchain_core.runnables import RunnableConfig

from rag.settings import Settings
from rag.turn import TurnInput
from rag.types import StepRecord


@dataclass
class TurnState:
    """What a running turn has gathered."""

    input: TurnInput
    settings: Settings
    run: CallbackManagerForChainRun
    config: RunnableConfig
    stop: threading.Event
    steps: list[StepRecord] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    def timings(self) -> dict[str, float]:
        """Milliseconds by step, and of the whole turn so far."""
        timings = {record.step: record.ms for record in self.steps}
        return timings | {"total": (time.perf_counter() - self.began) * 1000}


class Stopped(Exception):
    """The user stopped the turn before a word was written."""
