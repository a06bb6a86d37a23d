"""What a question was taken to mean, and the pencil that puts it right.

The typed words stay as they are. A correction, or the typed words themselves, are asked as the
completed question to the letter, and the new answer takes the place of the old one.
"""

from __future__ import annotations

import streamlit as st

from rag.types import Answer, Message, Understanding
from ui.errors import shown
from ui.frame import Here
from ui.texts import t
from ui.words import escape, plain


def line(here: Here, message: Message, result: Answer, asked: Message | None) -> None:
    """Above an answer whose question was completed or corrected: as what, and how to change it."""
    meaning = result.understanding
    if meaning is None or asked is None or not _told(meaning):
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="xsmall", key=f"understood-{message.id}"
    ):
        st.html(f'<div class="zw-note">{escape(_sentence(meaning))}</div>', width="content")
        _pencil(message, t("chat.correct"))
        if meaning.rewritten and _button(message, "as-typed", "format_quote", "chat.ask_as_typed"):
            _ask(here, message, asked.content)
        if meaning.source == "user" and _button(message, "undo", "undo", "chat.ask_completed"):
            _ask(here, message, None)
    _form(here, message, meaning)


def note(result: Answer) -> None:
    """Above an answer that is only looked at: as what its question was taken, if not as typed."""
    meaning = result.understanding
    if meaning is not None and _told(meaning):
        st.html(f'<div class="zw-note">{escape(_sentence(meaning))}</div>')


def offer(message: Message, result: Answer, asked: Message | None) -> None:
    """The pencil alone, among the buttons of an answer whose question stands as it was typed."""
    meaning = result.understanding
    if meaning is not None and asked is not None and not _told(meaning):
        _pencil(message, t("chat.rephrase"))


def form(here: Here, message: Message, result: Answer, asked: Message | None) -> None:
    """The opened pencil of `offer`, below the buttons."""
    meaning = result.understanding
    if meaning is not None and asked is not None and not _told(meaning):
        _form(here, message, meaning)


def _told(meaning: Understanding) -> bool:
    return meaning.rewritten or meaning.source == "user"


def _sentence(meaning: Understanding) -> str:
    if meaning.source != "user":
        return t("chat.understood", question=plain(meaning.standalone_question, 400))
    if not meaning.rewritten:
        return t("chat.as_typed")
    return t("chat.corrected", question=plain(meaning.standalone_question, 400))


def _key(message: Message) -> str:
    return f"correcting-{message.id}"


def _pencil(message: Message, words: str) -> None:
    if st.button(words, key=f"quiet-correct-{message.id}", icon=":material/edit:", type="tertiary"):
        st.session_state[_key(message)] = not st.session_state.get(_key(message), False)


def _button(message: Message, name: str, icon: str, words: str) -> bool:
    return st.button(
        t(words), key=f"quiet-{name}-{message.id}", icon=f":material/{icon}:", type="tertiary"
    )


def _form(here: Here, message: Message, meaning: Understanding) -> None:
    if not st.session_state.get(_key(message)):
        return
    with st.form(f"correct-{message.id}", border=False):
        text = st.text_area(
            t("chat.correct_label"),
            meaning.standalone_question,
            height="content",
            key=f"corrected-{message.id}",
        )
        if st.form_submit_button(t("chat.ask_corrected"), type="primary"):
            _ask(here, message, text)


def _ask(here: Here, message: Message, question: str | None) -> None:
    with shown():
        here.application.conversations.correct(message.id, here.person, question)
        st.session_state.pop(_key(message), None)
        st.rerun()
