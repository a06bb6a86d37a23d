"""Turns what goes wrong with a model's endpoint into one plain sentence and a remedy.

Serves the chat, embedding and rerank adapters alike. Nothing here lets a key through: the
details are cleaned before they leave.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from rag.errors import ModelError, ModelNonsense, ModelRejected, ModelUnavailable

_DETAIL_CHARACTERS = 300
_KEY_LIKE = re.compile(r"\b(?:sk|key|ak)-[\w*.\-]{3,}|(?i:bearer)\s+\S+")


@dataclass(frozen=True)
class Endpoint:
    """Whom we are talking to, for messages.

    Attributes:
        kind: 对话模型, 向量模型 or 重排模型.
        kind_en: chat model, embedding model or reranker.
        base_url: its address; only the host is ever shown.
        model: its name.
        key: the API key, so that it can be cut out of details.
    """

    kind: str
    kind_en: str
    base_url: str
    model: str
    key: str = ""

    @property
    def host(self) -> str:
        """Host and port, without user, password or path."""
        parts = urlsplit(self.base_url)
        try:
            port = f":{parts.port}" if parts.port else ""
        except ValueError:
            port = ""
        return f"{parts.hostname or '?'}{port}"

    @property
    def on_this_machine(self) -> bool:
        """Whether the address is a loopback one."""
        name = urlsplit(self.base_url).hostname or ""
        return name in ("localhost", "::1") or name.startswith("127.")

    def clean(self, text: str) -> str:
        """`text` without anything that looks like a key, cut to a few lines."""
        if len(self.key) > 3:
            text = text.replace(self.key, "***")
        return _KEY_LIKE.sub("***", text)[:_DETAIL_CHARACTERS]


class NotJson(Exception):
    """The endpoint answered 2xx with something else than JSON or an event stream."""


def usable_key(endpoint: Endpoint) -> str:
    """The key as it goes into the header; a placeholder where none is needed.

    Raises:
        ModelRejected: it has characters that no header can carry.
    """
    key = endpoint.key.strip()
    if not key.isascii() or any(character <= " " for character in key):
        raise ModelRejected(
            f"{endpoint.kind}的密钥里有不该出现的字符（如中文、空格或换行）。",
            "请重新复制密钥，只粘贴密钥本身。",
            message_en=f"The {endpoint.kind_en}'s key has characters that keys cannot have.",
            remedy_en="Copy the key again and paste nothing but the key.",
        )
    return key or "none"


def explain(error: BaseException, endpoint: Endpoint) -> ModelError:
    """The error that people see for an exception of openai or httpx.

    Returns:
        ModelRejected where settings must change, ModelUnavailable where waiting may help,
        ModelNonsense where the answer makes no sense.
    """
    if isinstance(error, ModelError):
        return error
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _by_status(status, _body_text(error), endpoint)
    return _by_cause(error, endpoint)


def is_too_long(error: BaseException) -> bool:
    """Whether an endpoint refused an input for its length."""
    status = getattr(error, "status_code", None)
    return status == 413 or (status in (400, 422) and bool(_TOO_LONG.search(_body_text(error))))


def is_too_many(error: BaseException) -> bool:
    """Whether an endpoint refused the number of inputs in one request."""
    status = getattr(error, "status_code", None)
    return status in (400, 413, 422) and bool(_TOO_MANY.search(_body_text(error)))


def explain_status(status: int, body: str, endpoint: Endpoint) -> ModelError:
    """The error that people see for an HTTP status and its body."""
    return _by_status(status, body, endpoint)


def causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and those that led to it."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def timed_out(endpoint: Endpoint, seconds: float) -> ModelUnavailable:
    """The endpoint is connected but did not finish in time."""
    return ModelUnavailable(
        f"{endpoint.kind} {endpoint.model} 在 {seconds:g} 秒内没有完成回答。",
        "请稍后再试；若常常如此，可在管理页面调大超时时间，或换一个更快的模型。",
        message_en=f"The {endpoint.kind_en} {endpoint.model} did not finish within {seconds:g} s.",
        remedy_en="Try again later, raise the time-outs on the admin page, or use a faster model.",
    )


def _by_cause(error: BaseException, endpoint: Endpoint) -> ModelError:
    kinds = list(causes(error))
    names = {type(item).__name__ for item in kinds}
    kind, kind_en, host = endpoint.kind, endpoint.kind_en, endpoint.host
    detail = endpoint.clean(f"{type(error).__name__}: {error}")

    def unavailable(zh: str, remedy: str, en: str, remedy_en: str) -> ModelUnavailable:
        return ModelUnavailable(zh, remedy, message_en=en, remedy_en=remedy_en, detail=detail)

    if any(isinstance(item, NotJson) for item in kinds):
        return ModelRejected(
            f"{host} 返回的是网页，不是模型接口的数据。",
            "请检查地址：一般以 /v1 结尾，例如 http://主机:端口/v1。",
            message_en=f"{host} returned a web page, not a model's answer.",
            remedy_en="Check the address; it usually ends in /v1.",
            detail=detail,
        )
    if any(isinstance(item, ssl.SSLError) for item in kinds):
        return unavailable(
            f"与 {host} 的加密连接失败。",
            "请检查地址用 http 还是 https，以及服务器的证书。",
            f"The encrypted connection to {host} failed.",
            "Check whether the address wants http or https, and the server's certificate.",
        )
    if any(isinstance(item, socket.gaierror) for item in kinds):
        return unavailable(
            f"找不到{kind}的主机 {host}。",
            "请检查地址有没有写错，以及网络和 DNS 是否正常。",
            f"The {kind_en}'s host {host} is unknown.",
            "Check the address, the network and DNS.",
        )
    if any(isinstance(item, ConnectionRefusedError) for item in kinds):
        return unavailable(
            f"连不上{kind}：{host} 拒绝了连接。",
            "请确认服务已经启动，地址和端口正确。",
            f"{host} refused the connection to the {kind_en}.",
            "Make sure that the service runs and that address and port are right.",
        )
    if "ConnectTimeout" in names:
        return unavailable(
            f"连接{kind}超时：{host} 没有响应。",
            "请检查地址、网络和防火墙。",
            f"Connecting to the {kind_en} at {host} timed out.",
            "Check the address, the network and the firewall.",
        )
    if names & {"ReadTimeout", "WriteTimeout", "PoolTimeout", "APITimeoutError", "TimeoutError"}:
        return unavailable(
            f"{kind} {endpoint.model} 太久没有回应。",
            "请稍后再试；若常常如此，可在管理页面调大读取超时，或换一个更快的模型。",
            f"The {kind_en} {endpoint.model} did not respond for too long.",
            "Try again later, raise the read time-out on the admin page, or use a faster model.",
        )
    if "JSONDecodeError" in names:
        return nonsense(endpoint, detail)
    if names & {"RemoteProtocolError", "ReadError", "WriteError", "ConnectError"} or any(
        isinstance(item, OSError) for item in kinds
    ):
        return unavailable(
            f"与{kind}的连接中断了。",
            "请稍后再试；若反复出现，请检查模型服务的日志和网络。",
            f"The connection to the {kind_en} broke.",
            "Try again later; if it keeps happening, check the service's log and the network.",
        )
    if names & {"APIError", "APIConnectionError"}:
        return unavailable(
            f"{kind} {endpoint.model} 报告了错误。",
            "请稍后再试；若反复出现，请查看模型服务的日志。",
            f"The {kind_en} {endpoint.model} reported an error.",
            "Try again later; if it keeps happening, see the service's log.",
        )
    return nonsense(endpoint, detail)


def nonsense(endpoint: Endpoint, detail: str = "") -> ModelNonsense:
    """The endpoint answered, but not as the protocol says."""
    return ModelNonsense(
        f"{endpoint.kind} {endpoint.model} 的返回内容无法识别。",
        "请确认它兼容 OpenAI 接口，并检查地址和模型名。",
        message_en=f"The answer of the {endpoint.kind_en} {endpoint.model} cannot be understood.",
        remedy_en="Make sure that it speaks the OpenAI protocol; check address and model name.",
        detail=endpoint.clean(detail),
    )


def _body_text(error: BaseException) -> str:
    body = getattr(error, "body", None)
    response = getattr(error, "response", None)
    parts = [str(error), str(body) if body else ""]
    if not body and response is not None:
        parts.append(str(getattr(response, "text", ""))[:2000])
    return " ".join(part for part in parts if part)


_MODEL_UNKNOWN = re.compile(
    r"model.{0,80}?(n.t exist|not.{0,3}exist|not.{0,3}found)"
    r"|(no such|unknown|invalid|unsupported) model|model_?not_?found"
    r"|模型.{0,20}(不存在|未找到|不支持)",
    re.IGNORECASE | re.DOTALL,
)
_KEY_WRONG = re.compile(
    r"(invalid|incorrect|wrong|not valid|missing).{0,30}(api.?key|token)"
    r"|api.?key.{0,30}(invalid|incorrect|not valid|missing)|密钥.{0,10}(错误|无效|不正确)",
    re.IGNORECASE,
)
_NO_MONEY = re.compile(r"insufficient|quota|balance|arrear|billing|余额|欠费|额度", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.{0,10}(length|window)|maximum.{0,20}(context|tokens)|too (long|large|many tokens)"
    r"|上下文.{0,10}(超|长)",
    re.IGNORECASE,
)
_TOO_MANY = re.compile(r"batch|too many (inputs|items|documents)|array.{0,20}(long|length)", re.I)
_REFUSED_CONTENT = re.compile(
    r"content.{0,2}(filter|policy)|inspection|sensitive|moderation|敏感|内容安全|审查",
    re.IGNORECASE,
)


def _by_status(status: int, body: str, endpoint: Endpoint) -> ModelError:
    kind, kind_en, model, host = endpoint.kind, endpoint.kind_en, endpoint.model, endpoint.host
    detail = endpoint.clean(f"HTTP {status} {body}".strip())

    def rejected(zh: str, remedy: str, en: str, remedy_en: str) -> ModelRejected:
        return ModelRejected(zh, remedy, message_en=en, remedy_en=remedy_en, detail=detail)

    def unavailable(zh: str, remedy: str, en: str, remedy_en: str) -> ModelUnavailable:
        return ModelUnavailable(zh, remedy, message_en=en, remedy_en=remedy_en, detail=detail)

    if status == 401 or (status in (400, 403) and _KEY_WRONG.search(body)):
        if not endpoint.key.strip():
            return rejected(
                f"{kind}需要密钥，但还没有设置。",
                "请在管理页面填写密钥。",
                f"The {kind_en} wants a key, and none is set.",
                "Enter the key on the admin page.",
            )
        return rejected(
            f"{kind}的密钥不正确或已失效。",
            "请在管理页面重新填写密钥，并确认它属于这个地址。",
            f"The {kind_en}'s key is wrong or no longer valid.",
            "Enter the key again on the admin page, and make sure that it belongs to this address.",
        )
    if status == 402 or (status in (403, 429) and _NO_MONEY.search(body)):
        return rejected(
            f"{kind}的账户余额或额度不足。",
            "请到服务商处充值或提高额度。",
            f"The account of the {kind_en} has no balance or quota left.",
            "Top it up at the provider.",
        )
    if status == 403:
        return rejected(
            f"这个密钥无权使用{kind} {model}。",
            "请在服务商处开通这个模型，或换一个密钥。",
            f"This key may not use the {kind_en} {model}.",
            "Enable the model at the provider, or use another key.",
        )
    if status in (400, 404, 422) and _MODEL_UNKNOWN.search(body):
        return rejected(
            f"{host} 没有名为 {model} 的模型。",
            "请检查模型名（大小写和版本号都要一致）。",
            f"{host} has no model named {model}.",
            "Check the model's name; case and version matter.",
        )
    if status in (404, 405):
        return rejected(
            f"{host} 上没有这个接口，地址可能不对。",
            "请检查地址：一般以 /v1 结尾，不含 /chat/completions 等后缀。",
            f"{host} has no such interface; the address may be wrong.",
            "Check the address; it usually ends in /v1, without /chat/completions.",
        )
    if status in (400, 413, 422) and (status == 413 or _TOO_LONG.search(body)):
        return rejected(
            f"发给{kind}的内容超过了它的长度限制。",
            "请在管理页面调小上下文长度，或换一个支持更长内容的模型。",
            f"What was sent exceeds the {kind_en}'s length limit.",
            "Lower the context length on the admin page, or use a model with a longer one.",
        )
    if status == 400 and _REFUSED_CONTENT.search(body):
        return rejected(
            f"{kind}的服务方以内容安全为由拒绝了这次请求。",
            "请换个问法，或换一个模型。",
            f"The provider of the {kind_en} refused the request for its content.",
            "Rephrase the question, or use another model.",
        )
    if status == 429:
        return unavailable(
            f"{kind} {model} 的请求太频繁，被限流了。",
            "请稍等片刻再试。",
            f"Too many requests to the {kind_en} {model}.",
            "Wait a moment and try again.",
        )
    if status >= 500 or status == 408:
        return unavailable(
            f"{kind} {model} 的服务出错了（HTTP {status}）。",
            "请稍后再试；若反复出现，请查看模型服务的日志。",
            f"The service of the {kind_en} {model} failed (HTTP {status}).",
            "Try again later; if it keeps happening, see the service's log.",
        )
    return rejected(
        f"{kind} {model} 拒绝了请求（HTTP {status}）。",
        "请检查管理页面里的地址、模型名和参数。",
        f"The {kind_en} {model} rejected the request (HTTP {status}).",
        "Check address, model name and parameters on the admin page.",
    )
