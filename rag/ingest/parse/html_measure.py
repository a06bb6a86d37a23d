"""How much text, link text and running text the elements of a web page hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import Tag

_SENTENCE = 12
"""Characters from which a text is running text without a mark in it; chosen by us."""

_MARK = re.compile("[，。；：？！]")


@dataclass(frozen=True)
class Measure:
    """Characters of an element: all, those of links, and those of running text."""

    text: int = 0
    links: int = 0
    prose: float = 0.0

    @property
    def link_share(self) -> float:
        """Share of link text, 0..1; 1 for an element without text."""
        return self.links / self.text if self.text else 1.0


def measures(root: Tag) -> dict[int, Measure]:
    """The measure of `root` and each element in it by identity, in one walk from the leaves up."""
    from bs4 import NavigableString, Tag

    found: dict[int, Measure] = {}
    for tag in reversed([root, *root.find_all(True)]):
        text = links = 0
        prose = 0.0
        for child in tag.children:
            if isinstance(child, Tag):
                own = found[id(child)]
                text, links, prose = text + own.text, links + own.links, prose + own.prose
            elif isinstance(child, NavigableString):
                length = len("".join(child.split()))
                text += length
                running = length >= _SENTENCE or _MARK.search(child)
                prose += length if running else length / 4
        if tag.name == "a":
            links, prose = text, 0.0
        found[id(tag)] = Measure(text, links, prose)
    return found


def length(tag: Tag) -> int:
    """Characters of an element without blanks."""
    return len("".join(tag.get_text("").split()))
