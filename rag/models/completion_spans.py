"""From the numbers of the completion model to a completed turn: which letters go, and which stretch
of the context is put in where."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rag.models.completion_input import CompletionInput

if TYPE_CHECKING:
    import numpy as np

LINKS = ("", "的", "是", "在", "有")
"""What may stand between a stretch that is put in and what follows it."""
LONGEST = 24
"""Letters of a stretch that is put in."""

_BEGINS = 4
"""Beginnings looked at in each turn."""
_LEAST, _SHARED = 0.05, 0.5
"""Likelihood below which a place is not looked at; share of the plain likelihood of no change that
counts where several places compete. Chosen by us."""


class Completed(NamedTuple):
    """A completed turn, with how sure the model is of it, 0..1; of the turn as it was where that
    comes out unchanged."""

    text: str
    sureness: float


class Numbers(NamedTuple):
    """What the model says of a turn of n letters behind a context of m.

    Attributes:
        tags: [n + 1, 1 + len(LINKS)] logits: that something is put in front of a letter (the last:
            at the end), and which link follows it.
        left_out: [n + 1] logits that a letter goes; the last means nothing.
        points: [2, n + 1, m] logits of the first and the last letter of what is put in.
    """

    tags: np.ndarray
    left_out: np.ndarray
    points: np.ndarray


class _Put(NamedTuple):
    text: str
    share: float


def completed(read: CompletionInput, numbers: Numbers) -> Completed:
    """The likeliest completion.

    At each place what is put in must be likelier than that nothing is; where the places share the
    likelihood between them, the best one gets it.
    """
    import numpy as np

    count = len(read.utterance)
    some = _sigmoid(numbers.tags[: count + 1, 0])
    unchanged = Completed(read.utterance, float(np.prod(1.0 - some)))
    if not read.context or not count:
        return unchanged
    places = [place for place in range(count + 1) if some[place] > _LEAST]
    puts = {place: _best(read, numbers, place) for place in places}
    chosen = {
        place: put for place, put in puts.items() if some[place] * put.share > 1.0 - some[place]
    }
    if not chosen and puts:
        place = max(puts, key=lambda one: some[one] * puts[one].share)
        nothing = max(1.0 - float(some.sum()), float(np.prod(1.0 - some)) * _SHARED)
        if some[place] * puts[place].share > nothing:
            chosen = {place: puts[place]}
    if not chosen:  # letters that only go change what was said
        return unchanged
    gone = numbers.left_out[:count] > 0.0
    text, sure = [], 1.0
    for place in range(count + 1):
        if place in chosen:
            link = LINKS[int(np.argmax(numbers.tags[place, 1:]))]
            text.append(chosen[place].text + link)
            sure *= float(some[place]) * chosen[place].share
        if place < count and not gone[place]:
            text.append(read.utterance[place])
    whole = "".join(text)
    if whole == read.utterance:
        return unchanged
    return Completed(whole, sure)


def _best(read: CompletionInput, numbers: Numbers, place: int) -> _Put:
    """The likeliest stretch for a place; the same words in several turns count together."""
    import numpy as np

    first, last = (_shares(numbers.points[end, place]) for end in (0, 1))
    found: dict[str, float] = {}
    start = 0
    for turn in read.context:
        for begin in np.argsort(-first[start : start + len(turn)])[:_BEGINS]:
            at = start + int(begin)
            for end in range(int(begin), min(int(begin) + LONGEST, len(turn))):
                share = float(first[at] * last[start + end])
                words = turn[begin : end + 1]
                found[words] = found.get(words, 0.0) + share
        start += len(turn)
    words = max(found, key=lambda one: found[one])
    return _Put(words, found[words])


def _shares(logits: np.ndarray) -> np.ndarray:
    import numpy as np

    shares = np.exp(logits - logits.max())
    result: np.ndarray = shares / shares.sum()
    return result


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    import numpy as np

    result: np.ndarray = 1.0 / (1.0 + np.exp(-logits))
    return result
