"""Any encoder that transformers can load from a folder: M3E, e5, GTE, text2vec and others."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.models.batches import embed_in_batches, identifier
from rag.models.embedder import Progress
from rag.models.local_model import (
    cannot_load,
    check_path,
    locate,
    most_tokens,
    read_config,
    weights_digest,
)
from rag.models.unicode import encodable
from rag.settings import EmbedderSettings

if TYPE_CHECKING:
    import numpy as np

MOST_TOKENS = 2048
"""Longest input in tokens, whatever the model allows: passages are far shorter."""


class FolderEmbedder:
    """What embedders from a model folder have in common; loads at the first use.

    Subclasses load the model and embed one batch; both run under a lock, because fast
    tokenizers refuse to be used by two threads at once.
    """

    _prefix = "encoder"

    def __init__(self, settings: EmbedderSettings) -> None:
        check_path(settings.path)
        self._settings = settings
        self._lock = threading.Lock()
        self._model: Any = None

    @property
    def name(self) -> str:
        """The folder's or the hub's name of the model."""
        return Path(self._settings.path.rstrip("/\\")).name

    @cached_property
    def folder(self) -> Path:
        """Where the model is; may download it when the settings give a hub name."""
        return locate(self._settings.path)

    @cached_property
    def fingerprint(self) -> str:
        """From the weights and from what shapes a passage's vector."""
        how = f"{self._settings.pooling} {self._settings.passage_instruction}"
        digest = hashlib.sha256(how.encode()).hexdigest()[:4]
        return identifier(self._prefix, self.name[:40], weights_digest(self.folder), digest)

    @cached_property
    def dimension(self) -> int:
        """The model's hidden size."""
        return int(read_config(self.folder).get("hidden_size") or 0)

    @cached_property
    def max_tokens(self) -> int:
        """What the model says, at most `MOST_TOKENS`."""
        return most_tokens(self.folder, MOST_TOKENS)

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        """See the protocol."""
        instruction = self._settings.query_instruction
        return self._embed([instruction + text for text in texts], None)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        """See the protocol."""
        instruction = self._settings.passage_instruction
        return self._embed([instruction + text for text in texts], progress)

    def count_tokens(self, text: str) -> int:
        """See the protocol."""
        with self._lock:
            return len(self._tokenizer().encode(encodable(text), add_special_tokens=False))

    def _embed(self, texts: list[str], progress: Progress | None) -> np.ndarray:
        def one_batch(batch: list[str]) -> np.ndarray:
            with self._lock:
                return self._forward(self._loaded(), [encodable(text) for text in batch])

        return embed_in_batches(
            texts, self._settings.batch_size, one_batch, self.dimension, progress
        )

    def _loaded(self) -> Any:
        """The model; call with the lock held."""
        if self._model is None:
            try:
                if self._settings.threads:
                    import torch

                    torch.set_num_threads(self._settings.threads)
                self._model = self._load()
            except Exception as error:
                raise cannot_load(self.folder, error) from error
        return self._model

    def _load(self) -> Any:
        raise NotImplementedError

    def _tokenizer(self) -> Any:
        raise NotImplementedError

    def _forward(self, model: Any, batch: list[str]) -> np.ndarray:
        raise NotImplementedError


class EncoderEmbedder(FolderEmbedder):
    """A transformers encoder with mean or CLS pooling. See `rag.models.embedder.Embedder`."""

    _prefix = "encoder"

    def _load(self) -> Any:
        import torch
        from transformers import AutoModel, AutoTokenizer

        folder = str(self.folder)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32)
        device = best_device()
        return tokenizer, model.to(device).eval(), device

    def _tokenizer(self) -> Any:
        return self._loaded()[0]

    def _forward(self, model: Any, batch: list[str]) -> np.ndarray:
        import torch

        tokenizer, network, device = model
        inputs = tokenizer(
            batch, padding=True, truncation=True, max_length=self.max_tokens, return_tensors="pt"
        ).to(device)
        with torch.inference_mode():
            states = network(**inputs).last_hidden_state
            if self._settings.pooling == "cls":
                pooled = states[:, 0]
            else:
                mask = inputs["attention_mask"].unsqueeze(-1).to(states.dtype)
                pooled = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        return pooled.float().cpu().numpy()


def best_device() -> str:
    """A CUDA or Apple GPU where there is one, else the processor."""
    import torch

    if torch.cuda.is_available():
        return "cuda:0"
    return "mps" if torch.backends.mps.is_available() else "cpu"
