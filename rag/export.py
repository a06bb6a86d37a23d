"""Conversations as Markdown, for people to keep or pass on."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Conversation, Message


def to_markdown(conversation: Conversation, messages: Sequence[Message]) -> str:
    """One section per question, the citations of each answer listed below it."""
    lines = [f"# {_plain(conversation.title) or '对话'}", ""]
    for message in messages:
        if message.role == "user":
            lines += [f"## {_plain(message.content)}", ""]
            continue
        lines += [message.content.strip(), ""]
        citations = message.answer.citations if message.answer else ()
        for citation in citations:
            place = " › ".join((f"第{citation.page}页", *citation.heading_path))
            lines.append(f"- [{citation.n}] {_plain(citation.document)}（{_plain(place)}）：")
            lines += [f"  > {line}" for line in citation.quote.splitlines() if line.strip()]
        if citations:
            lines.append("")
    return "\n".join(lines)


def _plain(text: str) -> str:
    return " ".join(text.split())
