"""HTML: the main content of a page, without scripts, navigation and hidden parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.ingest.table import to_markdown, trim
from rag.types import Block, Page

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_DROPPED = (
    "script", "style", "noscript", "template", "iframe", "svg", "canvas", "nav", "footer", "aside",
    "form", "button", "select", "input", "object", "embed", "audio", "video", "dialog", "menu",
)  # fmt: skip
_DROPPED_ROLES = {"navigation", "banner", "contentinfo", "search", "complementary", "dialog"}
_BOILERPLATE = re.compile(
    r"(^|[-_ ])(nav|navbar|menu|breadcrumbs?|crumb|footer|foot|sidebar|side|share|social|comments?|"
    r"advert\w*|ads?|cookie\w*|popup|pagination|pager|copyright|related|recommend\w*|toolbar)"
    r"($|[-_ ])",
    re.IGNORECASE,
)
_BLOCKS = {
    "address", "article", "blockquote", "center", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol",
    "p", "pre", "section", "summary", "table", "ul", "body", "html", "tbody", "tr", "td", "th",
}  # fmt: skip

_MAIN_SHARE = 0.3
"""Share of the page's text that <main> or <article> must hold to be taken for the content."""

_LINK_SHARE = 0.5
"""Share of link text from which a part named like navigation is navigation. Both chosen by us."""

_MAX_SPAN = 200
"""Largest rowspan or colspan that is believed."""


def parse_html(html: str) -> tuple[tuple[Page, ...], str | None]:
    """One page of blocks, and the page's title when it has one."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "lxml")
    title = soup.title.get_text(" ", strip=True) if soup.title else None
    root = _main(soup)
    blocks = [block for block in _walk(root) if block.text.strip()]
    return (Page(number=1, blocks=tuple(blocks)),), title or None


def html_fragment_blocks(html: str) -> list[Block]:
    """Blocks of a piece of HTML inside another format (Markdown); nothing is left out."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "lxml")
    for tag in soup(["script", "style"]):
        tag.decompose()
    return [block for block in _walk(soup.body or soup) if block.text.strip()]


def _main(soup: BeautifulSoup) -> Tag:
    from bs4 import Comment

    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    body = soup.body or soup
    whole = len(body.get_text("", strip=True))
    for tag in body.find_all(_DROPPED):
        # Some sites wrap the whole page in a form; that one is no form to leave out.
        if tag.name == "form" and len(tag.get_text("", strip=True)) > whole * _MAIN_SHARE:
            tag.unwrap()
        elif not tag.decomposed:
            tag.decompose()
    for tag in body.find_all(True):
        if not tag.decomposed and tag.attrs is not None and _is_boilerplate(tag):
            tag.decompose()
    whole = len(body.get_text("", strip=True))
    for name in ("main", "article"):
        found = body.find_all(name)
        if len(found) == 1 and len(found[0].get_text("", strip=True)) >= whole * _MAIN_SHARE:
            return found[0]
    return body


def _is_boilerplate(tag: Tag) -> bool:
    if tag.get("hidden") is not None or tag.get("aria-hidden") == "true":
        return True
    style = str(tag.get("style") or "").replace(" ", "").lower()
    if "display:none" in style or "visibility:hidden" in style:
        return True
    if tag.get("role") in _DROPPED_ROLES:
        return True
    if tag.name in ("main", "article", "body", "table", "tr", "td"):
        return False
    classes = tag.get("class")
    names = [*(classes if isinstance(classes, list) else []), str(tag.get("id") or "")]
    if not any(_BOILERPLATE.search(name) for name in names if name):
        return False
    text = len(tag.get_text("", strip=True))
    links = sum(len(link.get_text("", strip=True)) for link in tag.find_all("a"))
    return text == 0 or links / text >= _LINK_SHARE


def _walk(tag: Tag) -> Iterator[Block]:
    """Blocks in document order; loose text between block elements becomes paragraphs."""
    from bs4 import NavigableString, Tag

    loose: list[str] = []

    def paragraph() -> Iterator[Block]:
        text = _tidy("".join(loose))
        loose.clear()
        if text:
            yield Block(kind="paragraph", text=text)

    for child in tag.children:
        if isinstance(child, NavigableString):
            loose.append(re.sub(r"\s+", " ", str(child)))
        elif isinstance(child, Tag):
            if child.name not in _BLOCKS and not child.find(list(_BLOCKS)):
                loose.append(_inline(child))
                continue
            yield from paragraph()
            yield from _element(child)
    yield from paragraph()


def _element(tag: Tag) -> Iterator[Block]:
    name = tag.name
    if re.fullmatch("h[1-6]", name):
        text = _tidy(_inline(tag)).replace("\n", " ")
        if text:
            yield Block(kind="heading", text=text, level=int(name[1]))
    elif name == "table":
        yield from _table(tag)
    elif name == "pre":
        yield Block(kind="code", text=tag.get_text().strip("\n"))
    elif name in ("ul", "ol", "dl"):
        lines = list(_list_lines(tag, 0))
        if lines:
            yield Block(kind="list", text="\n".join(lines))
    elif name != "hr":
        yield from _walk(tag)


def _list_lines(tag: Tag, depth: int) -> Iterator[str]:
    number = _integer(tag.get("start"), 1)
    for item in tag.find_all(["li", "dt", "dd"], recursive=False):
        nested = [child.extract() for child in item.find_all(["ul", "ol"], recursive=False)]
        text = _tidy(_inline(item))
        if text:
            mark = {"ol": f"{number}. ", "ul": "- "}.get(tag.name, "")
            yield "  " * depth + mark + text
        number += 1
        for inner in nested:
            yield from _list_lines(inner, depth + 1)


def _inline(tag: Tag) -> str:
    from bs4 import NavigableString, Tag

    parts: list[str] = []
    for child in tag.children:
        if isinstance(child, NavigableString):
            parts.append(re.sub(r"\s+", " ", str(child)))
        elif isinstance(child, Tag):
            if child.name == "br":
                parts.append("\n")
            elif child.name == "img":
                parts.append(str(child.get("alt") or ""))
            elif child.name in _BLOCKS:
                parts.append("\n" + _inline(child) + "\n")
            else:
                parts.append(_inline(child))
    return "".join(parts)


def _table(tag: Tag) -> Iterator[Block]:
    """A data table, or the content of a table that only arranges the page."""
    cells = tag.find_all(["td", "th"])
    nested = tag.find("table") is not None
    if nested or len(cells) <= 1:
        for cell in cells:
            if cell.find_parent("table") is tag:
                yield from _walk(cell)
        return
    caption = tag.find("caption")
    if caption is not None:
        yield Block(kind="paragraph", text=_tidy(caption.get_text(" ", strip=True)))
    rows = trim(_grid(tag))
    if not rows:
        return
    if len(rows[0]) == 1:
        yield Block(kind="paragraph", text="\n".join(row[0] for row in rows if row[0]))
        return
    yield Block(kind="table", text=to_markdown(rows), rows=tuple(map(tuple, rows)))


def _grid(tag: Tag) -> list[list[str]]:
    """The table's cells with spanned ones repeated."""
    grid: list[list[str]] = []
    pending: dict[tuple[int, int], str] = {}
    for y, row in enumerate(tag.find_all("tr")):
        texts: list[str] = []
        for cell in row.find_all(["td", "th"], recursive=False):
            while (y, len(texts)) in pending:
                texts.append(pending.pop((y, len(texts))))
            text = _tidy(_inline(cell)).replace("\n", " ")
            wide = min(_integer(cell.get("colspan"), 1), _MAX_SPAN)
            high = min(_integer(cell.get("rowspan"), 1), _MAX_SPAN)
            for below in range(1, high):
                for column in range(len(texts), len(texts) + wide):
                    pending[y + below, column] = text
            texts.extend([text] * wide)
        while (y, len(texts)) in pending:
            texts.append(pending.pop((y, len(texts))))
        grid.append(texts)
    return grid


def _integer(value: object, default: int) -> int:
    text = str(value or "")
    return max(int(text), 1) if text.isdecimal() else default


def _tidy(text: str) -> str:
    lines = (re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
