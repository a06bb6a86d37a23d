"""Cuts text at sentence borders and packs the pieces: the recursive part of chunking.

Works on half-open ranges of the document's plain text, so that a chunk's text is always a
literal slice of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from rag.ingest.chunk.borders import border_before, may_cut
from rag.ingest.chunk.count import CountTokens
from rag.ingest.headings import starts_entry
from rag.text.sentences import split_sentences

_SOFT_BREAKS = re.compile(r"(?<=[，、,：:；;\s])")
_SLACK = 1.15
"""How far beyond the even share a chunk may grow before it is closed; chosen by us: avoids
a last chunk of a few words."""


class Atom(NamedTuple):
    """A range of the plain text that is not cut further, and its length in tokens."""

    start: int
    end: int
    tokens: int


def atoms(
    text: str, start: int, end: int, limit: int, count: CountTokens, *, code: bool = False
) -> list[Atom]:
    """`text[start:end]` in pieces of at most `limit` tokens, cut as gently as possible:
    between entries of a list of codes, at lines, else at sentences, at commas, or anywhere,
    and never inside a number, between it and its unit or in a word if that can be helped.

    Args:
        code: the text is source code: cut between definitions, at blank lines, at lines;
            indentation is kept.
    """
    whole = count(text[start:end])
    if whole <= limit:
        return [Atom(start, end, whole)]
    for split in _CODE_SPLITS if code else _TEXT_SPLITS:
        parts = [(start + a, start + b) for a, b in split(text[start:end])]
        if len(parts) > 1:
            return [atom for a, b in parts for atom in atoms(text, a, b, limit, count, code=code)]
    return _anywhere(text, start, end, limit, whole, count)


def pack(
    pieces: Sequence[Atom], limit: int, leads: Callable[[Atom], bool] | None = None
) -> list[list[Atom]]:
    """Neighbouring atoms together, at most `limit` tokens each, of about even length.

    Args:
        leads: tells an atom that only introduces the next (a heading, "包括："); such a one
            does not end a group if the next group has room for it.
    """
    total = sum(atom.tokens for atom in pieces)
    if total <= limit:
        return [list(pieces)] if pieces else []
    share = total / -(-total // limit)
    groups: list[list[Atom]] = []
    size = 0
    for atom in pieces:
        grown = size + atom.tokens
        too_long = grown > limit or (size >= share * 0.7 and grown > share * _SLACK)
        if groups and not too_long:
            groups[-1].append(atom)
            size = grown
            continue
        moved: list[Atom] = []
        size = atom.tokens
        while groups and len(groups[-1]) > 1 and leads is not None and leads(groups[-1][-1]):
            if size + groups[-1][-1].tokens > limit:
                break
            moved.insert(0, groups[-1].pop())
            size += moved[0].tokens
        groups.append([*moved, atom])
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
    return _ranges(text, _safe(text, [m.end() for m in re.finditer(r"\n+", text)]))


def _sentences(text: str) -> list[tuple[int, int]]:
    return _ranges(text, _safe(text, [span.start for span in split_sentences(text)][1:]))


def _clauses(text: str) -> list[tuple[int, int]]:
    return _ranges(text, _safe(text, [match.start() for match in _SOFT_BREAKS.finditer(text)]))


def _definitions(text: str) -> list[tuple[int, int]]:
    """Ranges of source code from one line without indentation behind a blank line to the
    next such line."""
    return _ranges(text, [m.end() for m in re.finditer(r"\n\s*\n(?=[^\s})\]])", text)], indent=True)


def _code_blocks(text: str) -> list[tuple[int, int]]:
    return _ranges(text, [m.end() for m in re.finditer(r"\n[^\S\n]*\n", text)], indent=True)


def _code_lines(text: str) -> list[tuple[int, int]]:
    return _ranges(text, [m.end() for m in re.finditer(r"\n+", text)], indent=True)


_TEXT_SPLITS = (_entries, _lines, _sentences, _clauses)
_CODE_SPLITS = (_definitions, _code_blocks, _code_lines, _clauses)


def _safe(text: str, borders: Sequence[int]) -> list[int]:
    return [border for border in borders if may_cut(text, border)]


def _ranges(text: str, borders: Sequence[int], *, indent: bool = False) -> list[tuple[int, int]]:
    """Ranges between the borders without surrounding white space, but with a first line's
    indentation when `indent`; blank ones left out."""
    found: list[tuple[int, int]] = []
    for start, end in pairwise([0, *borders, len(text)]):
        piece = text[start:end]
        left = start + len(piece) - len(piece.lstrip("\r\n" if indent else None))
        right = start + len(piece.rstrip())
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
        if stop < end:
            stop = border_before(text, stop, at)
            length = count(text[at:stop])
        found.append(Atom(at, stop, length))
        at = stop
    return found
