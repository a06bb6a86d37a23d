"""Reads the pictures of lines, and reads those again that are doubtful.

The recogniser tells how sure it is of each character and where it saw it. A line with a weak
letter or digit is enlarged and read once more; the surer reading wins. Of numbers, the places
tell whether a digit was passed over, since digits stand at even distances.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

WEAK = 0.7
"""Probability of a character, 0..1, below which it is doubtful. Measured on drawn faxes and
noisy scans: two of a thousand right characters have less, half of the wrong ones."""

_SHARE, _SMALL_SHARE = 0.08, 0.6
SMALL_PX = 32
"""How much of a page, by the length of its lines, may be read again; more where its lines'
boxes are lower than so many pixels, as on faxes and small pictures (12 points at 120 dpi have
28). Chosen by us: it keeps ordinary pages within a tenth of the time of one reading."""

_READ_PX = 96
_STRETCH = 1.25
"""Height in pixels to which a line is enlarged for the second reading, twice what the
recogniser takes, and how much its other picture is stretched. Chosen by us."""

_LONG_NUMBER = 6
_NUMBER = re.compile(r"\d(?:[ .,/\-—–]?\d)+")
_PASSED, _MIN_PASSED = 1.6, 2.2
_MIN_STEPS = 5
"""Numbers with so many digits are looked at. Between neighbours, a distance so many times the
usual one, and by so many of the recogniser's columns wider, is a digit that was passed over;
the usual one is told from so many. Chosen by us: digits of proportional fonts differ by less."""

_EVEN = 1.2
"""A blank between digits that stand no farther apart than so many times the others is none."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A line as it was read.

    `confidence` is the mean probability of its characters, 0..1; `sure` and `places` are those
    of each character: its probability, and the column where it was seen (of 8 pixels when the
    line is 48 high; that of a blank is the one before). `again` tells that the first reading
    was doubtful.
    """

    text: str
    confidence: float
    sure: tuple[float, ...] = ()
    places: tuple[float, ...] = ()
    again: bool = False

    @property
    def weakest(self) -> float:
        """The lowest probability of a letter or digit, 1.0 where there is none."""
        pairs = zip(self.text, self.sure, strict=False)
        return min((sure for character, sure in pairs if character.isalnum()), default=1.0)


def read(engine: Any, crops: Sequence[np.ndarray]) -> list[Reading]:
    """What the pictures of lines (height × width × 3, BGR) say."""
    if not crops:
        return []
    found = engine.recognize_txt(list(crops))
    words = found.word_results or [None] * len(found.txts)
    return [
        _reading(text, float(score), word)
        for text, score, word in zip(found.txts, found.scores, words, strict=True)
    ]


def read_carefully(
    engine: Any, crops: Sequence[np.ndarray], *, small: bool = False
) -> list[Reading]:
    """The same, with doubtful lines read once more.

    Args:
        small: whether the page is poor in detail, so that more of it is worth the time.
    """
    first = read(engine, crops)
    share = _SMALL_SHARE if small else _SHARE
    budget = share * sum(_length(crop) for crop in crops)
    again: list[int] = []
    for index in sorted(range(len(first)), key=lambda i: _urgency(first[i])):
        if _urgency(first[index]) >= WEAK or not first[index].text:
            break
        budget -= 2 * _length(crops[index])
        if budget < 0 and again:
            break
        again.append(index)
    pictures = [picture for index in again for picture in _enlarged(crops[index])]
    second = read(engine, pictures)
    for number, index in enumerate(again):
        chosen = _better(first[index], second[2 * number : 2 * number + 2])
        first[index] = replace(chosen, again=True)
    return [_evened(reading) for reading in first]


def doubtful_numbers(reading: Reading) -> list[str]:
    """The long numbers of a line of which a digit is weak or was passed over."""
    found: list[str] = []
    for match in _NUMBER.finditer(reading.text):
        if sum(c.isdigit() for c in match[0]) < _LONG_NUMBER:
            continue
        weak = any(
            reading.sure[i] < WEAK
            for i in range(match.start(), min(match.end(), len(reading.sure)))
            if reading.text[i].isdigit()
        )
        if weak or _passed_over(reading, match):
            found.append(match[0])
    return found


def _reading(text: str, score: float, word: Any) -> Reading:
    """A reading with its characters' values, where the recogniser gave them."""
    sure = tuple(float(value) for value in getattr(word, "confs", None) or ())
    seen = [float(c) for columns in getattr(word, "word_cols", None) or () for c in columns]
    if len(sure) != len(text) or len(seen) != sum(not c.isspace() for c in text):
        return Reading(text, score)
    places: list[float] = []
    following = iter(seen)
    for character in text:
        blank = character.isspace()
        places.append((places[-1] if places else 0.0) if blank else next(following))
    return Reading(text, score, sure, tuple(places))


def _length(crop: np.ndarray) -> float:
    """The length of a line in heights, which is what reading it costs."""
    return float(crop.shape[1]) / max(float(crop.shape[0]), 1.0)


def _urgency(reading: Reading) -> float:
    """How sure the line is, 0..1; below 0 when a digit was passed over."""
    for match in _NUMBER.finditer(reading.text):
        if sum(c.isdigit() for c in match[0]) >= _LONG_NUMBER and _passed_over(reading, match):
            return -1.0
    return reading.weakest


def _passed_over(reading: Reading, match: re.Match[str]) -> bool:
    if not reading.places:
        return False
    steps = [
        reading.places[i + 1] - reading.places[i]
        for i in range(match.start(), match.end() - 1)
        if reading.text[i].isdigit() and reading.text[i + 1].isdigit()
    ]
    if len(steps) < _MIN_STEPS:
        return False
    usual = median(steps)
    return max(steps) > max(_PASSED * usual, usual + _MIN_PASSED)


def _enlarged(crop: np.ndarray) -> list[np.ndarray]:
    """The picture of a line larger, and the same stretched."""
    import cv2

    ratio = max(_READ_PX / crop.shape[0], 1.0)
    return [
        cv2.resize(crop, None, fx=ratio * wider, fy=ratio, interpolation=cv2.INTER_CUBIC)
        for wider in (1.0, _STRETCH)
    ]


def _better(first: Reading, others: Sequence[Reading]) -> Reading:
    """The surest reading; one that lacks a part of the line can't win."""
    length = len("".join(first.text.split()))
    fit = [other for other in others if len("".join(other.text.split())) >= 0.9 * length]
    return max([first, *fit], key=lambda r: (_urgency(r) >= 0, r.weakest, r.confidence))


def _evened(reading: Reading) -> Reading:
    """The reading without blanks between digits that stand at even distances."""
    drop: set[int] = set()
    for match in _NUMBER.finditer(reading.text) if reading.places else ():
        digits = [i for i in range(match.start(), match.end()) if reading.text[i].isdigit()]
        close = [reading.places[b] - reading.places[a] for a, b in pairwise(digits) if b == a + 1]
        apart = [
            (a + 1, reading.places[b] - reading.places[a])
            for a, b in pairwise(digits)
            if b == a + 2 and reading.text[a + 1] == " "
        ]
        if close and apart:
            usual = median(close)
            drop.update(i for i, step in apart if step <= _EVEN * usual)
    if not drop:
        return reading
    kept = [i for i in range(len(reading.text)) if i not in drop]
    return replace(
        reading,
        text="".join(reading.text[i] for i in kept),
        sure=tuple(reading.sure[i] for i in kept),
        places=tuple(reading.places[i] for i in kept),
    )
