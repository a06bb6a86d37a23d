"""The visitor cookie, sign-in tickets and security headers, over ASGI."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from ui import server


@pytest.fixture
def client():
    async def page(_):
        return HTMLResponse("<p>知问</p>")

    async def data(_):
        return JSONResponse({})

    routes = [*server.routes()[:1], Route("/", page), Route("/admin", page), Route("/data", data)]
    return TestClient(
        Starlette(routes=routes, middleware=server.middleware()), follow_redirects=False
    )


def test_the_first_page_sets_an_unguessable_http_only_cookie(client):
    header = client.get("/").headers["set-cookie"]
    assert "HttpOnly" in header
    assert "SameSite=Lax" in header
    assert server.is_session_id(client.cookies[server.SESSION_COOKIE])


def test_a_known_browser_keeps_its_id_and_a_made_up_one_is_replaced(client):
    client.get("/")
    assert "set-cookie" not in client.get("/").headers
    client.cookies.clear()
    client.cookies.set(server.SESSION_COOKIE, "short")
    assert "set-cookie" in client.get("/").headers


def test_only_pages_get_cookie_and_headers(client):
    assert "set-cookie" not in client.get("/data").headers
    assert client.get("/").headers["x-content-type-options"] == "nosniff"


def test_behind_https_the_cookie_is_secure(client):
    header = client.get("/", headers={"x-forwarded-proto": "https"}).headers["set-cookie"]
    assert "Secure" in header


def test_a_ticket_changes_the_session_once(client):
    client.get("/")
    old, new = client.cookies[server.SESSION_COOKIE], server.new_session_id()
    ticket = server.issue_ticket(old, new)
    answer = client.get(f"/session/{ticket}?page=admin")
    assert answer.headers["location"] == "/admin"
    assert new in answer.headers["set-cookie"]
    assert "set-cookie" not in client.get(f"/session/{ticket}").headers


def test_a_ticket_is_of_no_use_to_another_browser(client):
    client.get("/")
    ticket = server.issue_ticket("another browser", server.new_session_id())
    assert "set-cookie" not in client.get(f"/session/{ticket}").headers


@pytest.mark.parametrize("page", ["//evil.example", "https://evil.example", "../x", "%0d%0aX: y"])
def test_a_ticket_leads_to_our_own_pages_only(client, page):
    assert client.get(f"/session/x?page={page}").headers["location"] == "/"


def test_the_typed_path_of_the_chat_leads_to_it():
    client = TestClient(Starlette(routes=server.routes()), follow_redirects=False)
    assert client.get("/chat?c=k1").headers["location"] == "/?c=k1"
