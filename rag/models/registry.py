"""The models in use: built from the current settings when first asked for, then kept.

A change of settings drops what it touches; running turns keep the model they began with.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import ModelError
from rag.models.chat import ChatModel, create_chat
from rag.models.completion_spans import Completed
from rag.models.embedder import Embedder, create_embedder
from rag.models.reranker import Reranker, create_reranker
from rag.secrets import Secrets
from rag.settings import Settings

if TYPE_CHECKING:
    from rag.models.completer import Completer
    from rag.models.cross_encoder import CrossEncoder

log = logging.getLogger(__name__)


class Models:
    """Hands out the embedder, the reranker and the chat model. Thread-safe.

    Args:
        data: the data directory, where the bundled model is kept.
        secrets: API keys.
        settings: returns the current settings.
    """

    def __init__(self, data: Path, secrets: Secrets, settings: Callable[[], Settings]) -> None:
        self._data = data
        self._secrets = secrets
        self._settings = settings
        self._lock = threading.RLock()
        self._embedder: Embedder | None = None
        self._reranker: Reranker | None = None
        self._line_reader: CrossEncoder | None = None
        self._completer: Completer | None = None
        self._chat: ChatModel | None = None
        self._chat_built = False

    def embedder(self) -> Embedder:
        """The embedder whose vectors are being searched.

        Raises:
            ModelError: it cannot be loaded.
        """
        with self._lock:
            if self._embedder is None:
                self._embedder = self.new_embedder()
            return self._embedder

    def new_embedder(self) -> Embedder:
        """An embedder of the current settings, not yet in use."""
        return create_embedder(self._settings().embedder, self._secrets, self._data)

    def use_embedder(self, embedder: Embedder) -> None:
        """Put an embedder into use; its vectors must be complete."""
        with self._lock:
            self._embedder = embedder

    def reranker(self) -> Reranker:
        """The reranker.

        Raises:
            ModelError: it cannot be loaded.
        """
        with self._lock:
            if self._reranker is None:
                self._reranker = create_reranker(
                    self._settings().reranker, self._secrets, self._data
                )
            return self._reranker

    def line_reader(self) -> CrossEncoder:
        """The bundled model that reads single lines with a question, whatever else is chosen."""
        with self._lock:
            if self._line_reader is None:
                from rag.models.cross_encoder import LINE_WEIGHTS, CrossEncoder

                self._line_reader = CrossEncoder(self._data, LINE_WEIGHTS)
            return self._line_reader

    def completer(self) -> Completer:
        """The bundled model that completes follow-ups."""
        with self._lock:
            if self._completer is None:
                from rag.models.completer import Completer

                self._completer = Completer(self._data)
            return self._completer

    def complete(self, context: Sequence[str], utterance: str) -> Completed:
        """See `rag.models.completer.Completer.complete`; unchanged where it cannot be loaded."""
        try:
            return self.completer().complete(context, utterance)
        except ModelError as error:
            log.warning("follow-ups are completed by rules: %s %s", error.text(), error.detail)
            return Completed(utterance, 1.0)

    def chat(self) -> ChatModel | None:
        """The chat model, or None when answers are extractive."""
        with self._lock:
            if not self._chat_built:
                self._chat = create_chat(self._settings().chat, self._secrets)
                self._chat_built = True
            return self._chat

    def settings_changed(self, old: Settings, new: Settings) -> None:
        """Drop the models that a change of settings touches (the embedder has its own way)."""
        with self._lock:
            if old.reranker != new.reranker:
                self._reranker = None
            if old.chat != new.chat:
                self._chat, self._chat_built = None, False

    def secret_changed(self, name: str) -> None:
        """Let the model that uses this key read it anew (chat models do by themselves)."""
        with self._lock:
            if name == "reranker":
                self._reranker = None
            elif name == "embedder" and self._embedder is not None:
                renewed = self.new_embedder()
                if renewed.fingerprint == self._embedder.fingerprint:
                    self._embedder = renewed
