"""Conversations, their messages, and the people who hold them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from rag.types.answers import Answer
from rag.types.base import Value
from rag.types.understanding import Role

MessageStatus = Literal["running", "done", "stopped", "error"]


class Conversation(Value):
    """A conversation; only its owner sees it."""

    id: str
    owner: str
    title: str
    kb_ids: tuple[str, ...] = ()
    created_at: datetime
    updated_at: datetime


class Message(Value):
    """A stored message. `answer` is set on finished assistant messages."""

    id: str
    conversation_id: str
    role: Role
    content: str
    status: MessageStatus = "done"
    answer: Answer | None = None
    feedback: Literal["up", "down"] | None = None
    feedback_reason: str = ""
    created_at: datetime


class Person(Value):
    """Who is asking: a visitor without an account (`role="guest"`) or a signed-in user."""

    id: str
    name: str = ""
    role: Literal["guest", "member", "editor", "admin"] = "guest"
