"""Finds the words of an editable dictionary in a text: the longest at each place, whole words
only. Built once per state of the dictionary; a search looks up the lengths of words that begin
with a letter, however many words there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.text.normalise import is_han, normalise, normalise_with_map
from rag.text.tokenise import STOP_WORDS, dictionary_words, rarity

_AROUND = 6
"""Han letters on each side that tell whether a word of the text is cut in two. Chosen by us:
words of Chinese are rarely longer."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of the dictionary in a text.

    Attributes:
        start, end: where it stands in the text as it was given.
        word: its normalised form.
        others: the other names of the same thing, as they were entered; may be empty.
    """

    start: int
    end: int
    word: str
    others: tuple[str, ...]


class Vocabulary:
    """The words of several entries, each entry a group of names of one thing. Immutable.

    A name that stands in several groups has the other names of all of them; these are no names
    of one another.

    Args:
        groups: the names of one thing each, as they were entered; empty ones are left out.
    """

    def __init__(self, groups: Iterable[Sequence[str]] = ()) -> None:
        others: dict[str, dict[str, str]] = {}
        for group in groups:
            names = {key: name for name in group if (key := _key(name))}
            for key in names:
                own = others.setdefault(key, {})
                own.update((k, name) for k, name in names.items() if k != key and k not in own)
        self._others = {key: tuple(names.values()) for key, names in others.items()}
        lengths: dict[str, set[int]] = {}
        for key in self._others:
            lengths.setdefault(key[0], set()).add(len(key))
        self._lengths = {
            first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()
        }

    def __len__(self) -> int:
        return len(self._others)

    def find(self, text: str, untouched: Sequence[Span] = ()) -> tuple[Mention, ...]:
        """The words of the dictionary in a text, in order, without overlaps.

        Args:
            untouched: spans of the text (codes, quoted titles) that no word may lie in or
                cross. One that is itself a word of the dictionary is found.
        """
        if not self._others:
            return ()
        mapped = normalise_with_map(text)
        normal = mapped.text
        found: list[Mention] = []
        at = 0
        while at < len(normal):
            taken = at + 1
            for length in self._lengths.get(normal[at], ()):
                word = normal[at : at + length]
                if len(word) < length or word not in self._others:
                    continue  # the text ends before
                if not _is_whole(normal, at, at + length):
                    continue
                start, end = mapped.original_span(at, at + length)
                if any(start < b and a < end and (start, end) != (a, b) for a, b in untouched):
                    continue
                found.append(Mention(start, end, word, self._others[word]))
                taken = at + length
                break
            at = taken
        return tuple(found)

    def stands_in(self, text: str) -> bool:
        """Whether a text holds any word of the dictionary; for few words and many passages."""
        normal = normalised_passage(text)
        for word in self._others:
            at = normal.find(word)
            while at >= 0:
                if _is_whole(normal, at, at + len(word)):
                    return True
                at = normal.find(word, at + 1)
        return False


def replaced(text: str, mentions: Iterable[tuple[Mention, str]]) -> str:
    """The text with other words in the place of those found in it.

    Args:
        mentions: in order, each with what is written in its place.
    """
    parts: list[str] = []
    last = 0
    for mention, other in mentions:
        parts += (text[last : mention.start], other)
        last = mention.end
    return "".join((*parts, text[last:]))


@lru_cache(maxsize=4096)
def normalised_passage(text: str) -> str:
    """`normalise` of passages, which one question after another looks at."""
    return normalise(text)


@lru_cache(maxsize=65_536)
def _key(name: str) -> str:
    """A name's normalised form; kept, as a change of one entry builds all anew."""
    return normalise(name)


def _is_whole(normal: str, start: int, end: int) -> bool:
    """Whether a word of the text is not the end of one word and the beginning of another: 调休
    in 强调休息 is none.

    Letters and digits join their like, and are part of a code beside "-", "_" and ".". Among
    Han letters, the words around it must not become more when it is taken for one word; where
    they stay as many, the general dictionary has the last word on those that it knows.
    """
    ahead, behind = normal[max(0, start - 2) : start][::-1], normal[end : end + 2]
    if _continues(normal[start], ahead) or _continues(normal[end - 1], behind):
        return False
    left, right = _run(normal, start, -1), _run(normal, end, 1)
    if not left and not right:
        return True
    inside = normal[start:end]
    read = dictionary_words(left + inside + right)
    apart = _telling(dictionary_words(left)) + 1 + _telling(dictionary_words(right))
    if apart != _telling(read):
        return apart < _telling(read)
    return rarity(inside) == 1.0 or inside in read


def _telling(words: Sequence[str]) -> int:
    """How many words there are; those that only join are a border, and none more or less."""
    return sum(word not in STOP_WORDS for word in words)


def _run(normal: str, at: int, step: int) -> str:
    """The Han letters before (-1) or behind (1) a place, at most `_AROUND`."""
    letters = ""
    place = at if step > 0 else at - 1
    while 0 <= place < len(normal) and len(letters) < _AROUND and is_han(normal[place]):
        letters = letters + normal[place] if step > 0 else normal[place] + letters
        place += step
    return letters


def _continues(edge: str, beyond: str) -> bool:
    """Whether what stands beyond a word's edge, read away from it, belongs to the same code."""
    if not _joins(edge) or not beyond:
        return False
    return _joins(beyond[0]) or (beyond[0] in "-_." and _joins(beyond[1:]))


def _joins(character: str) -> bool:
    return character.isascii() and character.isalnum()
