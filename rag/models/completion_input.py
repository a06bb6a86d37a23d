"""What the completion model reads: the pieces of a turn and of the turns before it, and for each
letter the piece that it is part of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.models.bundled_words import BundledWords

UTTERANCE, LAST, OTHER = 60, 70, 40
"""Letters of the turn, of the turn before it, and of each turn before that which are read."""
TURNS = 5
"""Turns before this one that are read."""
INSIDE = 6
"""Places inside a piece that are told apart."""
_BEGIN, _END = 0, 2


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters in their order: the number of each one's piece, its place inside that, and the id
    of the letter as a word of its own."""

    pieces: tuple[int, ...]
    inside: tuple[int, ...]
    own: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CompletionInput:
    """A turn with its context.

    Attributes:
        utterance: the turn, as far as it is read.
        context: the turns before it, latest first, as far as they are read.
        pieces, turns: ids of all pieces, and of which turn each is: 0 this one, 1 the last …
        letters: of the utterance, and one more for its end.
        context_letters: of the context's turns one after another.
    """

    utterance: str
    context: tuple[str, ...]
    pieces: tuple[int, ...]
    turns: tuple[int, ...]
    letters: Letters
    context_letters: Letters


def completion_input(
    words: BundledWords, context: Sequence[str], utterance: str
) -> CompletionInput:
    """The input for a turn behind others.

    Args:
        context: the turns before it, oldest first.
        utterance: what was typed; letters beyond `UTTERANCE` are left out.
    """
    utterance = utterance[:UTTERANCE]
    texts = [
        text[: LAST if back == 1 else OTHER]
        for back, text in enumerate(reversed(context[-TURNS:]), start=1)
        if text
    ]
    ids, letters = _letters(words, utterance, 1)
    pieces, turns = [_BEGIN, *ids, _END, _END], [0] * (len(ids) + 3)
    letters.append((len(ids) + 1, 0, _END))
    before: list[tuple[int, int, int]] = []
    for back, text in enumerate(texts, start=1):
        ids, more = _letters(words, text, len(pieces))
        before += more
        pieces += [*ids, _END]
        turns += [back] * (len(ids) + 1)
    return CompletionInput(
        utterance, tuple(texts), tuple(pieces), tuple(turns), _columns(letters), _columns(before)
    )


def _letters(
    words: BundledWords, text: str, first: int
) -> tuple[list[int], list[tuple[int, int, int]]]:
    """The pieces' ids, and for each letter its piece, counted from `first`, its place inside,
    and its own id."""
    found = words.pieces(text)
    places: list[tuple[int, int]] = []
    for number, (_, length) in enumerate(found, start=first):
        places += [(number, min(place, INSIDE - 1)) for place in range(length)]
    last = places[-1] if places else (first, 0)
    places += [last] * (len(text) - len(places))
    own = [words.tokenise(letter) or [_END] for letter in text]
    ids = [piece for piece, _ in found]
    return ids, [(*place, ids_[-1]) for place, ids_ in zip(places, own, strict=False)]


def _columns(letters: Sequence[tuple[int, int, int]]) -> Letters:
    if not letters:
        return Letters((), (), ())
    pieces, inside, own = zip(*letters, strict=True)
    return Letters(pieces, inside, own)
