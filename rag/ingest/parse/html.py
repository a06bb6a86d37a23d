"""HTML: the blocks of a page's main content in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rag.ingest.headings import clause_label, heading_level
from rag.ingest.parse.html_inline import element_text, inline, tidy
from rag.ingest.parse.html_lines import with_parted_fields
from rag.ingest.parse.html_main import drop_unreadable, main_content
from rag.ingest.parse.html_tables import table_blocks
from rag.ingest.parse.html_title import page_title, without_site
from rag.ingest.parse.html_words import (
    LEAF_BLOCKS,
    holds,
    is_interface_line,
    without_interface_tail,
)
from rag.types import Block, Page

if TYPE_CHECKING:
    from bs4 import Tag

BLOCKS = frozenset((*LEAF_BLOCKS, "hr", "body", "html", "caption", "thead", "tfoot"))
"""Elements that end the line before them."""

_HEADING = re.compile("h[1-6]")
_MAX_DEPTH = 200
"""Elements nested deeper are read as plain text; browsers stop at 512. Chosen by us."""

_LONG_ITEM = 200
"""Characters from which an explanation in a definition list is a paragraph of its own."""

_SECTIONS = frozenset(("h1", "h2", "h3", "h4", "table", "pre", "details", "dl"))
"""What a list has in it that arranges sections."""

_META_NAMES = {
    "articletitle": "标题",
    "pubdate": "发布日期",
    "publishdate": "发布日期",
    "article:published_time": "发布日期",
    "contentsource": "发布机构",
    "author": "author",
    "keywords": "关键词",
    "sitename": "sitename",
    "og:site_name": "sitename",
}
"""Names in <meta> (the standard of Chinese government sites, Open Graph) that say something
about the text, and the names that `rag.ingest.metadata` knows them by."""


def parse_html(html: str) -> tuple[tuple[Page, ...], str | None]:
    """One page of blocks, and the page's title when it has one.

    Navigation, advertisements, scripts, hidden parts and the like are left out. When too
    little would be left, the page is taken as it is.
    """
    soup, root = main_content(html)
    title = page_title(soup)
    found = [
        block
        for block in _numbered(walk(root))
        if block.kind != "paragraph" or not is_interface_line(block.text, linked=False)
    ]
    blocks = tuple(_titled(list(with_numbered_headings(found)), title))
    headings = [block.text for block in blocks if block.kind == "heading"]
    return (Page(number=1, blocks=blocks),), _page_title(title, headings)


def html_fragment_blocks(html: str) -> list[Block]:
    """Blocks of a piece of HTML inside another format (Markdown, mail, EPUB); nothing that
    can be seen is left out."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "lxml")
    root = soup.body or soup
    drop_unreadable(root)
    return list(_numbered(walk(root)))


def with_numbered_headings(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks with "第一章 总则" or "一、申请条件" as headings, on pages that mark none, and
    articles ("第三条") that only breaks part as paragraphs of their own."""
    marked = sum(block.kind == "heading" and (block.level or 1) > 1 for block in blocks)
    for block in blocks:
        if block.kind != "paragraph" or marked > 1:
            yield block
            continue
        group: list[str] = []
        for line in block.text.split("\n"):
            level = heading_level(line, decimals=False)
            if group and (level is not None or clause_label(line)):
                yield block.model_copy(update={"text": "\n".join(group)})
                group = []
            if level is not None:
                yield Block(kind="heading", text=line, level=level)
            else:
                group.append(line)
        if group:
            yield block.model_copy(update={"text": "\n".join(group)})


def html_metadata(html: str) -> dict[str, Any]:
    """What a page's <meta> elements say about it, by names that `rag.ingest.metadata` reads."""
    from bs4 import BeautifulSoup

    found: dict[str, Any] = {}
    soup = BeautifulSoup(html[: html.lower().find("</head") + 1 or 20_000], "lxml")
    for tag in soup.find_all("meta"):
        name = _META_NAMES.get(str(tag.get("name") or tag.get("property") or "").lower())
        content = str(tag.get("content") or "").strip()
        if name and content:
            found.setdefault(name, content)
    return found


def walk(tag: Tag, depth: int = 0) -> Iterator[Block]:
    """Blocks in document order; loose text between block elements becomes paragraphs."""
    from bs4 import NavigableString, Tag

    if depth > _MAX_DEPTH:
        text = tidy(" ".join(tag.stripped_strings))
        if text:
            yield Block(kind="paragraph", text=text)
        return
    loose: list[str] = []

    def paragraph() -> Iterator[Block]:
        # Two breaks in a row part paragraphs on pages that know no <p>.
        texts = re.split(r"\n[ \xa0　]*\n", "".join(loose))
        loose.clear()
        for text in map(tidy, texts):
            if text:
                yield Block(kind="paragraph", text=text)

    for child in tag.children:
        if isinstance(child, Tag):
            if child.name not in BLOCKS and not holds(child, BLOCKS):
                loose.append(element_text(child))
                continue
            yield from paragraph()
            yield from _element(child, depth + 1)
        elif isinstance(child, NavigableString):
            loose.append(re.sub(r"\s+", " ", str(child)))
    yield from paragraph()


def _element(tag: Tag, depth: int) -> Iterator[Block]:
    name = tag.name
    if _HEADING.fullmatch(name):
        text = tidy(inline(tag)).replace("\n", " ")
        if text:
            yield Block(kind="heading", text=text, level=int(name[1]))
    elif name == "table":
        yield from table_blocks(tag, lambda cell: walk(cell, depth + 1))
    elif name == "pre":
        yield from _code(tag)
    elif name in ("ul", "ol"):
        yield from _list(tag, depth)
    elif name == "dl":
        yield from _definitions(tag, depth)
    elif name == "summary":
        text = tidy(inline(tag)).replace("\n", " ")
        if text:
            yield Block(kind="heading", text=text, level=6)
    elif name != "hr":
        yield from walk(tag, depth)


def _code(tag: Tag) -> Iterator[Block]:
    for br in tag.find_all("br"):
        br.replace_with("\n")
    text = tag.get_text().strip("\n").rstrip()
    if not text:
        return
    classes = " ".join(
        " ".join(c)
        for t in (tag, tag.code)
        if t is not None and isinstance(c := t.get("class"), list)
    )
    language = re.search(r"(?:language|lang|brush:)-?\s*([\w+#-]+)", classes)
    metadata = {"language": language[1]} if language else {}
    yield Block(kind="code", text=text, metadata=metadata)


def _list(tag: Tag, depth: int) -> Iterator[Block]:
    """One block for a list of lines; a list that arranges whole sections is walked through."""
    items = tag.find_all("li", recursive=False)
    if any(holds(item, _SECTIONS) for item in items):
        yield from walk(tag, depth)
        return
    lines = list(_list_lines(tag, 0))
    if len(lines) == 1 and tag.name == "ul":
        yield Block(kind="paragraph", text=lines[0].lstrip().removeprefix("- "))
    elif lines:
        yield Block(kind="list", text="\n".join(lines))


def _list_lines(tag: Tag, depth: int) -> Iterator[str]:
    from bs4 import NavigableString, Tag

    number = _integer(tag.get("start"), 1)
    indent = "  " * depth
    for item in list(tag.children):
        if isinstance(item, NavigableString):
            text = tidy(str(item))
            if text:
                yield indent + text
        elif isinstance(item, Tag) and item.name in ("ul", "ol"):
            yield from _list_lines(item, depth + 1)
        elif isinstance(item, Tag):
            nested = [n for n in item.find_all(["ul", "ol"]) if _holder(n) is item]
            nested = [n.extract() for n in nested] if depth < _MAX_DEPTH else []
            text = tidy(inline(item))
            number = _integer(item.get("value"), number)
            if text:
                mark = f"{number}. " if tag.name == "ol" else "- "
                yield indent + mark + text.replace("\n", f"\n{indent}  ")
            number += 1
            for inner in nested:
                yield from _list_lines(inner, depth + 1)


def _holder(nested: Tag) -> Tag | None:
    """The item that a nested list hangs from."""
    return nested.find_parent(["li", "ul", "ol"])


def _definitions(tag: Tag, depth: int) -> Iterator[Block]:
    """Terms with their explanations: "term：explanation" in one list, or, where explanations
    are long or hold blocks of their own, each term as a small heading above its text."""
    terms = tag.find_all("dt")
    bodies = tag.find_all("dd")
    if not terms or not bodies or tag.find("dl") is not None:
        yield from walk(tag, depth)
        return
    long = any(
        body.find(["p", "ul", "ol", "table", "pre", "div"]) or len(body.get_text()) > _LONG_ITEM
        for body in bodies
    )
    if long:
        for item in tag.find_all(["dt", "dd"]):
            if item.name == "dd":
                yield from walk(item, depth + 1)
            elif text := tidy(inline(item)).replace("\n", " "):
                yield Block(kind="heading", text=text, level=6)
        return
    lines: list[str] = []
    for item in tag.find_all(["dt", "dd"]):
        text = tidy(inline(item)).replace("\n", " ")
        if not text:
            continue
        if item.name == "dt" or not lines:
            lines.append(f"- {text}")
        else:
            mark = (
                ""
                if lines[-1].endswith(("：", ":", "？", "?"))
                else "："
                if _is_term(lines[-1])
                else "；"
            )
            lines[-1] += mark + text
    yield Block(kind="list", text="\n".join(lines))


def _is_term(line: str) -> bool:
    return "：" not in line


def _numbered(blocks: Iterator[Block]) -> Iterator[Block]:
    """The blocks with text, without one that repeats the heading right before it."""
    previous: Block | None = None
    for block in blocks:
        if not block.text.strip():
            continue
        if block.kind == "paragraph" and (text := without_interface_tail(block.text)):
            text = with_parted_fields(text)
            block = block if text == block.text else block.model_copy(update={"text": text})
        if previous is not None and previous.kind == "heading" and block.text == previous.text:
            continue
        yield block
        previous = block


def _titled(blocks: list[Block], title: str) -> list[Block]:
    """The blocks below the page's title, where none of them shows it."""
    wanted = without_site(title)
    if not blocks or wanted is None or any(b.kind == "heading" and b.level == 1 for b in blocks):
        return blocks
    first = re.sub(r"[\W_]", "", blocks[0].text)
    if first == re.sub(r"[\W_]", "", wanted):
        return blocks
    return [Block(kind="heading", text=wanted, level=1), *blocks]


def _page_title(title: str, headings: list[str]) -> str | None:
    """The title without the site's name: the part that is also a heading, if there is one."""
    for heading in headings[:3]:
        if len(heading) >= 4 and (title.startswith(heading) or title.endswith(heading)):
            return heading
    return title or (headings[0] if headings else None)


def _integer(value: object, default: int) -> int:
    text = str(value or "")
    return max(int(text), 1) if text.isascii() and text.isdecimal() and len(text) < 9 else default
