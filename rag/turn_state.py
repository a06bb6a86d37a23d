"""What a running turn keeps to itself, apart from the chain that all turns share."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from langchain_core.callbacks import CallbackManagerForChainRun
from langchain_core.runnables import RunnableConfig

from rag.answer.write import Written
from rag.settings import Settings
from rag.text.as_asked import with_other_names
from rag.turn import TurnInput
from rag.types import Answer, AnswerStatus, Final, OtherNames, StepRecord, Understanding
from rag.understand.carried import in_context, question_before


@dataclass
class TurnState:
    """What a running turn has gathered; `names` are its plan's words of the dictionary."""

    input: TurnInput
    settings: Settings
    run: CallbackManagerForChainRun
    config: RunnableConfig
    stop: threading.Event
    names: tuple[OtherNames, ...] = ()
    steps: list[StepRecord] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)
    meant: Understanding | None = None
    """What the question means in full, where a shorter one was searched and answered."""

    def said(self, meaning: Understanding) -> str:
        """What was typed, behind the question before it, as the line reader takes it; "" where
        the completed question says all."""
        typed = with_other_names(self.input.question, self.names)
        return in_context(typed, question_before(meaning, self.input.context))

    def timings(self) -> dict[str, float]:
        """Milliseconds by step, those of repeated ones together, and of the whole turn so far."""
        timings: dict[str, float] = {}
        for record in self.steps:
            timings[record.step] = timings.get(record.step, 0.0) + record.ms
        return timings | {"total": (time.perf_counter() - self.began) * 1000}

    def ended(
        self,
        meaning: Understanding | None,
        written: Written,
        status: AnswerStatus,
        confidence: float,
    ) -> Final:
        """The last event, with all that was gathered.

        Args:
            confidence: cut to 0..1.
        """
        return Final(
            answer=Answer(
                status=status,
                text=written.text,
                citations=written.citations,
                claims=written.claims,
                confidence=round(min(max(confidence, 0.0), 1.0), 4),
                reason=written.reason,
                understanding=self.meant or meaning,
                suggestions=written.suggestions,
                steps=tuple(self.steps),
                timings_ms=self.timings(),
                tokens=written.tokens,
                model=written.model,
                attempt=self.input.attempt,
            )
        )


class Stopped(Exception):
    """The user stopped the turn before a word was written."""
