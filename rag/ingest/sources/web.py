"""Follows a web page or a site: pages that appeared, changed and went away."""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, ConfigDict, Field

from rag.errors import InvalidInput, NotAllowed, TooLarge, ZhiwenError
from rag.ingest.formats import CODE, CODE_EXTENSIONS, CONVERTIBLE, EXTENSIONS
from rag.ingest.sources.fetch import Fetcher, FetchFailed, Page, checked_address
from rag.ingest.sources.found import Found, Look
from rag.ingest.sources.links import PageLinks, page_address, read_links, text_digest
from rag.ingest.sources.robots import MAX_BYTES as ROBOTS_BYTES
from rag.ingest.sources.robots import NOTHING, Robots, parse_robots
from rag.types import SourceItem, Told

MOST_WAITING = 20
"""Addresses that wait, for each page that may be taken: calendars and filters have endless
ones. Chosen by us."""
FAILURES_IN_A_ROW = 10
"""Failed pages after which a site is left alone until the next time; chosen by us."""
_HTML = frozenset({"text/html", "application/xhtml+xml", ""})
_EXTENSION_OF = {media: name for media, name in EXTENSIONS.items() if media != CODE}
_PICTURES = frozenset({".jpeg", ".tiff"})
_FILES = (frozenset(EXTENSIONS.values()) | frozenset(CONVERTIBLE) | _PICTURES) - CODE_EXTENSIONS
_GONE = frozenset({404, 410})
_BUSY = frozenset({429, 503})
_CHARSET = re.compile(r"charset=[\"']?([\w\-]+)", re.IGNORECASE)
_SAYS_CHARSET = re.compile(rb"<meta[^>]+charset|<\?xml[^>]+encoding", re.IGNORECASE)


class WebConfig(BaseModel):
    """What is followed: `address`, and with a `depth` above 0 the pages that it links to on the
    same host (and below the same directory with `below`), so many links away.

    `files` takes linked PDF and office files too; `delay_s` is the least time between two
    pages in seconds; `removal` says what becomes of documents whose page is gone.
    """

    model_config = ConfigDict(extra="forbid")

    address: str = Field(min_length=1, max_length=2000)
    depth: int = Field(default=0, ge=0, le=10)
    below: bool = False
    files: bool = True
    max_pages: int = Field(default=200, gt=0, le=100_000)
    delay_s: float = Field(default=1.0, ge=0, le=60)
    removal: str = Field(default="hide", pattern="^(keep|hide|remove)$")


class Site:
    """One crawl of a page or a site.

    Args:
        kept: the stored body of a known page, None when it isn't there any more: an unchanged
            page is answered without its text, and its links are needed.
        stop: ends the crawl early.
    """

    def __init__(
        self,
        config: WebConfig,
        fetcher: Fetcher,
        known: Mapping[str, SourceItem],
        *,
        kept: Callable[[SourceItem], bytes | None],
        user_agent: str,
        max_pages: int,
        max_bytes: int,
        stop: threading.Event,
    ) -> None:
        self._config = config
        self._fetcher = fetcher
        self._known = known
        self._kept = kept
        self._user_agent = user_agent
        self._max_pages = min(config.max_pages, max_pages)
        self._max_bytes = max_bytes
        self._stop = stop
        self._robots: dict[str, Robots] = {}
        self._last = float("-inf")
        self._start = page_address(checked_address(config.address), config.address)
        self._place = self._start
        self._complete = True

    def look(self) -> Look:
        """The pages, one after the other as they are fetched.

        Raises (while they are read):
            ZhiwenError: the first page cannot be had; nothing is known about the others.
        """
        return Look(self._pages(), unseen=lambda _: not self._complete)

    # --- Walking ----------------------------------------------------------------------

    def _pages(self) -> Iterator[Found]:
        waiting: deque[tuple[str, int]] = deque([(self._start, 0)])
        queued = {self._start}
        taken: set[str] = set()
        failures = 0
        while waiting and len(taken) < self._max_pages and not self._stop.is_set():
            address, depth = waiting.popleft()
            first = address == self._start
            try:
                page, links = self._visit(address)
            except ZhiwenError as error:
                if first:
                    raise
                failures += isinstance(error, FetchFailed)
                if failures >= FAILURES_IN_A_ROW:
                    break
                yield Found(address, error=Told(error.message, error.message_en))
                continue
            failures = 0
            if page is None:
                if first:
                    raise _forbidden(address)
                continue
            if page.status in _BUSY:
                # The site asks to be left alone; the rest is looked at next time.
                if first:
                    raise _status(address, page.status)
                break
            if first and page.status == 200:
                self._place = page.address
            for found in self._as_found(address, page, links, first, taken):
                yield found
                taken.add(found.key)
            for link in links.links if depth < self._config.depth and links.follow else ():
                room = len(queued) < self._max_pages * MOST_WAITING
                if link not in queued and room and self._belongs(link):
                    queued.add(link)
                    waiting.append((link, depth + 1))
        self._complete = not waiting and not self._stop.is_set()
        if self._complete:
            yield from self._left_over(taken, queued)

    def _left_over(self, taken: set[str], queued: set[str]) -> Iterator[Found]:
        """Known pages that nothing links to any more: gone when the site says so."""
        if not self._config.depth:
            return
        for key in sorted(self._known.keys() - taken):
            if self._stop.is_set():
                self._complete = False
                return
            if key in queued or not self._belongs(key):
                continue  # its answer was told, or it is no part of this source any more
            try:
                page, links = self._visit(key)
            except ZhiwenError as error:
                yield Found(key, error=Told(error.message, error.message_en))
                continue
            if page is not None:
                yield from self._as_found(key, page, links, False, taken)

    def _visit(self, address: str) -> tuple[Page | None, PageLinks]:
        """A page with its links; None where robots.txt keeps us out."""
        robots = self._rules(address)
        if not robots.allows(address):
            return None, PageLinks()
        self._wait(max(self._config.delay_s, robots.delay_s))
        item = self._known.get(address)
        body = self._kept(item) if item is not None and item.stamp else None
        known = _validators(item.stamp) if item is not None and body is not None else {}
        page = self._fetcher.get(address, known, max_bytes=self._max_bytes)
        if page.address != address and not self._rules(page.address).allows(page.address):
            return None, PageLinks()
        text = page.body if page.status == 200 else (body or b"")
        is_html = page.media_type in _HTML or (page.status == 304 and _looks_like_html(text))
        return page, read_links(text, page.address) if is_html else PageLinks()

    def _as_found(
        self, address: str, page: Page, links: PageLinks, first: bool, taken: set[str]
    ) -> Iterator[Found]:
        if page.status in _GONE:
            if first and not self._known:
                raise _status(address, page.status)
            yield Found(address, gone=True)
            return
        if page.status == 304:
            yield Found(address, stamp=self._known[address].stamp)
            return
        if page.status != 200:
            if first:
                raise _status(address, page.status)
            yield Found(
                address,
                error=Told(
                    f"网站返回了错误 {page.status}。",
                    f"The site answered with error {page.status}.",
                ),
            )
            return
        key = page_address(page.address, page.address)
        if not first and key != address and not self._belongs(key):
            return  # it redirects to another site
        if links.canonical and self._belongs(links.canonical) and links.canonical in self._known:
            key = links.canonical
        extension = self._extension(page)
        if key in taken or extension is None or not links.index:
            yield Found(key, passed_over=True)
            return
        body = _with_charset(page) if extension == ".html" else page.body
        yield Found(
            key,
            stamp=_stamp(page),
            digest=text_digest(body) if extension == ".html" else "",
            name=_name(key, extension),
            stated={"source": key},
            content=lambda: body,
        )

    # --- Rules ------------------------------------------------------------------------

    def _belongs(self, address: str) -> bool:
        """Whether an address is part of what is followed."""
        there, start = urlsplit(address), urlsplit(self._place)
        if _without_www(there.netloc) != _without_www(start.netloc):
            return False
        if not self._config.below:
            return True
        return there.path.startswith(start.path[: start.path.rfind("/") + 1])

    def _extension(self, page: Page) -> str | None:
        """The extension of a format that we take, None for anything else."""
        if page.media_type in _HTML:
            return ".html"
        by_name = PurePosixPath(unquote(urlsplit(page.address).path)).suffix.lower()
        extension = _EXTENSION_OF.get(page.media_type) or (by_name if by_name in _FILES else None)
        return extension if extension is None or self._config.files else None

    def _rules(self, address: str) -> Robots:
        parts = urlsplit(address)
        place = f"{parts.scheme}://{parts.netloc}"
        if place not in self._robots:
            self._robots[place] = self._fetch_rules(f"{place}/robots.txt")
        return self._robots[place]

    def _fetch_rules(self, address: str) -> Robots:
        """RFC 9309: no file allows all, a failing server allows nothing for now."""
        try:
            page = self._fetcher.get(address, max_bytes=ROBOTS_BYTES)
        except (TooLarge, InvalidInput):
            return Robots()
        if page.status == 200:
            return parse_robots(page.body.decode("utf-8", "replace"), self._user_agent)
        return NOTHING if page.status >= 500 or page.status == 429 else Robots()

    def _wait(self, seconds: float) -> None:
        left = self._last + seconds - time.monotonic()
        if left > 0:
            self._stop.wait(left)
        self._last = time.monotonic()


def _validators(stamp: str) -> dict[str, str]:
    kind, _, value = stamp.partition(" ")
    return {kind: value} if kind in ("etag", "last-modified") and value else {}


def _stamp(page: Page) -> str:
    """The page's own mark of its version; "" where it has none and the text must be compared."""
    for name in ("etag", "last-modified"):
        value = page.headers.get(name, "").strip()
        if value and len(value) <= 200 and value.isprintable():
            return f"{name} {value}"
    return ""


def _name(address: str, extension: str) -> str:
    """What a page's document is called: its address without the scheme, readable."""
    parts = urlsplit(address)
    path = unquote(parts.path).rstrip("/")
    name = f"{parts.netloc}{path}" + (f"?{unquote(parts.query)}" if parts.query else "")
    return name if name.lower().endswith(extension) and path else name + extension


def _with_charset(page: Page) -> bytes:
    """A page whose encoding only its header tells, in UTF-8; any other as it is."""
    stated = _CHARSET.search(page.headers.get("content-type", ""))
    if stated is None or _SAYS_CHARSET.search(page.body[:2048]):
        return page.body
    try:
        return page.body.decode(stated[1]).encode("utf-8")
    except (LookupError, UnicodeError):
        return page.body


def _looks_like_html(body: bytes) -> bool:
    return b"<" in body[:200] and not body.startswith(b"%PDF")


def _without_www(host: str) -> str:
    return host.removeprefix("www.")


def _status(address: str, status: int) -> FetchFailed:
    return FetchFailed(
        f"网站对“{address[:100]}”返回了错误 {status}。",
        "请确认网址能在浏览器里打开；稍后会自动重试。",
        message_en=f"The site answered {address[:100]} with error {status}.",
        remedy_en="Check that it opens in a browser; it will be tried again later.",
    )


def _forbidden(address: str) -> NotAllowed:
    return NotAllowed(
        f"网站的 robots.txt 不允许抓取“{address[:100]}”。",
        "请换一个网址，或下载后作为文件上传。",
        message_en=f"The site's robots.txt doesn't allow {address[:100]} to be fetched.",
        remedy_en="Choose another address, or download it and upload the file.",
    )
