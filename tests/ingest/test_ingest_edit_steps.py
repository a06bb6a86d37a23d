"""Undoing one step of a chunk's edits at a time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.edit_steps import MOST_STEPS
from rag.ingest.edits import (
    apply_edits,
    with_merge,
    with_split,
    with_switch,
    with_text,
    without_edit,
)
from rag.types import Chunk, ChunkEdit

TEXTS = ("甲乙丙丁戊己。", "子丑寅卯辰巳。", "春夏秋冬四季。")


class Bench:
    """Chunks of one document under the hands of an editor."""

    def __init__(self) -> None:
        self.automatic = [
            Chunk(id=f"d-1-{n}", document_id="d", kb_id="k", ordinal=n, text=text)
            for n, text in enumerate(TEXTS)
        ]
        self.edits: tuple[ChunkEdit, ...] = ()

    @property
    def rows(self) -> list[Chunk]:
        rows, lost = apply_edits(self.automatic, self.edits)
        assert lost == ()
        return rows

    @property
    def texts(self) -> list[str]:
        return [row.text if row.enabled else f"({row.text})" for row in self.rows]

    def write(self, at: int, text: str) -> None:
        self.edits = with_text(self.rows, self.edits, self.rows[at].id, text)

    def split(self, at: int, position: int) -> None:
        self.edits = with_split(self.rows, self.edits, self.rows[at].id, [position])

    def merge(self, at: int) -> None:
        ids = [row.id for row in self.rows[at : at + 2]]
        self.edits = with_merge(self.rows, self.edits, ids)

    def switch(self, at: int) -> None:
        row = self.rows[at]
        self.edits = with_switch(self.rows, self.edits, row.id, not row.enabled)

    def undo(self, at: int) -> None:
        self.edits = without_edit(self.rows, self.edits, self.rows[at].id)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_an_edit_stays_when_the_merge_after_it_is_undone(bench: Bench) -> None:
    bench.write(0, "改过的甲。")
    bench.merge(0)
    assert bench.texts == [f"改过的甲。\n\n{TEXTS[1]}", TEXTS[2]]
    bench.undo(0)
    assert bench.texts == ["改过的甲。", *TEXTS[1:]]
    bench.undo(0)
    assert (bench.texts, bench.edits) == (list(TEXTS), ())


def test_steps_of_one_chunk_are_undone_one_by_one(bench: Bench) -> None:
    seen = []
    for text in ("一。", "二。", "三。"):
        seen.append(bench.texts)
        bench.write(1, text)
    seen.append(bench.texts)
    bench.switch(1)
    for before in reversed(seen):
        bench.undo(1)
        assert bench.texts == before
    assert bench.edits == ()


def test_undoing_one_part_leaves_what_was_done_to_the_other(bench: Bench) -> None:
    bench.split(0, 3)
    bench.write(0, "前。")
    bench.write(1, "后。")
    bench.undo(0)
    assert bench.texts == ["甲乙丙", "后。", *TEXTS[1:]]
    bench.undo(1)
    assert bench.texts == ["甲乙丙", "丁戊己。", *TEXTS[1:]]
    bench.undo(1)
    assert (bench.texts, bench.edits) == (list(TEXTS), ())


def test_undoing_a_split_inside_leaves_later_parts(bench: Bench) -> None:
    bench.split(0, 4)
    bench.split(0, 2)
    bench.write(2, "尾。")
    assert bench.texts == ["甲乙", "丙丁", "尾。", *TEXTS[1:]]
    bench.undo(1)
    assert bench.texts == ["甲乙丙丁", "尾。", *TEXTS[1:]]
    bench.undo(0)
    assert bench.texts == list(TEXTS), "undoing a split takes its parts along"


def test_a_switch_beside_an_undone_merge_stays(bench: Bench) -> None:
    bench.split(0, 3)
    bench.merge(1)
    bench.switch(0)
    assert bench.texts == ["(甲乙丙)", f"丁戊己。\n\n{TEXTS[1]}", TEXTS[2]]
    bench.undo(1)
    assert bench.texts == ["(甲乙丙)", "丁戊己。", *TEXTS[1:]]
    bench.undo(0)
    assert bench.texts == ["甲乙丙", "丁戊己。", *TEXTS[1:]]


def test_undoing_beside_a_merge_keeps_the_merge(bench: Bench) -> None:
    bench.split(0, 3)
    bench.write(0, "前。")
    bench.merge(1)
    bench.undo(0)
    assert bench.texts == ["甲乙丙", f"丁戊己。\n\n{TEXTS[1]}", TEXTS[2]]
    bench.undo(1)
    assert bench.texts == ["甲乙丙", "丁戊己。", *TEXTS[1:]]


def test_the_number_of_steps_is_bounded(bench: Bench) -> None:
    for number in range(MOST_STEPS + 10):
        bench.write(0, f"第{number}次。")
    depth, edits = 0, bench.edits
    while edits:
        depth, edits = depth + 1, edits[0].before
    assert depth == MOST_STEPS + 1


def test_edits_without_steps_are_taken_back_whole(bench: Bench) -> None:
    bench.write(0, "改过。")
    bench.write(0, "又改过。")
    old = [edit.model_copy(update={"changed": (), "before": ()}) for edit in bench.edits]
    bench.edits = tuple(old)
    bench.undo(0)
    assert bench.texts == list(TEXTS)


DEEDS = st.tuples(st.sampled_from(["write", "split", "merge", "switch"]), st.integers(0, 9))


@settings(max_examples=60, deadline=None)
@given(st.lists(DEEDS, max_size=8), st.lists(st.integers(0, 9), max_size=12))
def test_any_steps_can_be_undone_down_to_the_automatic_cut(
    deeds: list[tuple[str, int]], undone: list[int]
) -> None:
    bench = Bench()
    for number, (deed, where) in enumerate(deeds):
        at = where % len(bench.rows)
        if deed == "write":
            bench.write(at, f"第{number}步改成这样。")
        elif deed == "switch":
            bench.switch(at)
        elif deed == "split" and len(bench.rows[at].text) > 4:
            bench.split(at, 2)
        elif deed == "merge" and at + 1 < len(bench.rows):
            bench.merge(at)
    for where in undone:
        bench.undo(where % len(bench.rows))
        assert bench.rows, "all edits still apply"
    for _ in range(40):
        changed = [n for n, row in enumerate(bench.rows) if row.edited or not row.enabled]
        if changed:
            bench.undo(changed[0])
    assert bench.texts == list(TEXTS)
