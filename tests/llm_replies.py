"""What the scripted server of `tests.llm_server` can answer, by name."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


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
