"""Finished messages: the question, the checked answer and what one can do with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from rag.answer.refuse import HEDGE_PREFIX
from rag.types import Answer, Claim, Message
from ui.chat import correction, earlier, evidence, trace
from ui.errors import box, shown
from ui.frame import Here
from ui.markup import answer_html, draft_html
from ui.texts import language, t
from ui.texts.phrases import phrase
from ui.visitor import run_script
from ui.words import escape, label

_THUMBS: tuple[tuple[Literal["up", "down"], str], ...] = (
    ("up", "thumb_up"),
    ("down", "thumb_down"),
)

Ask = Callable[[str], None]
"""Sends a question as if it had been typed."""

LONG_QUESTION = 1200
"""Characters from which a question is shown in a box that scrolls."""


def question(message: Message) -> None:
    """A person's message, exactly as typed."""
    size = " zw-long" if len(message.content) > LONG_QUESTION else ""
    st.html(f'<div class="zw-user{size}">{escape(message.content)}</div>')


def answer(here: Here, message: Message, asked: Message | None, ask: Ask, last: bool) -> None:
    """A finished assistant message.

    Args:
        here: the services and the person.
        message: the assistant's message.
        asked: the question that it answers.
        ask: sends a suggestion or a chosen option.
        last: whether it ends the conversation; only then its buttons ask on.
    """
    result = message.answer
    if result is None:
        _stopped_early(here, message)
        return
    before = earlier.looked_at(message)
    if before is not None:
        earlier.bar(here, message, before)
        correction.note(result.earlier[before].answer)
        _answered(result.earlier[before].answer, message)
        evidence.render(here, result.earlier[before].answer, message.id)
        return
    correction.line(here, message, result, asked)
    _answered(result, message)
    if result.status == "clarify":
        _options(result, message, ask, last)
        with st.container(horizontal=True, gap="xsmall"):
            correction.offer(message, result, asked)
            earlier.button(message, result)
        correction.form(here, message, result, asked)
        return
    _actions(here, message, result, asked)
    evidence.render(here, result, message.id)
    if last and result.suggestions:
        _suggestions(result, message, ask)


def _answered(result: Answer, message: Message) -> None:
    """How it was found, and its text with what is to be said about it."""
    trace.render(result)
    if result.status == "error":
        _failed(result)
    elif result.text.strip():
        text, claims = _spoken(result)
        st.html(answer_html(text, result.citations, claims, anchor=evidence.anchor(message.id)))
    if result.status in ("answered", "hedged") and result.reason:
        _note(phrase(result.reason))
    if result.status == "stopped" or message.status == "stopped":
        _note(t("chat.stopped"))
    _claim_note(result)


def _spoken(result: Answer) -> tuple[str, Sequence[Claim]]:
    """The answer's text in the visitor's language as far as it is ours, with its claims."""
    if result.status in ("refused", "clarify", "chitchat"):
        text = phrase(result.text)
        return text, result.claims if text == result.text else ()
    if not result.text.startswith(HEDGE_PREFIX):
        return result.text, result.claims
    prefix = phrase(HEDGE_PREFIX)
    shift = len(prefix) - len(HEDGE_PREFIX)
    moved = [
        claim.model_copy(
            update={"span": (max(0, claim.span[0] + shift), max(0, claim.span[1] + shift))}
        )
        for claim in result.claims
    ]
    return prefix + result.text.removeprefix(HEDGE_PREFIX), moved


def _stopped_early(here: Here, message: Message) -> None:
    if message.content.strip():
        st.html(draft_html(message.content))
    _note(t("chat.stopped"))
    _regenerate(here, message)


def _failed(result: Answer) -> None:
    if result.text.strip():
        st.html(draft_html(result.text))
    english = (result.reason_en or phrase(result.reason)) if language() == "en" else ""
    box(t("chat.failed"), english or result.reason or t("error.unexpected_remedy"))


def _claim_note(result: Answer) -> None:
    doubtful = [claim for claim in result.claims if claim.verdict == "unsupported"]
    wrong = [claim for claim in result.claims if claim.verdict == "contradicted"]
    if doubtful:
        _note("⚠ " + t("claim.count_unsupported", n=len(doubtful)), "zw-warn")
    if wrong:
        _note("⚠ " + t("claim.count_contradicted", n=len(wrong)), "zw-bad")


def _options(result: Answer, message: Message, ask: Ask, last: bool) -> None:
    asked_back = result.understanding.clarification if result.understanding else None
    if asked_back is None or not last:
        return
    with st.container(horizontal=True, gap="small"):
        for index, option in enumerate(asked_back.options):
            if st.button(label(phrase(option.label), 30), key=f"option-{message.id}-{index}"):
                ask(option.reply)
    _note(t("chat.clarify_free"))


def _suggestions(result: Answer, message: Message, ask: Ask) -> None:
    word = "chat.nearby" if result.status == "refused" else "chat.suggestions"
    _note(t(word))
    with st.container(horizontal=True, gap="small"):
        for index, suggestion in enumerate(result.suggestions[:4]):
            if st.button(label(phrase(suggestion), 40), key=f"suggest-{message.id}-{index}"):
                ask(suggestion)


def _actions(here: Here, message: Message, result: Answer, asked: Message | None) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="xsmall", key=f"actions-{message.id}"
    ):
        if result.status in ("answered", "hedged"):
            dots, word = confidence_words(result.confidence)
            st.html(
                f'<div class="zw-note" title="{result.confidence:.0%}">'
                f"{escape(t('confidence.label'))} "
                f'<span class="zw-dots" aria-hidden="true">{dots}</span> {escape(word)}</div>',
                width="content",
            )
        _thumbs(here, message)
        _regenerate(here, message)
        if st.button(
            t("chat.copy"),
            key=f"quiet-copy-{message.id}",
            icon=":material/content_copy:",
            type="tertiary",
        ):
            _copy(result.text)
        if result.status != "chitchat":
            correction.offer(message, result, asked)
        earlier.button(message, result)
    if result.status != "chitchat":
        correction.form(here, message, result, asked)
    if st.session_state.get(f"why-{message.id}"):
        _reason(here, message)


def confidence_words(value: float) -> tuple[str, str]:
    """A confidence (0..1) as four dots and a word."""
    filled = 4 if value >= 0.9 else 3 if value >= 0.8 else 2 if value >= 0.6 else 1
    return "●" * filled + "○" * (4 - filled), t(f"confidence.{filled}")


def _thumbs(here: Here, message: Message) -> None:
    for value, icon in _THUMBS:
        given = message.feedback == value
        if st.button(
            t(f"feedback.{value}_given" if given else f"feedback.{value}"),
            key=f"quiet-{value}-{message.id}",
            icon=f":material/{icon}:",
            type="tertiary",
        ):
            with shown():
                here.application.conversations.feedback(
                    message.id, here.person, None if given else value
                )
                st.session_state[f"why-{message.id}"] = value == "down" and not given
                st.rerun()


def _reason(here: Here, message: Message) -> None:
    with st.form(f"reason-{message.id}", border=True):
        choices = [
            t(f"feedback.reason_{name}") for name in ("wrong", "incomplete", "source", "unclear")
        ]
        chosen = st.pills(t("feedback.why"), choices, selection_mode="multi")
        more = st.text_input(t("feedback.more"), max_chars=300)
        if st.form_submit_button(t("feedback.send"), type="primary"):
            with shown():
                reason = t("list.join").join(
                    [*(chosen or ()), *([more.strip()] if more.strip() else [])]
                )
                here.application.conversations.feedback(message.id, here.person, "down", reason)
                st.session_state.pop(f"why-{message.id}", None)
                st.toast(t("feedback.thanks"))
                st.rerun()


def _regenerate(here: Here, message: Message) -> None:
    if st.button(
        t("chat.regenerate"),
        key=f"quiet-again-{message.id}",
        icon=":material/refresh:",
        type="tertiary",
    ):
        with shown():
            here.application.conversations.regenerate(message.id, here.person)
            st.rerun()


def _copy(text: str) -> None:
    run_script(
        "const old = () => { const a = document.createElement('textarea'); a.value = v.text;"
        " document.body.append(a); a.select(); document.execCommand('copy'); a.remove(); };"
        " navigator.clipboard ? navigator.clipboard.writeText(v.text).catch(old) : old();",
        text=text,
    )
    st.toast(t("chat.copied"))


def _note(text: str, kind: str = "") -> None:
    st.html(f'<div class="zw-note {kind}">{escape(text)}</div>')
