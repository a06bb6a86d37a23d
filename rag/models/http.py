"""HTTP clients for model endpoints: one place for proxies, time-outs and wrong content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rag.errors import ModelUnavailable
from rag.models.failures import Endpoint, NotJson


def http_client(
    endpoint: Endpoint,
    read_timeout_s: float,
    connect_timeout_s: float,
    on_response: Callable[[Any], None] | None = None,
) -> Any:
    """An `httpx2.Client` (what the openai client is built on) for an endpoint.

    A server on this machine is reached directly, whatever proxy the environment names.

    Args:
        endpoint: whom it talks to.
        read_timeout_s: seconds without a new byte.
        connect_timeout_s: seconds until a connection stands.
        on_response: called with each response before its body is read.

    Raises:
        ModelUnavailable: the environment's proxy cannot be used.
    """
    import httpx2

    def check(response: Any) -> None:
        if on_response is not None:
            on_response(response)
        if response.is_success and "html" in response.headers.get("content-type", ""):
            raise NotJson(response.headers["content-type"])

    try:
        return httpx2.Client(
            timeout=httpx2.Timeout(read_timeout_s, connect=connect_timeout_s),
            follow_redirects=True,
            trust_env=not endpoint.on_this_machine,
            event_hooks={"response": [check]},
        )
    except (ImportError, ValueError) as error:
        raise ModelUnavailable(
            "系统设置的网络代理无法使用。",
            "SOCKS 代理需要先运行 pip install socksio；也可改用 http 代理，或去掉 *_PROXY 变量。",
            message_en="The network proxy of the environment cannot be used.",
            remedy_en="Run pip install socksio for SOCKS, use an http proxy, or unset *_PROXY.",
            detail=endpoint.clean(f"{type(error).__name__}: {error}"),
        ) from error
