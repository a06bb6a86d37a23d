"""Mends words that the segmenter cut wrongly, by what the evidence says: 锁童|锁 is 锁|童锁."""

from __future__ import annotations

from collections.abc import Sequence

from rag.answer.terms import Term, presence, searchable
from rag.text.normalise import is_han, normalise
from rag.text.tokenise import rarity

_PLACES = "省市区县州镇乡村"
"""What the word before may have left at the front of an unknown one (临河|县东堰)."""


def mended(terms: Sequence[Term], question: str, text: str) -> tuple[Term, ...]:
    """The terms with those that are no words and stand nowhere exchanged for what does.

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
    unknown = len(word) > 1 and rarity(word) >= 1.0 and all(map(is_han, word))
    if term.name or not unknown or presence(word, text):
        return term
    at = question.find(word)
    if at < 0:
        return term
    if word[0] in _PLACES and len(word) > 2 and word[1:] in text:
        return term._replace(text=word[1:])
    for size in range(len(word) + 1, 1, -1):
        for start in range(max(0, at - 1), at + len(word)):
            end = start + size
            crosses = start < at or end > at + len(word)
            piece = question[start:end]
            if crosses and end > at and len(piece) == size and end <= at + len(word) + 1:
                if all(map(is_han, piece)) and piece in text:
                    return term._replace(text=piece)
    return term
