"""The bundled cross-encoder: reads a question together with a passage and says how well they fit.

Six layers made from the bundled encoder (`benchmarks/train_cross_encoder.py`), 8 bits, 11 MB
beside this file; words and tokenizer are the embedder's. Nothing is downloaded, no torch.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

WEIGHTS = Path(__file__).with_name("cross_encoder.onnx")
LINE_WEIGHTS = Path(__file__).with_name("line_reader.onnx")
"""The same model trained further to read single lines (`benchmarks/train_line_reader.py`)."""
MOST_TOKENS = 112
"""Tokens of question and passage together; the time for a pair grows with them."""
QUESTION_TOKENS = 40
"""A longer question is cut, so that the passage keeps room."""
_BEGIN, _END = 0, 2
_KEPT = 3000
"""Scores that are remembered, about 2 MB: a turn searches for one question several times."""


class CrossEncoder:
    """Thread-safe; loaded at the first use. About 12 ms of one core for a pair.

    Args:
        data: the data directory that holds the bundled encoder's words.
        weights: the file; a file of the same name with the suffix `.sha256` holds its digest.
        threads: pairs scored at the same time; 0 means one per available core.
    """

    def __init__(self, data: Path, weights: Path = WEIGHTS, threads: int = 0) -> None:
        self._data, self._weights, self._threads = data, weights, threads
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._known: dict[tuple[str, str], float | None] = {}

    def score(self, question: str, passages: Sequence[str]) -> np.ndarray:
        """Logits float32 [n] of passages as `rag.retrieve.excerpt.passage_text` gives them.

        Each is computed alone, so that its score depends on nothing but the pair.

        Raises:
            ModelUnavailable: the weights are missing or damaged.
            ModelError: the bundled encoder's words cannot be prepared.
        """
        import numpy as np

        session, words = self._load()
        asked = words.tokenise(question)

        def one(passage: str) -> float:
            ids = pair_ids(asked, words.tokenise(passage))
            return float(session.run(None, {"words": words.vectors(ids)[None]})[0][0])

        with self._lock:
            known = {passage: self._known.get((question, passage)) for passage in passages}
        new = [passage for passage, score in known.items() if score is None]
        assert self._pool is not None
        scores = list(self._pool.map(one, new) if len(new) > 1 else map(one, new))
        known.update(zip(new, scores, strict=True))
        with self._lock:
            if len(self._known) > _KEPT:
                self._known.clear()
            self._known |= {(question, passage): known[passage] for passage in new}
        return np.array([known[passage] for passage in passages], np.float32)

    def load(self) -> None:
        """Load the model; done by the first use otherwise."""
        self._load()

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self._open()
        return self._loaded

    def _open(self) -> tuple[Any, Any]:
        from rag.models.bundled import available_cores, shipped_session
        from rag.models.bundled_convert import prepare
        from rag.models.bundled_words import bundled_words

        session = shipped_session(self._weights, "内置重排模型", "reranker")
        words = bundled_words(prepare(self._data))
        self._pool = ThreadPoolExecutor(self._threads or available_cores(), "rerank")
        return session, words


def pair_ids(question: Sequence[int], passage: Sequence[int]) -> list[int]:
    """`<s> question </s></s> passage </s>`, the passage cut to what is left of `MOST_TOKENS`."""
    asked = question[:QUESTION_TOKENS]
    room = MOST_TOKENS - len(asked) - 4
    return [_BEGIN, *asked, _END, _END, *passage[:room], _END]
