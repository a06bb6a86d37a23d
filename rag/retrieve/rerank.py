"""The local reranker, no download: features of `rag.retrieve.features` and a cross-encoder.

The cross-encoder (`rag.models.cross_encoder`) reads the best candidates together with the
question; its word is one more feature. Without it, for speed or because it cannot be loaded,
the features decide alone. Weights come from `benchmarks/train_reranker.py` and
`benchmarks/train_blend.py` and lie beside this file as JSON. Two stages: a network of one
hidden layer orders the candidates; a logistic curve over its score and a few absolute features
turns that into the probability that the passage answers the question.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rag.errors import ModelError, ModelUnavailable
from rag.retrieve.excerpt import passage_text
from rag.retrieve.features import FEATURES, features, subject_penalties
from rag.text.normalise import normalise
from rag.types import Hit

if TYPE_CHECKING:
    import numpy as np

WEIGHTS = Path(__file__).with_name("reranker_weights.json")
BLEND_WEIGHTS = Path(__file__).with_name("blend_weights.json")
CROSS_FEATURES: tuple[str, ...] = (
    "cross",  # the cross-encoder's logit
    "cross_gap",  # the same below the best candidate's
    "cross_rank",  # reciprocal rank by it
)
CROSS_CANDIDATES = 20
"""Most candidates that the cross-encoder reads, the best by features. With 30 nDCG@10 of legal
questions was .559 instead of .555 for half more time (`benchmarks.train_blend`)."""
_LOG = logging.getLogger(__name__)


class RerankerModel:
    """The arithmetic of the two stages, from a dictionary of weights.

    Keys: `mean`, `scale` [F]; `linear` [F]; `hidden` [H][F], `hidden_bias` [H], `out` [H] (H may
    be 0); `calibration` [features, score, bias] as written by the training script.

    Args:
        weights: see above.
        names: the features that the rows will have.

    Raises:
        ValueError: the weights were fitted on other features.
    """

    def __init__(self, weights: dict[str, Any], names: tuple[str, ...] = FEATURES) -> None:
        import numpy as np

        if tuple(weights["features"]) != names:
            raise ValueError("weights were fitted on other features")

        def array(name: str) -> np.ndarray:
            return np.asarray(weights[name], dtype=np.float32)

        self._mean, self._scale, self._linear = array("mean"), array("scale"), array("linear")
        self._hidden = array("hidden").reshape(-1, len(names))
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


class PairScorer(Protocol):
    """What reads question and passage together; see `rag.models.cross_encoder.CrossEncoder`."""

    def score(self, question: str, passages: Sequence[str]) -> np.ndarray:
        """One logit for each passage."""
        ...


class LocalReranker:
    """The default reranker. Thread-safe; about 0.3 ms per candidate, with a cross-encoder 12.

    Args:
        cross: the cross-encoder; None for the features alone. Once it fails, it is left out.

    Attributes:
        name: "local" with a cross-encoder, "features" without.

    Raises:
        ModelUnavailable: the weights file is missing or does not fit.
    """

    def __init__(self, cross: PairScorer | None = None) -> None:
        self._model = _load(WEIGHTS, FEATURES)
        self.name = "local" if cross else "features"
        self._cross = cross
        self._blend = _load(BLEND_WEIGHTS, FEATURES + CROSS_FEATURES) if cross else None

    def score(self, question: str, hits: Sequence[Hit]) -> list[float]:
        """One probability (0..1) per hit, in the order given; an empty list for none."""
        rows = features(question, hits)
        model = self._model
        if self._cross is not None and self._blend is not None and len(hits) > 1:
            try:
                rows = self._with_cross(self._cross, question, hits, rows)
                model = self._blend
            except ModelError as error:
                _LOG.warning("the cross-encoder is left out: %s", error)
                self._cross = None
        penalties = subject_penalties(question, hits)
        return [float(chance) for chance in model.probabilities(rows, penalties)]

    def _with_cross(
        self, cross: PairScorer, question: str, hits: Sequence[Hit], rows: np.ndarray
    ) -> np.ndarray:
        best = self._model.order(rows).argsort(kind="stable")[::-1][:CROSS_CANDIDATES]
        texts = [passage_text(question, hits[place].chunk) for place in best]
        return with_cross_features(rows, best, cross.score(normalise(question), texts))


def with_cross_features(rows: np.ndarray, places: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """Feature rows [n, F] with `CROSS_FEATURES` behind them, float32 [n, F + 3].

    Args:
        places: the rows that the cross-encoder has read; the others count as its last.
        logits: its scores of these.
    """
    import numpy as np

    cross = np.full(len(rows), logits.min(), np.float32)
    rank = np.full(len(rows), 1 / (len(logits) + 1), np.float32)
    cross[places] = logits
    rank[places[np.argsort(-logits, kind="stable")]] = 1 / np.arange(1, len(logits) + 1)
    return np.column_stack([rows, cross, cross - cross.max(), rank]).astype(np.float32)


@lru_cache(maxsize=2)
def _load(path: Path, names: tuple[str, ...]) -> RerankerModel:
    try:
        return RerankerModel(json.loads(path.read_text(encoding="utf-8")), names)
    except (OSError, ValueError, KeyError) as error:
        raise ModelUnavailable(
            "内置重排模型的权重文件缺失或与程序版本不符。",
            "请重新安装程序，或在管理页面把重排模型设为“不使用”。",
            message_en="The local reranker's weights are missing or of another version.",
            remedy_en="Reinstall the program, or switch the reranker off in the admin page.",
            detail=str(error),
        ) from error
