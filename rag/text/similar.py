"""Cheap likeness of two texts. All functions take texts as they are: normalise first."""

from __future__ import annotations

from collections.abc import Iterable


def jaccard(a_tokens: Iterable[str], b_tokens: Iterable[str]) -> float:
    """Shared tokens over all tokens, 0..1, each counted once; 1 when both are empty."""
    a, b = set(a_tokens), set(b_tokens)
    if not a and not b:
        return 1.0
    return len(a & b) / len(a | b)


def char_ngrams(text: str, n: int) -> list[str]:
    """All runs of `n` characters in order; the whole text when it is shorter, none if empty.

    Raises:
        ValueError: `n` is below 1.
    """
    if n < 1:
        raise ValueError("n must be at least 1")
    if len(text) < n:
        return [text] if text else []
    return [text[i : i + n] for i in range(len(text) - n + 1)]


def bigram_overlap(a: str, b: str) -> float:
    """Dice coefficient of the two sets of character pairs, 0..1."""
    left, right = set(char_ngrams(a, 2)), set(char_ngrams(b, 2))
    if not left or not right:
        return 1.0 if left == right else 0.0
    return 2 * len(left & right) / (len(left) + len(right))


def containment(a: str, b: str, n: int = 2) -> float:
    """Share of a's character n-grams that `b` contains, 0..1; 0 when `a` is empty."""
    grams = set(char_ngrams(a, n))
    if not grams:
        return 0.0
    return sum(gram in b for gram in grams) / len(grams)


def longest_common_substring(a: str, b: str) -> str:
    """The longest run of characters that stands in both texts; the first in `a` among equals."""
    best_start, best = 0, 0
    for start in range(len(a)):
        # Only a run longer than the best is of interest, so one test usually suffices.
        while start + best < len(a) and a[start : start + best + 1] in b:
            best_start, best = start, best + 1
    return a[best_start : best_start + best]
