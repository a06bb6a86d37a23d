from __future__ import annotations

import pytest
from chunk_topics import ESSAY, INTERVIEW, MEETING
from ingest_inputs import document_of

from rag.ingest.chunk import choose, chunk
from rag.ingest.chunk.sections import units_of
from rag.ingest.chunk.speakers import speaker, turns
from rag.ingest.table import to_markdown
from rag.settings import IngestSettings
from rag.types import Block, Document, DocumentOptions

AUTO = IngestSettings()
PRESENTATION = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def paragraphs(*texts: str) -> list[Block]:
    return [Block(kind="paragraph", text=text) for text in texts]


def heading(text: str, level: int = 1, page: int = 1) -> Block:
    return Block(kind="heading", text=text, level=level, page=page)


def sheet(*rows: tuple[str, ...]) -> Block:
    return Block(kind="table", text=to_markdown(rows), rows=rows, metadata={"rows": "records"})


def spoken(topics: list[list[str]]) -> Document:
    return document_of(*paragraphs(*(turn for topic in topics for turn in topic)))


LAW = paragraphs(
    "第一条 为了规范管理。", "第二条 适用于全体。", "（一）正式员工；", "第三条 施行。"
)
CODES = paragraphs(*(f"E0{n}：传感器异常，请断电后重新启动设备。" for n in range(1, 6)))
CODE = [Block(kind="code", text="def f():\n    return 1"), *paragraphs("说明。")]
FAQ = paragraphs(
    "问：年假几天？", "答：五天。", "问：病假呢？", "答：十天。", "Q3：婚假呢？", "答：三天。"
)
ASKING = [heading(t, 2) for t in ("怎样报销？", "怎样请假？", "怎样领电脑？")]
PRICES = sheet(("型号", "价格"), *((f"ZW-{n}", f"{n}00元") for n in range(9)))
QUESTIONS = sheet(("问题", "答案"), *((f"问题{n}怎么办", f"办法{n}") for n in range(9)))
CASES = sheet(("编号", "经过"), *((str(n), "机器在启动时发出异响并停机。" * 8) for n in range(9)))
RECORDS = [Block(kind="paragraph", text=f"记录{n}。", record_id=str(n)) for n in range(3)]


@pytest.mark.parametrize(
    ("blocks", "strategy", "reason"),
    [
        (LAW, "structural", "有 3 个“第…条”条款，一条为一个片段"),
        (FAQ, "record", "有 3 个“问：”开头的问题，一问一答为一个片段"),
        (ASKING, "record", "有 3 个以问题为标题的小节，一问一答为一个片段"),
        ([QUESTIONS], "record", "是 9 行问答表，一行为一个片段"),
        ([CASES], "record", "是 9 行文字较长的表格，一行为一个片段"),
        (RECORDS, "record", "由 3 条记录组成，一条记录为一个片段"),
        ([PRICES], "structural", "以表格为主（9 行），按行切分，每段都带表头"),
        (CODE, "structural", "以源代码为主，按函数、类和空行切分"),
        (CODES, "structural", "有 5 个代码条目，条目与其说明不分开"),
        (
            [heading("总则"), *paragraphs("一段话。"), heading("附则"), *paragraphs("一段话。")],
            "recursive",
            "有 2 个标题，在各标题之内按段落和句子递归切分",
        ),
        (paragraphs("一段话。"), "recursive", "没有标题和条款，按段落和句子递归切分"),
        ([], "recursive", "没有文字可切分"),
    ],
)
def test_auto_chooses_by_the_document(blocks: list[Block], strategy: str, reason: str) -> None:
    assert choose(document_of(*blocks), AUTO) == (strategy, reason)


def test_slides_are_cut_by_page() -> None:
    blocks = [
        block
        for page in range(1, 13)
        for block in (
            heading(f"第{page}页的题目", 1, page),
            Block(kind="list", text="要点一\n要点二", page=page),
        )
    ]
    slides = document_of(*blocks, media_type=PRESENTATION)
    assert choose(slides, AUTO) == ("structural", "是 12 页幻灯片，按页和标题切分")
    chunks = chunk(slides, AUTO, len)
    assert [piece.pages for piece in chunks] == [(page,) for page in range(1, 13)]
    assert chunks[4].heading_path == ("第5页的题目",)


def test_a_slide_without_a_title_does_not_take_that_of_the_one_before() -> None:
    blocks = [heading("题目"), *paragraphs("一。"), Block(kind="paragraph", text="二。", page=2)]
    chunks = chunk(document_of(*blocks, media_type=PRESENTATION), AUTO, len)
    assert [piece.heading_path for piece in chunks] == [("题目",), ()]


@pytest.mark.parametrize("topics", [MEETING, INTERVIEW])
def test_conversations_are_cut_where_the_topic_changes(topics: list[list[str]]) -> None:
    strategy, reason = choose(spoken(topics), AUTO)
    assert strategy == "semantic"
    assert reason.endswith("段发言的对话记录，在话题变化处切分")


def test_an_essay_is_no_conversation() -> None:
    assert choose(spoken(ESSAY), AUTO)[0] == "recursive"


@pytest.mark.parametrize(
    "lines",
    [
        ["姓名：张三", "性别：男", "电话：1", "住址：某地", "单位：某司", "职务：无", "备注：无"],
        ["时间：2020年", "项目描述：某系统", "责任描述：开发"] * 4,
        ["营业时间：早九点到晚五点", "地点：一楼大厅"] * 4,
    ],
)
def test_forms_and_cvs_are_no_conversations(lines: list[str]) -> None:
    assert turns(units_of(document_of(*paragraphs(*lines)))) == 0


def test_subtitles_are_a_conversation() -> None:
    lines = [f"00:0{n}:10 --> 00:0{n}:20\n大家来看这张图里的第{n}个步骤。" for n in range(8)]
    assert turns(units_of(document_of(*paragraphs(*lines)))) == 8


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("主持人：开始吧。", "主持人"),
        ("[00:12:03] 李工：好的。", "李工"),
        ("**客服**：您好", "客服"),
        ("Alice Wang: hello", "Alice Wang"),
        ("张三（财务部）：收到", "张三（财务部）"),
        ("https://example.com", None),
        ("今天我们来讨论一下下一年度的预算安排：第一", None),
    ],
)
def test_who_speaks(line: str, name: str | None) -> None:
    assert speaker(line) == name


def test_quotations_of_articles_do_not_make_a_law() -> None:
    texts = ["第三十条 引用。", "评论一。", "第五条 引用。", "评论二。", "第八十一条 引用。"]
    assert choose(document_of(*paragraphs(*texts)), AUTO)[0] == "recursive"


def test_an_editor_wins_over_the_setting_and_the_setting_over_the_document() -> None:
    law = document_of(*LAW)
    fixed = IngestSettings(chunk_strategy="fixed")
    assert choose(law, fixed) == ("fixed", "系统设置指定")
    assert choose(law, fixed, DocumentOptions()) == ("fixed", "系统设置指定")
    assert choose(law, fixed, DocumentOptions(strategy="semantic")) == (
        "semantic",
        "由编辑者为本文档指定",
    )
    assert choose(law, fixed, DocumentOptions(strategy="auto"))[0] == "structural"
