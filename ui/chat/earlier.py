"""The answers that an answer replaced: to look at, and to bring back."""

from __future__ import annotations

import streamlit as st

from rag.types import Answer, Message
from ui.errors import shown
from ui.frame import Here
from ui.texts import t
from ui.words import escape


def looked_at(message: Message) -> int | None:
    """Which earlier answer of a message is on show, from 0; None for the current one."""
    n: int | None = st.session_state.get(_key(message))
    count = len(message.answer.earlier) if message.answer else 0
    return n if n is not None and 0 <= n < count else None


def bar(here: Here, message: Message, n: int) -> None:
    """Above an earlier answer: which it is, and the ways on."""
    assert message.answer is not None
    count = len(message.answer.earlier)
    note = escape(t("chat.earlier_answer", n=str(n + 1), all=str(count)))
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.html(f'<div class="zw-note">{note}</div>', width="content")
        if n > 0:
            _go(message, "before", "chevron_left", t("chat.answer_before"), n - 1)
        _go(message, "now", "last_page", t("chat.answer_now"), None)
        if st.button(
            t("chat.bring_back"),
            key=f"quiet-back-{message.id}",
            icon=":material/restore:",
            type="tertiary",
        ):
            with shown():
                here.application.conversations.bring_back(message.id, here.person, n)
                st.session_state.pop(_key(message), None)
                st.rerun()


def button(message: Message, result: Answer) -> None:
    """Among an answer's buttons: the way to those before it."""
    if result.earlier:
        last = len(result.earlier) - 1
        _go(message, "before", "history", t("chat.earlier_answers", n=last + 1), last)


def _key(message: Message) -> str:
    return f"earlier-{message.id}"


def _go(message: Message, name: str, icon: str, words: str, to: int | None) -> None:
    if st.button(
        words, key=f"quiet-{name}-{message.id}", icon=f":material/{icon}:", type="tertiary"
    ):
        st.session_state[_key(message)] = to
        st.rerun()
