"""Everyday questions are judged and read in the words of what was found."""

from __future__ import annotations

import pytest

from rag.answer.plain_words import everyday_names, in_their_words
from rag.answer.terms import content_terms, presence
from rag.types import Chunk, DocumentMetadata, Evidence, OtherNames, Understanding

TEXT = "网络发生网络故障的，请拨打分机8600。宿舍22:00熄灯。工牌遗失的到前台补办。"


def evidence(text: str) -> list[Evidence]:
    chunk = Chunk(
        id="c",
        document_id="d",
        kb_id="k",
        ordinal=0,
        text=text,
        document_name="手册.md",
        metadata=DocumentMetadata(title="手册"),
        access="k",
    )
    return [Evidence(n=1, chunk=chunk, text=text, span=(0, len(text)))]


@pytest.mark.parametrize(
    ("question", "text", "read"),
    [
        ("网断了找谁", TEXT, "网络故障找谁"),
        ("寝室什么时候关灯", TEXT, "宿舍什么时候熄灯"),
        ("工牌丢了怎么办", TEXT, "工牌遗失怎么办"),
        ("网断了找谁", "网断了请打8600，网络故障也是。", "网断了找谁"),
        ("网断了找谁", "食堂周一开放。", "网断了找谁"),
        ("售价多少", "单价为20元。", "售价多少"),
    ],
)
def test_a_question_is_read_in_the_words_of_what_was_found(
    question: str, text: str, read: str
) -> None:
    meaning = Understanding(question=question, standalone_question=question)
    assert in_their_words(meaning, (), evidence(text)).standalone_question == read


def test_the_administrators_dictionary_goes_before() -> None:
    own = (OtherNames(word="工牌丢了", others=("挂失",)),)
    assert everyday_names("工牌丢了怎么办", evidence(TEXT)) != ()
    assert everyday_names("工牌丢了怎么办", evidence(TEXT), own) == ()


@pytest.mark.parametrize(
    ("question", "word", "text", "held"),
    [
        ("还是修不好怎么办", "修不好", "仍无法排除的，请联系售后。", True),
        ("能彩打吗", "彩打", "彩色打印须申请。", True),
        ("机器开不了机", "开不了机", "无法启动时检查插座。", True),
        ("能彩打吗", "彩打", "打印机在三楼。", False),
        ("小孩能开户吗", "开户", "挂失由本人办理。", False),
    ],
)
def test_an_everyday_word_is_one_term_and_held_by_its_formal_ones(
    question: str, word: str, text: str, held: bool
) -> None:
    assert word in [term.text for term in content_terms(question)]
    assert bool(presence(word, text)) is held
