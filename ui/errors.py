"""Error boxes: what happened, what is safe, what to do next; detail folds away."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from rag.errors import ZhiwenError
from ui.texts import language, t
from ui.words import escape

log = logging.getLogger(__name__)


def show(error: Exception) -> None:
    """Show an error to the person; unexpected ones are logged with the shown trace id."""
    if isinstance(error, ZhiwenError):
        english = language() == "en"
        box(
            error.message_en if english else error.message,
            error.remedy_en if english else error.remedy,
            detail=error.detail,
        )
        return
    trace_id = secrets.token_hex(4)
    log.error("page error %s", trace_id, exc_info=error)
    box(t("error.unexpected"), t("error.unexpected_remedy"), trace_id=trace_id)


def box(
    message: str, remedy: str = "", *, detail: str = "", trace_id: str = "", level: str = "bad"
) -> None:
    """A box with a message and a remedy, both plain text.

    Args:
        message: what happened.
        remedy: what to do next.
        detail: technical detail, folded away.
        trace_id: number under which the log has more.
        level: "bad", "warn" or "info".
    """
    lines = [f"<p><b>{escape(message)}</b></p>"]
    if remedy:
        lines.append(f"<p>{escape(remedy)}</p>")
    role = "alert" if level == "bad" else "status"
    st.html(f'<div class="zw-box zw-{level}" role="{role}">{"".join(lines)}</div>')
    if detail or trace_id:
        with st.expander(t("error.detail")):
            st.code(
                "\n".join(part for part in (trace_id, detail) if part),
                language=None,
                wrap_lines=True,
            )


@contextmanager
def shown() -> Iterator[None]:
    """Show errors of the enclosed block in place, so that the rest of the page still works."""
    try:
        yield
    except Exception as error:
        show(error)
