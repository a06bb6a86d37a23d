from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.errors import ZhiwenError
from rag.ingest.questions import FAILURES_IN_A_ROW, with_questions
from rag.models.chat import ChatModel
from rag.secrets import Secrets
from rag.settings import ChatProfile
from rag.types import Chunk, DocumentMetadata
from tests.llm_server import ScriptedServer, as_json, status

TEXT = "硕士研究生租房补贴为每月1500元，最长发放36个月，由人才服务中心每季度发放一次。"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def chat(server: ScriptedServer, tmp_path: Path) -> ChatModel:
    profile = ChatProfile(
        name="模型", base_url=server.url, model="qwen", read_timeout_s=1, total_timeout_s=2
    )
    return ChatModel([profile], Secrets(tmp_path))


def chunk(number: int = 0, text: str = TEXT, **values: object) -> Chunk:
    about = DocumentMetadata(title="北京市人才租房补贴办法", region="北京", year=2024)
    return Chunk(
        id=f"d-1-{number}",
        document_id="d",
        kb_id="kb",
        ordinal=number,
        text=text,
        metadata=about,
        **values,
    )


def test_questions_that_the_passage_answers_are_kept(
    server: ScriptedServer, chat: ChatModel
) -> None:
    asked = ["2024年北京硕士租房补贴每月多少元？", "租房补贴最长发放几个月？"]
    server.script(as_json({"questions": [*asked, asked[0].rstrip("？"), "租房补贴由谁发放？"]}))
    assert with_questions([chunk()], chat, 2)[0].questions == tuple(asked)
    system, user = (m["content"] for m in server.chats()[0].body["messages"])
    assert "最多 2 个" in system
    assert "北京市人才租房补贴办法" in user and TEXT in user


@pytest.mark.parametrize(
    "question",
    [
        "2023年租房补贴是多少？",
        "博士后科研启动经费怎么申报？",
        "ZW-100的租房补贴是多少？",
        "王建国的租房补贴每月多少元？",
        "临江市住建局的租房补贴每月多少元？",
        "呢",
        "租房补贴" * 30,
        7,
        None,
    ],
)
def test_what_the_passage_doesnt_hold_is_dropped(
    server: ScriptedServer, chat: ChatModel, question: object
) -> None:
    server.script(as_json({"questions": [question]}))
    assert with_questions([chunk()], chat, 3)[0].questions == ()


def test_only_passages_that_are_searched_are_asked_about(
    server: ScriptedServer, chat: ChatModel
) -> None:
    passages = [
        chunk(0, indexed=False),
        chunk(1, enabled=False),
        chunk(2, text="目录"),
        chunk(3, questions=("已有的问题？",)),
    ]
    assert with_questions(passages, chat, 3) == passages
    assert with_questions([chunk()], chat, 0) == [chunk()]
    assert not server.chats()


def test_a_question_that_several_passages_have_tells_none_of_them(
    server: ScriptedServer, chat: ChatModel
) -> None:
    common = "2024年北京租房补贴怎么规定？"
    server.script(
        as_json({"questions": [common, "硕士租房补贴每月多少元？"]}),
        as_json({"questions": [common.rstrip("？"), "租房补贴最长发放几个月？"]}),
    )
    found = with_questions([chunk(0), chunk(1)], chat, 3)
    assert [each.questions for each in found] == [
        ("硕士租房补贴每月多少元？",),
        ("租房补贴最长发放几个月？",),
    ]


def test_a_failure_of_the_model_is_told(server: ScriptedServer, chat: ChatModel) -> None:
    server.script(status(401))
    told: list[ZhiwenError] = []
    with_questions([chunk()], chat, 2, failed=told.append)
    assert len(told) == 1


def test_a_dead_model_is_not_asked_for_ever(server: ScriptedServer, chat: ChatModel) -> None:
    server.script(status(500))
    passages = [chunk(number) for number in range(8)]
    assert with_questions(passages, chat, 2, timeout_s=1) == passages
    assert len(server.chats()) == FAILURES_IN_A_ROW


def test_a_refusal_is_enough(server: ScriptedServer, chat: ChatModel) -> None:
    server.script(status(401))
    with_questions([chunk(number) for number in range(4)], chat, 2)
    assert len(server.chats()) == 1


def test_the_work_can_be_ended(server: ScriptedServer, chat: ChatModel) -> None:
    server.script(as_json({"questions": []}))

    def progress(share: float) -> None:
        if share >= 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        with_questions([chunk(number) for number in range(4)], chat, 2, progress=progress)
    assert len(server.chats()) == 2
