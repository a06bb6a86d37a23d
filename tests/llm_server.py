"""A scripted OpenAI-compatible HTTP server for tests: chat, embeddings and rerank.

Usage::

    with ScriptedServer() as server:
        server.script(status(429), text("好的。"))        # one reply per chat request
        server.script(reject_parameters("response_format"))  # as a callable of the request
        ... talk to server.url ...
        assert server.requests[0].body["messages"]

The replies by name (text, as_json, hang …) are in `tests.llm_replies` and can be imported
from here too. Chat replies are used up in order, one per chat request; the last one given with
`always=True` (or a callable) stays. With nothing scripted, chat says "好的。", embeddings
are unit vectors that depend on the text alone, and rerank counts shared characters.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import socket
import threading
from collections import deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

import numpy as np

from tests.llm_replies import (
    Reply,
    Request,
    Script,
    as_json,
    cut_off,
    fenced,
    hang,
    html,
    malformed_json,
    raw,
    reject_parameters,
    require_key,
    slow,
    status,
    text,
    thinking,
)

Path = Literal["chat", "embeddings", "rerank", "models"]


class ScriptedServer:
    """The server; a context manager. `url` ends in `/v1`; `requests` holds what came in.

    Args:
        dimension: length of the embeddings when none are scripted.
    """

    def __init__(self, dimension: int = 8) -> None:
        self.dimension = dimension
        self.requests: list[Request] = []
        self._queues: dict[str, deque[Script]] = {}
        self._always: dict[str, Script] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        scripted = self

        class Handler(_Handler):
            server_state = scripted

        self._http = _QuietServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """Base URL up to and including `/v1`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving; hanging replies and open connections end at once."""
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._http.hang_up()

    def script(self, *replies: Script, path: Path = "chat", always: bool = False) -> ScriptedServer:
        """Queue replies for a path. A callable, or any reply with `always`, stays for good."""
        with self._lock:
            queue = self._queues.setdefault(path, deque())
            for reply in replies:
                if always or callable(reply):
                    self._always[path] = reply
                else:
                    queue.append(reply)
        return self

    def reset(self) -> None:
        """Forget scripts and recorded requests."""
        with self._lock:
            self._queues.clear()
            self._always.clear()
            self.requests.clear()

    def chats(self) -> list[Request]:
        """The recorded chat requests."""
        return [r for r in self.requests if r.path.endswith("/chat/completions")]

    def next_reply(self, path: Path, request: Request) -> Reply | None:
        """The scripted reply to a request, or None when nothing is scripted."""
        with self._lock:
            queue = self._queues.get(path)
            script = queue.popleft() if queue else self._always.get(path)
        return script(request) if callable(script) else script

    def pause(self, seconds: float) -> None:
        """Sleep that ends when the server closes."""
        if seconds > 0:
            self._closing.wait(seconds)


def unit_vector(content: str, dimension: int) -> list[float]:
    """The embedding served for a text: characters hashed into `dimension` buckets, unit length."""
    vector = np.full(dimension, 1e-3)
    for character in content:
        digest = hashlib.blake2b(character.encode("utf-8", "replace"), digest_size=4).digest()
        vector[int.from_bytes(digest, "little") % dimension] += 1.0
    return [float(x) for x in vector / np.linalg.norm(vector)]


class _QuietServer(ThreadingHTTPServer):
    """Knows its open connections, and says nothing about clients that hang up."""

    daemon_threads = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.connections: set[socket.socket] = set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        return

    def shutdown_request(self, request: Any) -> None:
        self.connections.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server_state: ScriptedServer
    protocol_version = "HTTP/1.1"

    server: _QuietServer

    def setup(self) -> None:
        self.server.connections.add(self.request)
        super().setup()

    def log_message(self, format: str, *args: Any) -> None:
        return

    def do_GET(self) -> None:
        request = Request(self.path, self._headers(), {})
        self.server_state.requests.append(request)
        reply = self.server_state.next_reply("models", request) or Reply()
        self._plain(reply, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        try:
            body = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            body = {}
        request = Request(self.path, self._headers(), body)
        self.server_state.requests.append(request)
        try:
            self._route(request)
        except (BrokenPipeError, ConnectionResetError):
            request.closed_early = True
            self.close_connection = True

    def _route(self, request: Request) -> None:
        path = _path_of(self.path)
        if path is None:
            self._plain(status(404, "no such path"), {})
            return
        reply = self.server_state.next_reply(path, request) or Reply()
        self.server_state.pause(reply.delay_s)
        streamed = path == "chat" and request.body.get("stream")
        if streamed and reply.body is None and reply.status == 200:
            self._stream(reply, request)
        elif path == "chat":
            self._plain(reply, _completion(reply, request.body))
        elif path == "embeddings":
            self._plain(reply, _embeddings(request.body, self.server_state.dimension))
        else:
            self._plain(reply, _rerank(request.body))

    def _headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _plain(self, reply: Reply, default: dict[str, Any]) -> None:
        if reply.body is not None:
            data = reply.body
        elif reply.status != 200:
            error = {"message": reply.message, "type": "error", "code": reply.code}
            data = json.dumps({"error": error}, ensure_ascii=False).encode()
        else:
            data = json.dumps(default, ensure_ascii=False).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(data)))
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, reply: Reply, request: Request) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for count, chunk in enumerate(_pieces(reply)):
            if reply.cut_after is not None and count >= reply.cut_after:
                if reply.clean_cut:
                    self.wfile.write(b"0\r\n\r\n")
                self.close_connection = True
                return
            if reply.error_after is not None and count >= reply.error_after:
                self._event({"error": {"message": reply.message or "overloaded", "code": 500}})
                self._event("[DONE]")
                self.wfile.write(b"0\r\n\r\n")
                return
            if count:
                self.server_state.pause(reply.pace_s)
            self._event(_chunk(chunk, None))
        if reply.finish_reason:
            self._event(_chunk({}, reply.finish_reason))
        if (request.body.get("stream_options") or {}).get("include_usage"):
            self._event({**_chunk({}, None), "choices": [], "usage": _usage(reply, request.body)})
        self._event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, value: Any) -> None:
        line = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        data = f"data: {line}\n\n".encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()


def _path_of(url_path: str) -> Path | None:
    endings: dict[str, Path] = {
        "/chat/completions": "chat",
        "/embeddings": "embeddings",
        "/rerank": "rerank",
    }
    return next((path for ending, path in endings.items() if url_path.endswith(ending)), None)


def _pieces(reply: Reply) -> Iterator[dict[str, Any]]:
    for start in range(0, len(reply.reasoning), reply.piece):
        yield {"reasoning_content": reply.reasoning[start : start + reply.piece]}
    for start in range(0, len(reply.content), reply.piece):
        yield {"role": "assistant", "content": reply.content[start : start + reply.piece]}


def _chunk(delta: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }


def _usage(reply: Reply, body: dict[str, Any]) -> dict[str, int]:
    prompt = sum(len(str(message.get("content", ""))) for message in body.get("messages", []))
    completion = len(reply.content)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _completion(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.content}
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
        "usage": _usage(reply, body),
    }


def _embeddings(body: dict[str, Any], dimension: int) -> dict[str, Any]:
    given = body.get("input", [])
    texts = [given] if isinstance(given, str) else [str(item) for item in given]
    data: list[dict[str, Any]] = []
    for index, content in enumerate(texts):
        vector: Any = unit_vector(content, dimension)
        if body.get("encoding_format") == "base64":
            vector = base64.b64encode(np.asarray(vector, np.float32).tobytes()).decode()
        data.append({"object": "embedding", "index": index, "embedding": vector})
    return {"object": "list", "data": data, "model": "scripted", "usage": {"total_tokens": 1}}


def _rerank(body: dict[str, Any]) -> dict[str, Any]:
    query = set(str(body.get("query", "")))
    scored = [
        (len(query & set(str(document))) / max(1, len(query)), index)
        for index, document in enumerate(body.get("documents", []))
    ]
    ordered = sorted(scored, reverse=True)[: body.get("top_n") or len(scored)]
    return {"results": [{"index": i, "relevance_score": score} for score, i in ordered]}


__all__ = [
    "Reply",
    "Request",
    "Script",
    "ScriptedServer",
    "as_json",
    "cut_off",
    "fenced",
    "hang",
    "html",
    "malformed_json",
    "raw",
    "reject_parameters",
    "require_key",
    "slow",
    "status",
    "text",
    "thinking",
    "unit_vector",
]
