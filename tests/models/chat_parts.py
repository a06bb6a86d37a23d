"""Profiles and models that talk to a scripted server."""

from __future__ import annotations

from rag.models.chat import ChatModel
from rag.secrets import Secrets
from rag.settings import ChatProfile
from tests.llm_server import ScriptedServer


def profile(server: ScriptedServer | str, **changes: object) -> ChatProfile:
    values: dict = {
        "name": "主模型",
        "base_url": server if isinstance(server, str) else server.url,
        "model": "qwen",
        "connect_timeout_s": 1,
        "read_timeout_s": 1,
        "total_timeout_s": 3,
    }
    return ChatProfile(**(values | changes))


def chat(server: ScriptedServer, secrets: Secrets) -> ChatModel:
    return ChatModel([profile(server)], secrets)
