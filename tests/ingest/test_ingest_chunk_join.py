"""A small document is one chunk, and no lone line is a chunk of its own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_inputs import document_of

from rag.ingest.chunk import chunk
from rag.ingest.plain import plain_text
from rag.ingest.table import to_markdown
from rag.settings import IngestSettings
from rag.types import Block, Chunk

ROOMY = IngestSettings(chunk_tokens=450, chunk_overlap=0.1)
TIGHT = IngestSettings(chunk_tokens=160, chunk_overlap=0.0)


def cut(*blocks: Block, options: IngestSettings = ROOMY) -> list[Chunk]:
    return chunk(document_of(*blocks), options, len)


def heading(text: str, level: int = 1) -> Block:
    return Block(kind="heading", text=text, level=level)


def text(words: str) -> Block:
    return Block(kind="paragraph", text=words)


def table(count: int, **metadata: str) -> Block:
    rows = (("项目", "结果"), *((f"项目{n}", f"{n}.5") for n in range(count)))
    return Block(kind="table", text=to_markdown(rows), rows=rows, metadata=metadata)


def test_a_form_of_one_page_is_one_chunk() -> None:
    (found,) = cut(
        text("报告编号：R-77"),
        heading("检验报告单"),
        text("姓名：陈慧敏 病历号：Z-772"),
        table(12),
        text("检验者：周莉 审核者：钱文波"),
    )
    assert found.heading_path == ("检验报告单",)
    assert "R-77" in found.text and "陈慧敏" in found.text and "审核者：钱文波" in found.text
    assert found.text.count("| 项目 | 结果 |") == 1


def test_small_sections_with_tables_of_a_small_document_are_one_chunk() -> None:
    (found,) = cut(
        heading("使用手册"),
        heading("一、按键", 2),
        text("长按三秒关机。"),
        heading("二、参数", 2),
        table(3, rows="records"),
        heading("三、保修", 2),
        text("整机保修一年。"),
    )
    assert found.heading_path == ("使用手册",)
    assert "项目：项目2；结果：2.5" in found.text and "三、保修" in found.text


def test_articles_and_records_of_a_small_document_stay_apart() -> None:
    articles = [text(f"第{n}条 来访者登记。") for n in range(1, 5)]
    assert len(cut(heading("规定"), *articles)) == 4
    records = [Block(kind="paragraph", text=f"第{n}件", record_id=str(n)) for n in range(4)]
    assert len(cut(*records)) == 4


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("安居公寓管理规定", False),
        ("内部资料", False),
        ("本规定经职工代表大会审议通过，现予公布。", True),
        ("批准：王敏；核对：赵川", True),
    ],
)
def test_a_line_above_the_articles_is_no_chunk_unless_it_says_something(
    line: str, stays: bool
) -> None:
    articles = [text(f"第{n}条 来访者在门卫处登记。") for n in "一二三四"]
    found = cut(text(line), *articles)
    assert len(found) == 4 + stays
    assert found[stays].heading_path == ("第一条",)
    assert found[stays].text.endswith("第一条 来访者在门卫处登记。")
    assert found[0].text.startswith(line)
    assert cut(heading("规定"), text(line), *articles)[0].text == f"规定\n\n{line}"


def test_a_lone_line_goes_with_what_stands_beside_it() -> None:
    long = "本节说明设备的检查办法与记录要求。" * 8
    found = cut(
        text("编号：26332000"),
        heading("设备检查"),
        text(long),
        table(5),
        text("记录人：令狐小乐"),
        options=TIGHT,
    )
    assert found[0].text.startswith("编号：26332000\n\n设备检查")
    assert found[0].heading_path == ("设备检查",)
    assert found[-1].text.endswith("记录人：令狐小乐")
    assert "| 项目4 |" in found[-1].text


def test_the_last_row_of_a_table_is_no_chunk_of_its_own() -> None:
    found = cut(text("前文。" * 60), heading("结果"), table(9), options=TIGHT)
    tables = [piece for piece in found if piece.kind == "table"]
    assert all(piece.text.count("\n| 项目") > 1 for piece in tables)
    assert all(len(piece.text) <= 160 for piece in tables)
    rows = "\n".join(piece.text for piece in tables)
    assert [rows.count(f"| 项目{n} |") for n in range(9)] == [1] * 9


def test_what_stands_on_one_slide_is_not_put_to_the_next() -> None:
    slides = [
        block.model_copy(update={"page": page})
        for page in (1, 2)
        for block in (heading(f"第{page}页"), text("要点。"), table(2))
    ]
    media_type = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    document = document_of(*slides).model_copy(update={"media_type": media_type})
    found = chunk(document, ROOMY, len)
    assert [piece.pages for piece in found] == [(1,), (2,)]


PIECES = st.lists(
    st.one_of(
        st.builds(text, st.text(alphabet="年假。，病abc\n", min_size=1, max_size=90)),
        st.builds(heading, st.text(alphabet="总则附录", min_size=1, max_size=6), st.integers(1, 3)),
        st.builds(table, st.integers(1, 12)),
        st.builds(lambda n: table(n, rows="records"), st.integers(1, 9)),
    ),
    max_size=9,
)


@settings(max_examples=150, deadline=None)
@given(PIECES, st.sampled_from([TIGHT, ROOMY]))
def test_spans_follow_each_other_and_cells_are_kept(
    blocks: list[Block], options: IngestSettings
) -> None:
    document = document_of(*blocks)
    whole = plain_text(document)
    found = chunk(document, options, len)
    end = 0
    for piece in found:
        if piece.kind != "table":
            assert piece.text == whole[slice(*piece.char_span)]
        if not any(block.rows for block in blocks):
            assert not whole[end : piece.char_span[0]].strip()
        assert piece.char_span[1] > end or piece.kind == "table"
        end = max(end, piece.char_span[1])
    assert not whole[end:].strip()
    shown = "".join("".join(piece.text.split()) for piece in found)
    for block in blocks:
        for cell in (cell for row in (block.rows or ())[1:] for cell in row):
            assert cell in shown


@pytest.mark.parametrize("strategy", ["fixed", "semantic", "sentence_window", "parent_child"])
def test_other_strategies_are_left_alone(strategy: str) -> None:
    options = ROOMY.model_copy(update={"chunk_strategy": strategy})
    assert cut(heading("一"), text("短。"), heading("二"), text("短。"), options=options)
