"""Conversations: worker threads, the event log, ownership and what people do with answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag.application import Application
from rag.conversation import Conversations
from rag.errors import DiskFull, InvalidInput, NotAllowed, NotFound
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.turn import TurnInput
from rag.types import Answer, Event, Failed, Final, Message, Person, StepStarted, Token

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


def test_a_corrected_question_is_answered_in_its_place_and_remembered(
    sample_application: Application, conversation: str
) -> None:
    service = sample_application.conversations
    first = service.ask(conversation, ANNA, FACT)
    finish(sample_application, first, ANNA)
    service.feedback(first.id, ANNA, "down", "不对")
    finish(sample_application, service.ask(conversation, ANNA, "谢谢"), ANNA)
    wanted = "2024年上海博士的租房补贴是多少？"
    final = finish(sample_application, service.correct(first.id, ANNA, wanted), ANNA)[-1]
    assert isinstance(final, Final) and final.answer.understanding is not None
    meaning = final.answer.understanding
    assert (meaning.question, meaning.standalone_question, meaning.source) == (FACT, wanted, "user")
    assert meaning.slots.region and "由您改写" in "".join(meaning.notes)
    stored = service.messages(conversation, ANNA)
    assert [m.content for m in stored if m.role == "user"] == [FACT, "谢谢"]
    assert stored[1].id == first.id and stored[1].feedback is None
    assert stored[1].answer is not None
    (earlier,) = stored[1].answer.earlier
    assert "年假" in earlier.answer.text and earlier.feedback == "down"

    again = finish(sample_application, service.regenerate(first.id, ANNA), ANNA)[-1]
    assert isinstance(again, Final) and again.answer.understanding is not None
    assert again.answer.understanding.standalone_question == wanted
    following = finish(sample_application, service.ask(conversation, ANNA, "北京呢？"), ANNA)[-1]
    assert isinstance(following, Final) and following.answer.understanding is not None
    assert "北京博士的租房补贴" in following.answer.understanding.standalone_question

    service.bring_back(first.id, ANNA, 0)
    restored = service.messages(conversation, ANNA)[1]
    assert (restored.content, restored.feedback) == (earlier.answer.text, "down")
    assert restored.answer is not None and len(restored.answer.earlier) == 2
    taken_back = finish(sample_application, service.correct(first.id, ANNA, None), ANNA)[-1]
    assert isinstance(taken_back, Final) and taken_back.answer.understanding is not None
    assert taken_back.answer.understanding.source == "rules"


@pytest.mark.parametrize("typed", ["", " \n", "长" * 4001])
def test_a_correction_that_cannot_be_asked_changes_nothing(catalog: Catalog, typed: str) -> None:
    chain = _Chain()
    chain.gate.set()
    conversations = service(catalog, chain)
    made = conversations.create(ANNA, [])
    message = conversations.ask(made.id, ANNA, FACT)
    before = ended(conversations, made.id)
    with pytest.raises(InvalidInput):
        conversations.correct(message.id, ANNA, typed)
    with pytest.raises(NotFound):
        conversations.correct(message.id, BEN, FACT)
    with pytest.raises(NotFound):
        conversations.bring_back(message.id, ANNA, 0)
    assert ended(conversations, made.id) == before


def test_a_crash_while_answering_anew_brings_the_answer_back(catalog: Catalog) -> None:
    chain = _Chain()
    chain.gate.set()
    conversations = service(catalog, chain)
    made = conversations.create(ANNA, [])
    message = conversations.ask(made.id, ANNA, FACT)
    before = ended(conversations, made.id)
    catalog.conversations.restart_message(message.id)
    catalog.conversations.update_message(message.id, content="写到一半")
    (after,) = service(catalog, chain).messages(made.id, ANNA)[1:]
    assert (after.status, after.content, after.answer) == ("done", "年假十天。", before.answer)


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


@pytest.mark.parametrize("noise", ["\x00", "\x1b[31m", "\ud83d"])
def test_characters_that_nobody_sees_do_not_disturb(
    sample_application: Application, conversation: str, noise: str
) -> None:
    message = sample_application.conversations.ask(conversation, ANNA, FACT + noise)
    assert isinstance(finish(sample_application, message, ANNA)[-1], Final)
    stored = sample_application.conversations.messages(conversation, ANNA)
    assert stored[0].content.rstrip("\ufffd") == FACT
    assert "年假" in stored[1].content and stored[1].answer.status == "answered"


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


class _Chain:
    """Yields the given events, then waits at its gate, then raises the error, if any."""

    def __init__(self, *events: Event, error: Exception | None = None) -> None:
        self.events, self.error = events, error
        self.gate = threading.Event()

    def stream(self, turn: TurnInput, *, stop: threading.Event) -> Iterator[Event]:
        yield from self.events
        while not self.gate.wait(0.01) and not stop.is_set():
            pass
        if self.error is not None:
            raise self.error
        status = "stopped" if stop.is_set() else "answered"
        yield Final(answer=Answer(status=status, text="年假十天。", attempt=turn.attempt))


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    catalog = Catalog(tmp_path / "catalog.sqlite")
    yield catalog
    catalog.close()


def service(
    catalog: Catalog,
    chain: _Chain,
    wait_ready: Callable[[threading.Event], None] = lambda stop: None,
    settings: Settings | None = None,
) -> Conversations:
    return Conversations(catalog, lambda: chain, wait_ready, lambda: settings or Settings())  # type: ignore[arg-type,return-value]


def ended(conversations: Conversations, conversation_id: str) -> Message:
    """The last message once nothing is running."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        last = conversations.messages(conversation_id, ANNA)[-1]
        if last.status != "running":
            return last
        time.sleep(0.01)
    raise AssertionError("the turn did not end")


def test_something_missing_in_the_middle_ends_the_turn_and_keeps_its_text(catalog: Catalog) -> None:
    error = NotFound("这个知识库不存在，可能已被删除。")
    chain = _Chain(Token(text="年假"), error=error)
    chain.gate.set()
    conversations = service(catalog, chain)
    made = conversations.create(ANNA, [])
    conversations.ask(made.id, ANNA, FACT)
    last = ended(conversations, made.id)
    assert (last.status, last.content) == ("error", "年假")
    assert last.answer is not None and "知识库不存在" in last.answer.reason
    for again in (
        lambda: conversations.correct(last.id, ANNA, "病假几天？"),
        lambda: conversations.regenerate(last.id, ANNA),
    ):
        again()
        failed = ended(conversations, made.id).answer
        assert failed is not None and failed.understanding is not None
        meaning = failed.understanding
        assert (meaning.standalone_question, meaning.source) == ("病假几天？", "user")
    conversations.ask(made.id, ANNA, "再问一次")


def test_two_tabs_start_one_answer(catalog: Catalog) -> None:
    chain = _Chain()
    conversations = service(catalog, chain)
    made = conversations.create(ANNA, [])
    refused: list[Exception] = []

    def ask() -> None:
        try:
            conversations.ask(made.id, ANNA, FACT)
        except InvalidInput as error:
            refused.append(error)

    tabs = [threading.Thread(target=ask) for _ in range(6)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert len(refused) == 5
    chain.gate.set()
    ended(conversations, made.id)
    assert [m.role for m in conversations.messages(made.id, ANNA)] == ["user", "assistant"]


def test_closing_keeps_what_was_written(catalog: Catalog) -> None:
    conversations = service(catalog, _Chain(Token(text="年假")))
    made = conversations.create(ANNA, [])
    conversations.ask(made.id, ANNA, FACT)
    conversations.close()
    last = catalog.conversations.messages(made.id)[-1]
    assert (last.status, last.content) == ("stopped", "年假十天。")


def test_stop_ends_a_turn_that_waits_for_the_models(catalog: Catalog) -> None:
    conversations = service(catalog, _Chain(), wait_ready=lambda stop: stop.wait(60) and None)
    made = conversations.create(ANNA, [])
    message = conversations.ask(made.id, ANNA, FACT)
    conversations.stop(message.id, ANNA)
    assert ended(conversations, made.id).status == "stopped"


def test_an_answer_whose_end_could_not_be_saved_does_not_block_the_conversation(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = _Chain()
    conversations = service(catalog, chain)
    made = conversations.create(ANNA, [])
    message = conversations.ask(made.id, ANNA, FACT)

    def full(*_: object, **__: object) -> bool:
        raise DiskFull("磁盘空间不足，没有保存。")

    with monkeypatch.context() as patch:
        patch.setattr(catalog.conversations, "update_message", full)
        chain.gate.set()
        last = ended(conversations, made.id)
    assert (last.id, last.status) == (message.id, "stopped")
    again = conversations.regenerate(message.id, ANNA)
    assert ended(conversations, made.id).id == again.id


def test_a_full_event_log_does_not_cost_the_answer(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise DiskFull("磁盘空间不足，没有保存。")

    monkeypatch.setattr(catalog.conversations, "append_event", full)
    chain = _Chain(StepStarted(step="understand"))
    chain.gate.set()
    conversations = service(catalog, chain)
    made = conversations.create(ANNA, [])
    conversations.ask(made.id, ANNA, FACT)
    last = ended(conversations, made.id)
    assert (last.status, last.content) == ("done", "年假十天。")


def test_each_regeneration_counts_up(catalog: Catalog) -> None:
    chain = _Chain()
    chain.gate.set()
    conversations = service(catalog, chain)
    made = conversations.create(ANNA, [])
    message = conversations.ask(made.id, ANNA, FACT)
    for attempt in (0, 1, 2):
        answer = ended(conversations, made.id).answer
        assert answer is not None and answer.attempt == attempt
        message = conversations.regenerate(message.id, ANNA)


def test_guests_ask_only_where_they_may(catalog: Catalog) -> None:
    closed = Settings.model_validate({"interface": {"guests": False}})
    chain = _Chain()
    chain.gate.set()
    made = service(catalog, chain).create(ANNA, [])
    conversations = service(catalog, chain, settings=closed)
    for act in (
        lambda: conversations.create(ANNA, []),
        lambda: conversations.ask(made.id, ANNA, FACT),
    ):
        with pytest.raises(NotAllowed):
            act()
    member = Person(id="u1", name="安娜", role="member")
    conversations.ask(conversations.create(member, []).id, member, FACT)
    conversations.close()


def test_a_guests_conversations_follow_them_into_their_account(application: Application) -> None:
    guest = Person(id="guest-1")
    account = Person(id="account-1", name="成员", role="member")
    kept = application.conversations.create(guest, [])
    application.conversations.adopt(guest, account)
    assert [c.id for c in application.conversations.list(account)] == [kept.id]
    assert list(application.conversations.list(guest)) == []
    application.conversations.adopt(account, Person(id="account-2", role="member"))
    assert [c.id for c in application.conversations.list(account)] == [kept.id]
