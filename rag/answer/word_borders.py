"""Mends words that the segmenter cut wrongly, by what the evidence says: 锁童|锁 is 锁|童锁."""

from __future__ import annotations

from collections.abc import Sequence

from rag.answer.ranges import range_of
from rag.answer.terms import Term, presence, searchable
from rag.text.normalise import is_han, normalise
from rag.text.tokenise import rarity

OF_NAMES = 0.6
"""Rarity of a letter from which words with it are left alone: likely a name; chosen by us."""
_PLACES = "省市区县州镇乡村"
"""What the word before may have left at the front of an unknown one (临河|县东堰)."""


def mended(terms: Sequence[Term], question: str, text: str) -> tuple[Term, ...]:
    """The terms with those that are no words and stand nowhere exchanged for what does, and
    codes for the range that holds them (P2 of P1至P3).

    Only an unknown word of which the text holds nothing is mended, and only by letters that
    reach over its border in the question, so that an absent name stays absent.

    Args:
        terms: of the question.
        question: as it was asked.
        text: all that the evidence says.
    """
    normal, searched = normalise(question), searchable(text)
    return tuple(_mended(term, normal, searched) for term in terms)


def _mended(term: Term, question: str, text: str) -> Term:
    word = term.text
    if term.name and not presence(word, text):
        return term._replace(text=range_of(word, text) or word)
    unknown = len(word) > 1 and rarity(word) >= 1.0 and all(map(is_han, word))
    at = question.find(word)
    if term.name or not unknown or word in text or at < 0:
        return term
    if word[0] in _PLACES and len(word) > 2 and word[1:] in text:
        return term._replace(text=word[1:])
    if presence(word, text):
        return term
    for size in range(len(word) + 1, 1, -1):
        for start in range(max(0, at - 1), at + len(word)):
            piece = question[start : start + size]
            whole = len(piece) == size and all(map(is_han, piece))
            whole = whole and all(rarity(letter) < OF_NAMES for letter in piece)
            if whole and piece in text and _crosses(start, start + size, at, at + len(word)):
                return term._replace(text=piece)
    return term


def _crosses(start: int, end: int, low: int, high: int) -> bool:
    """Whether `start:end` shares letters with `low:high` and has one more on one side."""
    outside = start == low - 1 or end == high + 1
    return outside and low - 1 <= start < high and low < end <= high + 1
