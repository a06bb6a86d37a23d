"""A whole turn over the real parts: which steps run, what they answer, how LLM faults end."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from llm_server import ScriptedServer, as_json, status, text

from rag.answer import condense
from rag.application import Application
from rag.errors import InvalidInput
from rag.text.sentences import split_sentences
from rag.turn import MAX_QUESTION_CHARACTERS, TurnInput
from rag.types import Answer, Final, StepFinished, StepStarted, Token, Turn

FACT = "工作满6年的员工有几天年假？"


def ask(app: Application, kb: str, question: str, *history: tuple[str, str]) -> Answer:
    turns = tuple(Turn(role=role, content=content) for role, content in history)
    return app.chain.invoke(TurnInput(question=question, history=turns, kb_ids=(kb,)))


def test_events_come_in_order_and_end_with_the_answer(
    sample_application: Application, sample_kb: str
) -> None:
    events = list(sample_application.chain.stream(TurnInput(question=FACT, kb_ids=(sample_kb,))))
    started = [e.step for e in events if isinstance(e, StepStarted)]
    finished = [e.step for e in events if isinstance(e, StepFinished)]
    assert started == [
        "understand",
        "clarify",
        "plan",
        "retrieve",
        "compress",
        "generate",
        "verify",
    ]
    assert finished == started
    assert isinstance(events[-1], Final)
    answer = events[-1].answer
    assert "8天" in answer.text.replace(" ", "")
    assert "".join(e.text for e in events if isinstance(e, Token)).replace(" ", "") != ""
    assert [record.step for record in answer.steps] == finished
    citation = answer.citations[0]
    start, end = citation.char_span
    assert citation.n == 1
    assert citation.text[start:end] == citation.quote
    assert citation.page >= 1


@pytest.mark.parametrize("question", ["你好", "谢谢！", "你是谁？"])
def test_small_talk_does_not_search(
    sample_application: Application, sample_kb: str, question: str
) -> None:
    answer = ask(sample_application, sample_kb, question)
    assert answer.status == "chitchat"
    assert answer.citations == ()
    assert [record.step for record in answer.steps] == ["understand"]


def test_a_question_about_the_conversation_is_answered_from_it(
    sample_application: Application, sample_kb: str
) -> None:
    answer = ask(
        sample_application, sample_kb, "刚才我问了什么？", ("user", FACT), ("assistant", "8天。[1]")
    )
    assert answer.status == "chitchat"
    assert FACT.rstrip("？") in answer.text


def test_a_missing_region_is_asked_for_and_the_reply_answers(
    sample_application: Application, sample_kb: str
) -> None:
    asked = ask(sample_application, sample_kb, "2024年人才租房补贴博士每月多少钱？")
    assert asked.status == "clarify"
    assert asked.citations == ()
    assert asked.understanding is not None and asked.understanding.clarification is not None
    labels = [option.label for option in asked.understanding.clarification.options]
    assert {"北京", "上海", "深圳"} <= set(labels)
    answer = ask(
        sample_application,
        sample_kb,
        "深圳",
        ("user", "2024年人才租房补贴博士每月多少钱？"),
        ("assistant", asked.text),
    )
    assert answer.status == "answered"
    assert "3000" in answer.text.replace(",", "").replace(" ", "")


@pytest.mark.parametrize(
    "question",
    ["广州2024年人才租房补贴是多少？", "公司的股票代码是多少？", "量子纠缠的原理是什么？"],
)
def test_what_is_not_there_is_refused_without_sources(
    sample_application: Application, sample_kb: str, question: str
) -> None:
    answer = ask(sample_application, sample_kb, question)
    assert answer.status == "refused"
    assert answer.text.startswith("根据现有信息无法确定")
    assert answer.citations == ()
    assert answer.confidence < 0.6


@pytest.mark.parametrize(
    "question",
    ["`'\"\\% OR 1=1 --", "😀😀", "{{question}} ${x} {0}", "[1] <b>年假</b>", "a\x00b\x07"],
)
def test_odd_questions_end_in_an_answer(
    sample_application: Application, sample_kb: str, question: str
) -> None:
    assert ask(sample_application, sample_kb, question).status in (
        "answered", "hedged", "refused", "clarify", "chitchat",
    )  # fmt: skip


@pytest.mark.parametrize("question", ["", "  \n", "问" * (MAX_QUESTION_CHARACTERS + 1)])
def test_blank_and_overlong_questions_are_refused(
    sample_application: Application, sample_kb: str, question: str
) -> None:
    with pytest.raises(InvalidInput):
        ask(sample_application, sample_kb, question)


def test_callbacks_see_every_step(sample_application: Application, sample_kb: str) -> None:
    class Names(BaseCallbackHandler):
        seen: list[str] = []

        def on_chain_start(self, serialized: Any, inputs: Any, **kwargs: Any) -> None:
            self.seen.append(kwargs.get("name", ""))

    handler = Names()
    turn = TurnInput(question=FACT, kb_ids=(sample_kb,))
    sample_application.chain.invoke(turn, {"callbacks": [handler]})
    assert handler.seen == [
        "turn",
        "understand",
        "clarify",
        "plan",
        "retrieve",
        "compress",
        "verify",
    ]


def test_a_stop_before_the_first_word_ends_the_turn(
    sample_application: Application, sample_kb: str
) -> None:
    stop = threading.Event()
    stop.set()
    turn = TurnInput(question=FACT, kb_ids=(sample_kb,))
    final = list(sample_application.chain.stream(turn, stop=stop))[-1]
    assert isinstance(final, Final)
    assert final.answer.status == "stopped"


# --- With an LLM -----------------------------------------------------------------------


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


def test_an_llm_answer_is_streamed_cited_and_checked(
    sample_application: Application, sample_kb: str, server: ScriptedServer
) -> None:
    server.script(text("工作满6年的员工每年有8天年假[1]。[9]"), always=True)
    answer = ask(sample_application, sample_kb, FACT)
    assert answer.status == "answered"
    assert answer.model == "scripted"
    assert [citation.n for citation in answer.citations] == [1]
    assert "[9]" not in answer.text
    assert answer.claims[0].verdict == "supported"
    sent = server.requests[-1].body["messages"]
    assert FACT in sent[-1]["content"]


def test_a_summary_goes_to_the_model_and_the_quote_comes_from_the_passage(
    sample_application: Application,
    sample_kb: str,
    server: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(condense, "LONGEST_SUMMARY", 40)  # The samples' passages are short.
    settings = sample_application.settings
    settings.update("chat", {"summarise_with_llm": True})
    settings.update("retrieval", {"context_tokens": 260})
    question, shortened = "出差借款多久内要还？", dict[str, str]()

    def reply(request: Any) -> Any:
        system, user = (message["content"] for message in request.body["messages"])
        if "缩短资料" not in system:
            last = re.findall(r"<<<资料 (\d+)\n（.*以下是摘要）\n(.*)", user)[-1]
            return text(f"{last[1].rstrip('。')}[{last[0]}]。")
        for number, part in re.findall(r"<<<资料 (\d+)\n(.*?)\n>>>", user, re.S):
            pieces = [piece.text for piece in split_sentences(part)]
            shortened[number] = max(pieces, key=lambda piece: len({*piece} & {*question}))
        return as_json({"summaries": [{"n": int(n), "text": s} for n, s in shortened.items()]})

    try:
        server.script(reply)
        answer = ask(sample_application, sample_kb, question)
    finally:
        settings.reset("chat", "summarise_with_llm")
        settings.reset("retrieval", "context_tokens")
    step = next(record for record in answer.steps if record.step == "compress")
    said = step.details["summaries"]
    assert said and set(said.values()) <= set(shortened.values())
    assert answer.claims[0].verdict == "supported"
    citation = answer.citations[0]
    assert citation.text[slice(*citation.char_span)] == citation.quote
    assert len(citation.text) > len(citation.quote) >= 8


@pytest.mark.parametrize("reply", [status(401), status(429), status(500), text("")])
def test_an_llm_that_fails_before_its_first_word_is_replaced(
    sample_application: Application, sample_kb: str, server: ScriptedServer, reply: Any
) -> None:
    server.script(reply, always=True)
    answer = ask(sample_application, sample_kb, FACT)
    assert answer.model == "extractive"
    assert "8天" in answer.text.replace(" ", "")
    assert "已改用原文摘录" in answer.reason


def test_a_contradicting_llm_is_replaced(
    sample_application: Application, sample_kb: str, server: ScriptedServer
) -> None:
    server.script(text("工作满6年的员工每年有30天年假[1]。"), always=True)
    answer = ask(sample_application, sample_kb, FACT)
    assert "30天" not in answer.text
    assert "8天" in answer.text.replace(" ", "")
    assert "矛盾" in answer.reason


@pytest.mark.parametrize("reply", [text("已被控制"), text('{"intent": "fact", "slots": {}')])
def test_an_llm_answer_without_any_support_is_replaced(
    sample_application: Application, sample_kb: str, server: ScriptedServer, reply: Any
) -> None:
    server.script(reply, always=True)
    answer = ask(sample_application, sample_kb, FACT)
    assert answer.model == "extractive"
    assert "8天" in answer.text.replace(" ", "")
    assert "没有依据" in answer.reason


def test_an_llm_answer_cut_at_its_length_says_so(
    sample_application: Application, sample_kb: str, server: ScriptedServer
) -> None:
    server.script(text("工作满6年的员工每年有8天年假[1]。", finish_reason="length"), always=True)
    answer = ask(sample_application, sample_kb, FACT)
    assert answer.text.startswith("工作满6年")
    assert "长度上限" in answer.reason


def test_an_answer_that_breaks_off_is_kept(
    sample_application: Application, sample_kb: str, server: ScriptedServer
) -> None:
    server.script(text("工作满6年的员工每年有8天年假[1]，另外还可以", cut_after=4), always=True)
    answer = ask(sample_application, sample_kb, FACT)
    assert answer.status == "error"
    assert answer.text.startswith("工作满6年")
    assert "没有写完" in answer.reason


def test_no_evidence_means_no_call(
    sample_application: Application, sample_kb: str, server: ScriptedServer
) -> None:
    answer = ask(sample_application, sample_kb, "量子纠缠的原理是什么？")
    assert answer.status == "refused"
    assert server.requests == []


def test_an_llm_may_refuse(
    sample_application: Application, sample_kb: str, server: ScriptedServer
) -> None:
    server.script(text("根据现有信息无法确定。"), always=True)
    answer = ask(sample_application, sample_kb, FACT)
    assert answer.status == "refused"
    assert answer.citations == ()


def test_understanding_by_llm_falls_back_to_rules(
    sample_application: Application, sample_kb: str, server: ScriptedServer
) -> None:
    sample_application.settings.update("chat", {"understand_with_llm": True})
    server.script(as_json({"nonsense": 1}), text("8天[1]。"), always=False)
    answer = ask(sample_application, sample_kb, FACT)
    assert answer.understanding is not None
    assert answer.understanding.source == "rules"
    assert answer.understanding.notes


def test_the_model_is_asked_again_only_after_a_change(
    sample_application: Application, sample_kb: str, server: ScriptedServer
) -> None:
    settings, documents = sample_application.settings, sample_application.catalog.documents
    settings.update("chat", {"understand_with_llm": True})
    turn = TurnInput(question="年假有几天？", kb_ids=(sample_kb,))

    def calls() -> int:
        sample_application.chain.interpret(turn)
        return len(server.chats())

    server.script(status(500))
    failed = calls()
    server.script(as_json({"standalone_question": turn.question, "intent": "fact"}), always=True)
    assert calls() == failed + 1  # A failure is not remembered.
    assert calls() == failed + 1
    one = documents.list(sample_kb)[0].id
    for hidden in (True, False):
        documents.set_hidden([one], hidden)
    assert calls() == failed + 2
    settings.update("chat", {"generate_with_llm": False})
    assert calls() == failed + 3
    settings.reset("chat", "generate_with_llm")
