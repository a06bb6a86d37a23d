"""Answers without an LLM: the shortest set of original sentences that answers (step "generate")."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Evidence, Understanding


def extract(understanding: Understanding, evidence: Sequence[Evidence]) -> str:
    """Compose an answer of original sentences with `[n]` markers."""
    return f"{evidence[0].text}[{evidence[0].n}]" if evidence else ""
