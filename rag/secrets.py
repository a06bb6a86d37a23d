"""Secrets: API keys and passwords, kept outside the catalog and never shown again."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import tomli_w

from rag.settings_layers import ENVIRONMENT_PREFIX
from rag.toml_file import read_toml


class Secrets:
    """API keys by name, in `secrets.toml` (mode 0600) or `ZHIWEN_SECRET_<NAME>`.

    The environment wins. Names: `chat:<profile>`, `embedder`, `reranker`, `milvus`,
    `source:<id>`.
    """

    def __init__(self, data: Path) -> None:
        self._path = data / "secrets.toml"
        self._lock = threading.Lock()
        self._listeners: list[Callable[[str], None]] = []

    def on_change(self, listener: Callable[[str], None]) -> None:
        """Call `listener(name)` after a secret was set or removed."""
        self._listeners.append(listener)

    def get(self, name: str) -> str:
        """The secret, or an empty string."""
        variable = (
            ENVIRONMENT_PREFIX
            + "SECRET_"
            + "".join(c if c.isalnum() else "_" for c in name.upper())
        )
        return os.environ.get(variable) or str(read_toml(self._path).get(name, ""))

    def has(self, name: str) -> bool:
        """Whether a secret is set; this is all that the interface may show."""
        return bool(self.get(name))

    def set(self, name: str, value: str) -> None:
        """Store a secret, or remove it when `value` is empty. The file is replaced whole."""
        with self._lock:
            secrets = {**read_toml(self._path), name: value}
            if not value:
                secrets.pop(name)
            temporary = self._path.with_suffix(".tmp")
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                tomli_w.dump(secrets, file)
            temporary.replace(self._path)
        for listener in self._listeners:
            listener(name)
