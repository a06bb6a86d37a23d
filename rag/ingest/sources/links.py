"""What a page says to those who crawl it: its links, its own address, whether to take it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from rag.errors import InvalidInput
from rag.ingest.sources.fetch import checked_address

_TRACKING = re.compile(
    r"^(?:utm_\w+|spm|from|share\w*|fbclid|gclid|jsessionid|phpsessid|_t|timestamp)$"
)
"""Parameters that don't change what a page shows."""
_SESSION = re.compile(r";jsessionid=[^/?#]*", re.IGNORECASE)
_NO_PAGE = re.compile(
    r"\.(?:jpe?g|png|gif|bmp|webp|svg|ico|css|js|json|xml|rss|woff2?|ttf|mp[34]|avi|mov|wmv|flv|wav"
    r"|zip|rar|7z|gz|tar|exe|msi|apk|dmg|iso)$",
    re.IGNORECASE,
)
MOST_LINKS = 5000
"""Links read from one page; chosen by us."""


@dataclass(frozen=True)
class PageLinks:
    """Links of a page in order, each once; `follow` and `index` are what its robots meta tag
    allows; `canonical` is the address that the page calls its own, "" when it names none."""

    links: tuple[str, ...] = ()
    canonical: str = ""
    follow: bool = True
    index: bool = True


def read_links(body: bytes, address: str) -> PageLinks:
    """The links of an HTML page; none for what cannot be read."""
    from lxml import etree, html

    try:
        tree = html.document_fromstring(body)
    except (etree.LxmlError, ValueError):
        return PageLinks()
    robots = ",".join(
        str(tag.get("content") or "").lower()
        for tag in tree.iter("meta")
        if str(tag.get("name") or "").lower() == "robots"
    )
    base = next((tag.get("href") for tag in tree.iter("base") if tag.get("href")), None)
    base = urljoin(address, base) if base else address
    links: dict[str, None] = {}
    for tag in tree.iter("a", "area"):
        href = tag.get("href")
        if not href or "nofollow" in str(tag.get("rel") or "").lower():
            continue
        link = page_address(href, base)
        if link and not _NO_PAGE.search(urlsplit(link).path):
            links.setdefault(link)
        if len(links) >= MOST_LINKS:
            break
    named = next(
        (
            tag.get("href")
            for tag in tree.iter("link")
            if str(tag.get("rel") or "").lower() == "canonical" and tag.get("href")
        ),
        "",
    )
    return PageLinks(
        links=tuple(links),
        canonical=page_address(named, base) if named else "",
        follow="nofollow" not in robots and "none" not in robots,
        index="noindex" not in robots and "none" not in robots,
    )


def text_digest(body: bytes) -> str:
    """A hash of what people see of a page, so that tokens, scripts and counters in its markup
    don't make it a changed one; "" for what cannot be read."""
    from lxml import etree, html

    try:
        tree = html.document_fromstring(body)
    except (etree.LxmlError, ValueError):
        return ""
    etree.strip_elements(tree, "script", "style", "noscript", "template", with_tail=False)
    etree.strip_tags(tree, etree.Comment)
    addresses = (str(tag.get("src") or tag.get("href") or "") for tag in tree.iter("img", "a"))
    seen = " ".join(str(tree.text_content()).split()) + "\n" + "\n".join(addresses)
    return hashlib.sha256(seen.encode("utf-8", "replace")).hexdigest()


def page_address(link: str, base: str) -> str:
    """A link as an absolute address without tracking parameters; "" when it is no page."""
    if re.match(r"\s*(?:javascript|mailto|tel|data|file|ftp|about|blob):", link, re.IGNORECASE):
        return ""
    try:
        address = checked_address(urljoin(base, link.strip()))
    except (InvalidInput, ValueError):
        return ""
    parts = urlsplit(address)
    query = parts.query
    if query and any(_TRACKING.match(name.lower()) for name, _ in parse_qsl(query)):
        pairs = parse_qsl(query, keep_blank_values=True)
        query = urlencode([(n, v) for n, v in pairs if not _TRACKING.match(n.lower())])
    return urlunsplit((parts.scheme, parts.netloc, _SESSION.sub("", parts.path), query, ""))
