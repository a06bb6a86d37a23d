"""The question as it would be asked without its conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.types import KnowledgeProfile, Turn


@dataclass(frozen=True, slots=True)
class Completion:
    """A completed question.

    `reason` says in Chinese what was done ("" when nothing was); `topic` is what the question
    is about; `unresolved` are words that refer to something the conversation doesn't name.
    """

    standalone: str
    changed: bool
    reason: str
    topic: str
    unresolved: tuple[str, ...] = ()


def complete(
    question: str, history: Sequence[Turn], profile: KnowledgeProfile | None = None
) -> Completion:
    """Complete `question` from the conversation before it."""
    return Completion(question.strip(), False, "", "")
