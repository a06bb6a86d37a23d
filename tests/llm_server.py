"""A scripted OpenAI-compatible HTTP server for tests: chat, embeddings and rerank.

Usage::

    with ScriptedServer() as server:
        server.script(status(429), text("好的。"))        # one reply per chat request
        server.script(reject_parameters("response_format"))  # as a callable of the request
        ... talk to server.url ...
        assert server.requests[0].body["messages"]

Chat replies are used up in order, one per chat request; the last one given with
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
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

import numpy as np

Path = Literal["chat", "embeddings", "rerank", "models"]


@dataclass
class Request:
    """A request as it arrived. `closed_early`: the client hung up before the reply's end."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float = field(default_factory=time.monotonic)
    closed_early: bool = False


@dataclass(frozen=True)
class Reply:
    """What the server does with one request.

    Attributes:
        content: the assistant's text; streamed in pieces of `piece` characters on request.
        status: HTTP status; anything but 200 sends an error object with `message`.
        message: the error's text.
        body: raw body in place of all of the above, sent as `content_type`.
        delay_s: seconds before the first byte.
        pace_s: seconds between two streamed pieces.
        cut_after: hang up after this many streamed pieces (None: never).
        clean_cut: end the HTTP message properly at the cut, so that only the missing
            finish_reason tells.
        finish_reason: the last chunk's; None leaves it out.
        reasoning: sent as `reasoning_content` before the content, as thinking servers do.
        error_after: send an error object inside the stream after this many pieces.
        headers: more response headers.
    """

    content: str = "好的。"
    status: int = 200
    message: str = ""
    code: str | None = None
    body: bytes | None = None
    content_type: str = "application/json"
    delay_s: float = 0.0
    pace_s: float = 0.0
    piece: int = 4
    cut_after: int | None = None
    clean_cut: bool = False
    finish_reason: str | None = "stop"
    reasoning: str = ""
    error_after: int | None = None
    headers: tuple[tuple[str, str], ...] = ()


Script = Reply | Callable[[Request], Reply]


def text(content: str, **options: Any) -> Reply:
    """A plain answer."""
    return Reply(content=content, **options)


def as_json(value: Any, **options: Any) -> Reply:
    """An answer that is one JSON value."""
    return Reply(content=json.dumps(value, ensure_ascii=False), **options)


def fenced(value: Any, **options: Any) -> Reply:
    """JSON inside a Markdown code fence with chatter around it."""
    body = json.dumps(value, ensure_ascii=False, indent=2)
    return Reply(content=f"好的，结果如下：\n```json\n{body}\n```\n希望有帮助。", **options)


def thinking(thought: str, content: str, **options: Any) -> Reply:
    """A `<think>` block before the answer."""
    return Reply(content=f"<think>\n{thought}\n</think>\n\n{content}", **options)


def malformed_json(**options: Any) -> Reply:
    """JSON that ends in the middle."""
    return Reply(content='{"intent": "fact", "slots": {"region": ["浙', **options)


def slow(content: str, pace_s: float = 0.2, **options: Any) -> Reply:
    """An answer that drips."""
    return Reply(content=content, pace_s=pace_s, **options)


def hang(seconds: float = 30.0) -> Reply:
    """Nothing at all for a long time."""
    return Reply(delay_s=seconds)


def cut_off(content: str, after: int = 2, **options: Any) -> Reply:
    """The connection breaks in mid-stream."""
    return Reply(content=content, cut_after=after, **options)


def status(http_status: int, message: str = "", **options: Any) -> Reply:
    """An HTTP error with an OpenAI error object."""
    return Reply(status=http_status, message=message or f"error {http_status}", **options)


def html(code: int = 200, body: str = "<html><body>Welcome to nginx!</body></html>") -> Reply:
    """A web page where JSON belongs."""
    return Reply(status=code, body=body.encode(), content_type="text/html; charset=utf-8")


def raw(body: bytes | str, content_type: str = "application/json", code: int = 200) -> Reply:
    """Any bytes at all."""
    data = body.encode() if isinstance(body, str) else body
    return Reply(status=code, body=data, content_type=content_type)


def reject_parameters(*names: str, then: Reply | None = None) -> Callable[[Request], Reply]:
    """A server that answers 400 to requests with one of these parameters, else `then`."""

    def decide(request: Request) -> Reply:
        for name in names:
            if name in request.body:
                return status(400, f"Unsupported parameter: '{name}'", code="unsupported")
        return then or Reply()

    return decide


def require_key(key: str, then: Reply | None = None) -> Callable[[Request], Reply]:
    """A server that answers 401 unless the bearer token is `key`; it echoes what it got."""

    def decide(request: Request) -> Reply:
        got = request.headers.get("authorization", "").removeprefix("Bearer ")
        if got != key:
            return status(401, f"Incorrect API key provided: {got}", code="invalid_api_key")
        return then or Reply()

    return decide


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
