"""The text within one line of HTML: emphasis gone, powers, formulas and breaks kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rag.ingest.parse.html_words import LEAF_BLOCKS

if TYPE_CHECKING:
    from bs4 import Tag

_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_REFERENCE = re.compile(r"\[\s*(?:\d{1,3}(?:\s*[-–,，]\s*\d{1,3})*|[a-z]|注\s*\d*|来源请求)\s*\]")
_FILE_NAME = re.compile(
    r"[\w%()（） .-]*\.(?:jpe?g|png|gif|bmp|webp|svg)|\W*|"
    r"(?:img|image|logo|icon|pic|图片?|图标)[\d_-]*",
    re.IGNORECASE,
)
_MAX_DEPTH = 200


def inline(tag: Tag, depth: int = 0) -> str:
    """The text of an element; breaks and blocks inside it begin new lines.

    Powers and indices keep their meaning: 10<sup>5</sup> is "10⁵", not 105.
    """
    from bs4 import NavigableString, Tag

    if depth > _MAX_DEPTH:
        return " ".join(tag.stripped_strings)
    parts: list[str] = []
    for child in tag.children:
        if isinstance(child, Tag):
            parts.append(element_text(child, depth + 1))
        elif isinstance(child, NavigableString):
            parts.append(re.sub(r"\s+", " ", str(child)))
    return "".join(parts)


def tidy(text: str) -> str:
    """The lines of a text without blanks around and empty lines between them."""
    lines = (re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def element_text(tag: Tag, depth: int = 0) -> str:
    """The text that an element adds to its line."""
    name = tag.name
    if name == "br":
        return "\n"
    if name == "img":
        alt = " ".join(str(tag.get("alt") or "").split())
        return "" if _FILE_NAME.fullmatch(alt) else alt
    if name == "math":
        return _formula(tag)
    if name in ("sup", "sub"):
        return shifted(inline(tag, depth), name)
    if name in LEAF_BLOCKS:
        return "\n" + inline(tag, depth) + "\n"
    return inline(tag, depth)


def shifted(text: str, name: str) -> str:
    """The text of a power (`name` "sup") or index ("sub") as characters of their own."""
    plain = text.strip()
    if _REFERENCE.fullmatch(plain):
        return ""  # the number of a footnote or source, not of the text
    table = _RAISED if name == "sup" else _LOWERED
    moved = plain.translate(table)
    if all(a != b for a, b in zip(plain, moved, strict=True)):
        return moved
    return f"^{plain}" if name == "sup" and plain.isascii() and plain.isalnum() else text


def _formula(tag: Tag) -> str:
    source = tag.find("annotation", attrs={"encoding": re.compile("tex", re.IGNORECASE)})
    text = source.get_text() if source is not None else str(tag.get("alttext") or "")
    text = " ".join(text.split())
    return f"${text}$" if text else " ".join(tag.stripped_strings)
