"""Faults that users of such systems report of conversations; each must not happen here."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from llm_server import ScriptedServer, hang, text

from rag.application import Application
from rag.turn import TurnInput
from rag.types import Answer, Message, Person, QueryPlan, Turn

VERA = Person(id="visitor-vera")
PRODUCTS = """# 净水器保修说明

a产品整机保修两年，滤芯保修三个月。

b产品整机保修五年，滤芯保修六个月。

c产品整机保修一年，滤芯不保修。
"""


@pytest.fixture(scope="module")
def products(
    sample_application: Application, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    made = sample_application.kb_named("净水器", create=True)
    path = tmp_path_factory.mktemp("products") / "保修说明.md"
    path.write_text(PRODUCTS, encoding="utf-8")
    assert sample_application.pipeline.ingest(path, made.id, path.name).status == "indexed"
    yield made.id
    sample_application.pipeline.delete_kb(made.id)


@pytest.fixture
def server(sample_application: Application) -> Iterator[ScriptedServer]:
    """A scripted endpoint as the only chat profile; understanding stays local."""
    with ScriptedServer() as server:
        profile = {"name": "test", "base_url": server.url, "model": "scripted"}
        sample_application.settings.update(
            "chat", {"profiles": [profile], "understand_with_llm": False}
        )
        yield server
        for field in ("profiles", "understand_with_llm"):
            sample_application.settings.reset("chat", field)


def ended(app: Application, conversation: str) -> Message:
    """The last message once it is written."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        last = app.conversations.messages(conversation, VERA)[-1]
        if last.status != "running":
            return last
        time.sleep(0.01)
    raise AssertionError("the turn did not end")


def talk(app: Application, kb: str, *questions: str) -> list[Answer]:
    """The answers to questions asked one after the other."""
    conversation = app.conversations.create(VERA, [kb]).id
    answers = []
    for question in questions:
        app.conversations.ask(conversation, VERA, question)
        answer = ended(app, conversation).answer
        assert answer is not None
        answers.append(answer)
    return answers


def asked(answer: Answer) -> str:
    assert answer.understanding is not None
    return answer.understanding.standalone_question


@pytest.mark.parametrize("before", [(), ("出差住宿标准是多少？",)], ids=["second turn", "third"])
def test_another_leave_is_asked_about_as_the_first_was(
    sample_application: Application, sample_kb: str, before: tuple[str, ...]
) -> None:
    *_, first, second = talk(sample_application, sample_kb, *before, "年假几天？", "那病假呢？")
    assert asked(first) == "年假几天？" and asked(second) == "病假几天？"
    assert second.status in ("answered", "hedged")
    assert "病假" in second.citations[0].text and "年假：" not in second.text


@pytest.mark.parametrize(
    ("offer", "reply"),
    [
        ("需要我列出出差的报销步骤吗？", "好的"),
        ("要不要我介绍一下报销流程？", "可以"),
        ("我可以给您列出报销流程。", "那列出来吧"),
    ],
)
def test_what_was_offered_is_done(
    sample_application: Application, sample_kb: str, offer: str, reply: str
) -> None:
    history = (
        Turn(role="user", content="婚假有多少天？"),
        Turn(role="assistant", content=f"婚假为10天。[1]{offer}"),
    )
    turn = TurnInput(question=reply, history=history, kb_ids=(sample_kb,))
    answer = sample_application.chain.invoke(turn)
    assert "报销" in asked(answer)
    assert answer.status in ("answered", "hedged")
    assert "填写报销单" in answer.text and answer.citations


def test_search_and_model_get_the_completed_question(
    sample_application: Application, products: str, server: ScriptedServer
) -> None:
    server.script(text("a产品整机保修两年[1]。"), text("b产品整机保修五年[1]。"))
    _, second = talk(sample_application, products, "a产品保修多久？", "b产品呢")
    assert asked(second) == "b产品保修多久？"
    steps = {step.step: step for step in second.steps}
    plan = QueryPlan.model_validate(steps["plan"].details["plan"])
    assert "b产品保修多久？" in plan.queries and "b产品呢" not in plan.queries
    sent = server.chats()[-1].body["messages"][-1]["content"]
    assert "问题：b产品保修多久？" in sent
    assert "b产品整机保修五年" in second.citations[0].text


def test_a_turn_stopped_before_its_first_word_leaves_no_empty_message(
    sample_application: Application, sample_kb: str, server: ScriptedServer
) -> None:
    server.script(hang(), always=True)
    conversation = sample_application.conversations.create(VERA, [sample_kb]).id
    message = sample_application.conversations.ask(conversation, VERA, "婚假有多少天？")
    while not server.chats():
        time.sleep(0.01)
    sample_application.conversations.stop(message.id, VERA)
    stopped = ended(sample_application, conversation)
    assert (stopped.status, stopped.content) == ("stopped", "")
    server.reset()
    sample_application.settings.update("chat", {"understand_with_llm": True})
    server.script(text("不是要求的格式"), text("产假为158天[1]。"))
    sample_application.conversations.ask(conversation, VERA, "那产假呢？")
    last = ended(sample_application, conversation)
    assert last.answer is not None and last.answer.understanding is not None
    assert asked(last.answer) == "产假有多少天？"
    assert server.chats()
    for request in server.chats():
        assert all(part["content"].strip() for part in request.body["messages"])
        assert "助手：\n" not in str(request.body["messages"][-1]["content"])


@pytest.mark.parametrize(
    ("question", "says"), [("刚才我问了什么？", "婚假有多少天"), ("你好", "您好")]
)
def test_talk_about_the_conversation_searches_nothing(
    sample_application: Application, sample_kb: str, question: str, says: str
) -> None:
    _, second = talk(sample_application, sample_kb, "婚假有多少天？", question)
    assert says in second.text
    assert second.citations == ()
    assert [step.step for step in second.steps] == ["understand"]
