"""Embeddings from any OpenAI-compatible `/v1/embeddings` endpoint."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rag.errors import ModelError, SettingsError
from rag.models.batches import embed_in_batches, identifier
from rag.models.embedder import Progress
from rag.models.failures import (
    Endpoint,
    explain,
    is_too_long,
    is_too_many,
    nonsense,
    usable_key,
)
from rag.models.http import http_client
from rag.models.unicode import encodable
from rag.secrets import Secrets
from rag.settings import EmbedderSettings

if TYPE_CHECKING:
    import numpy as np

_CONNECT_TIMEOUT_S = 5.0
_READ_TIMEOUT_S = 60.0
_QUERY_RETRIES = 1
_PASSAGE_RETRIES = 4
"""Repetitions after 429 and 5xx, with the client's growing pauses; people wait for queries."""
_FIRST_MAX_TOKENS = 8000
"""Length that is tried at first; halved when the endpoint says that it is too long."""
_LEAST_MAX_TOKENS = 128
_WORD = re.compile(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]")
_WORD_LETTERS = 4
"""Letters in one token of Latin text, about; a Han character counts as one token."""


class OpenAIEmbedder:
    """See `rag.models.embedder.Embedder`. `dimension` costs one request, once.

    The endpoint's tokenizer is unknown: `count_tokens` estimates, and errs on the high side.
    """

    def __init__(self, settings: EmbedderSettings, secrets: Secrets) -> None:
        if not settings.base_url.strip() or not settings.model.strip():
            raise SettingsError(
                "没有填写向量接口的地址或模型名。",
                "请在管理页面填写地址（一般以 /v1 结尾）和模型名。",
                message_en="The embedding endpoint's address or model name is missing.",
                remedy_en="Enter the address (it usually ends in /v1) and the model's name.",
            )
        self._settings = settings
        self._secrets = secrets
        self._endpoint = Endpoint(
            "向量模型",
            "embedding model",
            settings.base_url,
            settings.model,
            secrets.get("embedder"),
        )
        self._lock = threading.Lock()
        self._batch_size = settings.batch_size
        self.name = settings.model
        self.max_tokens = _FIRST_MAX_TOKENS

    @property
    def fingerprint(self) -> str:
        """From host, model and passage instruction; the key plays no part."""
        what = f"{self._endpoint.host} {self.name} {self._settings.passage_instruction}"
        return identifier("openai", self.name[:40], hashlib.sha256(what.encode()).hexdigest()[:8])

    @cached_property
    def dimension(self) -> int:
        """Length of a vector, asked of the endpoint.

        Raises:
            ModelError: it does not answer.
        """
        return self._request(["维度"], _QUERY_RETRIES).shape[1]

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        """See the protocol."""
        return self._embed(self._settings.query_instruction, texts, _QUERY_RETRIES, None)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        """See the protocol."""
        return self._embed(self._settings.passage_instruction, texts, _PASSAGE_RETRIES, progress)

    def count_tokens(self, text: str) -> int:
        """An estimate: one per Han character or sign, one per four letters of a word."""
        return sum(-(-len(word) // _WORD_LETTERS) for word in _WORD.findall(text))

    def _embed(
        self, instruction: str, texts: Sequence[str], retries: int, progress: Progress | None
    ) -> np.ndarray:
        return embed_in_batches(
            [instruction + text for text in texts],
            self._settings.batch_size,
            lambda batch: self._adapted(batch, retries),
            self.dimension,
            progress,
        )

    def _adapted(self, batch: list[str], retries: int) -> np.ndarray:
        """Vectors of a batch, cut into what the endpoint accepts; what it refuses is learned."""
        import numpy as np

        parts: list[np.ndarray] = []
        start = 0
        while start < len(batch):
            size, limit = self._batch_size, self.max_tokens
            texts = [self._cut(text, limit) for text in batch[start : start + size]]
            try:
                parts.append(self._request(texts, retries))
            except _Refused as refused:
                if refused.too_many and len(texts) > 1:
                    self._batch_size = max(1, len(texts) // 2)
                elif refused.too_long and limit > _LEAST_MAX_TOKENS:
                    longest = max(self.count_tokens(text) for text in texts)
                    self.max_tokens = max(_LEAST_MAX_TOKENS, min(limit, longest) // 2)
                else:
                    raise refused.error from refused
                continue
            start += size
        return np.concatenate(parts)

    def _cut(self, text: str, limit: int) -> str:
        text = encodable(text)
        if len(text) > limit:  # no token is shorter than a character
            end = len(text)
            while self.count_tokens(text[:end]) > limit:
                end = max(limit, end * 3 // 4) if end > limit else end * 3 // 4
            text = text[:end]
        return text if text.strip() else "。"  # endpoints refuse empty input

    def _request(self, texts: list[str], retries: int) -> np.ndarray:
        import numpy as np

        try:
            client = self._client.with_options(max_retries=retries)
            answer = client.embeddings.create(model=self.name, input=texts, encoding_format="float")
            rows = sorted(answer.data, key=lambda item: item.index)
            vectors = np.array([row.embedding for row in rows], np.float32)
        except ModelError:
            raise
        except Exception as error:
            explained = explain(error, self._endpoint)
            if is_too_many(error) or is_too_long(error):
                raise _Refused(explained, is_too_many(error), is_too_long(error)) from error
            raise explained from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise nonsense(self._endpoint, f"shape {vectors.shape} for {len(texts)} texts")
        return vectors

    @cached_property
    def _client(self) -> Any:
        import httpx2
        import openai

        return openai.OpenAI(
            base_url=self._settings.base_url.rstrip("/"),
            api_key=usable_key(self._endpoint),
            timeout=httpx2.Timeout(_READ_TIMEOUT_S, connect=_CONNECT_TIMEOUT_S),
            http_client=http_client(self._endpoint, _READ_TIMEOUT_S, _CONNECT_TIMEOUT_S),
        )


class _Refused(Exception):
    """The endpoint takes fewer or shorter texts."""

    def __init__(self, error: ModelError, too_many: bool, too_long: bool) -> None:
        super().__init__(error.message)
        self.error = error
        self.too_many = too_many
        self.too_long = too_long
