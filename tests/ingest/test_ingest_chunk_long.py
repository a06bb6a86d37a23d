"""Very long inputs: cut in seconds, within bounds, with nothing lost."""

from __future__ import annotations

import pytest
from ingest_inputs import document_of

from rag.ingest.chunk import chunk
from rag.ingest.table import to_markdown
from rag.settings import IngestSettings
from rag.types import Block, Chunk, ChunkStrategy, Document, DocumentOptions, Page

SENTENCE = "这是第{}条记录，说明一个关于请假流程的事项，共计1,200.5元，请按规定办理。"
"""Far above what it takes (one to two seconds), far below what a quadratic step would."""


def paged(*blocks: Block) -> Document:
    pages: dict[int, list[Block]] = {}
    for block in blocks:
        pages.setdefault(block.page, []).append(block)
    made = tuple(Page(number=number, blocks=tuple(found)) for number, found in pages.items())
    return document_of(pages=made)


def book() -> Document:
    return paged(
        *(
            Block(kind="paragraph", text=SENTENCE.format(page) * 10, page=page)
            for page in range(1, 1601)
        )
    )


def one_block() -> Document:
    return document_of(
        Block(kind="paragraph", text="".join(SENTENCE.format(n) for n in range(12_000)))
    )


def without_borders() -> Document:
    return document_of(Block(kind="paragraph", text="字" * 300_000))


def sheet() -> Document:
    rows = [("编号", "姓名", "金额"), *((str(n), f"员工{n}", f"{n},050元") for n in range(10_000))]
    return document_of(Block(kind="table", text=to_markdown(rows), rows=tuple(rows)))


def source() -> Document:
    functions = (f"def f{n}(a, b):\n    x = a + b\n\n    return x * {n}\n\n\n" for n in range(3000))
    return document_of(Block(kind="code", text="".join(functions)))


def faq() -> Document:
    blocks = (
        Block(kind="paragraph", text=text)
        for n in range(3000)
        for text in (f"问：第{n}个问题怎么办？", f"答：按第{n}条办法处理。")
    )
    return document_of(*blocks)


def cut(found: Document, strategy: ChunkStrategy) -> list[Chunk]:
    options = DocumentOptions(strategy=strategy)
    return chunk(found, IngestSettings(), len, options=options)


@pytest.mark.parametrize("strategy", ["auto", "fixed", "semantic", "sentence_window"])
@pytest.mark.parametrize("make", [book, one_block, without_borders, source, faq])
def test_long_texts_are_cut_in_seconds_and_within_bounds(make, strategy: ChunkStrategy) -> None:
    found = make()
    pieces = [piece for piece in cut(found, strategy) if piece.indexed]
    assert all(len(piece.text) <= 450 + 2 * piece.text.count("\n\n") for piece in pieces)
    whole = sum(len("".join(block.text.split())) for block in found.blocks)
    assert sum(len("".join(piece.text.split())) for piece in pieces) >= whole


@pytest.mark.parametrize("strategy", ["auto", "record", "parent_child", "sentence_window"])
def test_ten_thousand_rows_keep_their_header(strategy: ChunkStrategy) -> None:
    chunks = cut(sheet(), strategy)
    pieces = [piece for piece in chunks if piece.indexed]
    assert all("姓名" in piece.text and "金额" in piece.text for piece in pieces)
    found = "\n".join(piece.text for piece in pieces)
    assert all(f"员工{n}" in found for n in range(0, 10_000, 97))
    assert len(pieces) == 10_000 or strategy in ("auto", "parent_child")


def test_pages_of_a_long_book_are_right() -> None:
    for piece in cut(book(), "auto"):
        numbers = {int(part.split("条", 1)[0]) for part in piece.text.split("这是第")[1:]}
        assert numbers <= set(piece.pages)


def test_three_thousand_characters_in_one_line_without_a_full_stop_are_cut_at_commas() -> None:
    text = ("这是一个很长的段落没有任何句号只有逗号，" * 150)[:3000]
    chunks = cut(document_of(Block(kind="paragraph", text=text)), "auto")
    assert len(chunks) >= 7
    assert all(piece.text.endswith("，") for piece in chunks)


def test_a_record_that_is_a_whole_document_is_cut() -> None:
    block = Block(
        kind="paragraph", text=SENTENCE * 400, record_id="r1", metadata={"title": "合同全文"}
    )
    chunks = cut(document_of(block), "auto")
    assert len(chunks) > 30
    assert {piece.record_id for piece in chunks} == {"r1"}
    assert {piece.heading_path for piece in chunks} == {("合同全文",)}
    assert "".join(piece.text for piece in chunks) == block.text


def test_a_row_of_many_columns_is_cut_between_them_with_their_names() -> None:
    header = tuple(f"第{n}项检测指标的名称" for n in range(120))
    rows = [header, *(tuple(f"{r}{n}.5毫克" for n in range(120)) for r in "12")]
    block = Block(kind="table", text=to_markdown(rows), rows=tuple(rows))
    for piece in cut(document_of(block), "auto"):
        assert len(piece.text) <= 450
        assert all("：" in line for line in piece.text.split("\n"))


def test_a_box_with_one_long_cell_is_cut_like_text() -> None:
    text = SENTENCE * 60
    block = Block(kind="table", text=to_markdown([(text,)]), rows=((text,),))
    chunks = cut(document_of(block), "auto")
    assert len(chunks) > 5
    assert all(len(piece.text) <= 450 for piece in chunks)
