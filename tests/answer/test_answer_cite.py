from __future__ import annotations

import re

import pytest
from answer_cases import passage
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rag.answer.cite import cite
from rag.answer.locate import locate
from rag.answer.marks import find_marks, statements
from rag.answer.markup import defuse

SUBSIDY = passage(
    1,
    "第六条 符合条件的硕士研究生，每月可以领取租房补贴1500元。补贴按季度发放。",
    title="租房补贴办法",
    pages=(3,),
    headings=("第二章 标准",),
    record_id="r1",
)
STEPS = passage(2, "申请人登录随申办提交材料，用人单位在5个工作日内审核。", title="操作指南")
DOCTOR = passage(3, "博士３年內每月２０００元。", title="補貼問答")
ALL = [SUBSIDY, STEPS, DOCTOR]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("一[1][2]。", [(1,), (2,)]),
        ("一[1,2]。", [(1, 2)]),
        ("一[1，2]。", [(1, 2)]),
        ("一[1、2]。", [(1, 2)]),
        ("一【1】。", [(1,)]),
        ("一[1-3]。", [(1, 2, 3)]),
        ("一[^1]。", [(1,)]),
        ("一[[2]]。", [(2,)]),
        ("一[来源1]。", [(1,)]),
        ("一[1](http://x)。", []),
        ("一\\[1\\]。", []),
        ("`a[1]`", []),
        ("沪府〔2021〕5号与[2021]5号", []),
        ("[1-999]", [()]),
    ],
)
def test_marks(text: str, numbers: list[tuple[int, ...]]) -> None:
    assert [mark.numbers for mark in find_marks(text)] == numbers


@pytest.mark.parametrize(
    ("text", "expected", "documents"),
    [
        ("硕士每月1500元[1]。", "硕士每月1500元[1]。", ["doc1"]),
        (
            "5个工作日内审核[2]，硕士每月1500元[1]。",
            "5个工作日内审核[1]，硕士每月1500元[2]。",
            ["doc2", "doc1"],
        ),
        ("硕士每月1500元[1][9]。", "硕士每月1500元[1]。", ["doc1"]),
        ("天气很好[7]。", "天气很好。", []),
        ("硕士每月1500元[1,3]。", "硕士每月1500元[1][2]。", ["doc1", "doc3"]),
        ("硕士每月1500元[1][1]。", "硕士每月1500元[1]。", ["doc1"]),
        ("硕士每月1500元【1】。", "硕士每月1500元[1]。", ["doc1"]),
    ],
)
def test_numbers_count_from_one_by_appearance(
    text: str, expected: str, documents: list[str]
) -> None:
    cited, citations = cite(text, ALL)
    assert cited == expected
    assert [c.document_id for c in citations] == documents
    assert [c.n for c in citations] == list(range(1, len(citations) + 1))


def test_a_sentence_without_a_number_gets_one_where_a_passage_says_so() -> None:
    text, citations = cite("硕士研究生每月可领取租房补贴1500元。今天天气不错。", ALL)
    assert text == "硕士研究生每月可领取租房补贴1500元。[1]今天天气不错。"
    assert [c.chunk_id for c in citations] == [SUBSIDY.chunk.id]


def test_three_documents_give_three_numbers() -> None:
    text = "硕士每月1500元[1]。5个工作日内审核[2]。博士每月2000元[3]。"
    cited, citations = cite(text, ALL)
    assert cited == text
    assert len({c.document_id for c in citations}) == 3


def test_the_quote_is_the_sentence_and_its_place_is_exact() -> None:
    _, (citation,) = cite("符合条件的硕士研究生，每月可以领取租房补贴1500元。[1]", ALL)
    assert citation.quote == "符合条件的硕士研究生，每月可以领取租房补贴1500元。"
    assert citation.text[slice(*citation.char_span)] == citation.quote
    assert (citation.page, citation.pages) == (3, (3,))
    assert citation.heading_path == ("第二章 标准",)
    assert citation.record_id == "r1"


def test_width_and_script_do_not_hide_the_quote() -> None:
    _, (citation,) = cite("博士3年内每月2000元[3]。", ALL)
    assert citation.quote == "博士３年內每月２０００元。"


def test_a_mark_goes_inside_a_table_row() -> None:
    text, citations = cite("| 学历 | 金额 |\n|---|---|\n| 硕士研究生 | 每月租房补贴1500元 |", ALL)
    assert text.endswith("| 硕士研究生 | 每月租房补贴1500元[1] |")
    assert len(citations) == 1


def test_links_of_a_model_are_defused() -> None:
    text, _ = cite("硕士每月1500元[1]。![x](http://evil.example/?q=1)", ALL)
    assert "evil" not in text


PIECES = st.sampled_from(
    [
        "硕士研究生每月可领取租房补贴1500元。", "用人单位在5个工作日内审核。",
        "天气很好。",
        "[1]", "[2]", "[3]", "[4]", "[0]", "[1,2]", "【3】", "[1-3]", "[^2]", "[99]", "\n\n",
        "\n- ", "\n1. ", " ", "：", "**", "| a | b |\n|---|---|\n| c | d |\n", "`[1]`",
        "\\[1\\]", "[2021]5号",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@example("[](0)")
@given(st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=80))
def test_citations_are_always_whole(text: str) -> None:
    cited, citations = cite(text, ALL)
    used = [n for mark in find_marks(cited) for n in mark.numbers]
    assert (
        list(dict.fromkeys(used)) == [c.n for c in citations] == list(range(1, len(citations) + 1))
    )
    for citation in citations:
        start, end = citation.char_span
        assert 0 <= start <= end <= len(citation.text)
        assert citation.text[start:end] == citation.quote
        assert citation.quote
    assert _letters(cited) == _letters(defuse(text))


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=80))
def test_statements_are_in_order_and_do_not_overlap(text: str) -> None:
    position = 0
    for statement in statements(text):
        assert position <= statement.start < statement.end <= len(text)
        position = statement.end


def _letters(text: str) -> str:
    """The words of a text: citing may touch marks, white space and links only, of which
    `defuse` leaves the words."""
    for mark in reversed(find_marks(text)):
        text = text[: mark.start] + text[mark.end :]
    return re.sub(r"[\s\[\]()<>!\\:]", "", text)


def test_a_cell_is_quoted_by_its_row_and_not_by_the_header() -> None:
    table = (
        "| 岗位 | 白班津贴（元） | 夜班津贴（元） |\n| --- | --- | --- |\n"
        "| 甲班 | 30 | 60 |\n| 乙班 | 35 | 70 |\n| 丙班 | 130 | 160 |"
    )
    place = locate("乙班，夜班津贴（元）：70", table)
    assert place is not None
    assert table[place.start : place.end] == "| 乙班 | 35 | 70 |"
