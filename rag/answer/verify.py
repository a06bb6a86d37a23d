"""Checks each statement of an answer against its evidence (step "verify")."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Citation, Claim, Evidence


def verify(
    text: str, citations: Sequence[Citation], evidence: Sequence[Evidence] = ()
) -> tuple[Claim, ...]:
    """Judge each claim of `text` as supported, contradicted or unsupported."""
    return ()
