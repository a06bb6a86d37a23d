"""Cuts text at sentence borders and packs the pieces: the recursive part of chunking.

Works on half-open ranges of the document's plain text, so that a chunk's text is always a
literal slice of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from rag.ingest.headings import starts_entry
from rag.text.sentences import split_sentences

CountTokens = Callable[[str], int]

_SOFT_BREAKS = re.compile(r"(?<=[，、,：:；;\s])")
_SLACK = 1.15
"""How far beyond the even share a chunk may grow before it is closed; chosen by us: avoids
a last chunk of a few words."""


class Atom(NamedTuple):
    """A range of the plain text that is not cut further, and its length in tokens."""

    start: int
    end: int
    tokens: int


def atoms(text: str, start: int, end: int, limit: int, count: CountTokens) -> list[Atom]:
    """`text[start:end]` in pieces of at most `limit` tokens, cut as gently as possible:
    between entries of a list of codes, at lines, else at sentences, at commas, or anywhere."""
    whole = count(text[start:end])
    if whole <= limit:
        return [Atom(start, end, whole)]
    for split in (_entries, _lines, _sentences, _clauses):
        parts = [(start + a, start + b) for a, b in split(text[start:end])]
        if len(parts) > 1:
            return [atom for a, b in parts for atom in atoms(text, a, b, limit, count)]
    return _anywhere(text, start, end, limit, whole, count)


def pack(pieces: Sequence[Atom], limit: int) -> list[list[Atom]]:
    """Neighbouring atoms together, at most `limit` tokens each, of about even length."""
    total = sum(atom.tokens for atom in pieces)
    if total <= limit:
        return [list(pieces)] if pieces else []
    share = total / -(-total // limit)
    groups: list[list[Atom]] = []
    size = 0
    for atom in pieces:
        grown = size + atom.tokens
        too_long = grown > limit or (size >= share * 0.7 and grown > share * _SLACK)
        if not groups or too_long:
            groups.append([atom])
            size = atom.tokens
        else:
            groups[-1].append(atom)
            size = grown
    return groups


def overlap_start(text: str, start: int, end: int, budget: int, count: CountTokens) -> int:
    """Where the overlap taken from the end of `text[start:end]` begins: as many whole
    sentences as fit into `budget` tokens; `end` when not even one does."""
    begin = end
    for span in reversed(split_sentences(text[start:end])):
        candidate = start + span.start
        if candidate <= start or count(text[candidate:end]) > budget:
            break
        begin = candidate
    return begin


def _entries(text: str) -> list[tuple[int, int]]:
    """Ranges from one code of a list to the next, so that each keeps the lines below it."""
    starts = [m.start() for m in re.finditer(r"^.+$", text, re.M) if starts_entry(m.group())]
    return _ranges(text, starts) if len(starts) > 1 else []


def _lines(text: str) -> list[tuple[int, int]]:
    return _ranges(text, [m.end() for m in re.finditer(r"\n+", text)])


def _sentences(text: str) -> list[tuple[int, int]]:
    return _ranges(text, [span.start for span in split_sentences(text)][1:])


def _clauses(text: str) -> list[tuple[int, int]]:
    return _ranges(text, [match.start() for match in _SOFT_BREAKS.finditer(text)])


def _ranges(text: str, borders: Sequence[int]) -> list[tuple[int, int]]:
    """Ranges between the borders without surrounding white space; blank ones left out."""
    found: list[tuple[int, int]] = []
    for start, end in pairwise([0, *borders, len(text)]):
        piece = text[start:end]
        left = start + len(piece) - len(piece.lstrip())
        right = left + len(piece.strip())
        if right > left:
            found.append((left, right))
    return found


def _anywhere(
    text: str, start: int, end: int, limit: int, tokens: int, count: CountTokens
) -> list[Atom]:
    """Even pieces of a text without any border, each within the limit."""
    parts = -(-tokens // limit)
    size = max((end - start) // parts, 1)
    found: list[Atom] = []
    at = start
    while at < end:
        stop = min(at + size, end)
        length = count(text[at:stop])
        while length > limit and stop - at > 1:
            stop = at + max((stop - at) * limit // (length + 1), 1)
            length = count(text[at:stop])
        found.append(Atom(at, stop, length))
        at = stop
    return found
