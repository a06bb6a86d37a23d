"""The bundled completion model: what a turn of a conversation means in full.

Six layers made from the bundled encoder with heads over letters (`benchmarks/train_completer.py`),
8 bits, beside this file; words and tokenizer are the embedder's. It only copies: what it puts in
stands in the turns before. Nothing is downloaded, no torch.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rag.models.completion_input import UTTERANCE, CompletionInput, completion_input
from rag.models.completion_spans import Completed, Numbers, completed

WEIGHTS = Path(__file__).with_name("completer.onnx")
_KEPT = 256
"""Completions that are remembered: a turn's question is completed several times."""


class Completer:
    """Thread-safe; loaded at the first use. About 15 ms of one core for a turn.

    Args:
        data: the data directory that holds the bundled encoder's words.
        weights: the file; a file of the same name with the suffix `.sha256` holds its digest.
    """

    def __init__(self, data: Path, weights: Path = WEIGHTS) -> None:
        self._data, self._weights = data, weights
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None
        self._known: dict[tuple[str, ...], Completed] = {}

    def complete(self, context: Sequence[str], utterance: str) -> Completed:
        """What `utterance` means behind `context`.

        Args:
            context: the turns before it, oldest first; the last few are read.
            utterance: as typed; one that is longer than the model reads comes out unchanged.

        Raises:
            ModelUnavailable: the weights are missing or damaged.
            ModelError: the bundled encoder's words cannot be prepared.
        """
        if not any(context) or not utterance or len(utterance) > UTTERANCE:
            return Completed(utterance, 1.0)
        session, words = self._load()
        asked = (*context, utterance)
        with self._lock:
            known = self._known.get(asked)
        if known is None:
            read = completion_input(words, context, utterance)
            known = completed(read, _numbers(session, words, read))
            with self._lock:
                if len(self._known) >= _KEPT:
                    self._known.clear()
                self._known[asked] = known
        return known

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self._open()
        return self._loaded

    def _open(self) -> tuple[Any, Any]:
        from rag.models.bundled import shipped_session
        from rag.models.bundled_convert import prepare
        from rag.models.bundled_words import bundled_words

        session = shipped_session(self._weights, "内置补全模型", "completion model")
        return session, bundled_words(prepare(self._data))


def _numbers(session: Any, words: Any, read: CompletionInput) -> Numbers:
    """The session's numbers of one input; arrays without a batch."""
    import numpy as np

    def column(values: Sequence[int]) -> Any:
        return np.array(values, np.int64)

    letters, context = read.letters, read.context_letters
    tags, left_out, points = session.run(
        ["tags", "left_out", "points"],
        {
            "words": words.vectors(list(read.pieces))[None],
            "turns": column(read.turns),
            "pieces": column(letters.pieces),
            "inside": column(letters.inside),
            "letters": words.vectors(list(letters.own)),
            "context_pieces": column(context.pieces),
            "context_inside": column(context.inside),
            "context_letters": words.vectors(list(context.own)),
        },
    )
    return Numbers(tags, left_out, points)
