"""One call of one chat endpoint: in a thread of its own, bounded in time, stoppable at once.

The part of `rag.models.chat` that talks to langchain-openai.
"""

from __future__ import annotations

import contextlib
import contextvars
import json
import queue
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rag.errors import ModelError, ModelUnavailable
from rag.models.failures import (
    Endpoint,
    causes,
    explain,
    explain_status,
    nonsense,
    timed_out,
    usable_key,
)
from rag.models.http import http_client
from rag.models.unicode import encodable
from rag.settings import ChatProfile

_POLL_S = 0.05
"""How often a waiting answer looks at its stop event (seconds)."""
_OPTIONAL = ("response_format", "stream_options", "temperature", "max_tokens")
"""Parameters that are left out for an endpoint once it has rejected them."""


@dataclass(frozen=True)
class Request:
    """What is asked: messages as (role, text), seconds for the whole answer, JSON wanted."""

    messages: tuple[tuple[str, str], ...]
    timeout_s: float
    json: bool = False
    stop: threading.Event | None = None


@dataclass(frozen=True)
class End:
    """The last item of an attempt that went well."""

    usage: dict[str, int]
    truncated: bool


class ParameterRejected(Exception):
    """HTTP 400 or 422: perhaps only a parameter is not known."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass
class Client:
    """One endpoint's connection, and what is known about it."""

    profile: ChatProfile
    endpoint: Endpoint
    rejected: frozenset[str] = frozenset()
    local: threading.local = field(default_factory=threading.local)
    _model: Any = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def model(self) -> Any:
        """The LangChain chat model, built at the first use."""
        with self._lock:
            if self._model is None:
                self._model = self._build()
            return self._model

    def _build(self) -> Any:
        import httpx2
        from langchain_openai.chat_models.base import BaseChatOpenAI
        from pydantic import SecretStr

        profile = self.profile
        # BaseChatOpenAI sends `max_tokens`, which compatible servers know; ChatOpenAI renames it.
        return BaseChatOpenAI(
            model=profile.model,
            base_url=profile.base_url.rstrip("/"),
            api_key=SecretStr(usable_key(self.endpoint)),
            timeout=httpx2.Timeout(profile.read_timeout_s, connect=profile.connect_timeout_s),
            max_retries=0,
            openai_proxy="",
            use_responses_api=False,
            http_client=http_client(
                self.endpoint,
                profile.read_timeout_s,
                profile.connect_timeout_s,
                self._response_arrived,
            ),
        )

    def _response_arrived(self, response: Any) -> None:
        self.local.attempt.response = response
        kind = response.headers.get("content-type", "")
        if response.is_success and "application/json" in kind:
            raise _NotStreamed(response.read())

    def options(self, request: Request) -> dict[str, Any]:
        """Parameters of the call, without those that the endpoint has rejected."""
        rejected = self.rejected
        options: dict[str, Any] = {"stream_usage": "stream_options" not in rejected}
        if "temperature" not in rejected:
            options["temperature"] = 0.0 if request.json else self.profile.temperature
        limit = "max_tokens" if "max_tokens" not in rejected else "max_completion_tokens"
        options[limit] = self.profile.max_tokens
        if request.json and "response_format" not in rejected:
            options["extra_body"] = {"response_format": {"type": "json_object"}}
        return options

    def learn(
        self, error: ParameterRejected, request: Request, sent_without: frozenset[str]
    ) -> bool:
        """Leave out what the endpoint complained about. False when nothing can be left out."""
        status = getattr(error.error, "status_code", 0)
        body = f"{error} {getattr(error.error, 'body', '')}"
        open_to_change = [
            name
            for name in _OPTIONAL
            if name not in sent_without and (request.json or name != "response_format")
        ]
        named = {name for name in open_to_change if name in body}
        if not named and status in (400, 422) and "response_format" in open_to_change:
            named = {"response_format"}
        self.rejected = self.rejected | named
        return bool(named)


class Attempt:
    """One call in a thread of its own, so that time-outs and stops are kept to."""

    def __init__(self, client: Client, request: Request, deadline: float) -> None:
        self._client = client
        self._request = request
        self._deadline = deadline
        self._items: queue.SimpleQueue[str | End | Exception] = queue.SimpleQueue()
        self._abandoned = threading.Event()
        self.response: Any = None

    def items(self) -> Iterator[str | End]:
        """Pieces of text, then one `End`; neither after a stop."""
        context = contextvars.copy_context()  # carries LangChain's callbacks over
        threading.Thread(
            target=context.run, args=(self._produce,), daemon=True, name="chat-call"
        ).start()
        finished = False
        try:
            while not finished:
                item = self._next()
                if item is None:
                    return
                if isinstance(item, Exception):
                    finished = True
                    raise item
                finished = isinstance(item, End)
                yield item
        finally:
            if not finished:
                self._abandon()

    def _next(self) -> str | End | Exception | None:
        stop = self._request.stop
        while True:
            if stop is not None and stop.is_set():
                return None
            remaining = self._deadline - time.monotonic()
            if remaining <= 0:
                return timed_out(self._client.endpoint, self._request.timeout_s)
            with contextlib.suppress(queue.Empty):
                return self._items.get(timeout=remaining if stop is None else _POLL_S)

    def _abandon(self) -> None:
        self._abandoned.set()
        stream = getattr(self.response, "extensions", {}).get("network_stream")
        if stream is not None:
            # Wakes the thread that waits for more, so that the endpoint stops writing.
            with contextlib.suppress(Exception):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    def _produce(self) -> None:
        try:
            self._call()
        except Exception as error:
            endpoint = self._client.endpoint
            whole = next((e for e in causes(error) if isinstance(e, _NotStreamed)), None)
            if whole is not None:
                for item in _from_whole(whole.body, endpoint):
                    self._items.put(item)
            elif getattr(error, "status_code", None) in (400, 422):
                self._items.put(ParameterRejected(error))
            else:
                self._items.put(explain(error, endpoint))

    def _call(self) -> None:
        messages = [(role, encodable(text)) for role, text in self._request.messages]
        self._client.local.attempt = self
        chunks = self._client.model().stream(messages, **self._client.options(self._request))
        usage: dict[str, int] = {}
        reason = ""
        any_text = False
        for chunk in chunks:
            if self._abandoned.is_set():
                return
            if chunk.usage_metadata:
                counts = chunk.usage_metadata
                usage = {"input": counts["input_tokens"], "output": counts["output_tokens"]}
            reason = chunk.response_metadata.get("finish_reason") or reason
            if isinstance(chunk.content, str) and chunk.content:
                any_text = True
                self._items.put(chunk.content)
        if any_text and not reason:
            self._items.put(_broken_off(self._client.endpoint))
            return
        self._items.put(End(usage, truncated=reason == "length"))


class _NotStreamed(Exception):
    """The endpoint ignored `stream` and sent one JSON document."""

    def __init__(self, body: bytes) -> None:
        super().__init__("not a stream")
        self.body = body


def _from_whole(body: bytes, endpoint: Endpoint) -> Iterator[str | End | ModelError]:
    """The items of an answer that came in one piece, or the error that it holds."""
    try:
        document = json.loads(body)
        if "choices" not in document:
            yield explain_status(400, body.decode("utf-8", "replace"), endpoint)
            return
        choice = document["choices"][0]
        text = choice["message"].get("content") or ""
        counts = document.get("usage") or {}
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        yield nonsense(endpoint, body.decode("utf-8", "replace"))
        return
    if text:
        yield text
    usage = {}
    if "prompt_tokens" in counts and "completion_tokens" in counts:
        usage = {"input": counts["prompt_tokens"], "output": counts["completion_tokens"]}
    yield End(usage, choice.get("finish_reason") == "length")


def _broken_off(endpoint: Endpoint) -> ModelUnavailable:
    return ModelUnavailable(
        f"{endpoint.kind} {endpoint.model} 的回答中途断开了。",
        "请点“重新生成”再试一次。",
        message_en=f"The answer of {endpoint.model} broke off in the middle.",
        remedy_en="Press “Regenerate” to try again.",
    )
