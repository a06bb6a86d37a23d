"""Counts tokens of texts of any length in bounded memory, and of the same text once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

CountTokens = Callable[[str], int]

_SLICE = 20_000
"""Characters counted at once; chosen by us: tokenisers need many times a text's own memory."""
_REMEMBERED = 512
_LONGEST_REMEMBERED = 4_000
"""Texts whose count is remembered, and the characters of the longest; chosen by us."""


def bounded(count: CountTokens) -> CountTokens:
    """`count` for texts of any length: long ones are counted in slices, whose sum may be a few
    tokens more than the whole has."""
    remembered = lru_cache(maxsize=_REMEMBERED)(count)

    def counted(text: str) -> int:
        if len(text) <= _LONGEST_REMEMBERED:
            return remembered(text)
        if len(text) <= _SLICE:
            return count(text)
        return sum(count(text[at : at + _SLICE]) for at in range(0, len(text), _SLICE))

    return counted
