"""What the web server adds to the pages: the visitor cookie, sign-in tickets, a health route.

The cookie is set with the first page and is only a random id; what it stands for is in the
catalog. A sign-in gets a new id (against session fixation) through a one-use ticket, because
a page script cannot set an HttpOnly cookie.
"""

from __future__ import annotations

import logging
import re
import secrets
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from streamlit.runtime.pages_manager import PagesManager

from ui import runtime

log = logging.getLogger(__name__)

SESSION_COOKIE = "zhiwen_session"
COOKIE_AGE_S = 180 * 24 * 3600
"""How long a browser is remembered, in seconds; chosen by us."""

TICKET_AGE_S = 60.0
"""How long a sign-in ticket is good for, in seconds; the page redeems it at once."""

_SESSION_ID = re.compile(r"[A-Za-z0-9_-]{43}")
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "content-security-policy": (
        "frame-ancestors 'self'; img-src 'self' data: blob:; object-src 'none'"
    ),
}

_tickets: dict[str, tuple[str, str, float]] = {}
_tickets_lock = threading.Lock()


def new_session_id() -> str:
    """An unguessable session id (256 bits)."""
    return secrets.token_urlsafe(32)


def is_session_id(value: object) -> bool:
    """Whether `value` has the form of our ids."""
    return isinstance(value, str) and _SESSION_ID.fullmatch(value) is not None


def issue_ticket(old_session: str, new_session: str) -> str:
    """A one-use ticket that lets the browser holding `old_session` change to `new_session`."""
    ticket = secrets.token_urlsafe(32)
    now = time.monotonic()
    with _tickets_lock:
        for name in [n for n, (_, _, until) in _tickets.items() if until < now]:
            del _tickets[name]
        _tickets[ticket] = (old_session, new_session, now + TICKET_AGE_S)
    return ticket


class VisitorCookie:
    """ASGI middleware: gives each browser its session id with the first HTML page."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on; add the cookie and the security headers to HTML responses."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        known = is_session_id(request.cookies.get(SESSION_COOKIE))

        async def send_with_cookie(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    for name, value in _HEADERS.items():
                        headers.setdefault(name, value)
                    if not known:
                        _set_cookie(headers, new_session_id(), request)
            await send(message)

        await self._app(scope, receive, send_with_cookie)


async def redeem(request: Request) -> Response:
    """Exchange a sign-in ticket for the cookie of the new session, then show the page."""
    with _tickets_lock:
        old, new, until = _tickets.pop(request.path_params["ticket"], ("", "", 0.0))
    response = RedirectResponse("/" + _page(request.query_params.get("page", "")), status_code=303)
    if new and until >= time.monotonic() and request.cookies.get(SESSION_COOKIE) == old:
        _set_cookie(response.headers, new, request)
    return response


async def to_chat(request: Request) -> Response:
    """The chat is the first page and has no path of its own; people type one all the same."""
    query = request.url.query
    return RedirectResponse("/" + (f"?{query}" if query else ""), status_code=307)


async def health(_: Request) -> Response:
    """200 with the state of the start: starting, ready or failed."""
    state = runtime.start()
    word = "failed" if state.error else "ready" if state.ready else "starting"
    return JSONResponse({"status": word}, status_code=503 if state.error else 200)


def on_script_error(error: Exception) -> bool:
    """Show an error box with a trace id instead of Streamlit's own."""
    from ui.errors import show

    show(error)
    return True


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Open the application with the server and close it with it."""
    runtime.start()
    try:
        yield
    finally:
        runtime.close()


def prepare_pages() -> None:
    """Leave the choice of pages to the navigation alone.

    Until the first `st.navigation` of a process, Streamlit takes every file of `pages/` for a
    public page: the first visitor could open one past the navigation and its roles.
    """
    PagesManager.uses_pages_directory = False


def routes() -> list[BaseRoute]:
    """Routes beside the pages."""
    return [
        Route("/session/{ticket}", redeem, methods=["GET"]),
        Route("/health", health, methods=["GET"]),
        Route("/chat", to_chat, methods=["GET"]),
    ]


def middleware() -> list[Middleware]:
    """Middleware around all requests."""
    return [Middleware(VisitorCookie)]


def _page(name: str) -> str:
    return name if re.fullmatch(r"[a-z_]{0,40}", name) else ""


def _set_cookie(headers: MutableHeaders, session_id: str, request: Request) -> None:
    forwarded = request.headers.get("x-forwarded-proto", "")
    secure = "; Secure" if request.url.scheme == "https" or forwarded == "https" else ""
    headers.append(
        "set-cookie",
        f"{SESSION_COOKIE}={session_id}; Path=/; Max-Age={COOKIE_AGE_S}; "
        f"HttpOnly; SameSite=Lax{secure}",
    )
