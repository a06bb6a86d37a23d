"""Split Chinese (and English) text into sentences (DESIGN §5).

A sentence ends at 。！？；… or a new line, but not inside quotes or brackets, and never in a
decimal, a version or a list number. Spans point into the text that was given.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of a text, and the text in it."""

    start: int
    end: int
    text: str


_PAIRS = {
    "“": "”", "‘": "’", "「": "」", "『": "』", "（": "）", "(": ")", "《": "》",
    "【": "】", "〔": "〕", "[": "]",
}  # fmt: skip
_CLOSERS = frozenset(_PAIRS.values())
_ENDS = frozenset("。！？；…!?;")
# After a quotation that ends a sentence, these continue the sentence around it.
_CONTINUES = re.compile(
    "[，、；：。？！,;:的地得和与或及等]|[^，。！？；,;!?]{0,6}(?:说|道|问|答|称|表示)"
)
_LONGEST_NESTED = 300
"""Characters: an opening mark whose partner is farther away is taken for a stray one."""
_LIST_NUMBER = re.compile(r"^\s*\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})$")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[A-Z]|Mr|Mrs|Ms|Dr|No|Fig|vs|etc|e\.g|i\.e|cf|Co|Ltd)$")


def split_sentences(text: str) -> list[Span]:
    """The sentences of `text` in order, without surrounding white space; none is empty."""
    spans: list[Span] = []
    line_start = 0
    for line in text.split("\n"):
        for start, end in _split_line(line):
            spans.extend(_trimmed(text, line_start + start, line_start + end))
        line_start += len(line) + 1
    return spans


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end = start + len(piece.strip())
    return [Span(start, end, text[start:end])] if end > start else []


def _split_line(line: str) -> list[tuple[int, int]]:
    borders: list[tuple[int, int]] = []
    start = 0
    position = 0
    while position < len(line):
        character = line[position]
        if character in _PAIRS:
            close = _partner(line, position)
            if close is not None:
                position = close + 1
                if _quotation_ends_here(line, close):
                    borders.append((start, position))
                    start = position
                continue
        if character in _ENDS or (character == "." and _full_stop(line, start, position)):
            position += 1
            while position < len(line) and (line[position] in _ENDS or line[position] in _CLOSERS):
                position += 1
            borders.append((start, position))
            start = position
            continue
        position += 1
    borders.append((start, len(line)))
    return borders


def _partner(line: str, opening: int) -> int | None:
    """The index of the mark that closes the one at `opening`, nested pairs of it skipped."""
    mark, partner = line[opening], _PAIRS[line[opening]]
    depth = 0
    for index in range(opening, min(len(line), opening + _LONGEST_NESTED)):
        if line[index] == mark:
            depth += 1
        elif line[index] == partner:
            depth -= 1
            if depth == 0:
                return index
    return None


def _quotation_ends_here(line: str, close: int) -> bool:
    """Whether a quotation whose last character ends a sentence also ends the one around it."""
    if line[close] not in "”’」』" or line[close - 1] not in "。！？…!?":
        return False
    return close + 1 < len(line) and not _CONTINUES.match(line, close + 1)


def _full_stop(line: str, start: int, position: int) -> bool:
    following = line[position + 1 : position + 2]
    if following and not following.isspace():
        return False
    before = line[start:position]
    return not (_LIST_NUMBER.search(before) or _ABBREVIATION.search(before)) and bool(
        before.strip()
    )
