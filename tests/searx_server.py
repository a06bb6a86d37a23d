"""A scripted SearXNG for tests: answers `/search` with what it was given.

Usage::

    with SearxServer() as server:
        server.results = [result("标题", "https://example.org/a", "内容")]
        ... search through server.url ...
        assert server.asked[0]["q"] == ["问题"]
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit


def result(title: Any, url: Any, content: Any) -> dict[str, Any]:
    """One result as SearXNG writes it."""
    return {"title": title, "url": url, "content": content, "engine": "test", "score": 1.0}


class SearxServer:
    """The server; a context manager.

    Attributes:
        results: what is answered, as JSON rows.
        body: bytes that are sent instead of them.
        status: the HTTP status.
        pause_s: seconds before the answer.
        location: where a redirect leads.
        asked: the parameters of each request.
    """

    def __init__(self) -> None:
        self.results: list[Any] = []
        self.body: bytes | None = None
        self.status = 200
        self.pause_s = 0.0
        self.location = ""
        self.asked: list[dict[str, list[str]]] = []
        self._closing = threading.Event()
        state = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                state.asked.append(parse_qs(parts.query) | {"path": [parts.path]})
                state._closing.wait(state.pause_s)
                body = state.body or json.dumps({"results": state.results}).encode()
                self.send_response(state.status)
                if state.location:
                    self.send_header("Location", state.location)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> SearxServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
