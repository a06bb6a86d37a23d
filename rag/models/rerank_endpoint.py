"""Rerankers behind an HTTP endpoint `<base_url>/rerank` (Jina, Cohere, vLLM and TEI styles)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rag.errors import ModelError, SettingsError
from rag.models.failures import Endpoint, explain, explain_status, nonsense, usable_key
from rag.models.http import http_client
from rag.models.reranker import passage_of
from rag.models.unicode import encodable
from rag.secrets import Secrets
from rag.settings import RerankerSettings
from rag.types import Hit

_CONNECT_TIMEOUT_S = 5.0
_READ_TIMEOUT_S = 20.0
"""People wait for this; a local reranker on a processor needs some seconds for 30 passages."""


class EndpointReranker:
    """See `rag.models.reranker.Reranker`.

    Scores outside 0..1 are taken for logits from then on and squeezed by the logistic function.
    """

    def __init__(self, settings: RerankerSettings, secrets: Secrets) -> None:
        if not settings.base_url.strip():
            raise SettingsError(
                "没有填写重排接口的地址。",
                "请在管理页面填写地址（不含 /rerank）。",
                message_en="The rerank endpoint's address is missing.",
                remedy_en="Enter the address (without /rerank) on the admin page.",
            )
        self.name = settings.model or "rerank"
        self._model = settings.model
        self._address = settings.base_url.rstrip("/").removesuffix("/rerank") + "/rerank"
        key = secrets.get("reranker")
        self._endpoint = Endpoint("重排模型", "reranker", settings.base_url, self.name, key)
        self._logits = False
        self._texts = False  # the field's name in TEI; all others say "documents"

    def score(self, question: str, hits: Sequence[Hit]) -> list[float]:
        """See the protocol."""
        if not hits:
            return []
        passages = [encodable(passage_of(hit)) for hit in hits]
        scores = self._parse(self._post(encodable(question), passages), len(hits))
        self._logits = self._logits or any(not 0 <= score <= 1 for score in scores)
        return [_logistic(score) for score in scores] if self._logits else scores

    def _post(self, question: str, passages: list[str]) -> Any:
        try:
            response = self._send(question, passages)
            if response.status_code in (400, 422) and not self._texts:
                self._texts = True
                response = self._send(question, passages)
                self._texts = response.is_success
            if not response.is_success:
                raise explain_status(response.status_code, response.text[:2000], self._endpoint)
            return response.json()
        except ModelError:
            raise
        except Exception as error:
            raise explain(error, self._endpoint) from error

    def _send(self, question: str, passages: list[str]) -> Any:
        body: dict[str, Any] = {"query": question}
        if self._texts:
            body["texts"] = passages
        else:
            body |= {"model": self._model, "documents": passages, "top_n": len(passages)}
        headers = {"Authorization": f"Bearer {usable_key(self._endpoint)}"}
        return self._client.post(self._address, json=body, headers=headers)

    def _parse(self, answer: Any, count: int) -> list[float]:
        rows: Any = answer.get("results") if isinstance(answer, dict) else answer
        scores = [math.nan] * count
        try:
            for row in rows:
                score = row["relevance_score"] if "relevance_score" in row else row["score"]
                scores[int(row["index"])] = float(score)
        except (TypeError, KeyError, ValueError, IndexError) as error:
            raise nonsense(self._endpoint, f"{type(error).__name__}: {error}") from error
        if not all(math.isfinite(score) for score in scores):
            raise nonsense(self._endpoint, "scores are missing")
        return scores

    @cached_property
    def _client(self) -> Any:
        return http_client(self._endpoint, _READ_TIMEOUT_S, _CONNECT_TIMEOUT_S)


def _logistic(score: float) -> float:
    return 0.5 * (1.0 + math.tanh(score / 2.0))  # this form does not overflow
