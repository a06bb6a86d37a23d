"""Finds the main content of a web page: takes out what surrounds it, never the page itself.

Three kinds of evidence are weighed: what an element is (tag, role, hidden), what it is called
(class and id), and what it holds (share of link text, the customary words of navigation,
sharing, related articles, comments and imprints). Names alone never remove prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.ingest.parse.html_attached import drop_adverts, drop_inside
from rag.ingest.parse.html_lines import part_fields, wrap_loose_text
from rag.ingest.parse.html_measure import Measure, length, measures
from rag.ingest.parse.html_title import mark_shown_title, mark_stated_title
from rag.ingest.parse.html_words import (
    COMMENTS_TITLE,
    CONTENT_NAMES,
    FURNITURE_NAMES,
    IMPRINT,
    INFO_LINE,
    RELATED_TITLE,
    SIDE_NAMES,
    TOGGLED_NAMES,
    elements,
    is_gone,
    is_surely_furniture,
    names,
)

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_DROPPED = (
    "script", "style", "noscript", "template", "iframe", "svg", "canvas", "select", "input",
    "object", "embed", "audio", "video", "textarea", "rp", "rt", "link", "meta", "datalist",
)  # fmt: skip
_SURROUNDINGS = ("nav", "footer", "aside", "dialog", "menu")
_DROPPED_ROLES = {"navigation", "banner", "contentinfo", "search", "complementary", "dialog"}
_CONTENT_ELEMENTS = ("p", "ul", "ol", "dl", "pre", "blockquote", "h1", "h2", "h3", "h4")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

_CORE_SHARE = 0.7
"""Share of the page's prose that an element must hold to be its main content."""

_NAMED_CORE_SHARE = 0.35
"""The same for an element that is named or marked as the main content."""

_LINK_SHARE = 0.5
"""Share of link text from which a part named like navigation is navigation."""

_ONLY_LINKS = 0.9
_MAX_MENU_ITEM = 12
"""Share of link text, and characters of the longest link, of a table that is a menu."""

_HIDDEN_SHARE = 0.5
"""Share of the page's text up to which a hidden element is left out."""

_SURE_SHARE = 0.34
"""Share of the page's text up to which a part with a sure name (cookies, sharing, comments)
goes whatever it holds; a page that mostly is "comments" is a discussion."""

_INDEX_SHARE = 0.7
"""Share of link text from which a page is a list of links and that list its content."""

_MIN_PROSE = 80
"""Characters of running text from which a part beside the main content belongs to it."""

_RANKING_NAMES = FURNITURE_NAMES | SIDE_NAMES | {"right", "left", "rightside", "aside-right"}
_MAX_HEADLINE = 40
"""Names of columns and boxes that may list other pages, and characters of the longest line in
them; chosen by us."""

_MIN_LEFT = 0.2
"""Share of the prose that must be left; otherwise the page is taken as it is."""

_MAX_IMPRINT = 1200
"""Characters of the longest imprint. All figures chosen by us on pages of public bodies,
encyclopaedias, blogs and shops."""


def main_content(html: str) -> tuple[BeautifulSoup, Tag]:
    """The parsed page and the element to read, with everything else taken out of it."""
    soup, body = _readable(html)
    before = measures(body)[id(body)]
    drop_adverts(body)
    _drop_surroundings(body)
    core = _core(body)
    _drop_beside(body, core)
    core = core if core.parent is not None or core is body else body
    drop_inside(core, measures(core))
    mark_shown_title(soup, body)
    left = measures(body)[id(body)]
    if left.text >= 1 and left.prose >= before.prose * _MIN_LEFT:
        return soup, body
    return _readable(html)


def _readable(html: str) -> tuple[BeautifulSoup, Tag]:
    """The page without what can't be read, its loose text and its title marked as such."""
    soup, body = _parsed(html)
    drop_unreadable(body)
    wrap_loose_text(soup, body)
    part_fields(body)
    mark_stated_title(soup, body)
    return soup, body


def drop_unreadable(root: Tag) -> None:
    """Take out scripts, controls, comments and hidden elements."""
    from bs4.element import PreformattedString

    # Comments, declarations, CDATA and processing instructions are no text of the page.
    for string in root.find_all(string=lambda text: isinstance(text, PreformattedString)):
        string.extract()
    for tag in elements(root, _DROPPED):
        if not is_gone(tag):
            tag.decompose()
    toggled = _toggled_ids(root)
    whole = length(root)
    for tag in root.find_all(True):
        # What is most of the page is only hidden until a script has run.
        hidden = not is_gone(tag) and _is_hidden(tag, toggled)
        if hidden and length(tag) <= whole * _HIDDEN_SHARE:
            tag.decompose()
    for tag in elements(root, ("a",)):
        if not is_gone(tag) and tag.get_text(strip=True) in ("¶", "#", "§", "🔗"):
            tag.decompose()  # the address of a heading
    whole = length(root)
    for tag in elements(root, ("form", "button")):
        if is_gone(tag):
            continue
        # Some sites wrap the whole page in a form, and answers unfold from buttons.
        if tag.name == "form" and length(tag) > whole * _NAMED_CORE_SHARE:
            tag.unwrap()
        elif tag.name == "button" and _unfolds(tag):
            tag.name = "div"
        else:
            tag.decompose()


def _parsed(html: str) -> tuple[BeautifulSoup, Tag]:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "lxml")
    return soup, soup.body or soup


def _is_hidden(tag: Tag, toggled: set[str]) -> bool:
    style = str(tag.get("style") or "").replace(" ", "").lower()
    hidden = (
        tag.get("hidden") is not None
        or tag.get("aria-hidden") == "true"
        or "display:none" in style
        or "visibility:hidden" in style
    )
    if not hidden:
        return False
    unfolded = str(tag.get("id") or "") in toggled or tag.get("role") == "tabpanel"
    return not (unfolded or names(tag) & TOGGLED_NAMES)


_CONTROLS = frozenset(("a", "button", "div", "dt", "h2", "h3", "h4", "li", "span", "p"))


def _toggled_ids(root: Tag) -> set[str]:
    """Ids of elements that visible controls show: tabs and answers that unfold."""
    found: set[str] = set()
    for tag in elements(root, _CONTROLS):
        for name in ("aria-controls", "data-target", "data-bs-target", "onclick"):
            found.update(re.findall(r"[\w-]+", str(tag.get(name) or "")))
        if tag.get("data-toggle") or tag.get("data-bs-toggle") or tag.get("role") == "tab":
            found.add(str(tag.get("href") or "").lstrip("#"))
    return found - {""}


def _unfolds(button: Tag) -> bool:
    if button.get("aria-expanded") is None and button.get("aria-controls") is None:
        unfolding = button.find_parent([*_HEADINGS, "dt", "summary"]) is not None
        if not (unfolding or names(button) & TOGGLED_NAMES):
            return False
    return length(button) >= 4


def _drop_surroundings(body: Tag) -> None:
    """What is navigation, advertisement or imprint by its tag, role or name."""
    sizes = measures(body)
    whole = sizes[id(body)]
    sure: list[Tag] = []
    for tag in body.find_all(True):
        if is_gone(tag) or tag.name in ("main", "article", "body", "html"):
            continue
        own = sizes[id(tag)]
        if tag.name in _SURROUNDINGS or tag.get("role") in _DROPPED_ROLES:
            # A note or a signature inside an article is part of it.
            inside = tag.find_parent(["article", "main"]) is not None
            apart = not inside or own.link_share >= _LINK_SHARE or tag.name in ("nav", "menu")
            if apart and own.text <= whole.text * 0.5:
                tag.decompose()
        elif is_surely_furniture(tag) or _is_side_column(tag):
            sure.append(tag)
        elif tag.name in ("table", "tr", "td", "tbody"):
            if _is_navigation_table(tag, own, whole):
                tag.decompose()
        elif (own.link_share >= _LINK_SHARE and names(tag) & FURNITURE_NAMES) or _is_ranking(
            tag, own, whole
        ):
            tag.decompose()
    sure = [tag for tag in sure if not is_gone(tag)]
    # By identity: comparing elements compares all that is in them.
    known = {id(tag) for tag in sure}
    outermost = [tag for tag in sure if not any(id(other) in known for other in tag.parents)]
    # A page that mostly is "comments" is a discussion.
    total = sum(sizes[id(tag)].prose for tag in outermost)
    for tag in outermost:
        own = sizes[id(tag)]
        small = total <= whole.prose * _SURE_SHARE or _is_side_column(tag)
        if small or own.link_share >= _LINK_SHARE:
            tag.decompose()


def _is_navigation_table(tag: Tag, own: Measure, whole: Measure) -> bool:
    """Whether a table without header is a row or column of links to parts of the site."""
    if tag.name != "table" or own.link_share < _ONLY_LINKS or own.text > whole.text * 0.3:
        return False
    links = tag.find_all("a")
    lengths = [len(link.get_text("", strip=True)) for link in links]
    short = len(links) >= 3 and max(lengths) <= _MAX_MENU_ITEM
    return short and tag.find("th") is None


def _is_ranking(tag: Tag, own: Measure, whole: Measure) -> bool:
    """Whether an element named as a side column or list of others is short lines, links or
    not, under a title over links to other pages ("24小时热榜")."""
    if own.text > whole.text * _HIDDEN_SHARE or not names(tag) & _RANKING_NAMES:
        return False
    lines = [" ".join(line.split()) for line in tag.stripped_strings]
    if len(lines) < 2 or not RELATED_TITLE.fullmatch(lines[0]):
        return False
    return all(len(line) <= _MAX_HEADLINE and "。" not in line for line in lines[1:])


def _is_side_column(tag: Tag) -> bool:
    """Whether the element is named as the column beside one that is named as the content."""
    if not names(tag) & SIDE_NAMES:
        return False
    beside = (*tag.find_previous_siblings(), *tag.find_next_siblings())
    return any(
        other.name in ("main", "article") or names(other) & CONTENT_NAMES for other in beside
    )


def _core(body: Tag) -> Tag:
    """The smallest element that holds most of the running text."""
    sizes = measures(body)
    whole = sizes[id(body)].prose
    marked = [
        *elements(body, ("main", "article")),
        *(tag for tag in body.find_all(True) if tag.get("role") == "main"),
    ]
    named = [tag for tag in elements(body, ("div", "section", "td")) if names(tag) & CONTENT_NAMES]
    for candidates in (marked, named):
        if candidates and whole:
            best = max(candidates, key=lambda tag: sizes[id(tag)].prose)
            if sizes[id(best)].prose >= whole * _NAMED_CORE_SHARE:
                return _with_its_like(best, body, sizes)
    core = body
    if sizes[id(body)].link_share >= _INDEX_SHARE:
        return body
    while True:
        children = [child for child in _tags(core) if id(child) in sizes]
        best_child = max(children, key=lambda tag: sizes[id(tag)].prose, default=None)
        if best_child is None or best_child.name in _CONTENT_ELEMENTS:
            return core
        if best_child.name == "table" and best_child.find("table") is None:
            return core
        if not whole or sizes[id(best_child)].prose < whole * _CORE_SHARE:
            return core
        core = best_child


def _with_its_like(core: Tag, body: Tag, sizes: dict[int, Measure]) -> Tag:
    """The content, or what it shares with others of the same name: posts of a talk."""
    parent = core.parent
    if parent is None or core is body:
        return core
    like = [
        tag
        for tag in _tags(parent)
        if tag is not core
        and tag.name == core.name
        and tag.get("class") == core.get("class")
        and sizes[id(tag)].link_share < _LINK_SHARE
    ]
    return parent if like and (core.get("class") or core.name == "article") else core


def _drop_beside(body: Tag, core: Tag) -> None:
    """Siblings of the main content (and of what it is in) that aren't part of it."""
    sizes = measures(body)
    node = core
    while node is not body and node.parent is not None:
        parent = node.parent
        for sibling in _tags(parent):
            if sibling is not node and not _belongs(sibling, sizes[id(sibling)]):
                sibling.decompose()
        node = parent


def _belongs(tag: Tag, own: Measure) -> bool:
    """Whether an element beside the main content is its title, its data or more of it."""
    text = " ".join(tag.get_text(" ", strip=True).split())
    if len(text) <= _MAX_IMPRINT and IMPRINT.search(text):
        return False
    if COMMENTS_TITLE.match(text) or RELATED_TITLE.match(text):
        return False
    if tag.name in _HEADINGS or tag.name == "br":
        return True
    title = tag.find(["h1", "h2"])
    if title is not None and length(title) >= 4 and own.link_share < _LINK_SHARE:
        return True
    named = bool(names(tag) & FURNITURE_NAMES)
    informs = len(text) <= 400 and INFO_LINE.search(text) and own.link_share <= _LINK_SHARE
    if informs and not named:
        return True
    return own.prose >= _MIN_PROSE * (3 if named else 1) and own.link_share < 0.3


def _tags(tag: Tag) -> Iterator[Tag]:
    from bs4 import Tag as Element

    yield from [child for child in tag.children if isinstance(child, Element)]
