"""Text embedders: what all of them promise, and the registry that builds the chosen one.

Used by the `embed` step of ingestion and by the retrieval step. Adapters are imported inside
the branch that needs them, so that importing this module costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rag.errors import SettingsError
from rag.secrets import Secrets
from rag.settings import EmbedderSettings

if TYPE_CHECKING:
    import numpy as np

Progress = Callable[[int], None]
"""Called with the number of texts that are done so far, after each batch."""


class Embedder(Protocol):
    """Turns texts into unit vectors. Instances are thread-safe."""

    @property
    def name(self) -> str:
        """What people see ("multilingual-e5-small")."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vectors of the same passages would.

        Two embedders with the same fingerprint may share a collection. ASCII letters, digits
        and `_` only.
        """
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector.

        Raises:
            ModelError: only the model can tell, and it does not answer.
        """
        ...

    @property
    def max_tokens(self) -> int:
        """Longer texts are cut there, instruction and special tokens included."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        """Questions to float32 [n, dimension], each row of length 1; [0, dimension] for none.

        Raises:
            ModelError: the model cannot be loaded or does not answer.
        """
        ...

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        """Passages to float32 [n, dimension], each row of length 1, in the order given.

        Raises:
            ModelError: the model cannot be loaded or does not answer.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of the bare text: no instruction, no special tokens, no cut."""
        ...


def create_embedder(settings: EmbedderSettings, secrets: Secrets, data: Path) -> Embedder:
    """Build the embedder that the settings name.

    Cheap where it can be: weights are loaded at the first use at the latest, but a path that
    does not exist or a missing address is reported here.

    Raises:
        ModelError: the model is not there.
        SettingsError: a field that this kind needs is empty.
    """
    if settings.kind == "bundled":
        from rag.models.bundled import BundledEmbedder

        return BundledEmbedder(data, threads=settings.threads)
    if settings.kind == "flagembedding":
        from rag.models.flag import FlagEmbedder

        return FlagEmbedder(settings)
    if settings.kind == "transformers":
        from rag.models.encoder import EncoderEmbedder

        return EncoderEmbedder(settings)
    if settings.kind == "openai":
        from rag.models.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(settings, secrets)
    raise SettingsError(
        f"没有名为 {settings.kind} 的向量模型。", message_en=f"No embedder {settings.kind}."
    )
