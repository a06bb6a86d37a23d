"""Replies that need no search: greetings, thanks, questions about this conversation."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Turn, Understanding


def reply(understanding: Understanding, history: Sequence[Turn]) -> str:
    """A short reply to chit-chat or a question about the conversation itself."""
    return "你好，我可以根据知识库里的文档回答问题。"
