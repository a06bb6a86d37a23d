"""What turns an utterance into its completion: letters left out, and stretches of the turns before
it put in front of others. Found by the cheapest alignment in which all that is put in is copied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rag.models.completion_spans import LINKS

_DELETED, _COPIED, _LINKED, _LETTER = 0.35, 1.0, 1.3, 0.02
"""Costs of a letter left out, of a stretch put in, of one with a link behind it, and of each letter
put in; chosen by us so that little is moved and long stretches stay whole."""


class Insertion(NamedTuple):
    """A stretch of the context, and what links it to what follows ("" or a letter)."""

    text: str
    link: str


@dataclass(frozen=True)
class Edits:
    """Which letters are left out, and what is put in front of which letter (the utterance's
    length: at its end)."""

    left_out: tuple[bool, ...]
    put_in: Mapping[int, Insertion] = field(default_factory=dict)


class _Move(NamedTuple):
    place: int
    made: int
    opened: bool
    what: Insertion | bool
    """An insertion, or whether the letter stays."""


State = tuple[int, int, bool]
"""Letters read, letters made, and whether something was put in since the last letter kept."""


def edits(utterance: str, completion: str, context: Sequence[str]) -> Edits | None:
    """The edits; None where the completion cannot be made by copying.

    Args:
        context: the turns that may be copied from.
    """
    cost: dict[State, float] = {(0, 0, False): 0.0}
    way: dict[State, _Move] = {}

    def reach(to: State, price: float, move: _Move) -> None:
        if price < cost.get(to, float("inf")):
            cost[to], way[to] = price, move

    for read in range(len(utterance) + 1):
        for made in range(len(completion) + 1):
            for opened in (False, True):
                so_far = cost.get((read, made, opened))
                if so_far is None:
                    continue
                if not opened:
                    for end in range(made + 1, len(completion) + 1):
                        if put := _insertion(completion[made:end], context):
                            price = _LINKED if put.link else _COPIED
                            price += so_far + _LETTER * (end - made)
                            reach((read, end, True), price, _Move(read, made, opened, put))
                if read == len(utterance):
                    continue
                if completion[made : made + 1] == utterance[read]:
                    move = _Move(read, made, opened, True)
                    reach((read + 1, made + 1, False), so_far, move)
                left = _Move(read, made, opened, False)
                reach((read + 1, made, opened), so_far + _DELETED, left)
    ends = [(len(utterance), len(completion), opened) for opened in (False, True)]
    state = min(ends, key=lambda end: cost.get(end, float("inf")))
    return _traced(state, way, len(utterance)) if state in cost else None


def _insertion(text: str, context: Sequence[str]) -> Insertion | None:
    if any(text in turn for turn in context):
        return Insertion(text, "")
    link = next((link for link in LINKS if link and text.endswith(link)), "")
    if link and len(text) > 1 and any(text[:-1] in turn for turn in context):
        return Insertion(text[:-1], link)
    return None


def _traced(state: State, way: Mapping[State, _Move], length: int) -> Edits | None:
    """The edits on the way to a state; what is put in beside letters left out stands before
    them."""
    left_out, put_in = [False] * length, dict[int, Insertion]()
    while state in way:
        move = way[state]
        if isinstance(move.what, Insertion):
            put_in[move.place] = move.what
        elif not move.what:
            left_out[move.place] = True
        state = (move.place, move.made, move.opened)
    moved: dict[int, Insertion] = {}
    for place, put in sorted(put_in.items()):
        at = place
        while at and left_out[at - 1]:
            at -= 1
        if at in moved:
            return None
        moved[at] = put
    return Edits(tuple(left_out), moved)
