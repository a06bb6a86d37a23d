"""Answers with their citations and claims, and the events of a running turn."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from rag.types.base import Value
from rag.types.documents import BBox
from rag.types.understanding import Understanding

AnswerStatus = Literal["answered", "hedged", "refused", "clarify", "chitchat", "error", "stopped"]


class Citation(Value):
    """Where an `[n]` in the answer comes from. `char_span` is `quote` in the chunk's text;
    `url` is the address of a page that a web search found, else empty."""

    n: int
    chunk_id: str
    document_id: str
    document: str
    page: int
    pages: tuple[int, ...] = ()
    heading_path: tuple[str, ...] = ()
    quote: str
    char_span: tuple[int, int]
    bboxes: tuple[tuple[int, BBox], ...] = ()
    record_id: str | None = None
    text: str = ""
    """The chunk's whole text, so that a card survives a later edit or deletion."""
    url: str = ""


class Claim(Value):
    """One checkable statement of the answer. `span` is its place in the answer text."""

    text: str
    verdict: Literal["supported", "contradicted", "unsupported"]
    evidence: tuple[int, ...] = ()
    score: float = 0.0
    span: tuple[int, int] = (0, 0)
    reason: str = ""


class StepRecord(Value):
    """A finished step of the trace."""

    step: str
    ms: float
    summary: str = ""
    details: dict[str, Any] = Field(default_factory=dict)


class Answer(Value):
    """The result of one turn. `attempt` counts up from 0 with each regeneration."""

    status: AnswerStatus
    text: str
    citations: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    confidence: float = Field(default=0.0, ge=0, le=1)
    reason: str = ""
    understanding: Understanding | None = None
    suggestions: tuple[str, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    timings_ms: dict[str, float] = Field(default_factory=dict)
    tokens: dict[str, int] = Field(default_factory=dict)
    model: str = "extractive"
    attempt: int = 0
    reason_en: str = ""
    """`reason` for the English interface, where it is an error's."""
    earlier: tuple[EarlierAnswer, ...] = ()
    """The answers that this one replaced, oldest first; theirs is empty."""


class EarlierAnswer(Value):
    """An answer that was replaced, with the thumb that it had been given."""

    answer: Answer
    feedback: Literal["up", "down"] | None = None
    feedback_reason: str = ""


Answer.model_rebuild()


# --- Events of a running turn --------------------------------------------------------

Step = Literal[
    "understand",
    "clarify",
    "plan",
    "retrieve",
    "rerank",
    "compress",
    "generate",
    "verify",
    "refuse",
]


class StepStarted(Value):
    """A step has begun."""

    type: Literal["step_started"] = "step_started"
    step: Step


class StepFinished(Value):
    """A step has ended; `summary` is one line for people, `details` what it found."""

    type: Literal["step_finished"] = "step_finished"
    step: Step
    ms: float
    summary: str = ""
    details: dict[str, Any] = Field(default_factory=dict)


class Token(Value):
    """A piece of the answer's text as it is written."""

    type: Literal["token"] = "token"
    text: str


class ClaimChecked(Value):
    """A claim's verdict."""

    type: Literal["claim_checked"] = "claim_checked"
    claim: Claim


class Final(Value):
    """The whole answer; the last event of a turn that did not fail."""

    type: Literal["final"] = "final"
    answer: Answer


class Failed(Value):
    """The turn failed; the last event of its stream. `message` and `remedy` are for people."""

    type: Literal["failed"] = "failed"
    message: str
    remedy: str = ""
    message_en: str = ""
    remedy_en: str = ""
    trace_id: str = ""


Event = Annotated[
    StepStarted | StepFinished | Token | ClaimChecked | Final | Failed, Field(discriminator="type")
]
