"""What the cross-encoder reads of a passage."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.retrieve.excerpt import PASSAGE_LETTERS, TITLE_LETTERS, excerpt, passage_text
from rag.types import Chunk, DocumentMetadata

FILLER = "公司食堂每天中午开放,周末休息。" * 20


def test_a_short_passage_is_read_whole() -> None:
    assert excerpt("年假有几天", "年假为五天。") == "年假为五天。"


def test_the_stretch_that_says_most_of_the_question_is_read() -> None:
    text = FILLER + "员工入职满一年后享有五天带薪年假。" + FILLER
    found = excerpt("入职一年有几天年假", text)
    assert "员工入职满一年后享有五天带薪年假。公司食堂" in found
    assert len(found) == PASSAGE_LETTERS


def test_the_end_of_a_passage_is_read_whole() -> None:
    text = FILLER + "年假不得跨年。"
    assert excerpt("年假能不能跨年", text).endswith("年假不得跨年。")


def test_a_formal_word_answers_an_everyday_one() -> None:
    text = FILLER + "本市医疗保险的报销比例为百分之八十。" + FILLER
    assert "报销比例" in excerpt("看病能报多少", text)


def test_title_path_and_text_stand_on_two_lines() -> None:
    chunk = Chunk(
        id="c", document_id="d", kb_id="k", ordinal=0, text="第三条　年假为５天。",
        heading_path=("第二章 休假",), metadata=DocumentMetadata(title="员工手册"),
    )  # fmt: skip
    title, text = passage_text("年假", chunk).split("\n")
    assert title == "员工手册第二章休假"
    assert text == "第三条年假为5天。"


def test_a_long_title_keeps_beginning_and_end() -> None:
    chunk = Chunk(
        id="c", document_id="d", kb_id="k", ordinal=0, text="正文",
        metadata=DocumentMetadata(title="浙江省" + "很长的" * 30 + "实施办法"),
    )  # fmt: skip
    title = passage_text("年假", chunk).split("\n")[0]
    assert title.startswith("浙江省") and title.endswith("实施办法")
    assert len(title) == TITLE_LETTERS + 1


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.text(max_size=400))
def test_any_text_gives_a_piece_of_it(question: str, text: str) -> None:
    found = excerpt(question, text)
    assert found in text
    assert len(found) == min(len(text), PASSAGE_LETTERS)
