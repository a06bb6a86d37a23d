"""What a hit leaves unsaid because the cutter split a list, a table or a clause: the passage
before or behind it joins the hits, as a passage of its own that can be cited."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag.text.numerals import parse_numeral
from rag.types import Chunk, Hit, Intent

GetNeighbours = Callable[[str], Sequence[Chunk]]
"""A chunk with the searchable ones around it in its document, in order."""

LOOKED_AT = 2
"""Hits whose neighbours are looked at, from the first; chosen by us."""
MOST_ADDED = 2
"""Passages that are added to the hits of one search; chosen by us."""
SHARE = 0.5
"""Share of the hit's rerank score that a neighbour gets, so that it never competes with what
was found; chosen by us."""

_NUMERAL = r"[0-9]{1,2}|[一二三四五六七八九十]{1,3}"
_ITEM = re.compile(
    rf"(?:^|[；;。：:])\s*(?:([(（])({_NUMERAL})[)）]|()({_NUMERAL})[、.．)）](?!\d)|()第({_NUMERAL})[步项])",
    re.MULTILINE,
)
_CIRCLED = re.compile("[①-⑳]")
_OPEN_ENDS = tuple("：:；;，,、")
_EVERYTHING = re.compile(
    r"哪些|哪几|全部|所有|列出|列举|罗列|分别|各[个项种类级地]|几[个种项条步类]|步骤|流程|清单"
    r"|都有|一览|\b(?:what are|list|all|every|each)\b",
    re.IGNORECASE,
)


def asks_for_all(question: str, intent: Intent) -> bool:
    """Whether a question wants a whole list or table rather than one place in it."""
    return intent in ("summary", "procedure", "comparison") or bool(_EVERYTHING.search(question))


def with_neighbours(hits: Sequence[Hit], get: GetNeighbours, *, everything: bool) -> list[Hit]:
    """The hits with what the first of them continue, or are continued by, behind each.

    Args:
        hits: ranked, best first.
        everything: the question wants the whole list or table: pieces of a table and of a
            list count; otherwise only a passage that breaks off.

    Returns:
        At most `MOST_ADDED` more than there were; ranks counted anew where any was added.
    """
    known = {hit.chunk.id for hit in hits}
    added: dict[str, list[Hit]] = {}
    for hit in hits[:LOOKED_AT]:
        if not _may_be_cut(hit.chunk, everything):
            continue
        for other in _continuations(hit.chunk, get(hit.chunk.id), everything):
            if other.id not in known and sum(map(len, added.values())) < MOST_ADDED:
                known.add(other.id)
                added.setdefault(hit.chunk.id, []).append(_beside(hit, other))
    if not added:
        return list(hits)
    joined = [each for hit in hits for each in (hit, *added.get(hit.chunk.id, ()))]
    return [hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(joined, start=1)]


def continues(first: Chunk, second: Chunk, *, everything: bool = True) -> bool:
    """Whether a passage goes on with what the one before it began: the same table, the same
    numbered list, or a sentence that breaks off.

    Args:
        everything: False asks for a sentence that breaks off.
    """
    same = (
        first.document_id == second.document_id
        and first.heading_path == second.heading_path
        and first.record_id == second.record_id
        and first.parent_id == second.parent_id
    )
    if not same:
        return False
    if first.kind == "table" or second.kind == "table":
        header = first.text.split("\n", 1)[0]
        both = first.kind == second.kind
        return everything and both and header == second.text.split("\n", 1)[0]
    if first.text.rstrip().endswith(_OPEN_ENDS):
        return True
    return everything and _goes_on(_items(first.text), _items(second.text))


def _may_be_cut(chunk: Chunk, everything: bool) -> bool:
    """A cheap look that spares most hits a question to the catalog."""
    if chunk.parent_id or chunk.kind in ("record", "code"):
        return False
    if chunk.text.rstrip().endswith(_OPEN_ENDS):
        return True
    return everything and (chunk.kind in ("table", "list") or bool(_items(chunk.text)))


def _continuations(chunk: Chunk, around: Sequence[Chunk], everything: bool) -> list[Chunk]:
    place = next((i for i, other in enumerate(around) if other.id == chunk.id), None)
    if place is None:
        return []
    found: list[Chunk] = []
    if place + 1 < len(around) and continues(chunk, around[place + 1], everything=everything):
        found.append(around[place + 1])
    if place and everything and continues(around[place - 1], chunk):
        found.append(around[place - 1])
    return found


def _items(text: str) -> list[tuple[str, int]]:
    """The numbered items that begin in a text: how they are written, and their numbers."""
    items = []
    for match in _ITEM.finditer(text):
        style, number = next(
            (f"{match[group]}{position}", match[group + 1])
            for position, group in enumerate((1, 3, 5))
            if match[group + 1]
        )
        value = int(number) if number.isdigit() else parse_numeral(number)
        if value is not None:
            items.append((style, value))
    items += [("circle", ord(mark) - ord("①") + 1) for mark in _CIRCLED.findall(text)]
    return items


def _goes_on(first: Sequence[tuple[str, int]], second: Sequence[tuple[str, int]]) -> bool:
    """Whether the second list begins within the first one's numbers and goes beyond them."""
    for style in dict.fromkeys(style for style, _ in second):
        before = [number for other, number in first if other == style]
        after = [number for other, number in second if other == style]
        if before and after[0] > 1 and before[-1] + 1 in after and after[0] <= before[-1] + 1:
            return True
    return False


def _beside(hit: Hit, chunk: Chunk) -> Hit:
    scores = {name: hit.scores[name] * SHARE for name in ("fused", "rerank") if name in hit.scores}
    return Hit(chunk=chunk, scores=scores, why=f"与第 {hit.rank} 条相连")
