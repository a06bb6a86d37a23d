"""What every strategy promises, on documents of all kinds of blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_inputs import document_of

from rag.errors import ModelError
from rag.ingest.chunk import chunk
from rag.ingest.edits import chunk_keys
from rag.ingest.plain import plain_text
from rag.ingest.table import to_markdown
from rag.settings import IngestSettings
from rag.types import Block, Chunk, ChunkStrategy, Document, DocumentOptions

STRATEGIES: tuple[ChunkStrategy, ...] = (
    "auto",
    "fixed",
    "recursive",
    "structural",
    "semantic",
    "record",
    "sentence_window",
    "parent_child",
    "proposition",
)
NESTED = ("sentence_window", "parent_child", "proposition")
LIMIT = 60


def letters(texts: Sequence[str]) -> np.ndarray:
    """A stand-in for an embedder: which of a few letters a text holds."""
    rows = np.array([[text.count(c) + 0.01 for c in "年病规员，。一"] for text in texts])
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def cut(
    document: Document,
    strategy: ChunkStrategy,
    overlap: float = 0.0,
    tokens: int = LIMIT,
    **more: Any,
) -> list[Chunk]:
    options = DocumentOptions(strategy=strategy, chunk_tokens=tokens, chunk_overlap=overlap)
    more = {"embed": letters, **more}
    return chunk(document, IngestSettings(), len, options=options, **more)


def squeezed(text: str) -> str:
    return "".join(text.split())


WORDS = st.text(
    alphabet="年假病申请规定员工部门，。；？！ 第条一二三、：\n元abc123", min_size=1, max_size=200
)
CELLS = st.text(alphabet="甲乙丙丁戊己123,.", min_size=1, max_size=12)


def table_of(rows: list[tuple[str, ...]]) -> Block:
    return Block(kind="table", text=to_markdown(rows), rows=tuple(rows))


TABLES = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=2, max_size=12).map(table_of)
RUNNING = st.one_of(
    st.builds(lambda text: Block(kind="paragraph", text=text), WORDS),
    st.builds(
        lambda text, level: Block(kind="heading", text=text, level=level),
        st.text(alphabet="总则附录请假制度", min_size=1, max_size=12),
        st.integers(1, 4),
    ),
    st.builds(lambda text: Block(kind="list", text=text), WORDS),
    st.builds(lambda text: Block(kind="code", text=text), WORDS),
    st.builds(
        lambda n, text: Block(kind="paragraph", text=f"第{n}条 {text}"), st.integers(1, 9), WORDS
    ),
    st.builds(lambda text: Block(kind="paragraph", text=f"问：{text}"), WORDS),
    st.builds(
        lambda text, n: Block(kind="paragraph", text=text, record_id=str(n)), WORDS, st.integers()
    ),
)


def document(blocks: list[Block]) -> Document:
    return document_of(*blocks)


DOCUMENTS = st.lists(RUNNING, max_size=10).map(document)
WITH_TABLES = st.lists(st.one_of(RUNNING, TABLES), max_size=6).map(document)
each_strategy = pytest.mark.parametrize("strategy", STRATEGIES)


@each_strategy
@settings(max_examples=60, deadline=None)
@given(found=DOCUMENTS)
def test_nothing_is_lost_and_the_order_is_kept(strategy: ChunkStrategy, found: Document) -> None:
    text = plain_text(found)
    pieces = [piece for piece in cut(found, strategy) if piece.indexed]
    assert squeezed("".join(piece.text for piece in pieces)) == squeezed(text)
    for before, after in pairwise(pieces):
        assert before.char_span[1] <= after.char_span[0]
    assert all(piece.text == text[slice(*piece.char_span)] for piece in pieces)


@each_strategy
@settings(max_examples=60, deadline=None)
@given(found=DOCUMENTS)
def test_bounds_ids_and_parents(strategy: ChunkStrategy, found: Document) -> None:
    text = plain_text(found)
    chunks = cut(found, strategy, overlap=0.2)
    by_id = {piece.id: piece for piece in chunks}
    assert list(by_id) == [f"d1-1-{n}" for n in range(len(chunks))]
    assert [piece.ordinal for piece in chunks] == list(range(len(chunks)))
    assert [piece.origin for piece in chunks] == [(key,) for key in chunk_keys(chunks)]
    for piece in chunks:
        assert piece.text == text[slice(*piece.char_span)]
        assert piece.pages
        if piece.kind != "record":
            # Blank lines between blocks count here, and not in an embedder's tokens.
            most = LIMIT if piece.indexed else 2 * LIMIT
            assert len(piece.text) - 2 * piece.text.count("\n\n") <= most
        if piece.parent_id is not None:
            parent = by_id[piece.parent_id]
            assert not parent.indexed
            assert parent.ordinal < piece.ordinal
            assert parent.char_span[0] <= piece.char_span[0]
            assert piece.char_span[1] <= parent.char_span[1]
    read = {piece.parent_id for piece in chunks}
    assert all(piece.indexed or piece.id in read for piece in chunks)
    assert strategy in NESTED or all(piece.indexed for piece in chunks)


@each_strategy
@settings(max_examples=40, deadline=None)
@given(found=WITH_TABLES)
def test_tables_keep_their_header_and_every_cell(strategy: ChunkStrategy, found: Document) -> None:
    chunks = cut(found, strategy, tokens=3 * LIMIT)
    everything = squeezed("".join(piece.text for piece in chunks if piece.indexed))
    headers = [block.rows[0] for block in found.blocks if block.rows]
    for block in found.blocks:
        if block.rows:
            assert all(squeezed(cell) in everything for row in block.rows[1:] for cell in row)
        else:
            assert squeezed(block.text) in everything
    for piece in chunks:
        names = [row for row in headers if all(name in piece.text for name in row)]
        assert names or piece.kind != "table" or "：" in piece.text


NUMBERS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "1,234.5元",
                "12.5%",
                "2024年3月5日",
                "￥3,000万元",
                "36.5 ℃",
                "第十二条",
                "AB-1234",
                "10:30",
                "3小时20分钟",
            ]
        ),
        st.text(alphabet="费用标准按照规定办理并且", min_size=1, max_size=9),
        st.sampled_from(["，", "。", "；"]),
    ),
    min_size=5,
    max_size=80,
).map("和".join)
QUANTITY = re.compile(
    r"1,234\.5元|12\.5%|2024年3月5日|￥3,000万元|36\.5 ℃|第十二条|AB-1234|10:30|3小时20分钟"
)


@pytest.mark.parametrize("strategy", [s for s in STRATEGIES if s != "record"])
@settings(max_examples=60, deadline=None)
@given(text=NUMBERS)
def test_a_number_is_never_cut_from_its_unit(strategy: ChunkStrategy, text: str) -> None:
    found = document_of(Block(kind="paragraph", text=text))
    pieces = [piece for piece in cut(found, strategy) if piece.indexed]
    starts = {piece.char_span[0] for piece in pieces} | {piece.char_span[1] for piece in pieces}
    for match in QUANTITY.finditer(text):
        assert not any(match.start() < place < match.end() for place in starts)


@pytest.mark.parametrize("strategy", ["fixed", "recursive", "structural", "semantic"])
@settings(max_examples=40, deadline=None)
@given(found=DOCUMENTS)
def test_overlap_only_repeats_what_was_just_said(strategy: ChunkStrategy, found: Document) -> None:
    for before, after in pairwise(cut(found, strategy, overlap=0.2)):
        assert before.char_span[1] - after.char_span[0] <= LIMIT * 0.2
        assert after.char_span[1] > before.char_span[1]


# --- Cases ----------------------------------------------------------------------------


def paragraphs(*texts: str) -> Document:
    return document_of(*(Block(kind="paragraph", text=text) for text in texts))


PROSE = "".join(f"这是第{n}个句子，说的是同一件事情的第{n}个方面。" for n in range(1, 30))


def test_fixed_pieces_are_of_one_length_and_repeat_a_fifth() -> None:
    chunks = cut(paragraphs(PROSE), "fixed", overlap=0.4)
    assert all(LIMIT * 0.8 <= len(piece.text) <= LIMIT for piece in chunks[:-1])
    assert all(a.char_span[1] > b.char_span[0] for a, b in pairwise(chunks))


def test_fixed_takes_no_notice_of_headings_but_tells_the_common_path() -> None:
    found = document_of(
        Block(kind="heading", text="手册", level=1),
        Block(kind="heading", text="请假", level=2),
        Block(kind="paragraph", text="先申请。"),
        Block(kind="heading", text="加班", level=2),
        Block(kind="paragraph", text="先报备。"),
    )
    (piece,) = cut(found, "fixed")
    assert piece.heading_path == ("手册",)


def test_recursive_cuts_inside_headings_and_leaves_articles_together() -> None:
    found = document_of(
        Block(kind="heading", text="总则", level=1),
        *(Block(kind="paragraph", text=f"第{n}条 内容。") for n in "一二三四"),
    )
    (piece,) = cut(found, "recursive")
    assert piece.heading_path == ("总则",)
    assert len(cut(found, "structural")) == 4


def test_a_record_is_a_question_with_its_answer() -> None:
    chunks = cut(
        paragraphs("问：年假几天？", "答：五天。", "问：病假呢？", "答：按规定。"), "record"
    )
    assert [piece.text for piece in chunks] == [
        "问：年假几天？\n\n答：五天。",
        "问：病假呢？\n\n答：按规定。",
    ]
    assert [piece.heading_path for piece in chunks] == [("问：年假几天？",), ("问：病假呢？",)]
    assert {piece.kind for piece in chunks} == {"record"}


def test_each_part_of_a_long_answer_has_the_question_above_it() -> None:
    chunks = cut(paragraphs("问：怎样报销？", PROSE), "record")
    assert len(chunks) > 3
    assert {piece.heading_path for piece in chunks} == {("问：怎样报销？",)}


def test_each_row_of_a_table_is_a_record() -> None:
    rows = [("问题", "答案"), ("年假几天", "五天"), ("病假几天", "十天")]
    table = Block(
        kind="table", text=to_markdown(rows), rows=tuple(rows), metadata={"rows": "records"}
    )
    chunks = cut(document_of(table), "record")
    assert [piece.text for piece in chunks] == [
        "问题：年假几天；答案：五天",
        "问题：病假几天；答案：十天",
    ]


def test_children_are_found_and_their_parent_is_read() -> None:
    chunks = cut(paragraphs(PROSE), "parent_child")
    parents = [piece for piece in chunks if not piece.indexed]
    children = [piece for piece in chunks if piece.indexed]
    assert all(LIMIT < len(piece.text) <= 2 * LIMIT for piece in parents)
    assert all(len(piece.text) <= LIMIT / 3 for piece in children)
    assert {piece.parent_id for piece in children} == {piece.id for piece in parents}


def test_a_section_that_is_a_single_child_has_no_parent() -> None:
    (piece,) = cut(paragraphs("很短的一段。"), "parent_child")
    assert piece.indexed
    assert piece.parent_id is None


def test_children_of_a_table_are_rows_with_its_caption_and_header() -> None:
    rows = [("城市", "标准"), *((f"城市{n}", f"{n}00元") for n in range(12))]
    table = Block(kind="table", text=to_markdown(rows), rows=tuple(rows))
    chunks = cut(
        document_of(Block(kind="paragraph", text="标准如下："), table),
        "sentence_window",
        tokens=400,
    )
    children = [piece for piece in chunks if piece.indexed]
    assert len(children) == 12
    assert all(piece.text.startswith("标准如下：") for piece in children)
    assert children[3].text.endswith("城市：城市3；标准：300元")
    assert all(piece.parent_id for piece in children)


def test_a_sentence_is_read_with_two_before_and_two_behind() -> None:
    options = DocumentOptions(strategy="sentence_window", chunk_tokens=400)
    chunks = chunk(paragraphs(PROSE), IngestSettings(), len, options=options)
    by_id = {piece.id: piece for piece in chunks}
    children = [piece for piece in chunks if piece.indexed]
    assert len(children) == 29
    for index, child in enumerate(children[2:-2], start=2):
        window = by_id[child.parent_id or ""].text
        assert all(other.text in window for other in children[index - 2 : index + 3])


def test_short_sentences_and_headings_are_not_found_alone() -> None:
    found = document_of(
        Block(kind="heading", text="请假"),
        Block(kind="paragraph", text="好的。请假需要提前一天在系统里提交申请单。可以。"),
    )
    texts = [piece.text for piece in cut(found, "sentence_window") if piece.indexed]
    assert texts == ["请假\n\n好的。请假需要提前一天在系统里提交申请单。可以。"]


def test_statements_of_a_model_are_found_and_what_they_leave_out_is_kept() -> None:
    text = "年假为五天，病假为十天。探亲假需要提前三十日提出申请。"
    said = ["员工的年假为五天。", "员工的病假为十天。"]
    chunks = cut(paragraphs(text), "proposition", propositions=lambda _: said)
    parent, *children = chunks
    assert parent.text == text
    assert [piece.text for piece in children] == [*said, "探亲假需要提前三十日提出申请。"]
    assert {piece.parent_id for piece in children} == {parent.id}


@pytest.mark.parametrize("said", [[], ["", "  "], None])
def test_without_statements_sentences_are_taken(said: list[str] | None) -> None:
    def propositions(passage: str) -> list[str]:
        if said is None:
            raise ModelError("模型没有回答。")
        return said

    text = "年假为五天，需要提前申请。病假为十天，需要医院证明。"
    chunks = cut(paragraphs(text), "proposition", propositions=propositions)
    assert [piece.text for piece in chunks if piece.indexed] == [
        "年假为五天，需要提前申请。",
        "病假为十天，需要医院证明。",
    ]


def test_a_model_that_keeps_failing_is_not_asked_for_each_passage() -> None:
    asked: list[str] = []

    def propositions(passage: str) -> list[str]:
        asked.append(passage)
        raise ModelError("模型没有回答。")

    cut(paragraphs(PROSE * 3), "proposition", propositions=propositions)
    assert len(asked) == 3


def test_a_setting_chooses_where_no_editor_did() -> None:
    settings_ = IngestSettings(chunk_strategy="parent_child", chunk_tokens=60)
    assert any(not piece.indexed for piece in chunk(paragraphs(PROSE), settings_, len))
