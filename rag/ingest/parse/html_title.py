"""The title of a web page: which of its elements shows it, and what it is without the site's
name. Many pages mark it by a class or by large letters instead of a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from rag.ingest.headings import clause_label, heading_level, is_title_like
from rag.ingest.parse.html_words import INFO_LINE, LEAF_BLOCKS, elements, holds, names

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CELLS = ("td", "th", "li", "dd", "dt", "body", "article", "main", "section")
"""Elements that have their place in a structure: the heading goes into them."""

_TITLE_NAMES = frozenset(
    {"title", "tit", "bt", "biaoti", "headline", "subject", "arttitle", "newstitle", "maintitle"}
)
_BAR = re.compile(r"\s*[_|｜]+\s*|\s+[-–—·]+\s+")
_HYPHEN = re.compile(r"(?<=[一-鿿》）)0-9])[-–—](?=[一-鿿《])")
"""What parts a title from the name of its site; a bare hyphen only beside such a name."""

_SITE_ENDS = re.compile(
    r"(?:网站?|政府|委员会|[^一]局|厅|公司|集团|大学|学院|医院|中心|论坛|社区|频道|官网|首页|门户|报|百科|博客)$"
)
_NO_TITLE = re.compile(
    r"(?:首页|正文|详情|内容页?|文章|新闻|无标题.*|untitled.*|index|home|document|新建.*|网页.*)",
    re.IGNORECASE,
)
_STATED = ("articletitle", "og:title", "twitter:title")
_MIN_TITLE = 4
_MIN_PART = 6
"""Characters of a title, and of a part of one by which the longer one is recognised."""

_MAX_TITLE = 120
_SEARCHED = 400
_FIRST = 4
"""Elements with text among which a title is looked for: one that the page states, and one that
only its look tells. All chosen by us."""

_LARGE_FONT = re.compile(r"font-size\s*:\s*(\d+(?:\.\d+)?)\s*(px|pt|em|rem)", re.IGNORECASE)
_LARGE = {"px": 18.0, "pt": 14.0, "em": 1.3, "rem": 1.3}
"""Size from which letters are large, in each unit; browsers show 16 px. Chosen by us."""


def page_title(soup: BeautifulSoup) -> str:
    """The text of the page's title element; "" when it has none."""
    stated = soup.title.get_text(" ") if soup.title else ""
    return " ".join(stated.split()) or next(iter(_stated_titles(soup)), "")


def without_site(title: str) -> str | None:
    """A page's title without the name of its site ("办法_某市政府网站"); None when nothing
    is left that says what the page is about."""
    parts = [part for part in _BAR.split(title) if part.strip()]
    if len(parts) == 1:
        hyphened = _HYPHEN.split(title)
        parts = hyphened if any(map(_SITE_ENDS.search, hyphened)) else parts
    found = next((part for part in parts if not _SITE_ENDS.search(part)), "".join(parts[:1]))
    found = found.strip()
    usable = _MIN_TITLE <= len(found) <= _MAX_TITLE and not _NO_TITLE.fullmatch(found)
    return found if usable else None


def mark_stated_title(soup: BeautifulSoup, body: Tag) -> None:
    """Make the element that shows the page's stated title its first heading.

    A heading above that is nothing but the site's name goes.
    """
    titles = [*_stated_titles(soup), page_title(soup)]
    titles = [_squeezed(title) for title in titles if title]
    if not titles:
        return
    found: Tag | None = None
    for tag in islice(_leaves(body), _SEARCHED):
        if not _shows(_line(tag), titles) or tag.find_parent(["a", "nav", "footer"]) is not None:
            continue
        linked = tag.name not in _HEADINGS and any(map(_is_linked, _first_line(tag)))
        if not linked and (
            found is None or (tag.name in _HEADINGS and found.name not in _HEADINGS)
        ):
            found = tag
        if found is not None and found.name == "h1":
            break
    if found is None:
        return
    _drop_site_name(body, found, titles)
    _as_heading(soup, found)


def mark_shown_title(soup: BeautifulSoup, root: Tag) -> None:
    """Make a first line in large letters, or one named as the title, a heading.

    Args:
        root: the page without what surrounds its content; one with a heading stays as it is.
    """
    if root.find(["h1", "h2"]) is not None:
        return
    for tag in islice((tag for tag in _leaves(root) if _line(tag)), _FIRST):
        text = _line(tag)
        if INFO_LINE.search(text) or tag.find("a") is not None:
            continue
        if not (_MIN_TITLE <= len(text) <= _MAX_TITLE // 2 and is_title_like(text)):
            return
        if clause_label(text) or heading_level(text) or re.search("[:：]", text):
            return
        if names(tag) & _TITLE_NAMES or _is_large(tag):
            _as_heading(soup, tag)
            return


def _stated_titles(soup: BeautifulSoup) -> Iterator[str]:
    for tag in soup.find_all("meta"):
        name = str(tag.get("name") or tag.get("property") or "").lower()
        text = " ".join(str(tag.get("content") or "").split())
        if name in _STATED and text:
            yield text


def _leaves(root: Tag) -> Iterator[Tag]:
    for tag in elements(root, LEAF_BLOCKS):
        if not holds(tag, LEAF_BLOCKS):
            yield tag


def _line(tag: Tag) -> str:
    """The text of an element up to its first break."""
    return " ".join("".join(_text(node) for node in _first_line(tag)).split())


def _first_line(tag: Tag) -> list[object]:
    nodes: list[object] = []
    for node in tag.children:
        if getattr(node, "name", None) == "br":
            if "".join(_text(n) for n in nodes).strip():
                break
            continue
        nodes.append(node)
    return nodes


def _is_linked(node: object) -> bool:
    from bs4 import Tag as Element

    return isinstance(node, Element) and (node.name == "a" or node.find("a") is not None)


def _text(node: object) -> str:
    from bs4 import Tag as Element

    return node.get_text(" ") if isinstance(node, Element) else str(node)


def _shows(line: str, titles: list[str]) -> bool:
    text = _squeezed(line)
    # A question is a title too.
    shaped = is_title_like(line) or re.search("[?？!！…]$", text)
    if not _MIN_TITLE <= len(text) <= _MAX_TITLE or not shaped:
        return False
    for title in titles:
        if text == title or (len(text) >= _MIN_PART and _begins(title, text)):
            return True
        core = _squeezed(without_site(title) or "")
        if len(text) >= _MIN_TITLE and text == core:
            return True
        if len(core) >= _MIN_PART and len(text) <= 3 * len(core) and text.endswith(core):
            return True
    return False


def _begins(title: str, text: str) -> bool:
    """Whether the title is this text and, apart from it, the name of the site."""
    rest = title[len(text) :] if title.startswith(text) else ""
    return bool(re.match(r"[-_|｜–—·(（]", rest)) or (
        title.endswith(text)
        and bool(re.search(r"[-_|｜–—·]$", title[: -len(text)]))
        and not _SITE_ENDS.search(text)
    )


def _drop_site_name(body: Tag, title: Tag, titles: list[str]) -> None:
    for tag in body.find_all("h1"):
        text = _squeezed(tag.get_text(" "))
        if (
            tag is not title
            and text
            and any(
                other != text and (other.endswith(text) or other.startswith(text))
                for other in titles
            )
        ):
            tag.decompose()


def _as_heading(soup: BeautifulSoup, tag: Tag) -> None:
    if tag.name in _HEADINGS:
        tag.name = "h1"
        return
    line = _first_line(tag)
    whole = "".join(tag.get_text("").split()) == "".join("".join(map(_text, line)).split())
    if whole and tag.name not in _CELLS:
        tag.name = "h1"
        return
    heading = soup.new_tag("h1")
    for node in line:
        heading.append(node.extract())  # type: ignore[attr-defined]
    rest = list(tag.children)
    tag.insert(0, heading)
    if any(_text(node).strip() for node in rest):
        paragraph = soup.new_tag("p")
        for node in rest:
            paragraph.append(node.extract())
        tag.append(paragraph)


def _is_large(tag: Tag) -> bool:
    """Whether all of an element's text is in large letters, or centred and bold."""
    whole = len("".join(tag.get_text("").split()))
    centred = bold = False
    for inner in (tag, *tag.find_all(True)):
        if len("".join(inner.get_text("").split())) < whole:
            continue
        style = str(inner.get("style") or "").lower()
        size = _LARGE_FONT.search(style)
        if size and float(size[1]) >= _LARGE[size[2].lower()]:
            return True
        if inner.name == "font" and re.fullmatch(r"\+[1-5]|[4-7]", str(inner.get("size") or "")):
            return True
        centred |= str(inner.get("align") or "").lower() == "center" or inner.name == "center"
        centred |= bool(re.search(r"text-align\s*:\s*center", style))
        bold |= inner.name in ("b", "strong") or bool(
            re.search(r"font-weight\s*:\s*(?:bold|[6-9]00)", style)
        )
    parent = tag.parent
    centred |= parent is not None and (parent.name == "center" or parent.get("align") == "center")
    return centred and bold


def _squeezed(text: str) -> str:
    return "".join(text.split())
