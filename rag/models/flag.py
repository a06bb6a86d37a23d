"""The BGE family through FlagEmbedding: embedder and reranker, from a folder or hub name."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.models.encoder import FolderEmbedder, best_device
from rag.models.local_model import cannot_load, check_path, locate, most_tokens
from rag.models.reranker import passage_of
from rag.models.unicode import encodable
from rag.settings import RerankerSettings
from rag.types import Hit

if TYPE_CHECKING:
    import numpy as np

_RERANK_TOKENS = 1024
"""Longest question and passage together, in tokens (what the bge-reranker-v2 card uses)."""
_RERANK_BATCH = 16


class FlagEmbedder(FolderEmbedder):
    """A BGE encoder: CLS pooling, dense vectors. See `rag.models.embedder.Embedder`.

    bge-m3 is served by its dense vectors; sparse ones are our own (`rag.store.lexical`).
    """

    _prefix = "flag"

    def _load(self) -> Any:
        from FlagEmbedding import FlagAutoModel

        device = best_device()
        # The class is named, because FlagEmbedding guesses it from the folder's name alone.
        return FlagAutoModel.from_finetuned(
            str(self.folder),
            model_class="encoder-only-base",
            pooling_method="cls",
            normalize_embeddings=True,
            use_fp16=device != "cpu",
            devices=device,
            trust_remote_code=False,
        )

    def _tokenizer(self) -> Any:
        return self._loaded().tokenizer

    def _forward(self, model: Any, batch: list[str]) -> np.ndarray:
        return model.encode(batch, batch_size=len(batch), max_length=self.max_tokens)


class FlagHitReranker:
    """A bge-reranker. See `rag.models.reranker.Reranker`; loads at the first use."""

    def __init__(self, settings: RerankerSettings) -> None:
        check_path(settings.path)
        self.name = Path(settings.path.rstrip("/\\")).name
        self._path = settings.path
        self._lock = threading.Lock()
        self._model: Any = None

    def score(self, question: str, hits: Sequence[Hit]) -> list[float]:
        """See the protocol."""
        if not hits:
            return []
        pairs = [(question, passage_of(hit)) for hit in hits]
        pairs = [(encodable(q), encodable(p)) for q, p in pairs]
        with self._lock:
            scores = self._loaded().compute_score(pairs, normalize=True)
        return [float(score) for score in (scores if isinstance(scores, list) else [scores])]

    def _loaded(self) -> Any:
        if self._model is None:
            folder = locate(self._path)
            try:
                from FlagEmbedding import FlagReranker

                device = best_device()
                self._model = FlagReranker(
                    str(folder),
                    use_fp16=device != "cpu",
                    devices=device,
                    batch_size=_RERANK_BATCH,
                    max_length=most_tokens(folder, _RERANK_TOKENS),
                    trust_remote_code=False,
                )
            except Exception as error:
                raise cannot_load(folder, error) from error
        return self._model
