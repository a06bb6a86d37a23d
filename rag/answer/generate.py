"""The messages that ask an LLM for a cited answer (step "generate")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag.types import Evidence, Turn, Understanding


def messages(
    understanding: Understanding,
    history: Sequence[Turn],
    evidence: Sequence[Evidence],
    prompts: Mapping[str, str] | None = None,
) -> list[tuple[str, str]]:
    """Messages as (role, text); evidence is numbered and fenced as data."""
    fenced = "\n".join(f"[{item.n}] {item.text}" for item in evidence)
    return [("system", ""), ("user", f"{fenced}\n{understanding.standalone_question}")]
