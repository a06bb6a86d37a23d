"""Passages and questions in each other's words."""

from __future__ import annotations

import pytest

from rag.text.as_asked import as_documents_say, hits_as_asked, judged_as_asked
from rag.types import Chunk, DocumentMetadata, Evidence, Hit, OtherNames, Slots, Understanding


def chunk(text: str, title: str = "办法") -> Chunk:
    return Chunk(
        id="c",
        document_id="d",
        kb_id="k",
        ordinal=0,
        text=text,
        heading_path=("二、调休",),
        document_name="办法.md",
        metadata=DocumentMetadata(title=title),
        access="k",
    )


def evidence(*texts: str) -> list[Evidence]:
    return [
        Evidence(n=n, chunk=chunk(text).model_copy(update={"heading_path": ()}), text=text,
                 span=(0, len(text)))
        for n, text in enumerate(texts, start=1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "others", "text", "said"),
    [
        ("倒休", ("调休", "换休"), "调休须申请，换休亦然。", "倒休须申请，倒休亦然。"),
        ("倒休", ("调休",), "我们强调休息。", "我们强调休息。"),
        ("住房公积金", ("公积金",), "住房公积金即公积金。", "住房公积金即住房公积金。"),
        ("公积金", ("住房公积金",), "住房公积金每月缴存。", "公积金每月缴存。"),
        ("大白", ("QX-300",), "| QX-300 | 2599 |", "| 大白 | 2599 |"),
        ("倒休", (), "调休须申请。", "调休须申请。"),
    ],
)
def test_passages_say_the_question_s_word(
    word: str, others: tuple[str, ...], text: str, said: str
) -> None:
    names = [OtherNames(word=word, others=others)]
    hit = Hit(chunk=chunk(text))
    assert hits_as_asked([hit], names)[0].chunk.text == said
    hits, read = judged_as_asked([hit], evidence(text), names)
    assert (hits[0].chunk.text, read[0].text) == (said, said)
    assert hit.chunk.text == text


def test_titles_and_headings_follow_unless_they_are_to_be_shown() -> None:
    names = [OtherNames(word="倒休", others=("调休",))]
    hit = Hit(chunk=chunk("须申请。", "调休办法"))
    whole, shown = (hits_as_asked([hit], names, titles=titles)[0].chunk for titles in (True, False))
    assert (whole.metadata.title, whole.heading_path) == ("倒休办法", ("二、倒休",))
    assert (shown.metadata.title, shown.heading_path) == ("调休办法", ("二、调休",))


@pytest.mark.parametrize(
    ("texts", "read"),
    [
        (("调休须申请。",), "调休怎么申请？"),
        (("病假须证明。", "换休须申请。"), "换休怎么申请？"),
        (("倒休即调休。",), "倒休怎么申请？"),
        (("病假须证明。",), "倒休怎么申请？"),
    ],
)
def test_a_question_is_read_in_the_words_of_the_first_passage_that_names_the_thing(
    texts: tuple[str, ...], read: str
) -> None:
    meaning = Understanding(
        question="倒休怎么申请？",
        standalone_question="倒休怎么申请？",
        slots=Slots(product=("倒休",)),
    )
    names = [OtherNames(word="倒休", others=("调休", "换休"))]
    said = as_documents_say(meaning, names, evidence(*texts))
    assert said.standalone_question == read
    assert said.slots.product == (read[:2],)
    assert said.question == "倒休怎么申请？"
