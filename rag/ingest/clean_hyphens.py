"""Settles whether a hyphen at a line's end belongs to its word: part of parse and clean.

`lines.join_wrapped` marks those that the line alone leaves open; the rest of the document
mostly tells ("high-performance" or "implementation" stands elsewhere on one line).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from rag.ingest.lines import OPEN_HYPHEN
from rag.types import Block, Page

_LETTER = "A-Za-zÀ-ɏͰ-ӿ"
_OPEN = re.compile(rf"([{_LETTER}]+){OPEN_HYPHEN}([{_LETTER}]+)")
_WHOLE = re.compile(rf"[{_LETTER}]+(?:-[{_LETTER}]+)*")
_CUT = re.compile(rf"\S*{OPEN_HYPHEN}\S*")

_OWN_LETTERS = 4
_PREFIXES = frozenset(
    (
        "over", "under", "inter", "super", "trans", "counter", "fore", "after", "hyper", "infra",
        "intra", "micro", "macro", "mono", "multi", "poly", "post", "para", "electro", "photo",
        "radio", "auto", "semi", "tele",
    )
)  # fmt: skip
"""Two words of at least so many letters that both stand alone elsewhere are a compound, but
for words that begin others without a hyphen. Chosen by us."""

_COMPOUND_FIRST = frozenset(
    ("self", "well", "high", "low", "long", "short", "half", "full", "cross", "non")
)
_ENDING = re.compile(r"(?:er|est|ly|ness|en|age|ing|itu|ed|light|lights|way|ways|s)(?![a-z]{4})")
"""Words that mostly begin compounds, and what may end them instead ("high-er"). Chosen by us."""


def settle_hyphens(pages: Sequence[Page]) -> list[Page]:
    """The pages of one document with each open hyphen kept or dropped."""
    texts = [text for page in pages for block in page.blocks for text in _texts(block)]
    if not any(OPEN_HYPHEN in text for text in texts):
        return list(pages)
    words = _words(texts)
    return [
        page.model_copy(update={"blocks": tuple(_settled(block, words) for block in page.blocks)})
        for page in pages
    ]


def _texts(block: Block) -> Iterable[str]:
    yield block.text
    for row in block.rows or ():
        yield from row


def _words(texts: Iterable[str]) -> Counter[str]:
    """The words that stand whole on a line, in small letters, and how often."""
    words: Counter[str] = Counter()
    for text in texts:
        words.update(_WHOLE.findall(_CUT.sub(" ", text).lower()))
    return words


def _settled(block: Block, words: Counter[str]) -> Block:
    if not any(OPEN_HYPHEN in text for text in _texts(block)):
        return block
    rows = block.rows
    if rows is not None:
        rows = tuple(tuple(_settle(cell, words) for cell in row) for row in rows)
    return block.model_copy(update={"text": _settle(block.text, words), "rows": rows})


def _settle(text: str, words: Counter[str]) -> str:
    def choose(match: re.Match[str]) -> str:
        first, second = match[1], match[2]
        return f"{first}-{second}" if _is_compound(first, second, words) else first + second

    return _OPEN.sub(choose, text).replace(OPEN_HYPHEN, "-")


def _is_compound(first: str, second: str, words: Counter[str]) -> bool:
    first, second = first.lower(), second.lower()
    joined, hyphenated = words[first + second], words[f"{first}-{second}"]
    if joined or hyphenated:
        return hyphenated > joined
    if first in _COMPOUND_FIRST:
        return _ENDING.match(second) is None
    long = min(len(first), len(second)) >= _OWN_LETTERS
    return long and first not in _PREFIXES and bool(words[first] and words[second])
