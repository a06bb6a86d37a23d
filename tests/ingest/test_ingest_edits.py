from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_inputs import document_of

from rag.errors import InvalidInput, NotFound
from rag.ingest.chunk import chunk
from rag.ingest.edits import (
    LONGEST,
    apply_edits,
    chunk_key,
    chunk_keys,
    with_merge,
    with_split,
    with_switch,
    with_text,
    without_edit,
)
from rag.ingest.table import to_markdown
from rag.settings import IngestSettings
from rag.types import Block, Chunk, ChunkEdit, ChunkStrategy, DocumentOptions

TEXTS = (
    "第一条 甲的规定。",
    "第二条 乙的规定，另有说明。",
    "第三条 丙的规定。",
    "第四条 丁的规定。",
)
Edits = tuple[ChunkEdit, ...]


def cut(*texts: str, strategy: ChunkStrategy = "structural", tokens: int = 60) -> list[Chunk]:
    blocks = (Block(kind="paragraph", text=text) for text in texts)
    options = DocumentOptions(strategy=strategy, chunk_tokens=tokens, chunk_overlap=0.0)
    return chunk(document_of(*blocks), IngestSettings(), len, options=options)


def now(edits: Edits, automatic: list[Chunk] | None = None) -> list[Chunk]:
    """The chunks with the edits, all of which must apply."""
    rows, lost = apply_edits(automatic or cut(*TEXTS), edits)
    assert lost == ()
    return rows


def texts(rows: list[Chunk]) -> list[str]:
    return [row.text for row in rows]


# --- Keys -----------------------------------------------------------------------------


def test_a_key_stays_when_the_same_text_is_parsed_again() -> None:
    before, after = cut(*TEXTS), cut("新的前言。", *TEXTS)
    assert set(chunk_keys(before)[1:]) <= set(chunk_keys(after))
    assert chunk_key(before[0]) == chunk_key(
        before[0].model_copy(update={"text": before[0].text.replace(" ", "\n "), "ordinal": 9})
    )


def test_a_key_tells_kind_path_and_text_apart() -> None:
    piece = cut(*TEXTS)[0]
    others = [
        piece.model_copy(update={"text": "别的"}),
        piece.model_copy(update={"heading_path": ("别处",)}),
        piece.model_copy(update={"kind": "text"}),
        piece.model_copy(update={"indexed": False}),
    ]
    assert len({chunk_key(each) for each in (piece, *others)}) == 5


def test_repeated_chunks_are_numbered() -> None:
    piece = cut(*TEXTS)[0]
    key = chunk_key(piece)
    assert chunk_keys([piece] * 3) == [key, f"{key}#2", f"{key}#3"]


# --- One edit -------------------------------------------------------------------------


def test_a_new_text_keeps_the_place_and_says_that_a_person_wrote_it() -> None:
    rows = cut(*TEXTS)
    found = now(with_text(rows, (), rows[1].id, "第二条 乙的新规定。", by="甲"))
    assert texts(found) == [TEXTS[0], "第二条 乙的新规定。", *TEXTS[2:]]
    assert found[1].edited
    assert not found[0].edited
    assert found[1].pages == rows[1].pages
    assert found[1].char_span == rows[1].char_span
    assert found[1].origin == rows[1].origin


def test_a_split_gives_each_part_its_own_place() -> None:
    rows = cut(*TEXTS)
    at = rows[1].text.index("另有")
    found = now(with_split(rows, (), rows[1].id, [at]))
    assert texts(found)[1:3] == ["第二条 乙的规定，", "另有说明。"]
    assert found[1].char_span[1] == found[2].char_span[0]
    assert [row.ordinal for row in found] == list(range(5))
    assert len({row.id for row in found}) == 5


def test_a_merge_takes_neighbours_together() -> None:
    rows = cut(*TEXTS)
    found = now(with_merge(rows, (), [rows[2].id, rows[1].id]))
    assert texts(found) == [TEXTS[0], f"{TEXTS[1]}\n\n{TEXTS[2]}", TEXTS[3]]
    assert found[1].char_span == (rows[1].char_span[0], rows[2].char_span[1])
    assert found[1].heading_path == ()


def test_a_merge_says_the_overlap_once() -> None:
    prose = "".join(f"这是第{n}个句子，说的是事情。" for n in range(1, 9))
    options = DocumentOptions(strategy="recursive", chunk_tokens=60, chunk_overlap=0.3)
    block = Block(kind="paragraph", text=prose)
    rows = chunk(document_of(block), IngestSettings(), len, options=options)
    assert rows[0].char_span[1] > rows[1].char_span[0]
    found = now(with_merge(rows, (), [row.id for row in rows]), rows)
    assert texts(found) == [prose]


def test_a_merge_says_a_table_header_once() -> None:
    table = [("城市", "标准"), *((f"城市{n}", f"{n}00元") for n in range(12))]
    block = Block(kind="table", text=to_markdown(table), rows=tuple(table))
    rows = chunk(document_of(block), IngestSettings(chunk_tokens=100), len)
    assert len(rows) > 1
    found = now(with_merge(rows, (), [row.id for row in rows]), rows)
    assert found[0].text == to_markdown(table)
    assert found[0].kind == "table"


def test_merged_records_keep_their_titles_and_what_they_say_alike() -> None:
    blocks = [
        Block(
            kind="paragraph",
            text=text,
            record_id=str(number),
            metadata={"title": title, "metadata": {"region": "杭州", "year": year}},
        )
        for number, (title, text, year) in enumerate(
            [("病假", "凭证明。", "2023"), ("事假", "须批准。", "2024")]
        )
    ]
    rows = chunk(document_of(*blocks), IngestSettings(), len)
    edits = with_merge(rows, (), [row.id for row in rows])
    (merged,) = now(edits, rows)
    assert merged.text == "病假\n凭证明。\n\n事假\n须批准。"
    about = merged.metadata
    assert (about.title, about.region, about.year) == (None, "浙江/杭州", None)
    assert now(without_edit([merged], edits, merged.id), rows) == now((), rows)


def test_what_nobody_could_find_is_not_made() -> None:
    rows = cut(*TEXTS)
    with pytest.raises(InvalidInput, match="最多"):
        with_text(rows, (), rows[0].id, "字" * (LONGEST + 1))
    long = [row.model_copy(update={"text": "字" * (LONGEST // 3)}) for row in rows]
    assert with_merge(long, (), [row.id for row in long[:2]])
    with pytest.raises(InvalidInput, match="最多"):
        with_merge(long, (), [row.id for row in long])


def test_switching_off_is_not_a_change_of_the_text() -> None:
    rows = cut(*TEXTS)
    off = with_switch(rows, (), rows[0].id, False)
    found = now(off)
    assert not found[0].enabled
    assert not found[0].edited
    assert with_switch(found, off, found[0].id, True) == ()


def test_an_edit_that_changes_nothing_is_none() -> None:
    rows = cut(*TEXTS)
    assert with_text(rows, (), rows[0].id, rows[0].text + " ") == ()


# --- Edits upon edits -----------------------------------------------------------------


def test_edits_compose() -> None:
    automatic = cut(*TEXTS)
    edits: Edits = with_split(automatic, (), automatic[1].id, [7])
    rows = now(edits)
    edits = with_text(rows, edits, rows[2].id, "，另有新的说明。")
    rows = now(edits)
    edits = with_merge(rows, edits, [rows[2].id, rows[3].id])
    rows = now(edits)
    assert texts(rows) == [
        TEXTS[0],
        "第二条 乙的规",
        f"，另有新的说明。\n\n{TEXTS[2]}",
        TEXTS[3],
    ]
    edits = with_switch(rows, edits, rows[1].id, False)
    rows = now(edits)
    assert [row.enabled for row in rows] == [True, False, True, True]
    assert len(edits) == 1
    edits = without_edit(rows, edits, rows[2].id)
    rows = now(edits)
    assert texts(rows)[1:4] == ["第二条 乙的规", "，另有新的说明。", TEXTS[2]]
    assert [row.enabled for row in rows][:3] == [True, False, True]


def test_an_edit_is_taken_back_alone() -> None:
    rows = cut(*TEXTS)
    edits = with_text(rows, (), rows[0].id, "改一。")
    rows = now(edits)
    edits = with_text(rows, edits, rows[3].id, "改四。")
    edits = without_edit(now(edits), edits, now(edits)[0].id)
    assert texts(now(edits)) == [*TEXTS[:3], "改四。"]


CHANGES = st.lists(
    st.tuples(st.sampled_from(["text", "split", "merge", "off", "on", "back"]), st.integers(0, 9)),
    max_size=8,
)


@settings(max_examples=100, deadline=None)
@given(CHANGES)
def test_any_changes_can_be_applied_and_taken_back(changes: list[tuple[str, int]]) -> None:
    automatic = cut(*TEXTS)
    edits: Edits = ()
    for change, number in changes:
        rows = now(edits)
        row = rows[number % len(rows)]
        if change == "text":
            edits = with_text(rows, edits, row.id, f"改写{number}。")
        elif change == "split" and len(row.text) > 3:
            edits = with_split(rows, edits, row.id, [2])
        elif change == "merge" and row is not rows[-1]:
            edits = with_merge(rows, edits, [row.id, rows[row.ordinal + 1].id])
        elif change in ("off", "on"):
            edits = with_switch(rows, edits, row.id, change == "on")
        elif change == "back":
            edits = without_edit(rows, edits, row.id)
        keys = [key for edit in edits for key in edit.sources]
        assert len(keys) == len(set(keys))
    while edits:
        rows = now(edits)
        changed = next(row for row in rows if any(row.origin == edit.sources for edit in edits))
        edits = without_edit(rows, edits, changed.id)
    assert texts(now(edits)) == texts(automatic)


# --- Over re-parsing ------------------------------------------------------------------


def test_an_edit_is_found_again_when_other_text_comes_and_goes() -> None:
    rows = cut(*TEXTS)
    edits = with_text(rows, (), rows[1].id, "第二条 改过。")
    again = cut("序言。", TEXTS[1], TEXTS[3], "第五条 新的。")
    assert "第二条 改过。" in texts(now(edits, again))


def test_an_edit_is_found_again_under_another_heading_if_there_is_one_such_text() -> None:
    rows = cut("一段话，别处没有。", tokens=200)
    edits = with_text(rows, (), rows[0].id, "改过。")
    moved = rows[0].model_copy(update={"heading_path": ("新的标题",)})
    found, lost = apply_edits([moved], edits)
    assert (texts(found), lost) == (["改过。"], ())
    assert with_switch(found, edits, found[0].id, False)[0].sources == edits[0].sources
    found, lost = apply_edits([moved, moved.model_copy(update={"heading_path": ("又",)})], edits)
    assert lost == edits


def test_an_edit_whose_text_is_gone_is_lost_and_applies_again_later() -> None:
    rows = cut(*TEXTS)
    edits = with_merge(rows, (), [rows[0].id, rows[1].id])
    changed = cut("第一条 甲的新规定。", *TEXTS[1:])
    found, lost = apply_edits(changed, edits)
    assert lost == edits
    assert texts(found)[1] == TEXTS[1]
    edits = with_text(found, edits, found[1].id, "第二条 改过。")
    assert len(edits) == 2
    # Both name the second article now that the first is back: the later one counts.
    found, lost = apply_edits(rows, edits)
    assert lost == edits[:1]
    assert texts(found)[:2] == [TEXTS[0], "第二条 改过。"]


def test_neighbours_that_are_none_any_more_are_not_merged() -> None:
    rows = cut(*TEXTS)
    edits = with_merge(rows, (), [rows[0].id, rows[1].id])
    _, lost = apply_edits(cut(TEXTS[0], "第一条之一 插进来的。", *TEXTS[1:]), edits)
    assert lost == edits


# --- Wrong input ----------------------------------------------------------------------


def test_what_cannot_be_done_is_told() -> None:
    rows = cut(*TEXTS)
    with pytest.raises(NotFound):
        with_text(rows, (), "nobody", "文字")
    with pytest.raises(InvalidInput, match="不能为空"):
        with_text(rows, (), rows[0].id, " \n")
    for positions in ([], [0], [-3], [999], [len(rows[0].text)]):
        with pytest.raises(InvalidInput, match="拆分"):
            with_split(rows, (), rows[0].id, positions)
    for ids in ([rows[0].id], [rows[0].id, rows[2].id], [rows[0].id, rows[0].id]):
        with pytest.raises(InvalidInput, match="相邻"):
            with_merge(rows, (), ids)


# --- Parents --------------------------------------------------------------------------

SENTENCES = tuple(f"这里说的是第{n}件事情，它有{n}个方面要注意。" for n in range(1, 8))


def windows() -> list[Chunk]:
    return cut("".join(SENTENCES), strategy="sentence_window", tokens=300)


def child(rows: list[Chunk], text: str) -> Chunk:
    return next(row for row in rows if row.indexed and row.text == text)


def test_a_changed_sentence_is_changed_in_every_window_around_it() -> None:
    rows = windows()
    found = now(with_text(rows, (), child(rows, SENTENCES[3]).id, "第四件事情取消了。"), rows)
    parents = [row for row in found if not row.indexed]
    assert any("取消了" in parent.text for parent in parents)
    assert not any(SENTENCES[3] in row.text for row in found)
    changed = child(found, "第四件事情取消了。")
    assert changed.parent_id in {parent.id for parent in parents}


def test_a_sentence_that_is_switched_off_is_not_read_either() -> None:
    rows = windows()
    found = now(with_switch(rows, (), child(rows, SENTENCES[3]).id, False), rows)
    assert not any(SENTENCES[3] in row.text for row in found if not row.indexed)
    assert all(SENTENCES[0] in row.text for row in found if not row.indexed)


def test_other_borders_leave_the_parents_as_they_are() -> None:
    rows = windows()
    first, second = child(rows, SENTENCES[0]), child(rows, SENTENCES[1])
    found = now(with_merge(rows, (), [first.id, second.id]), rows)
    assert [r.text for r in found if not r.indexed] == [r.text for r in rows if not r.indexed]
    merged = next(row for row in found if row.indexed)
    assert merged.parent_id == next(row.id for row in found if not row.indexed)


def test_parent_ids_follow_the_new_numbers() -> None:
    rows = cut("".join(SENTENCES * 4), strategy="parent_child", tokens=90)
    target = next(row for row in rows if row.indexed)
    found = now(with_split(rows, (), target.id, [5]), rows)
    by_id = {row.id: row for row in found}
    assert len(by_id) == len(found)
    for row in found:
        if row.parent_id is not None:
            assert not by_id[row.parent_id].indexed
            assert row.text in by_id[row.parent_id].text
    assert all(a.ordinal + 1 == b.ordinal for a, b in pairwise(found))


def test_a_parent_itself_is_not_edited() -> None:
    rows = windows()
    parent = next(row for row in rows if not row.indexed)
    with pytest.raises(InvalidInput, match="上级段落"):
        with_text(rows, (), parent.id, "改")


def test_a_parent_of_which_nothing_is_left_goes() -> None:
    rows = cut(SENTENCES[0] + SENTENCES[1], strategy="sentence_window", tokens=300)
    edits: Edits = ()
    for text in SENTENCES[:2]:
        found = now(edits, rows)
        edits = with_switch(found, edits, child(found, text).id, False)
    found = now(edits, rows)
    assert all(row.indexed and row.parent_id is None and not row.enabled for row in found)


def test_an_edited_statement_of_a_model_is_read_as_itself() -> None:
    block = Block(kind="paragraph", text="年假为五天，病假为十天。")
    rows = chunk(
        document_of(block),
        IngestSettings(chunk_strategy="proposition"),
        len,
        propositions=lambda _: ["员工的年假为五天。", "员工的病假为十天。"],
    )
    target = child(rows, "员工的年假为五天。")
    found = now(with_text(rows, (), target.id, "员工的年假为六天。"), rows)
    assert child(found, "员工的年假为六天。").parent_id is None
    assert child(found, "员工的病假为十天。").parent_id is not None
