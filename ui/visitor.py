"""Who is looking at the page: the browser's session id and the person behind it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import streamlit as st

from rag.types import Person
from ui.server import SESSION_COOKIE, is_session_id, issue_ticket, new_session_id

if TYPE_CHECKING:
    from rag.application import Application

_FALLBACK = "visitor_session_id"

OF_THE_BROWSER = ("language", "remember-language", "zhiwen_bases")
"""Session state that belongs to the browser, whoever is signed in: its cookies were read when
the page was opened, so that what was chosen since stands here alone."""


def session_id() -> str:
    """The browser's id from its cookie, else one that lives as long as this page."""
    cookie = st.context.cookies.get(SESSION_COOKIE)
    if is_session_id(cookie):
        return str(cookie)
    return str(st.session_state.setdefault(_FALLBACK, new_session_id()))


def person(application: Application) -> Person:
    """The person behind this browser; a guest when nobody has signed in."""
    return application.accounts.person(session_id())


def sign_in(application: Application, name: str, password: str, page: str = "") -> None:
    """Check the password and sign this browser in; the page reloads under a new session id.

    Args:
        application: the services.
        name: the account's name.
        password: as typed.
        page: URL path of the page to come back to.

    Raises:
        ZhiwenError: wrong name or password, or too many attempts.
    """
    old = session_id()
    guest = person(application)
    if _FALLBACK in st.session_state:  # no cookie: nothing to exchange, the id was never sent out
        application.conversations.adopt(guest, application.accounts.login(old, name, password))
        st.rerun()
    new = new_session_id()
    application.conversations.adopt(guest, application.accounts.login(new, name, password))
    _leave(f"/session/{issue_ticket(old, new)}?page={page}")


def sign_out(application: Application) -> None:
    """Sign this browser out; conversations stay with the account."""
    application.accounts.logout(session_id())
    for key in list(st.session_state.keys()):
        if key not in OF_THE_BROWSER:
            del st.session_state[key]
    st.query_params.clear()
    st.rerun()


def run_script(code: str, /, **values: str) -> None:
    """Run a line of our own JavaScript; `values` are passed as JSON, never spliced in."""
    data = json.dumps(values).replace("<", "\\u003c").replace("\u2028", "").replace("\u2029", "")
    st.html(
        f"<script>(() => {{ const v = {data}; {code} }})()</script>", unsafe_allow_javascript=True
    )


def _leave(url: str) -> None:
    run_script("window.location.replace(v.url);", url=url)
    st.stop()
