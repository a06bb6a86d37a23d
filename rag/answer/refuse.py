"""How sure the system is of an answer, and what it says when it is not (step "refuse")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from rag.settings import AnswerSettings
from rag.types import Evidence, Hit, Understanding, Value

Decision = Literal["answer", "hedge", "refuse"]
HEDGE_PREFIX = "不太确定，但"
REFUSAL_PREFIX = "根据现有信息无法确定"


class Confidence(Value):
    """A calibrated probability that the evidence answers the question, with its grounds."""

    value: float = Field(ge=0, le=1)
    features: dict[str, float] = Field(default_factory=dict)
    reason: str = ""


def confidence(
    understanding: Understanding, hits: Sequence[Hit], evidence: Sequence[Evidence]
) -> Confidence:
    """Judge whether the evidence answers the question."""
    value = max((hit.scores.get("rerank", 0.0) for hit in hits), default=0.0) if evidence else 0.0
    return Confidence(value=value)


def decide(value: float, settings: AnswerSettings) -> Decision:
    """What a confidence means under the settings' thresholds."""
    if value < settings.refuse_below:
        return "refuse"
    return "hedge" if value < settings.hedge_below else "answer"


def refusal(
    understanding: Understanding, hits: Sequence[Hit], kb_names: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """A refusal that helps, and suggested questions."""
    return f"{REFUSAL_PREFIX}。", ()
