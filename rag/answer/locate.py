"""Finds the place in a passage that a statement was taken from, down to characters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rag.answer.markup import unescape
from rag.answer.values import find_values
from rag.text.normalise import normalise, normalise_with_map
from rag.text.sentences import Span, split_sentences
from rag.text.similar import char_ngrams

MOST_SENTENCES = 3
"""Neighbouring sentences that one statement may sum up."""
_EDGE = re.compile(r"^[\s|>*#·•-]+|[\s|。．.；;，,、：:！!？?*]+$")
_MARKDOWN = re.compile(r"\*\*|__|~~|`")
_LIST_MARK = re.compile(r"^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)")


class Place(NamedTuple):
    """`passage[start:end]` is the source; `score` 0..1, 1 for the same words."""

    start: int
    end: int
    score: float


def plain(statement: str) -> str:
    """A statement's words without Markdown, marks of lists and escapes."""
    return _MARKDOWN.sub("", unescape(_LIST_MARK.sub("", statement))).strip()


def locate(statement: str, passage: str, within: tuple[int, int] | None = None) -> Place | None:
    """The best place for `statement` (without citation marks) in `passage`, or None.

    Args:
        statement: one sentence of an answer; may be Markdown.
        passage: the text that is quoted from.
        within: half-open range of the passage that is preferred (what the model saw).
    """
    words = plain(statement)
    core = _EDGE.sub("", words)
    if not core or not passage.strip():
        return None
    exact = _exact(core, passage, within)
    return exact or _row(words, passage) or _similar(words, passage, within)


def _exact(core: str, passage: str, within: tuple[int, int] | None) -> Place | None:
    low, high = within or (0, len(passage))
    start = passage.find(core, low, high)
    if start < 0:
        start = passage.find(core)
    if start >= 0:
        return Place(start, _with_stop(passage, start + len(core)), 1.0)
    wanted = normalise(core)
    if not wanted:
        return None
    mapped = normalise_with_map(passage)
    index = mapped.text.find(wanted)
    if index < 0:
        return None
    start, end = mapped.original_span(index, index + len(wanted))
    return Place(start, _with_stop(passage, end), 1.0) if end > start else None


def _with_stop(passage: str, end: int) -> int:
    """Include the mark that ends the sentence."""
    return end + 1 if passage[end : end + 1] in tuple("。！？；") else end


def _row(words: str, passage: str) -> Place | None:
    """The row of a Markdown table whose cells the statement names: at least two of them, one
    its first. The statement repeats the header too, which therefore tells no row apart."""
    said = normalise(words)
    best: tuple[int, Place] | None = None
    start = 0
    for number, line in enumerate(passage.split("\n")):
        end = start + len(line)
        cells = [normalise(cell) for cell in line.strip().strip("|").split("|")]
        if line.lstrip().startswith("|") and number and len(cells) > 1:
            named = [cell for cell in cells if _says(said, cell)]
            if _says(said, cells[0]) and len(named) > 1 and (not best or len(named) > best[0]):
                best = (len(named), Place(start, end, 1.0))
        start = end + 1
    return best[1] if best else None


def _says(said: str, cell: str) -> bool:
    """Whether a cell stands in the text by itself: 420, but not as part of 1420."""
    cell = cell.strip()
    if not re.search(r"\w", cell):
        return False
    return re.search(rf"(?<![a-z0-9.]){re.escape(cell)}(?![a-z0-9]|\.\d)", said) is not None


def _similar(words: str, passage: str, within: tuple[int, int] | None) -> Place | None:
    grams = frozenset(char_ngrams(_letters(words), 2))
    if not grams:
        return None
    values = {(value.kind, value.value, value.unit) for value in find_values(words)}
    sentences = _sentences(passage)
    low, high = within or (0, len(passage))
    best: tuple[float, Place] | None = None
    for first in range(len(sentences)):
        found: frozenset[str] = frozenset()
        held: set[tuple[str, str, str]] = set()
        for last in range(first, min(len(sentences), first + MOST_SENTENCES)):
            span = sentences[last]
            found |= grams & _grams(span.text)
            held |= values & _values(span.text)
            share = len(found) / len(grams)
            right = len(held) / len(values) if values else share
            outside = 0.05 if sentences[first].start < low or span.end > high else 0.0
            rated = 0.75 * share + 0.25 * right - 0.04 * (last - first) - outside
            if best is None or rated > best[0] + 1e-9:
                place = Place(
                    sentences[first].start, span.end, min(1.0, 0.75 * share + 0.25 * right)
                )
                best = (rated, place)
    return best[1] if best else None


@lru_cache(maxsize=512)
def _sentences(passage: str) -> tuple[Span, ...]:
    return tuple(split_sentences(passage))


@lru_cache(maxsize=4096)
def _grams(text: str) -> frozenset[str]:
    return frozenset(char_ngrams(_letters(text), 2))


@lru_cache(maxsize=4096)
def _values(text: str) -> frozenset[tuple[str, str, str]]:
    return frozenset((value.kind, value.value, value.unit) for value in find_values(text))


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", normalise(text))
