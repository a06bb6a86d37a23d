"""Conversations: worker threads, the event log, ownership and what people do with answers."""

from __future__ import annotations

import time

import pytest

from rag.application import Application
from rag.errors import InvalidInput, NotFound
from rag.types import Event, Failed, Final, Message, Person

ANNA = Person(id="visitor-anna")
BEN = Person(id="visitor-ben")
FACT = "工作满6年的员工有几天年假？"


def finish(app: Application, message: Message, person: Person) -> list[Event]:
    """Follow a turn to its end."""
    seen: list[Event] = []
    after = 0
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for number, event in app.conversations.follow(message.id, person, after, wait_s=1.0):
            after = number
            seen.append(event)
        if seen and isinstance(seen[-1], Final | Failed):
            return seen
    raise AssertionError("the turn did not end")


@pytest.fixture
def conversation(sample_application: Application, sample_kb: str) -> str:
    return sample_application.conversations.create(ANNA, [sample_kb]).id


def test_a_turn_is_written_down_and_can_be_followed_twice(
    sample_application: Application, conversation: str
) -> None:
    message = sample_application.conversations.ask(conversation, ANNA, FACT)
    assert message.status == "running"
    final = finish(sample_application, message, ANNA)[-1]
    assert isinstance(final, Final)
    again = sample_application.conversations.follow(message.id, ANNA, 0)
    assert isinstance(again[-1][1], Final)
    stored = sample_application.conversations.messages(conversation, ANNA)
    assert [m.role for m in stored] == ["user", "assistant"]
    assert stored[1].status == "done"
    assert stored[1].answer is not None
    assert stored[1].answer.citations == final.answer.citations
    assert sample_application.conversations.get(conversation, ANNA).title == FACT


def test_the_second_turn_is_completed_from_the_first(
    sample_application: Application, conversation: str
) -> None:
    ask = sample_application.conversations.ask
    finish(sample_application, ask(conversation, ANNA, "2024年上海博士的租房补贴是多少？"), ANNA)
    final = finish(sample_application, ask(conversation, ANNA, "北京呢？"), ANNA)[-1]
    assert isinstance(final, Final) and final.answer.understanding is not None
    assert "北京" in final.answer.understanding.standalone_question
    assert "2400" in final.answer.text.replace(",", "")


def test_other_people_see_nothing(sample_application: Application, conversation: str) -> None:
    message = sample_application.conversations.ask(conversation, ANNA, FACT)
    finish(sample_application, message, ANNA)
    service = sample_application.conversations
    assert conversation not in [c.id for c in service.list(BEN)]
    for act in (
        lambda: service.get(conversation, BEN),
        lambda: service.messages(conversation, BEN),
        lambda: service.follow(message.id, BEN),
        lambda: service.stop(message.id, BEN),
        lambda: service.export(conversation, BEN),
        lambda: service.delete(conversation, BEN),
        lambda: service.feedback(message.id, BEN, "up"),
    ):
        with pytest.raises(NotFound):
            act()


def test_regenerate_replaces_the_answer(sample_application: Application, conversation: str) -> None:
    first = sample_application.conversations.ask(conversation, ANNA, FACT)
    finish(sample_application, first, ANNA)
    second = sample_application.conversations.regenerate(first.id, ANNA)
    finish(sample_application, second, ANNA)
    stored = sample_application.conversations.messages(conversation, ANNA)
    assert [m.id for m in stored if m.role == "assistant"] == [second.id]


def test_editing_a_question_asks_again(sample_application: Application, conversation: str) -> None:
    first = sample_application.conversations.ask(conversation, ANNA, FACT)
    finish(sample_application, first, ANNA)
    question = sample_application.conversations.messages(conversation, ANNA)[0]
    edited = sample_application.conversations.edit(question.id, ANNA, "婚假有多少天？")
    finish(sample_application, edited, ANNA)
    stored = sample_application.conversations.messages(conversation, ANNA)
    assert [m.content for m in stored if m.role == "user"] == ["婚假有多少天？"]
    assert "10天" in stored[1].content.replace(" ", "")


def test_feedback_and_export(sample_application: Application, conversation: str) -> None:
    message = sample_application.conversations.ask(conversation, ANNA, FACT)
    finish(sample_application, message, ANNA)
    sample_application.conversations.feedback(message.id, ANNA, "down", "不对")
    stored = sample_application.conversations.messages(conversation, ANNA)[1]
    assert (stored.feedback, stored.feedback_reason) == ("down", "不对")
    exported = sample_application.conversations.export(conversation, ANNA)
    assert f"## {FACT}" in exported
    assert "- [1] 云岭科技员工手册" in exported


def test_a_blank_question_changes_nothing(
    sample_application: Application, conversation: str
) -> None:
    with pytest.raises(InvalidInput):
        sample_application.conversations.ask(conversation, ANNA, "  ")
    assert sample_application.conversations.messages(conversation, ANNA) == ()


def test_deleting_a_conversation_removes_its_messages(
    sample_application: Application, conversation: str
) -> None:
    message = sample_application.conversations.ask(conversation, ANNA, FACT)
    sample_application.conversations.delete(conversation, ANNA)
    with pytest.raises(NotFound):
        sample_application.conversations.messages(conversation, ANNA)
    with pytest.raises(NotFound):
        sample_application.conversations.follow(message.id, ANNA)


def test_ten_people_ask_at_once(sample_application: Application, sample_kb: str) -> None:
    people = [Person(id=f"visitor-{n}") for n in range(10)]
    messages = []
    for person in people:
        made = sample_application.conversations.create(person, [sample_kb])
        messages.append(sample_application.conversations.ask(made.id, person, FACT))
    for person, message in zip(people, messages, strict=True):
        final = finish(sample_application, message, person)[-1]
        assert isinstance(final, Final)
        assert final.answer.status == "answered"
