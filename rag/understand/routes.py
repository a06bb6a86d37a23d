"""Questions about a way from one place to another: another end takes the place of its own."""

from __future__ import annotations

import itertools
import re

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
    match = _END.match(value.removesuffix("的"))
    if ends is None or match is None or not find_regions(match["place"]):
        return None
    start, end = ends[0] if match["from"] or match["start"] else ends[1]
    mentions = find_regions(match["place"])
    if len(mentions) != 1 or mentions[0].text != match["place"].strip():
        return None
    return question[:start] + mentions[0].text + question[end:]


def _ends(question: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The places of both ends: "从A到B", "A飞B"; None when that isn't what is asked."""
    spans = sorted({(m.start, m.end) for m in find_regions(question)})
    for first, second in itertools.pairwise(spans):
        if re.fullmatch(rf"[市省站]?的?{_TO}", question[first[1] : second[0]]):
            return first, second
    return None
