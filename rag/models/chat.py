"""Chat models behind OpenAI-compatible endpoints, tried in fallback order."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rag.settings import ChatProfile, ChatSettings, Secrets


@dataclass(frozen=True)
class Verdict:
    """Outcome of a connection test: `message` is for people, `ms` the round trip's time."""

    ok: bool
    message: str
    detail: str = ""
    ms: float = 0.0


class ChatModel:
    """Chat through the enabled profiles, in order; thread-safe."""

    def __init__(self, profiles: Sequence[ChatProfile], secrets: Secrets) -> None:
        self._profiles = tuple(profiles)
        self._secrets = secrets
        self.name = " → ".join(profile.model for profile in self._profiles)
        self.last_usage: dict[str, int] = {}

    def complete_json(
        self, system: str, user: str, schema: dict[str, Any], *, timeout_s: float
    ) -> dict[str, Any]:
        """One JSON object that fits `schema`."""
        raise NotImplementedError

    def stream(
        self, messages: Sequence[tuple[str, str]], *, stop: threading.Event | None = None
    ) -> Iterator[str]:
        """The answer's text, piece by piece."""
        raise NotImplementedError

    def test(self, profile: ChatProfile) -> Verdict:
        """Try one profile with a real call."""
        raise NotImplementedError


def create_chat(settings: ChatSettings, secrets: Secrets) -> ChatModel | None:
    """The chat model of the enabled profiles, or None when there is none."""
    profiles = [profile for profile in settings.profiles if profile.enabled]
    return ChatModel(profiles, secrets) if profiles else None
