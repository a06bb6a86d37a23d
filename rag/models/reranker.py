"""Rerankers: what all of them promise, and the registry that builds the chosen one.

Used by the rerank step of retrieval. Adapters are imported inside the branch that needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from rag.errors import SettingsError
from rag.secrets import Secrets
from rag.settings import RerankerSettings
from rag.types import Hit


class Reranker(Protocol):
    """Judges how well each hit answers a question. Instances are thread-safe.

    Attributes:
        name: what people see ("local", "features", "bge-reranker-v2-m3").
    """

    name: str

    def score(self, question: str, hits: Sequence[Hit]) -> list[float]:
        """One probability (0..1) per hit, in the order given; an empty list for none.

        Raises:
            ModelError: the model cannot be loaded or does not answer.
        """
        ...


class NoReranker:
    """Keeps the order of the fusion: scores fall evenly from 1 with the position."""

    name = "none"

    def score(self, question: str, hits: Sequence[Hit]) -> list[float]:  # noqa: ARG002
        """Return 1, then evenly lower values above 0."""
        return [1.0 - position / (len(hits) + 1) for position in range(len(hits))]


def create_reranker(settings: RerankerSettings, secrets: Secrets, data: Path) -> Reranker:
    """Build the reranker that the settings name.

    Raises:
        ModelError: the model is not there.
        SettingsError: a field that this kind needs is empty.
    """
    if settings.kind in ("local", "features"):
        from rag.models.cross_encoder import CrossEncoder
        from rag.retrieve.rerank import LocalReranker

        return LocalReranker(CrossEncoder(data) if settings.kind == "local" else None)
    if settings.kind == "flagembedding":
        from rag.models.flag import FlagHitReranker

        return FlagHitReranker(settings)
    if settings.kind == "openai":
        from rag.models.rerank_endpoint import EndpointReranker

        return EndpointReranker(settings, secrets)
    if settings.kind == "none":
        return NoReranker()
    raise SettingsError(
        f"没有名为 {settings.kind} 的重排模型。", message_en=f"No reranker {settings.kind}."
    )


def passage_of(hit: Hit) -> str:
    """What a model reads of a hit: the headings above it, then its text."""
    headings = " > ".join(hit.chunk.heading_path)
    return f"{headings}\n{hit.chunk.text}" if headings else hit.chunk.text
