"""Takes a question apart that asks several things of one subject at once."""

from __future__ import annotations

import re

from rag.answer.asks import asking_spans

_BREAK = re.compile(r"[？?；;。！!，,、]\s*")
_FIELDS = re.compile(
    r"^(?P<of>.{2,40}?的)(?P<a>[^的和与及、，]{1,10})(?:和|与|及|以及|、)(?P<b>[^的和与及、，]{1,12}?)"
    r"(?P<ask>(?:分别|各|都)?(?:是|为|有)?(?:多少|什么|多久|几|哪).*)$"
)
MOST_PARTS = 3
"""Parts of one question that are answered one by one; chosen by us."""


def parts(question: str) -> tuple[str, ...]:
    """The parts that ask something each ("婚假几天" and "多久内休完"), or the question alone."""
    text = question.strip().rstrip("？?。！! ")
    fields = _FIELDS.match(text)
    if fields:
        ask = re.sub(r"^(?:分别|各|都)", "", fields["ask"])
        return tuple(f"{fields['of']}{name}{ask}" for name in (fields["a"], fields["b"]))
    pieces = [piece.strip() for piece in _BREAK.split(text) if piece.strip()]
    if not 2 <= len(pieces) <= MOST_PARTS or not all(asking_spans(piece) for piece in pieces):
        return (question,)
    return tuple(pieces)
