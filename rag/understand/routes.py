"""Questions about a way from one place to another: another end takes the place of its own."""

from __future__ import annotations

import itertools
import re

from rag.understand.phrases import parse
from rag.understand.regions import find_regions

_TO = r"(?:到|去|至|飞|往|飞往|开往|前往|寄到|寄往|发往|回)"
_END = re.compile(
    rf"^(?:(?P<to>{_TO})|(?P<from>从|自|由))?(?P<place>.+?)(?P<start>出发|始发|起飞|发货|发|走|寄)?$"
)


def with_other_end(value: str, question: str) -> str | None:
    """`question` with one end of its way replaced: "到南京" in 从上海到杭州高铁多少钱.

    None when `question` names no way between two places, or `value` no place. A bare place
    is where one goes.
    """
    ends = _ends(question)
    match = _END.match(_SENT.sub("", value.removesuffix("的")))
    if match is None:
        return None
    place = match["place"].strip()
    if _places(place) != [(0, len(place))]:
        return None
    if ends is None:
        goal = _goal(question) if match["to"] else None
        if goal is None:
            return None
        ends = (goal, goal)
    start, end = ends[0] if match["from"] or match["start"] else ends[1]
    return question[:start] + place + question[end:]


_SENT = re.compile(r"^(?:寄|发|送|运|坐车|开车|坐)(?=[到去至往])")


def _places(text: str) -> list[tuple[int, int]]:
    """Where regions and other places (英国) are named."""
    spans = {(m.start, m.end) for m in find_regions(text)}
    for token in parse(text).tokens:
        if token.tag == "ns" and not any(a < token.end and token.start < b for a, b in spans):
            spans.add((token.start, token.end))
    return sorted(spans)


def _goal(question: str) -> tuple[int, int] | None:
    """The only place that `question` names, where one goes or sends to it; else None."""
    spans = _places(question)
    if len(spans) != 1 or not re.search(rf"{_TO}$", question[: spans[0][0]]):
        return None
    return spans[0]


def _ends(question: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The places of both ends: "从A到B", "A飞B"; None when that isn't what is asked."""
    spans = _places(question)
    for first, second in itertools.pairwise(spans):
        if re.fullmatch(rf"[市省站]?的?{_TO}", question[first[1] : second[0]]):
            return first, second
    return None
