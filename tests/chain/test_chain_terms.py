"""The dictionary in a whole turn over real parts: a synonym finds, is read and not refused, and
a removed one is forgotten with the next question."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag.application import Application
from rag.turn import TurnInput
from rag.types import Answer, Person, Turn

ADMIN = Person(id="u3", name="管理", role="admin")
QUESTION = "倒休几个月内有效？"


@pytest.fixture
def app(sample_application: Application) -> Iterator[Application]:
    yield sample_application
    book = sample_application.dictionary
    for kb_id in (None, *(kb.id for kb in sample_application.knowledge.bases(ADMIN))):
        book.remove(ADMIN, [term.id for term in book.terms(ADMIN, kb_id)])


def ask(app: Application, kb: str, question: str, *history: Turn) -> Answer:
    return app.chain.invoke(TurnInput(question=question, history=history, kb_ids=(kb,)))


def summary(answer: Answer, step: str) -> str:
    return next(record.summary for record in answer.steps if record.step == step)


def test_what_documents_call_otherwise_is_found_and_answered(
    app: Application, sample_kb: str
) -> None:
    before = ask(app, sample_kb, QUESTION)
    assert before.status != "answered"  # at best guessed
    term = app.dictionary.save(ADMIN, sample_kb, "调休", ["倒休"])
    answer = ask(app, sample_kb, QUESTION)
    assert answer.status == "answered"
    assert "6个月" in answer.text and "倒休" not in answer.text
    assert "调休在6个月内有效" in answer.citations[0].quote
    assert "同义词：倒休→调休" in summary(answer, "plan")
    assert answer.understanding is not None
    assert answer.understanding.standalone_question == QUESTION
    app.dictionary.remove(ADMIN, [term.id])
    assert ask(app, sample_kb, QUESTION).status != "answered"


def test_the_entered_term_may_be_the_one_that_documents_never_say(
    app: Application, sample_kb: str
) -> None:
    app.dictionary.save(ADMIN, None, "倒休", ["换休", "调休"])
    for question in (QUESTION, "换休几个月内有效？"):
        assert "6个月" in ask(app, sample_kb, question).text
    follow = ask(
        app,
        sample_kb,
        "那年假呢？",
        Turn(role="user", content=QUESTION),
        Turn(role="assistant", content="调休在6个月内有效。[1]"),
    )
    assert "倒休" not in (follow.understanding.standalone_question if follow.understanding else "")


def test_another_base_s_terms_do_not_count(app: Application, sample_kb: str) -> None:
    other = app.knowledge.create_base(ADMIN, "词典另放")
    try:
        app.dictionary.save(ADMIN, other.id, "调休", ["倒休"])
        assert ask(app, sample_kb, QUESTION).status != "answered"
    finally:
        app.knowledge.delete_base(ADMIN, other.id)


def test_a_refusal_takes_a_synonym_for_the_word(app: Application, sample_kb: str) -> None:
    app.dictionary.save(ADMIN, sample_kb, "调休", ["倒休"])
    answer = ask(app, sample_kb, "倒休的颜色编号是多少？")
    assert answer.status == "refused"
    assert "没有提到“倒休”" not in answer.text


def test_the_search_finds_every_name_by_its_words(app: Application, sample_kb: str) -> None:
    names = [f"说法{letter}样" for letter in "甲乙丙丁"]
    app.dictionary.save(ADMIN, sample_kb, "补休日", [*names, "居家办公"])
    question = "补休日每月最多几天？"
    found = app.lab.run(ADMIN, question, [sample_kb]).retrieval
    assert "居家办公" in found.hits[0].chunk.text
    listed = next(stage for stage in found.stages if stage.note == "词典里的词")
    assert listed.ranked[0][0] == found.hits[0].chunk.id


def test_a_term_that_the_segmenter_splits_is_searched_as_one(
    app: Application, sample_kb: str
) -> None:
    app.dictionary.save(ADMIN, sample_kb, "云岭协同")
    found = app.lab.run(ADMIN, "云岭协同可以办哪些事？", [sample_kb]).retrieval
    listed = next(stage for stage in found.stages if stage.note == "词典里的词")
    chunks = app.catalog.chunks.get([id_ for id_, _ in listed.ranked])
    assert chunks and all("云岭协同" in chunk.text for chunk in chunks.values())
