"""A chunk as a card: its place in the document, its state and its text."""

from __future__ import annotations

from rag.types import Chunk
from ui.passage import passage_html
from ui.places import place
from ui.texts import t
from ui.words import escape, plain


def card_html(chunk: Chunk) -> str:
    """A chunk with its place, its state and its text."""
    parts = (
        t("document.chunk", n=chunk.ordinal + 1),
        place(chunk.document_name, chunk.pages),
        *(plain(part, 60) for part in chunk.heading_path),
        t("document.characters", n=len(chunk.text)),
    )
    where = " · ".join(part for part in parts if part)
    states = [
        t(f"chunk.{name}")
        for name, holds in (
            ("edited", chunk.edited),
            ("off", not chunk.enabled),
            ("parent", not chunk.indexed),
        )
        if holds
    ]
    tags = "".join(f' <span class="zw-tag zw-warn">{escape(state)}</span>' for state in states)
    dim = "" if chunk.enabled else " zw-dim"
    asked = "".join(f"<li>{escape(plain(question, 120))}</li>" for question in chunk.questions)
    questions = (
        f'<div class="zw-where">{escape(t("chunk.questions"))}<ul>{asked}</ul></div>'
        if asked
        else ""
    )
    return (
        f'<article class="zw-card"><div class="zw-where">{escape(where)}{tags}</div>'
        f'<div class="zw-passage zw-whole{dim}">{passage_html(chunk.text)}</div>'
        f"{questions}</article>"
    )
