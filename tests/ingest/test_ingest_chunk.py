from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_inputs import document_of

from rag.ingest.chunk import chunk
from rag.ingest.plain import plain_text
from rag.ingest.table import to_markdown
from rag.settings import IngestSettings
from rag.types import Block, Chunk, Document

SMALL = IngestSettings(chunk_tokens=60, chunk_overlap=0.2)
PLAIN = IngestSettings(chunk_tokens=60, chunk_overlap=0.0)


def cut(*blocks: Block, options: IngestSettings = SMALL) -> list[Chunk]:
    return chunk(document_of(*blocks), options, len)


def heading(text: str, level: int = 1) -> Block:
    return Block(kind="heading", text=text, level=level)


def paragraph(text: str) -> Block:
    return Block(kind="paragraph", text=text)


def table(*rows: tuple[str, ...], **metadata: str) -> Block:
    return Block(kind="table", text=to_markdown(rows), rows=rows, metadata=metadata)


# --- Properties ----------------------------------------------------------------------

WORDS = st.text(
    alphabet="年假病申请规定员工部门，。；？！ 第条一二三、：\nabc 123", min_size=1, max_size=200
)
BLOCKS = st.lists(
    st.one_of(
        st.builds(paragraph, WORDS),
        st.builds(
            heading,
            st.text(alphabet="总则附录请假制度", min_size=1, max_size=12),
            st.integers(1, 4),
        ),
        st.builds(lambda text: Block(kind="list", text=text), WORDS),
        st.builds(lambda n, text: paragraph(f"第{n}条 {text}"), st.integers(1, 99), WORDS),
        st.builds(
            lambda text, n: Block(kind="paragraph", text=text, record_id=str(n)),
            WORDS,
            st.integers(),
        ),
    ),
    max_size=12,
)


def documents() -> st.SearchStrategy[Document]:
    return BLOCKS.map(lambda blocks: document_of(*blocks))


@settings(max_examples=200, deadline=None)
@given(documents())
def test_nothing_is_lost_and_the_order_is_kept(document: Document) -> None:
    text = plain_text(document)
    chunks = chunk(document, PLAIN, len)
    ends = [0, *(c.char_span[1] for c in chunks)]
    for piece, previous_end in zip(chunks, ends, strict=False):
        start, end = piece.char_span
        assert start >= previous_end
        assert not text[previous_end:start].strip()
        assert end > start
    assert not text[ends[-1] :].strip()


@settings(max_examples=200, deadline=None)
@given(documents())
def test_without_overlap_the_chunks_give_back_the_text(document: Document) -> None:
    joined = "".join(c.text for c in chunk(document, PLAIN, len))
    assert "".join(joined.split()) == "".join(plain_text(document).split())


@settings(max_examples=200, deadline=None)
@given(documents())
def test_bounds_spans_and_ids(document: Document) -> None:
    text = plain_text(document)
    for ordinal, piece in enumerate(chunk(document, SMALL, len)):
        assert piece.text == text[slice(*piece.char_span)]
        assert piece.ordinal == ordinal
        assert piece.id == f"d1-1-{ordinal}"
        if piece.kind != "record":
            # Blank lines between blocks count here, and not in an embedder's tokens.
            assert len(piece.text) - 2 * piece.text.count("\n\n") <= SMALL.chunk_tokens


@settings(max_examples=100, deadline=None)
@given(documents())
def test_overlap_only_repeats_what_was_just_said(document: Document) -> None:
    chunks = chunk(document, SMALL, len)
    for previous, piece in pairwise(chunks):
        shared = previous.char_span[1] - piece.char_span[0]
        assert shared <= SMALL.chunk_tokens * SMALL.chunk_overlap
        assert piece.char_span[1] > previous.char_span[1]


# --- Cases ---------------------------------------------------------------------------


def test_three_thousand_characters_without_a_line_break_are_cut_at_full_stops() -> None:
    text = "这是一个关于请假流程的句子，写得不长也不短。" * 140
    chunks = cut(paragraph(text), options=IngestSettings(chunk_tokens=450))
    assert 7 <= len(chunks) <= 10
    assert all(c.text.endswith("。") for c in chunks)
    assert all(c.text.startswith("这是") for c in chunks)


def test_a_text_without_any_border_is_cut_evenly() -> None:
    chunks = cut(paragraph("字" * 200), options=PLAIN)
    assert [len(c.text) for c in chunks] == [50, 50, 50, 50]


def test_each_article_is_a_chunk_under_its_chapter() -> None:
    chunks = cut(
        heading("员工守则"),
        heading("第一章 总则", 2),
        paragraph("第一条 为了规范管理，制定本守则。"),
        paragraph("第二条 本守则适用于全体员工。"),
        Block(kind="list", text="（一）正式员工\n（二）实习生"),
        heading("第二章 考勤", 2),
        paragraph("第三条 上班时间为九点。"),
    )
    assert [c.heading_path for c in chunks] == [
        ("员工守则", "第一章 总则", "第一条"),
        ("员工守则", "第一章 总则", "第二条"),
        ("员工守则", "第二章 考勤", "第三条"),
    ]
    assert {c.kind for c in chunks} == {"clause"}
    assert chunks[1].text.endswith("（二）实习生")
    assert chunks[2].text.startswith("第二章 考勤")


def test_one_quoted_article_does_not_make_a_law() -> None:
    chunks = cut(paragraph("第三条 说的是年假。"), paragraph("我们再看别的规定。"))
    assert [c.kind for c in chunks] == ["text"]


def test_a_heading_without_text_goes_on_to_the_next_section() -> None:
    asked = "先申请。" * 15
    chunks = cut(heading("手册"), heading("请假", 2), paragraph(asked), heading("附录", 2))
    assert chunks[0].text.startswith("手册\n\n请假\n\n先申请。")
    assert chunks[-1].text == "附录"
    assert chunks[0].heading_path == ("手册", "请假")


def test_questions_with_answers_are_kept_together() -> None:
    first, second = (
        "问：年假几天？\n\n答：五天。",
        "问：病假呢？\n\n答：按规定。" + "另附证明。" * 8,
    )
    blocks = [paragraph(part) for asked in (first, second) for part in asked.split("\n\n")]
    assert [c.text for c in cut(*blocks)] == [first, second]


def test_every_piece_of_a_table_has_its_caption_and_header() -> None:
    rows = [("城市", "标准"), *((f"城市{i}", f"{i}00元") for i in range(20))]
    options = IngestSettings(chunk_tokens=120)
    chunks = cut(heading("差旅"), paragraph("标准如下："), table(*rows), options=options)
    assert len(chunks) > 3
    assert chunks[0].text.startswith("差旅\n\n标准如下：\n\n| 城市 | 标准 |\n| --- | --- |")
    assert all("标准如下：\n\n| 城市 | 标准 |" in c.text for c in chunks)
    assert [c.text.count("城市7 ") for c in chunks].count(1) == 1
    assert {c.kind for c in chunks} == {"table"}
    assert all(c.heading_path == ("差旅",) for c in chunks)


def test_text_before_a_table_that_is_no_caption_stays_text() -> None:
    chunks = cut(paragraph("本公司成立于2001年。" * 4), table(("a", "b"), ("1", "2")))
    assert [c.kind for c in chunks] == ["text", "table"]


def test_rows_of_sheets_are_bound_to_their_header() -> None:
    (piece,) = cut(table(("姓名", "年假"), ("张三", "5"), ("李四", ""), rows="records"))
    assert piece.text == "姓名：张三；年假：5\n姓名：李四"


def test_a_long_record_is_still_one_chunk() -> None:
    text = "这条记录很长。" * 300
    block = Block(
        kind="paragraph",
        text=text,
        record_id="r9",
        metadata={"title": "年假", "metadata": {"地区": "上海", "year": 2023, "编者": "王五"}},
    )
    (piece,) = cut(block)
    assert piece.text == text
    assert piece.record_id == "r9"
    assert piece.kind == "record"
    assert piece.heading_path == ("年假",)
    assert (piece.metadata.region, piece.metadata.year) == ("上海", 2023)
    assert piece.metadata.title == "年假"
    assert piece.metadata.extra == {"编者": "王五"}


def test_a_chunk_knows_its_pages_and_boxes() -> None:
    first = Block(kind="paragraph", text="第一页。", page=1, bbox=(1, 2, 3, 4))
    second = Block(kind="paragraph", text="第二页。", page=2, bbox=(5, 6, 7, 8))
    (piece,) = cut(first, second)
    assert piece.pages == (1, 2)
    assert piece.bboxes == ((1, (1, 2, 3, 4)), (2, (5, 6, 7, 8)))


@pytest.mark.parametrize("text", ["", "  \n ", "\u3000"])
def test_blank_documents_have_no_chunks(text: str) -> None:
    assert cut(paragraph(text)) == []


# --- Lists of codes ------------------------------------------------------------------


def test_an_entry_of_a_list_of_codes_is_never_cut() -> None:
    lines = [
        f"H{n}：第{n}号传感器读数异常。\n先断电五分钟，再检查接线；仍然出现请联系维修。"
        for n in range(1, 7)
    ]
    chunks = cut(heading("故障"), paragraph("\n".join(lines)))
    assert len(chunks) > 2
    for line in lines:
        assert sum(line in found.text for found in chunks) == 1
        remedy = line.split("\n")[1]
        assert all(remedy not in found.text or found.text.count("：") for found in chunks)


def test_a_remedy_in_its_own_paragraph_stays_with_its_code() -> None:
    blocks = []
    for n in range(1, 6):
        blocks += [paragraph(f"H{n} 水温过高"), paragraph("关机冷却半小时，再清洗进水口的滤网。")]
    for found in cut(*blocks):
        assert found.text.startswith("H")
        assert found.text.count("水温过高") == found.text.count("关机冷却")


# --- Tiny sections -------------------------------------------------------------------


def scraps(count: int) -> list[Block]:
    blocks = [heading("设备清单")]
    for n in range(count):
        blocks += [heading(f"{n}号机房", 2), paragraph("值守两人。")]
    return blocks


def test_many_tiny_sections_of_one_parent_become_few_chunks() -> None:
    options = IngestSettings(chunk_tokens=120, chunk_overlap=0.0)
    chunks = cut(*scraps(20), options=options)
    assert 1 < len(chunks) < 6
    assert all(found.heading_path == ("设备清单",) for found in chunks)
    text = "\n".join(found.text for found in chunks)
    assert all(f"{n}号机房" in text for n in range(20))
    assert all(len(found.text) <= 120 for found in chunks)


def test_short_articles_stay_apart() -> None:
    blocks = [heading("出入管理规定")]
    blocks += [paragraph(f"第{n}条 来访者登记。") for n in range(1, 21)]
    chunks = cut(*blocks, options=IngestSettings(chunk_tokens=400, chunk_overlap=0.0))
    assert len(chunks) == 20
