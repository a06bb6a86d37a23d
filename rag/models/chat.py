"""Chat models behind OpenAI-compatible endpoints, tried in fallback order.

Built on langchain-openai, so that LangChain callbacks see every call. What it adds is what
endpoints in the wild need: a bound on the whole answer's time (theirs is per read), stopping
at once, parameters that a server rejects are left out from then on, thoughts are removed,
and each failure has one plain sentence.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rag.errors import ModelError, ModelNonsense, ModelUnavailable
from rag.models.chat_call import Attempt, Client, ParameterRejected, Request
from rag.models.failures import Endpoint, explain
from rag.models.replies import ThinkStripper, parse_object, problems
from rag.secrets import Secrets
from rag.settings import ChatProfile, ChatSettings

_TEST_TIMEOUT_S = 45.0
"""Longest connection test; thinking models need a while for one word."""


@dataclass(frozen=True)
class Verdict:
    """Outcome of a connection test.

    Attributes:
        ok: whether the model answered.
        message: one or two sentences for people, in Chinese.
        detail: technical detail that may be unfolded; holds no keys.
        ms: time until the answer was complete.
        message_en: the same for the English interface.
    """

    ok: bool
    message: str
    detail: str = ""
    ms: float = 0.0
    message_en: str = ""


class ChatModel:
    """Chat through the profiles, in order. Thread-safe.

    `name`, `last_usage` and `truncated` speak of the calling thread's latest call.

    Args:
        profiles: endpoints in fallback order; may be empty when only `test` is wanted.
        secrets: keys, as `chat:<profile name>`.
    """

    def __init__(self, profiles: Sequence[ChatProfile], secrets: Secrets) -> None:
        self._profiles = tuple(profiles)
        self._secrets = secrets
        self._local = threading.local()
        self._clients: dict[tuple[ChatProfile, str], Client] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Model name of the profile that answered last, else of the first."""
        return getattr(self._local, "name", "") or (
            self._profiles[0].model if self._profiles else ""
        )

    @property
    def last_usage(self) -> dict[str, int]:
        """Tokens of the latest call: `input`, `output`; empty when the endpoint told none."""
        return dict(getattr(self._local, "usage", {}))

    @property
    def truncated(self) -> bool:
        """Whether the latest answer ended at `max_tokens`."""
        return bool(getattr(self._local, "truncated", False))

    def load(self) -> None:
        """Import the client library, so that no time limit pays for it (seconds, once)."""
        import langchain_openai.chat_models.base  # noqa: F401

    def complete_json(
        self, system: str, user: str, schema: dict[str, Any], *, timeout_s: float
    ) -> dict[str, Any]:
        """One JSON object that fits `schema`, from the first profile that manages.

        Args:
            system: instructions; the schema is added to them.
            user: the message.
            schema: JSON schema; nullable fields as `"type": ["string", "null"]`.
            timeout_s: seconds for all profiles together.

        Raises:
            ModelError: no profile gave one; the first profile's reason.
        """
        instructions = (
            f"{system}\n\n"
            "只输出一个 JSON 对象，不要解释，不要代码块。它必须符合这个 JSON Schema：\n"
            + json.dumps(schema, ensure_ascii=False)
        )
        self.load()
        deadline = time.monotonic() + timeout_s
        failures: list[ModelError] = []
        for profile in self._profiles:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                break
            request = Request(
                messages=(("system", instructions), ("user", user)),
                timeout_s=min(remaining, profile.total_timeout_s),
                json=True,
            )
            try:
                value = parse_object("".join(self._ask(profile, request)))
                wrong = problems(value, schema)
                if not wrong:
                    return value
                failures.append(_unfitting(profile, wrong))
            except ModelError as error:
                failures.append(error)
        raise _first(failures)

    def stream(
        self, messages: Sequence[tuple[str, str]], *, stop: threading.Event | None = None
    ) -> Iterator[str]:
        """The answer's text, piece by piece, without `<think>` blocks.

        Falls back to the next profile only as long as nothing was yielded.

        Args:
            messages: (role, text) with roles system, user, assistant.
            stop: ends the answer without an error soon after it is set.

        Raises:
            ModelUnavailable: no profile answers, or the answer broke off in the middle (what
                was yielded before is then a part of it).
            ModelRejected: every endpoint refuses; settings must change.
            ModelNonsense: the answer is empty or not in the protocol.
        """
        failures: list[ModelError] = []
        for profile in self._profiles:
            request = Request(tuple(messages), profile.total_timeout_s, stop=stop)
            stripper = ThinkStripper()
            begun = False
            try:
                for piece in self._ask(profile, request):
                    if shown := stripper.feed(piece):
                        begun = True
                        yield shown
                if rest := stripper.finish():
                    begun = True
                    yield rest
                if begun or (stop is not None and stop.is_set()):
                    return
                failures.append(_empty(profile, self.truncated))
            except ModelError as error:
                if begun:
                    raise
                failures.append(error)
        raise _first(failures)

    def test(self, profile: ChatProfile, key: str | None = None) -> Verdict:
        """Try one profile with a real call, and say in plain words how it went.

        Args:
            profile: the endpoint; need not be one of ours.
            key: a key that is not stored yet; None takes the stored one.
        """
        prompt = (("user", "这是一次连接测试，请只回答两个字：你好"),)
        seconds = min(_TEST_TIMEOUT_S, profile.total_timeout_s)
        self.load()
        begin = time.monotonic()
        try:
            text = "".join(self._ask(profile, Request(prompt, seconds), key))
        except ModelError as error:
            return Verdict(
                False, error.text(), error.detail, _since(begin), message_en=error.text("en")
            )
        ms = _since(begin)
        stripper = ThinkStripper()
        answer = (stripper.feed(text) + stripper.finish()).strip()[:60]
        if not answer:
            empty = _empty(profile, self.truncated)
            return Verdict(False, empty.text(), empty.detail, ms, message_en=empty.text("en"))
        return Verdict(
            True,
            f"连接正常：{profile.model} 在 {ms / 1000:.1f} 秒内回答了“{answer}”。",
            ms=ms,
            message_en=f"Connected: {profile.model} answered “{answer}” in {ms / 1000:.1f} s.",
        )

    def _ask(self, profile: ChatProfile, request: Request, key: str | None = None) -> Iterator[str]:
        """Raw text of one profile; retried while the endpoint rejects optional parameters."""
        self._local.usage, self._local.truncated = {}, False
        self.load()
        stored = self._secrets.get(f"chat:{profile.name}") if key is None else key
        client = self._client(profile, stored)
        deadline = time.monotonic() + request.timeout_s
        while True:
            rejected = client.rejected
            try:
                for item in Attempt(client, request, deadline).items():
                    if isinstance(item, str):
                        yield item
                    else:
                        self._local.usage, self._local.truncated = item.usage, item.truncated
                self._local.name = profile.model
                return
            except ParameterRejected as error:
                if not client.learn(error, request, rejected):
                    raise explain(error.error, client.endpoint) from error.error

    def _client(self, profile: ChatProfile, key: str) -> Client:
        with self._lock:
            client = self._clients.get((profile, key))
            if client is None:
                endpoint = Endpoint("对话模型", "chat model", profile.base_url, profile.model, key)
                client = self._clients[profile, key] = Client(profile, endpoint)
            return client


def create_chat(settings: ChatSettings, secrets: Secrets) -> ChatModel | None:
    """The chat model of the enabled profiles, or None when there is none."""
    profiles = [profile for profile in settings.profiles if profile.enabled]
    return ChatModel(profiles, secrets) if profiles else None


def _since(begin: float) -> float:
    return (time.monotonic() - begin) * 1000


def _first(failures: Sequence[ModelError]) -> ModelError:
    """The first profile's failure, with the others in its detail."""
    if not failures:
        return ModelUnavailable(
            "没有可用的对话模型。",
            "请在管理页面添加并启用一个模型。",
            message_en="There is no chat model to use.",
            remedy_en="Add and enable one on the admin page.",
        )
    first = failures[0]
    for other in failures[1:]:
        first.detail = f"{first.detail}\n{other.message} {other.detail}".strip()
    return first


def _empty(profile: ChatProfile, truncated: bool) -> ModelNonsense:
    if truncated:
        return ModelNonsense(
            f"对话模型 {profile.model} 用完了输出长度还没有写出答案（可能都用在思考上了）。",
            "请在管理页面调大这个模型的输出长度。",
            message_en=f"{profile.model} used up its output length without an answer.",
            remedy_en="Raise the output length on the admin page.",
        )
    return ModelNonsense(
        f"对话模型 {profile.model} 没有返回任何内容。",
        "请确认它兼容 OpenAI 接口，或换一个模型。",
        message_en=f"The chat model {profile.model} returned nothing.",
        remedy_en="Make sure that it speaks the OpenAI protocol, or use another model.",
    )


def _unfitting(profile: ChatProfile, wrong: Sequence[str]) -> ModelNonsense:
    return ModelNonsense(
        f"对话模型 {profile.model} 返回的 JSON 不符合要求。",
        "可以换一个更强的模型，或在管理页面关闭“用模型理解问题”。",
        message_en=f"The JSON of {profile.model} does not fit.",
        remedy_en="Use a stronger model, or switch off understanding by the model.",
        detail="; ".join(wrong[:5]),
    )
