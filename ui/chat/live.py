"""The answer while it is being written: a fragment that follows the worker's event log.

The worker owns the answer; leaving the page or reloading it stops nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from rag.errors import NotFound
from rag.types import Failed, Final, Message, StepFinished, StepStarted, Token
from ui import runtime
from ui.chat.trace import step_name, steps_html
from ui.errors import shown
from ui.frame import Here
from ui.markup import draft_html
from ui.texts import t
from ui.words import escape

POLL_S = 0.3
"""Seconds between two looks at the event log: smooth to read, light with 50 sessions."""


@dataclass
class _Seen:
    """What this session has seen of a running turn."""

    after: int = 0
    text: str = ""
    step: str = ""
    finished: list[StepFinished] = field(default_factory=list)
    over: bool = False


def render(here: Here, message: Message) -> None:
    """Show a running message until it is done, then draw the page anew."""

    @st.fragment(run_every=POLL_S)
    def follow() -> None:
        seen = _state(message.id)
        _catch_up(here, message, seen)
        if seen.over:
            st.session_state.pop(_key(message.id), None)
            st.rerun(scope="app")
        _draw(seen)
        if st.button(t("chat.stop"), key=f"stop-{message.id}", icon=":material/stop_circle:"):
            with shown():
                here.application.conversations.stop(message.id, here.person)

    follow()


def _key(message_id: str) -> str:
    return f"live-{message_id}"


def _state(message_id: str) -> _Seen:
    seen: _Seen = st.session_state.setdefault(_key(message_id), _Seen())
    return seen


def _catch_up(here: Here, message: Message, seen: _Seen) -> None:
    conversations = here.application.conversations
    try:
        news = conversations.follow(message.id, here.person, after=seen.after, wait_s=0.1)
        for number, event in news:
            seen.after = number
            if isinstance(event, StepStarted):
                seen.step = event.step
            elif isinstance(event, StepFinished):
                seen.finished.append(event)
            elif isinstance(event, Token):
                seen.text += event.text
            elif isinstance(event, Final | Failed):
                seen.over = True
        if not news:  # the worker may have ended without a last event
            stored = conversations.messages(message.conversation_id, here.person)
            seen.over = all(m.status != "running" for m in stored if m.id == message.id)
    except NotFound:
        seen.over = True


def _draw(seen: _Seen) -> None:
    if not runtime.start().ready and not seen.finished:
        word = t("live.waiting")
    else:
        word = t("live.step", step=step_name(seen.step)) if seen.step else t("live.begin")
    with st.expander(word, type="compact"):
        st.html(steps_html(seen.finished))
    if seen.text:
        st.html(draft_html(seen.text).replace('class="zw-answer"', 'class="zw-answer zw-caret"', 1))
    else:
        st.html(
            f'<div class="zw-live" role="status"><span class="zw-pulse"></span>{escape(word)}</div>'
        )
