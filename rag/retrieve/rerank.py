"""The local reranker: a small learned combination of `rag.retrieve.features`, no download.

Weights come from `benchmarks/train_reranker.py` and lie beside this file as JSON. Two stages:
a network of one hidden layer orders the candidates; a logistic curve over its score and a few
absolute features turns that into the probability that the passage answers the question.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import ModelUnavailable
from rag.retrieve.features import FEATURES, features, subject_penalties
from rag.types import Hit

if TYPE_CHECKING:
    import numpy as np

WEIGHTS = Path(__file__).with_name("reranker_weights.json")


class RerankerModel:
    """The arithmetic of the two stages, from a dictionary of weights.

    Keys: `mean`, `scale` [F]; `linear` [F]; `hidden` [H][F], `hidden_bias` [H], `out` [H] (H may
    be 0); `calibration` [features, score, bias] as written by the training script.

    Raises:
        ValueError: the weights were fitted on other features.
    """

    def __init__(self, weights: dict[str, Any]) -> None:
        import numpy as np

        if tuple(weights["features"]) != FEATURES:
            raise ValueError("weights were fitted on other features")

        def array(name: str) -> np.ndarray:
            return np.asarray(weights[name], dtype=np.float32)

        self._mean, self._scale, self._linear = array("mean"), array("scale"), array("linear")
        self._hidden = array("hidden").reshape(-1, len(FEATURES))
        self._hidden_bias, self._out = array("hidden_bias"), array("out")
        self._calibration = array("calibration")
        self._calibration_bias = float(weights["calibration_bias"])

    def order(self, rows: np.ndarray) -> np.ndarray:
        """Ordering scores [n] of feature rows [n, F]; only differences mean something."""
        import numpy as np

        scaled = np.clip((rows - self._mean) / self._scale, -4, 4)
        hidden = np.tanh(scaled @ self._hidden.T + self._hidden_bias)
        result: np.ndarray = scaled @ self._linear + hidden @ self._out
        return result

    def probabilities(
        self, rows: np.ndarray, penalties: Sequence[float] | None = None
    ) -> np.ndarray:
        """Probability 0..1 for each row [n, F] that its passage answers the question.

        Falls with the ordering score, so that sorting by it gives the reranker's order.

        Args:
            penalties: taken from each row's ordering score.
        """
        import numpy as np

        if not len(rows):
            return np.zeros(0, dtype=np.float32)
        order = self.order(rows)
        logits = self._logits(rows, order)
        if penalties is not None and any(penalties):
            lowered = order - np.asarray(penalties, dtype=np.float32)
            best = int(lowered.argmax())
            # Who moves up because another stands back has at least the chance it had before.
            floor = float(logits[best])
            logits = self._logits(rows, lowered)
            logits += max(floor - float(logits[best]), 0.0)
        result: np.ndarray = 1 / (1 + np.exp(-logits))
        return result

    def _logits(self, rows: np.ndarray, order: np.ndarray) -> np.ndarray:
        import numpy as np

        best = int(order.argmax())
        # The best candidate is judged by what it is; the others by their distance to it.
        scaled = np.clip((rows[best] - self._mean) / self._scale, -4, 4)
        top = float(scaled @ self._calibration + self._calibration_bias)
        result: np.ndarray = top + order - order[best]
        return result


class LocalReranker:
    """The default reranker. Thread-safe; about 0.3 ms per candidate.

    Raises:
        ModelUnavailable: the weights file is missing or does not fit.
    """

    name = "local"

    def __init__(self) -> None:
        self._model = _load()

    def score(self, question: str, hits: Sequence[Hit]) -> list[float]:
        """One probability (0..1) per hit, in the order given; an empty list for none."""
        penalties = subject_penalties(question, hits)
        return [float(p) for p in self._model.probabilities(features(question, hits), penalties)]


@lru_cache(maxsize=1)
def _load() -> RerankerModel:
    try:
        return RerankerModel(json.loads(WEIGHTS.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError) as error:
        raise ModelUnavailable(
            "内置重排模型的权重文件缺失或与程序版本不符。",
            "请重新安装程序，或在管理页面把重排模型设为“不使用”。",
            message_en="The local reranker's weights are missing or of another version.",
            remedy_en="Reinstall the program, or switch the reranker off in the admin page.",
            detail=str(error),
        ) from error
