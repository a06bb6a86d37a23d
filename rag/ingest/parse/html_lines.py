"""Puts a web page's loose text into elements of its own, and blanks between the fields of its
byline: pages lay out by style what their text runs together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rag.ingest.parse.html_words import INFO_LINE, LEAF_BLOCKS, elements, holds

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, PageElement, Tag

_BOXES = ("div", "section", "article", "main", "body", "center", "blockquote", "td", "form")
"""Elements whose loose text between blocks is a paragraph of its own."""

_INLINE = frozenset(("span", "em", "i", "b", "strong", "a", "time", "font", "label", "small", "u"))
_SURE_LABEL = (
    r"(?:(?:信息|文章|稿件|新闻|内容|数据|资料|图片)?来源|(?:第一|通讯|原)?作者|(?:本报|见习|实习|特约)?记者|通讯员|"
    r"(?:责任)?编辑|责编|(?:发布|更新|发表|发文|成文|印发|公开)(?:时间|日期|机构|单位|机关|人)|"
    r"(?:浏览|点击|阅读|访问)(?:次数|量|数)|索引号|有效性)"
)
_ANY_LABEL = rf"(?:{_SURE_LABEL}|时间|日期|字号|字体|点击|浏览|文号|编号)"
_FIELD = re.compile(rf"{_ANY_LABEL}\s*[:：]")
_GLUED = re.compile(
    rf"(?<=[\w》”\"）)])({_SURE_LABEL}\s*[:：])|(?<=[0-9A-Za-z])({_ANY_LABEL}\s*[:：])"
)
_DATED = re.compile(r"\d{4}\s*[-年/.]\s*\d{1,2}\s*[-月/.]\s*\d{1,2}")
_DATE_ALONE = re.compile(
    r"\d{4}\s*[-年/.]\s*\d{1,2}\s*[-月/.]\s*\d{1,2}\s*日?(?:[\sT]*\d{1,2}:\d{2}(?::\d{2})?)?"
)
_MAX_BYLINE = 200
"""Characters of the longest byline; chosen by us."""


def wrap_loose_text(soup: BeautifulSoup, root: Tag) -> None:
    """Give text that stands beside blocks a paragraph of its own, as browsers do."""
    from bs4 import Tag as Element

    for box in [*elements(root, _BOXES), root]:
        children = list(box.children)
        if not any(isinstance(c, Element) and _is_block(c) for c in children):
            continue
        run: list[PageElement] = []
        for child in [*children, None]:
            if child is not None and not (isinstance(child, Element) and _is_block(child)):
                run.append(child)
                continue
            if any(_has_text(node) for node in run):
                paragraph = soup.new_tag("p")
                run[0].insert_before(paragraph)
                for node in run:
                    paragraph.append(node.extract())
            run = []


def part_fields(root: Tag) -> None:
    """Put a blank between the fields of a byline ("2024-05-01", "来源：甲报") that stand in
    elements of their own without one."""
    from bs4 import NavigableString
    from bs4 import Tag as Element

    for tag in elements(root, LEAF_BLOCKS):
        if tag.name == "pre" or holds(tag, LEAF_BLOCKS):
            continue
        parts = [child for child in tag.children if isinstance(child, Element)]
        if len(parts) < 2:
            continue
        text = tag.get_text("", strip=True)
        fields = len(_FIELD.findall(text)) + len(_DATED.findall(text))
        labels = sum(bool(re.match(r"[^:：\s]{2,8}[:：]\s*\S", part.get_text())) for part in parts)
        alone = len(parts) == sum(_has_text(child) for child in tag.children)
        dated = alone and any(_DATE_ALONE.fullmatch(part.get_text(strip=True)) for part in parts)
        byline = INFO_LINE.search(text) and (fields >= 2 or dated)
        if len(text) > _MAX_BYLINE or "。" in text or not (byline or labels >= 2):
            continue
        for one in parts:
            after = one.next_sibling
            if (
                isinstance(after, Element)
                and one.name in _INLINE
                and after.name in _INLINE
                and not re.search(r"[:：]\s*$", one.get_text())
                and not re.match(r"\s*[:：,，、）)】]", after.get_text())
            ):
                after.insert_before(NavigableString(" "))


def with_parted_fields(text: str) -> str:
    """A byline whose fields run together ("2023-05-01来源：甲报作者：乙") with blanks between
    them; any other text as it is."""
    if len(text) > _MAX_BYLINE or re.search("[。！？；]", text):
        return text
    if len(_FIELD.findall(text)) + len(_DATED.findall(text)) < 2:
        return text
    return _GLUED.sub(r" \g<0>", text)


def _is_block(tag: Tag) -> bool:
    return tag.name in LEAF_BLOCKS or tag.name == "hr" or holds(tag, LEAF_BLOCKS)


def _has_text(node: PageElement) -> bool:
    from bs4 import NavigableString, Tag
    from bs4.element import PreformattedString

    if isinstance(node, Tag):
        return bool(node.get_text("", strip=True)) or node.find("img") is not None
    return (
        isinstance(node, NavigableString)
        and not isinstance(node, PreformattedString)
        and bool(node.strip())
    )
