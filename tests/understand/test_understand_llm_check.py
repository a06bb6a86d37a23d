"""A model that drops, adds or turns round what was said is overruled; one that fails is let be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from rag.models.chat import ChatModel
from rag.secrets import Secrets
from rag.settings import ChatProfile
from rag.types import DocumentMetadata, DocumentProfile, KnowledgeProfile, Turn, Understanding
from rag.understand.llm import understand_with_llm
from rag.understand.plan import plan
from rag.understand.understand import understand
from tests.llm_server import (
    ScriptedServer,
    as_json,
    cut_off,
    fenced,
    hang,
    html,
    malformed_json,
    reject_parameters,
    slow,
    status,
    text,
    thinking,
)

TODAY = date(2026, 11, 30)
PROFILE = KnowledgeProfile(
    kb_ids=("kb",),
    documents=(
        DocumentProfile(
            document_id="d",
            name="年假办法.md",
            title="年假办法",
            metadata=DocumentMetadata(organisation="云岭科技有限公司"),
        ),
    ),
)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def meant(
    server: ScriptedServer, path: Path, question: str, reply: Any, history: list[Turn]
) -> tuple[Understanding, Understanding]:
    """What the rules and what the scripted model make of a question."""
    server.reset()
    server.script(reply)
    profile = ChatProfile(
        name="m",
        base_url=server.url,
        model="qwen",
        connect_timeout_s=1,
        read_timeout_s=1,
        total_timeout_s=2,
    )
    chat = ChatModel([profile], Secrets(path))
    local = understand(question, history, PROFILE, TODAY)
    return local, understand_with_llm(question, history, PROFILE, chat, local, today=TODAY)


def said(standalone: str, **more: Any) -> dict[str, Any]:
    return {"standalone_question": standalone, "intent": "fact", **more}


@pytest.mark.parametrize(
    ("question", "standalone", "reason"),
    [
        ("入职满3年年假有几天？", "入职满5年年假有几天？", "丢掉了“满3年”"),
        ("入职满3年年假有几天？", "入职年假有几天？", "丢掉了“满3年”"),
        ("住宿费能报几天？", "住宿费能报几天，每天300元？", "加入了没有提到的“300元”"),
        ("哪些费用不能报销？", "哪些费用能报销？", "改变了问题的意思"),
        ("哪些费用能报销？", "哪些费用不能报销？", "改变了问题的意思"),
        ("年假申请要多久？", "年假申请找谁？", "改变了问题的意思"),
        ("年假申请找谁审批？", "年假申请怎么审批？", "改变了问题的意思"),
        ("云岭科技的年假有几天？", "公司的年假有几天？", "丢掉了“云岭科技有限公司”"),
        ("年假有几天？", "云岭科技的年假有几天？", "加入了没有提到的“云岭科技有限公司”"),
        ("去年的年假有几天？", "年假有几天？", "丢掉了“去年”"),
        ("国发〔2023〕12号说什么？", "国发〔2023〕13号说什么？", "丢掉了“国发〔2023〕12号”"),
        ("杭州西湖区的年假有几天？", "宁波的年假有几天？", "丢掉了“西湖”"),
    ],
)
def test_a_changed_question_is_overruled_and_the_note_says_why(
    server: ScriptedServer, tmp_path: Path, question: str, standalone: str, reason: str
) -> None:
    local, meaning = meant(server, tmp_path, question, as_json(said(standalone)), [])
    assert meaning.source == "rules"
    assert meaning.standalone_question == local.standalone_question
    assert meaning.slots == local.slots
    assert reason in meaning.notes[-1] and "采用本地理解" in meaning.notes[-1]


@pytest.mark.parametrize(
    ("question", "standalone"),
    [
        ("入职满3年年假有几天？", "入职满三年的年假有几天？"),
        ("能不能报销打车费？", "打车费可以报销吗？"),
        ("报销超过5000块咋整", "报销超过5000元怎么办理？"),
        ("年假多久能休完？", "年假需要多长时间能休完？"),
    ],
)
def test_other_words_for_the_same_are_taken(
    server: ScriptedServer, tmp_path: Path, question: str, standalone: str
) -> None:
    _, meaning = meant(server, tmp_path, question, as_json(said(standalone)), [])
    assert meaning.source == "llm", meaning.notes
    assert meaning.standalone_question == standalone


GOOD = said("年假有几天？")


@pytest.mark.parametrize(
    "reply",
    [
        fenced(GOOD),
        thinking('用户问年假。{"standalone_question": "病假"}', json.dumps(GOOD)),
        text(
            "<think>想一想 {}</think>\n```json\n" + json.dumps(GOOD, ensure_ascii=False) + "\n```"
        ),
        text("好的，结果如下：" + json.dumps(GOOD, ensure_ascii=False) + "。希望有帮助"),
        reject_parameters("response_format", then=as_json(GOOD)),
        reject_parameters("response_format", "temperature", then=fenced(GOOD)),
    ],
)
def test_servers_with_habits_of_their_own_are_understood(
    server: ScriptedServer, tmp_path: Path, reply: Any
) -> None:
    _, meaning = meant(server, tmp_path, "年假有几天？", reply, [])
    assert meaning.source == "llm", meaning.notes


@pytest.mark.parametrize(
    "reply",
    [
        malformed_json(),
        text('{"standalone_question": "年假有几'),
        text("[]"),
        text('"年假有几天？"'),
        text(""),
        as_json({"standalone_question": None, "intent": None}),
        as_json(said("年假" * 400)),
        cut_off('{"standalone_question": "年假有几天？", "intent": "fact"}'),
        hang(),
        slow(json.dumps(GOOD, ensure_ascii=False), pace_s=1.5),
        html(),
        status(400, "model not loaded"),
        status(429, "slow down"),
        status(503),
    ],
)
def test_a_failing_server_leaves_the_local_understanding_with_a_note(
    server: ScriptedServer, tmp_path: Path, reply: Any
) -> None:
    local, meaning = meant(server, tmp_path, "年假有几天？", reply, [])
    assert meaning.model_copy(update={"notes": local.notes}) == local
    assert "采用本地理解" in meaning.notes[-1]


def test_a_vague_question_gets_an_imagined_answer_in_the_same_call(
    server: ScriptedServer, tmp_path: Path
) -> None:
    passage = "用人单位拖欠劳动报酬的，劳动者可以向劳动行政部门投诉。"
    question = "老板不发工资咋办"
    _, meaning = meant(server, tmp_path, question, as_json(said(question, passage=passage)), [])
    assert len([r for r in server.requests if r.path.endswith("/chat/completions")]) == 1
    assert "passage" in str(server.requests[-1].body["messages"])
    assert meaning.passage == passage
    made = plan(meaning, ("kb",), profile=PROFILE)
    assert made.passage == passage
    assert made.strategy == "hyde"


@pytest.mark.parametrize(
    ("passage", "note"),
    [
        ("上海市的用人单位应当按月支付劳动报酬。", "别的地区"),
        ("自2019年起，用人单位应当按月支付劳动报酬。", "别的年份"),
    ],
)
def test_an_imagined_answer_about_something_else_is_left_out(
    server: ScriptedServer, tmp_path: Path, passage: str, note: str
) -> None:
    question = "北京老板不发工资咋办"
    _, meaning = meant(server, tmp_path, question, as_json(said(question, passage=passage)), [])
    assert meaning.passage == ""
    assert note in meaning.notes[-1]


@pytest.mark.parametrize("passage", [None, 3, [], "", "  "])
def test_a_passage_of_no_use_is_none(server: ScriptedServer, tmp_path: Path, passage: Any) -> None:
    question = "老板不发工资咋办"
    _, meaning = meant(server, tmp_path, question, as_json(said(question, passage=passage)), [])
    assert meaning.source == "llm"
    assert meaning.passage == ""


def test_an_exact_question_asks_for_no_imagined_answer(
    server: ScriptedServer, tmp_path: Path
) -> None:
    question = "ABC-12坏了咋办"
    reply = as_json(said(question, passage="设备损坏时应当报修。"))
    _, meaning = meant(server, tmp_path, question, reply, [])
    assert "passage" not in str(server.requests[-1].body["messages"])
    assert meaning.passage == ""


def test_an_overruled_completion_takes_its_imagined_answer_along(
    server: ScriptedServer, tmp_path: Path
) -> None:
    reply = as_json(said("上海老板不发工资咋办", passage="用人单位应当支付劳动报酬。"))
    _, meaning = meant(server, tmp_path, "北京老板不发工资咋办", reply, [])
    assert meaning.source == "rules"
    assert meaning.passage == ""
