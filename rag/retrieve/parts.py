"""Several things asked at once: each of them keeps its place among the passages.

A passage that is best for one part of a comparison ranks low for the whole question, which
names the other things too; without a place of its own it would fall out of the evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from rag.types import Hit, Retrieval, SearchStage

PART_HITS = 2
"""Passages that each part brings in: its best, and one that may hold the value; chosen by us."""
MORE_BEHIND = 2
"""Passages more for a follow-up that is searched behind the question before it as well. Of 265
follow-ups (`benchmarks/workplace/fit`) .93 have the line that answers among eight passages when
the completed question is searched, .96 among these ten."""


def with_parts(whole: Retrieval, parts: Sequence[Retrieval], count: int) -> Retrieval:
    """The whole question's hits with the best of each part among them.

    Args:
        whole: what was found for the question.
        parts: what was found for each of its parts.
        count: most hits returned; more where the parts alone bring more.

    Returns:
        Each part's first hits and the whole's best beside them, by their rerank score (the
        higher of the two where a passage was found by both), ranks counted anew.
    """
    kept: dict[str, Hit] = {}
    for part in parts:
        for hit in part.hits[:PART_HITS]:
            _keep(kept, hit)
    for hit in whole.hits:
        if hit.chunk.id in kept or len(kept) < count:
            _keep(kept, hit)
    ordered = sorted(kept.values(), key=lambda hit: -hit.scores.get("rerank", 0.0))
    return whole.model_copy(
        update={
            "hits": tuple(
                hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(ordered, start=1)
            ),
            "candidates": max([whole.candidates, *(part.candidates for part in parts)]),
        }
    )


def taking_turns(whole: Retrieval, other: Retrieval, count: int, *, first: bool) -> Retrieval:
    """The hits of two searches in turns, each passage once, ranks counted anew.

    Args:
        other: for another reading of the question; a passage keeps its higher rerank score.
        count: most hits returned.
        first: begin with the other reading's best.
    """
    kept: dict[str, Hit] = {}
    for pair in zip_longest(*((other.hits, whole.hits) if first else (whole.hits, other.hits))):
        for hit in filter(None, pair):
            _keep(kept, hit)
    hits = [
        hit.model_copy(update={"rank": rank})
        for rank, hit in enumerate(list(kept.values())[:count], start=1)
    ]
    taken = Counter(whole.timings_ms) + Counter(other.timings_ms)
    return whole.model_copy(
        update={
            "hits": tuple(hits),
            "widened": tuple(dict.fromkeys((*whole.widened, *other.widened))),
            "timings_ms": dict(taken),
            "candidates": max(whole.candidates, other.candidates),
            "notes": tuple(dict.fromkeys((*whole.notes, *other.notes))),
        }
    )


def _keep(kept: dict[str, Hit], hit: Hit) -> None:
    before = kept.get(hit.chunk.id)
    if before is None or hit.scores.get("rerank", 0.0) > before.scores.get("rerank", 0.0):
        kept[hit.chunk.id] = hit


def with_stages_of(merged: Retrieval, parts: Sequence[Retrieval]) -> Retrieval:
    """The stages of the whole and of its parts, and how their hits were put together."""
    if not merged.stages:
        return merged
    ranked = tuple((hit.chunk.id, hit.scores.get("rerank", 0.0)) for hit in merged.hits)
    last = SearchStage(
        name="final", query=merged.stages[-1].query, ranked=ranked, note="各部分合在一起"
    )
    stages = [*merged.stages, *(stage for part in parts for stage in part.stages), last]
    return merged.model_copy(update={"stages": tuple(stages)})
