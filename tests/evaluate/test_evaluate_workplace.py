"""The workplace questions: sound data, and lessons that are what they say."""

from __future__ import annotations

import pytest

from benchmarks.bench_conversations import conversations, said
from benchmarks.bench_workplace import Asked, documents, questions
from benchmarks.line_lessons import answers
from rag.answer.pieces import Piece, pieces
from rag.types import Answer, Chunk, Evidence, Understanding


@pytest.mark.parametrize("part", ["train", "fit", "test"])
def test_every_answer_stands_in_its_line_and_every_line_in_its_document(part: str) -> None:
    given = documents(part)
    assert len(given) >= 12
    for document in given:
        for asked in questions(document):
            assert all(line in document["text"] for line in asked.support), asked
            held = "\n".join(asked.support)
            assert all(words in held for words in asked.answer), asked


@pytest.mark.parametrize("part", ["train", "fit", "test"])
def test_every_turn_of_a_conversation_is_answered_by_its_document_or_not_at_all(part: str) -> None:
    for document in documents(part):
        found = conversations(document)
        assert len(found) >= 3
        for turns in found:
            assert [turn.place for turn in turns] == list(range(len(turns)))
            for asked in (turn.asked for turn in turns if turn.asked):
                assert asked.support and all(line in document["text"] for line in asked.support)
                held = "\n".join(asked.support)
                assert all(words in held for words in asked.answer), asked


def test_a_turn_goes_into_the_history_as_it_was_understood() -> None:
    meaning = Understanding(question="保几年", standalone_question="U50保几年")
    asked, answered = said("保几年", Answer(status="hedged", text="三年", understanding=meaning))
    assert (asked.content, asked.standalone) == ("保几年", "U50保几年")
    assert (answered.status, answered.clarification) == ("hedged", None)


def test_no_document_is_in_two_parts() -> None:
    titles = [
        document["title"] for part in ("train", "fit", "test") for document in documents(part)
    ]
    assert len(set(titles)) == len(titles)


def _pieces(text: str) -> tuple[Piece, ...]:
    chunk = Chunk(id="c", document_id="d", kb_id="k", ordinal=0, text=text, document_name="d.md")
    return pieces(Evidence(n=1, chunk=chunk, text=text, span=(0, len(text))))


def test_a_line_answers_when_it_is_or_holds_the_supporting_one() -> None:
    asked = Asked("d", "补卡几天内", ("3天",), ("忘打卡应在3天内提交补卡申请，每月最多补2次。",))
    right, wrong = _pieces("忘打卡应在3天内提交补卡申请，每月最多补2次。\n\n迟到每次扣30元。")
    assert answers(right, asked)
    assert not answers(wrong, asked)


def test_of_a_row_that_became_a_record_only_the_field_that_answers_is_right() -> None:
    row = "| 单反相机 | 7天 | 设备间 |"
    asked = Asked("d", "相机最长借几天", ("7天",), (row,))
    told = [
        answers(piece, asked) for piece in _pieces("设备：单反相机；最长借期：7天；审批：设备间")
    ]
    assert told == [False, True, False]
    table = _pieces(
        f"| 设备 | 最长借期 | 审批 |\n| --- | --- | --- |\n{row}\n| 投影仪 | 3天 | 行政 |"
    )
    assert [answers(piece, asked) for piece in table] == [True, False]
