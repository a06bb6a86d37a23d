"""Conversations as Markdown, for people to keep or pass on."""

from __future__ import annotations

from collections.abc import Sequence

from rag.answer.markup import defuse, escape
from rag.ingest.places import chinese_place
from rag.types import Conversation, Message


def to_markdown(conversation: Conversation, messages: Sequence[Message]) -> str:
    """One section per question, the citations of each answer listed below it.

    A model's Markdown stays, without its links, images and HTML. What people typed and what
    documents say is escaped: it shows as it is, and no browser or
    editor takes it for a heading, a link or HTML.
    """
    lines = [f"# {escape(conversation.title) or '对话'}", ""]
    for message in messages:
        if message.role == "user":
            lines += [f"## {escape(message.content)}", ""]
            continue
        lines += [defuse(message.content.strip()).replace("<", "\\<"), ""]
        citations = message.answer.citations if message.answer else ()
        for citation in citations:
            where = chinese_place(citation.document, (citation.page,))
            place = " › ".join(part for part in (where, *citation.heading_path) if part)
            place = citation.url or place
            within = f"（{escape(place)}）" if place else ""
            lines.append(f"- [{citation.n}] {escape(citation.document)}{within}：")
            lines += [
                f"  > {_quoted(line)}" for line in citation.quote.splitlines() if line.strip()
            ]
        if citations:
            lines.append("")
    return "\n".join(lines)


def _quoted(line: str) -> str:
    """A line of a quotation; rows of a table stay rows."""
    if not line.lstrip().startswith("|"):
        return escape(line)
    if not line.strip("|- :"):
        return line.strip()
    return "|".join(cell and f" {escape(cell)} " for cell in line.strip().split("|"))
