"""What says which class a thing is of: a table by classes (一类城市, 二类城市) is of use only with
the place of its document that tells them apart, which joins the hits as a passage of its own.
So does the rest of a table of classes that the cutter split: the row may stand there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from rag.retrieve.neighbours import continues
from rag.text.alternatives import alternatives, bare, defined, defines, rest
from rag.types import Chunk, Hit

GetAround = Callable[[str, int, int], Sequence[Chunk]]
"""A chunk with the searchable ones around it in its document: id, how many before and after."""

LOOKED_AT = 3
"""Hits that are looked at, from the first; chosen by us."""
REACH = 60
"""Passages before and behind the table among which its definition is looked for; ours."""
MOST_ADDED = 3
SHARE = 0.5
"""Share of the hit's scores that an added passage gets, as a neighbour does; chosen by us."""


def with_definitions(hits: Sequence[Hit], question: str, around: GetAround) -> list[Hit]:
    """The hits with what defines the classes of the first table by classes behind it.

    Args:
        hits: ranked, best first.
        question: as it is searched; a definition that names a thing of it comes first.

    Returns:
        At most `MOST_ADDED` more than there were; ranks counted anew where any was added.
    """
    for place, hit in enumerate(hits[:LOOKED_AT]):
        names = _classes(hit.chunk)
        if not names:
            continue
        known = {other.chunk.id for other in hits}
        near = around(hit.chunk.id, REACH, REACH)
        added = [*_siblings(hit.chunk, near), *_defining(names, question, near)]
        new = list({chunk.id: chunk for chunk in added if chunk.id not in known}.values())
        if not new:
            return list(hits)
        beside = [_beside(hit, chunk) for chunk in new[:MOST_ADDED]]
        joined = [*hits[: place + 1], *beside, *hits[place + 1 :]]
        return [each.model_copy(update={"rank": rank}) for rank, each in enumerate(joined, 1)]
    return list(hits)


def _classes(chunk: Chunk) -> tuple[str, ...]:
    """The names of the classes that a passage's table has columns for."""
    lines = chunk.text.split("\n")
    for line, rule in pairwise(lines):
        if line.lstrip().startswith("|") and rule.lstrip().startswith("| -"):
            header = tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
            columns = alternatives(header)
            if columns:
                return tuple(bare(header[i]) for i in columns)
    return ()


def _siblings(chunk: Chunk, near: Sequence[Chunk]) -> list[Chunk]:
    """The passages right before and behind that hold other rows of the same table."""
    place = next((i for i, other in enumerate(near) if other.id == chunk.id), None)
    if place is None:
        return []
    found = [near[place + 1]] if place + 1 < len(near) and _goes_on(chunk, near[place + 1]) else []
    return [near[place - 1], *found] if place and _goes_on(near[place - 1], chunk) else found


def _goes_on(first: Chunk, second: Chunk) -> bool:
    if first.kind != "table" or second.kind != "table":
        return False
    return continues(first, second) or (
        first.heading_path == second.heading_path
        and bool(_classes(first))
        and _classes(first) == _classes(second)
    )


def _defining(names: Sequence[str], question: str, near: Sequence[Chunk]) -> list[Chunk]:
    """The passage that names a thing of the question, else that which defines the classes."""
    named = [chunk for chunk in near if defined(names, question, chunk.text)]
    others = [c for c in near if rest(names, c.text) or defines(names, c.text)]
    return (named or others)[:1]


def _beside(hit: Hit, chunk: Chunk) -> Hit:
    scores = {name: hit.scores[name] * SHARE for name in ("fused", "rerank") if name in hit.scores}
    return Hit(chunk=chunk, scores=scores, why=f"说明第 {hit.rank} 条的分类")
