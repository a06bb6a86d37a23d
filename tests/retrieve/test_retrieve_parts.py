"""Several things asked at once."""

from __future__ import annotations

from rag.retrieve.parts import taking_turns, with_parts
from rag.types import Chunk, Hit, Retrieval


def found(**scores: float) -> Retrieval:
    hits = tuple(
        Hit(
            chunk=Chunk(id=name, document_id="d", kb_id="k", ordinal=0, text=name),
            scores={"rerank": score},
            rank=rank,
        )
        for rank, (name, score) in enumerate(scores.items(), start=1)
    )
    return Retrieval(hits=hits, candidates=len(hits))


def names(retrieval: Retrieval) -> list[str]:
    return [hit.chunk.id for hit in retrieval.hits]


def test_the_best_of_each_part_keeps_a_place() -> None:
    whole = found(a=0.9, b=0.8, c=0.7, d=0.6)
    joined = with_parts(whole, [found(x=0.95), found(y=0.3)], 4)
    assert names(joined) == ["x", "a", "b", "y"]
    assert [hit.rank for hit in joined.hits] == [1, 2, 3, 4]


def test_a_passage_found_twice_stands_once_with_its_higher_score() -> None:
    joined = with_parts(found(a=0.2, b=0.5), [found(a=0.9)], 3)
    assert names(joined) == ["a", "b"]
    assert joined.hits[0].scores["rerank"] == 0.9


def test_parts_beyond_the_count_are_not_cut() -> None:
    joined = with_parts(found(a=0.9), [found(x=0.5, y=0.4), found(z=0.3)], 2)
    assert names(joined) == ["x", "y", "z"]


def test_two_readings_take_turns() -> None:
    whole = found(a=0.9, b=0.8, c=0.7)
    other = found(x=0.3, a=0.95)
    told = taking_turns(whole, other, 4, first=False)
    assert [(hit.chunk.id, hit.rank) for hit in told.hits] == [
        ("a", 1), ("x", 2), ("b", 3), ("c", 4),
    ]  # fmt: skip
    assert told.hits[0].scores["rerank"] == 0.95
    assert [hit.chunk.id for hit in taking_turns(whole, other, 3, first=True).hits] == [
        "x", "a", "b",
    ]  # fmt: skip
    assert taking_turns(whole, found(), 4, first=True).hits[0].chunk.id == "a"
