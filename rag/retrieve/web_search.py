"""Web search through a SearXNG instance that an administrator runs or trusts (its JSON API).

Off by default. What it returns are passages of web pages: untrusted text like any document's.
The address may be private, because an administrator configures it; no address out of a result
is ever fetched.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from rag.errors import ModelUnavailable
from rag.models.failures import Endpoint, NotJson
from rag.models.http import http_client
from rag.types import Chunk, DocumentMetadata, Hit

if TYPE_CHECKING:
    from rag.settings import WebSearchSettings

WEB = "web"
"""The `kb_id` of passages of the web, and the beginning of their ids."""
LONGEST_QUERY = 400
"""Characters of a query that are sent; chosen by us."""
LARGEST_ANSWER = 4 * 2**20
"""Bytes of an answer that are read; a page of SearXNG results has some ten thousand."""
_LONGEST_TITLE = 200
_LONGEST_TEXT = 2000
"""Characters of a title and a snippet that are kept; chosen by us."""
_CONNECT_TIMEOUT_S = 5.0
_TAG = re.compile(r"<[^<>]{0,200}>")
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")


class WebPage(NamedTuple):
    """One result: its title, address and what the search engine quotes of it."""

    title: str
    url: str
    text: str


class WebSearchFailed(ModelUnavailable):
    """The search service gave no usable answer."""


class WebSearch:
    """Asks the configured search service. Thread-safe.

    Args:
        settings: called once per search.
    """

    def __init__(self, settings: Callable[[], WebSearchSettings]) -> None:
        self._settings = settings

    @property
    def ready(self) -> bool:
        """Whether web search is switched on and has an address."""
        settings = self._settings()
        return settings.enabled and bool(settings.url.strip())

    @property
    def timeout_s(self) -> float:
        """Seconds that an answer may take."""
        return self._settings().timeout_s

    def search(self, query: str) -> tuple[WebPage, ...]:
        """The first results for a query, each address once; () for a blank query.

        Raises:
            WebSearchFailed: the service cannot be reached in time, or answers nonsense.
        """
        settings = self._settings()
        query = " ".join(_INVISIBLE.sub(" ", query).split())[:LONGEST_QUERY]
        if not query:
            return ()
        asked = {"q": query, "format": "json", "language": settings.language, "pageno": "1"}
        if settings.engines:
            asked["engines"] = ",".join(settings.engines)
        endpoint = Endpoint("网上搜索", "web search", settings.url, "SearXNG")
        try:
            answer = self._ask(endpoint, asked, settings)
        except WebSearchFailed:
            raise
        except Exception as error:
            raise _failed(endpoint, error) from error
        return _pages(answer, settings.max_results)

    def _ask(
        self, endpoint: Endpoint, asked: dict[str, str], settings: WebSearchSettings
    ) -> object:
        """The decoded answer; bounded in time and size."""
        address = settings.url.strip().rstrip("/").removesuffix("/search") + "/search"
        timeout = settings.timeout_s
        until = time.monotonic() + timeout
        with (
            http_client(endpoint, timeout, min(timeout, _CONNECT_TIMEOUT_S)) as client,
            client.stream("GET", address, params=asked, follow_redirects=False) as response,
        ):
            if response.status_code != 200:
                raise _refused(endpoint, response.status_code)
            body = bytearray()
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST_ANSWER or time.monotonic() > until:
                    raise _failed(endpoint, TimeoutError("too long"))
        return json.loads(body)


def web_hits(pages: Sequence[WebPage]) -> list[Hit]:
    """Results as hits without scores, in their order; each page is a document of one passage."""
    hits: list[Hit] = []
    for page in pages:
        own = f"{WEB}:{hashlib.sha256(page.url.encode()).hexdigest()[:16]}"
        chunk = Chunk(
            id=own,
            document_id=own,
            kb_id=WEB,
            ordinal=0,
            text=page.text,
            char_span=(0, len(page.text)),
            document_name=page.title,
            metadata=DocumentMetadata(title=page.title, source=page.url),
        )
        hits.append(Hit(chunk=chunk))
    return hits


def web_address(chunk: Chunk) -> str:
    """The address of a web page that a search found; "" for passages of documents."""
    return (chunk.metadata.source or "") if chunk.kb_id == WEB else ""


def _pages(answer: object, most: int) -> tuple[WebPage, ...]:
    rows = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise WebSearchFailed(
            "网上搜索服务的回答看不懂。",
            "请确认地址指向 SearXNG。",
            message_en="The web search service's answer cannot be read.",
            remedy_en="Check that the address is that of a SearXNG instance.",
        )
    pages: dict[str, WebPage] = {}
    for row in rows:
        page = _page(row)
        if page is not None and page.url not in pages and len(pages) < most:
            pages[page.url] = page
    return tuple(pages.values())


def _page(row: Any) -> WebPage | None:
    """A result with an address and a text; None for anything else."""
    if not isinstance(row, dict):
        return None
    url, text = row.get("url"), _plain(row.get("content"), _LONGEST_TEXT)
    if not isinstance(url, str) or not text or len(url) > _LONGEST_TEXT:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or _odd(url):
        return None
    return WebPage(_plain(row.get("title"), _LONGEST_TITLE) or parts.hostname, url, text)


def _odd(url: str) -> bool:
    """Whether an address has what could break out of a link: spaces, quotes, brackets."""
    return bool(re.search(r"[\s\"'<>\\^`{}|]", url)) or bool(_INVISIBLE.search(url))


def _plain(value: Any, most: int) -> str:
    """A text without markup and invisible characters, in one line."""
    if not isinstance(value, str):
        return ""
    text = html.unescape(_TAG.sub("", value[: 4 * most]))
    return " ".join(_INVISIBLE.sub(" ", text).split())[:most]


def _refused(endpoint: Endpoint, status: int) -> WebSearchFailed:
    if status == 403:
        return WebSearchFailed(
            "网上搜索服务拒绝了请求。",
            "请在 SearXNG 的 settings.yml 里把 json 加入 search.formats。",
            message_en="The web search service refused the request.",
            remedy_en="Add json to search.formats in SearXNG's settings.yml.",
            detail=f"HTTP {status}, {endpoint.host}",
        )
    return _failed(endpoint, RuntimeError(f"HTTP {status}"))


def _failed(endpoint: Endpoint, error: Exception) -> WebSearchFailed:
    kind = "没有按时回答" if "Timeout" in type(error).__name__ else "无法使用"
    kind_en = "did not answer in time" if "Timeout" in type(error).__name__ else "cannot be used"
    page = isinstance(error, NotJson | ValueError)
    return WebSearchFailed(
        f"网上搜索服务{'的回答看不懂' if page else kind}。",
        "请检查管理页面里的地址。",
        message_en=f"The web search service{chr(39)}s answer cannot be read."
        if page
        else f"The web search service {kind_en}.",
        remedy_en="Check its address on the admin page.",
        detail=endpoint.clean(f"{endpoint.host}: {type(error).__name__}: {error}"),
    )
