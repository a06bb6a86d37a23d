"""Takes out what sites put into and behind an article: adverts, links to related pages,
readers' comments, lines of the interface. Part of finding a page's main content."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rag.ingest.parse.html_measure import Measure, length
from rag.ingest.parse.html_words import (
    AD_LABEL,
    AD_NAME,
    BARE_COMMENTS_TITLE,
    COMMENT_NAMES,
    COMMENTS_TITLE,
    LABELLED_AD,
    LEAF_BLOCKS,
    RELATED_TITLE,
    holds,
    is_gone,
    is_interface_line,
    names,
)

if TYPE_CHECKING:
    from bs4 import PageElement, Tag

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_STRUCTURE = ("body", "main", "article", "td", "html")

_LINK_SHARE = 0.5
_MOSTLY_LINKS = 0.8
"""Share of link text from which what stands behind a title of links is a list of links, and
from which a line with such a title before it is one."""

_MAX_AD = 300
_MAX_LABELLED_AD = 120
"""Characters of the longest advert that is known by its name, and by its label."""

_COMMENTS_SHARE = 0.34
_MIN_ARTICLE = 100
"""Share of the page's prose up to which comments behind their title go; and prose before them
from which they go however many they are. All chosen by us."""


def drop_adverts(root: Tag) -> None:
    """Take out short parts that are named or labelled as advertisements."""
    whole = length(root)
    for tag in root.find_all(True):
        if is_gone(tag) or tag.name in ("a", "td", "tr", "tbody", "table", *_STRUCTURE):
            continue
        named = _is_named_ad(tag)
        if not named and not _starts_labelled(tag):
            continue
        own = length(tag)
        if own > min(_MAX_AD, whole * 0.5):
            continue
        if named or _is_labelled_ad(tag, own):
            tag.decompose()


def drop_inside(core: Tag, measures: Mapping[int, Measure]) -> None:
    """Take lines of the interface, lists of related pages and comments out of a content.

    Args:
        measures: of `core` and each element in it, by identity.
    """
    whole = measures[id(core)]
    before = 0.0
    for tag in [core, *core.find_all(True)]:
        if tag.name not in LEAF_BLOCKS or is_gone(tag) or holds(tag, LEAF_BLOCKS):
            continue
        text = " ".join(tag.get_text(" ", strip=True).split())
        if not text:
            continue
        if RELATED_TITLE.fullmatch(text):
            _drop_links_behind(tag, measures)
        elif COMMENTS_TITLE.fullmatch(text) and (
            not BARE_COMMENTS_TITLE.fullmatch(text) or _among_comments(tag)
        ):
            enough = before >= _MIN_ARTICLE and not BARE_COMMENTS_TITLE.fullmatch(text)
            _drop_behind(tag, measures, whole.prose * (1.0 if enough else _COMMENTS_SHARE))
        elif (
            tag is not core
            and tag.name not in ("td", "th", *_HEADINGS)
            and is_interface_line(text, tag.find("a") is not None)
        ):
            tag.decompose()
        else:
            _drop_links_within(tag)
            if not is_gone(tag) and id(tag) in measures:
                before += measures[id(tag)].prose


def _is_named_ad(tag: Tag) -> bool:
    classes = tag.get("class")
    whole = [*(classes if isinstance(classes, list) else []), str(tag.get("id") or "")]
    return any(AD_NAME.fullmatch(re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name)) for name in whole)


def _starts_labelled(tag: Tag) -> bool:
    first = next(tag.stripped_strings, "")
    return bool(AD_LABEL.fullmatch(first) or LABELLED_AD.match(first))


def _is_labelled_ad(tag: Tag, own: int) -> bool:
    """Whether a part that begins with a label is an advert: nothing else than links, or a line
    that calls to buy."""
    if own > _MAX_LABELLED_AD:
        return False
    first, *rest = tag.stripped_strings
    if AD_LABEL.fullmatch(first):
        after = None if rest else tag.find_next_sibling()
        if after is not None and 0 < length(after) <= _MAX_LABELLED_AD:
            if _linked(after) < _MOSTLY_LINKS * length(after):
                return False
            after.decompose()
            return True
        linked = sum(len("".join(a.get_text("").split())) for a in tag.find_all("a"))
        others = sum(len("".join(text.split())) for text in rest)
        return bool(rest) and linked >= _MOSTLY_LINKS * others
    text = tag.get_text("", strip=True)
    return not holds(tag, LEAF_BLOCKS) and (
        not text.endswith(("。", "；", "：")) or tag.find("a") is not None
    )


def _drop_links_behind(title: Tag, measures: Mapping[int, Measure]) -> None:
    """A title like "相关阅读" together with the list of links that it heads."""
    node = title
    while node.parent is not None and node.find_next_sibling() is None:
        parent = node.parent
        if parent.name in _STRUCTURE:
            break
        node = parent
    doomed = []
    for tag in node.find_next_siblings():
        own = measures.get(id(tag))
        if tag.name in _HEADINGS or own is None or own.link_share < _LINK_SHARE:
            break
        doomed.append(tag)
    for tag in doomed:
        tag.decompose()
    if doomed:
        node.decompose()


def _drop_links_within(tag: Tag) -> None:
    """A title like "相关链接：" in a line or between breaks, with the links behind it."""
    nodes = list(tag.children)
    for position, node in enumerate(nodes):
        text = _text(node)
        if not text.strip() or not RELATED_TITLE.fullmatch(text.strip()):
            continue
        behind = nodes[position + 1 :]
        whole = sum(len("".join(_text(n).split())) for n in behind)
        linked = sum(_linked(n) for n in behind)
        if not whole or linked < _MOSTLY_LINKS * whole:
            continue
        for doomed in nodes[position:]:
            doomed.extract()
        if not tag.get_text("", strip=True) and tag.name not in _STRUCTURE:
            tag.decompose()
        return


def _drop_behind(title: Tag, measures: Mapping[int, Measure], most: float) -> None:
    """A title like "网友评论" with all behind it, unless that is more than `most` prose."""
    node = title
    own = length(title)
    # The title stands in a box with nothing else: what it heads is beside the box.
    while node.parent is not None and node.parent.name not in _STRUCTURE:
        if length(node.parent) > own + 12:
            break
        node = node.parent
    doomed: list[Tag] = [node]
    for tag in node.find_next_siblings():
        if tag.name in _HEADINGS and not COMMENTS_TITLE.match(tag.get_text(strip=True)):
            break
        doomed.append(tag)
    if sum(m.prose for tag in doomed if (m := measures.get(id(tag)))) <= most:
        for tag in doomed:
            tag.decompose()


def _among_comments(title: Tag) -> bool:
    """Whether a bare "评论" stands in or before a part that is named after comments."""
    after = title.find_next_sibling()
    near: Sequence[Tag | None] = (title, title.parent, after, title.parent and title.parent.parent)
    return any(tag is not None and names(tag) & COMMENT_NAMES for tag in near)


def _text(node: PageElement) -> str:
    from bs4 import Tag as Element

    return node.get_text("") if isinstance(node, Element) else str(node)


def _linked(node: PageElement) -> int:
    from bs4 import Tag as Element

    if not isinstance(node, Element):
        return 0
    links = [node] if node.name == "a" else node.find_all("a")
    return sum(len("".join(a.get_text("").split())) for a in links)
