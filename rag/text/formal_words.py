"""How people say it, and how documents write it: everyday words and their formal ones.

A question is searched and judged by both. The words are in everyday/*.txt beside this file;
administrators' own synonyms come on top of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rag.text.vocabulary import Vocabulary

_FILES = sorted(Path(__file__).with_name("everyday").glob("*.txt"))
_FOR_SEARCH = 4
"""Formal words of one everyday word that a search takes; chosen by us, more would outweigh what
was asked."""


class Expression(NamedTuple):
    """An everyday word in a normalised text: where it stands, and what documents write for it."""

    start: int
    end: int
    word: str
    formal: tuple[str, ...]


class _Words(NamedTuple):
    formal: dict[str, tuple[str, ...]]
    shared: frozenset[str]
    kept: frozenset[str]
    vocabulary: Vocabulary


@lru_cache(maxsize=1)
def _words() -> _Words:
    formal: dict[str, dict[str, None]] = {}
    by_mark: dict[str, set[str]] = {"=": set(), "~": set(), ":": set()}
    for line in "\n".join(file.read_text(encoding="utf-8") for file in _FILES).splitlines():
        words = line.split()
        mark = next((mark for mark in by_mark if mark in words), "")
        if line.startswith("#") or not mark:
            continue
        at = words.index(mark)
        for word in words[:at]:
            others = dict.fromkeys(other for other in words[at + 1 :] if other != word)
            if others:
                formal.setdefault(word, {}).update(others)
        by_mark[mark].update(words[:at])
    return _Words(
        {word: tuple(others) for word, others in formal.items()},
        frozenset(by_mark["~"] | by_mark[":"]),
        frozenset(by_mark[":"]),
        Vocabulary((word,) for word in formal if len(word) > 1),
    )


def formal_of(word: str) -> tuple[str, ...]:
    """What documents write for an everyday word; empty for any other."""
    return _words().formal.get(word, ())


def is_shared(word: str) -> bool:
    """Whether documents use an everyday word as well, so that another wording says no more."""
    return word in _words().shared


def is_kept(word: str) -> bool:
    """Whether a question is always read with this everyday word, whatever its passages say."""
    return word in _words().kept


@lru_cache(maxsize=1024)
def expressions(text: str) -> tuple[Expression, ...]:
    """The everyday words of two letters or more in a normalised text, in order: the longest at
    each place, whole words only (开会, but not in 展开会议)."""
    words = _words()
    return tuple(
        Expression(found.start, found.end, found.word, words.formal[found.word])
        for found in words.vocabulary.find(text)
        if not _asks_whether(text, found.start)
    )


def _asks_whether(text: str, start: int) -> bool:
    """Whether the word is the end of 能不能, whatever follows (能不能用 is no 不能用)."""
    return 0 < start < len(text) - 1 and text[start] == "不" and text[start - 1] == text[start + 1]


def inner(one: Expression) -> tuple[Expression, ...]:
    """The everyday words within a longer one, the longest first, without overlaps."""
    spans = [
        (start, end)
        for start in range(len(one.word))
        for end in range(start + 2, len(one.word) + 1)
        if end - start < len(one.word) and formal_of(one.word[start:end])
    ]
    taken: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        if all(end <= a or start >= b for a, b in taken):
            taken.append((start, end))
    return tuple(
        Expression(
            one.start + start, one.start + end, one.word[start:end], formal_of(one.word[start:end])
        )
        for start, end in sorted(taken)
    )


def formal_words(question: str, terms: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Everyday words of a question with their formal ones, at most four each.

    Args:
        question: normalised.
        terms: its words; an everyday word that the segmenter takes apart (多少钱) is found in
            the question's letters.
    """
    known = _words().formal
    found = {term: known[term][:_FOR_SEARCH] for term in terms if term in known}
    for one in expressions(question):
        found.setdefault(one.word, one.formal[:_FOR_SEARCH])
    return found
