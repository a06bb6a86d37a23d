"""The plan of a turn end to end: its trace, filters that widen and say so, carried evidence."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from rag.application import Application
from rag.conversation import turns
from rag.turn import TurnInput
from rag.types import Answer, Message, QueryPlan, Turn

NOW = datetime(2026, 11, 30, tzinfo=UTC)
RULES = {
    "北京市采暖补贴办法.md": "# 北京市采暖补贴办法\n\n第三条 采暖补贴每平方米24元，十一月发放。\n",
    "天津市采暖补贴办法.md": "# 天津市采暖补贴办法\n\n第三条 采暖补贴每平方米20元，十月发放。\n",
}


@pytest.fixture
def kb(application: Application, tmp_path: Path) -> str:
    made = application.kb_named("补贴", create=True)
    for name, content in RULES.items():
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        stored = application.files.put(path, name)
        result = application.pipeline.ingest(stored.path, made.id, name)
        assert result.status == "indexed", result.error
    return made.id


def ask(app: Application, kb: str, question: str, *history: Turn) -> Answer:
    return app.chain.invoke(TurnInput(question=question, history=history, kb_ids=(kb,)))


def details(answer: Answer, step: str) -> dict[str, object]:
    return next(record.details for record in answer.steps if record.step == step)


def summary(answer: Answer, step: str) -> str:
    return next(record.summary for record in answer.steps if record.step == step)


def plan_of(answer: Answer) -> QueryPlan:
    return QueryPlan.model_validate(details(answer, "plan")["plan"])


def test_the_region_narrows_the_search_and_the_trace_says_so(
    application: Application, kb: str
) -> None:
    answer = ask(application, kb, "天津的采暖补贴每平方米多少元？")
    assert "20" in answer.text and "24" not in answer.text
    assert plan_of(answer).strategy == "metadata_filter"
    assert summary(answer, "plan") == "筛选检索：限定地区：天津"
    assert details(answer, "retrieve")["widened"] == []


def test_a_filter_that_finds_nothing_is_widened_and_named(
    application: Application, kb: str
) -> None:
    answer = ask(application, kb, "石家庄的采暖补贴每平方米多少元？")
    assert plan_of(answer).filter.regions == ("河北/石家庄",)
    assert details(answer, "retrieve")["widened"] == ["地区"]
    widened = "没有找到符合地区“石家庄”的内容，已放宽"
    assert widened in summary(answer, "retrieve")
    assert answer.status == "refused" or widened in answer.reason


def test_a_year_without_documents_is_no_condition(application: Application, kb: str) -> None:
    answer = ask(application, kb, "2019年天津的采暖补贴每平方米多少元？")
    assert plan_of(answer).filter.years is None
    assert "没有按年份区分的文件，不限年份" in plan_of(answer).reasons


def test_the_evidence_of_the_last_answer_goes_along_with_its_topic(
    application: Application, kb: str
) -> None:
    question = "天津的采暖补贴每平方米多少元？"
    first = ask(application, kb, question)
    messages = [
        Message(id="1", conversation_id="c", role="user", content=question, created_at=NOW),
        Message(
            id="2",
            conversation_id="c",
            role="assistant",
            content=first.text,
            answer=first,
            created_at=NOW,
        ),
    ]
    history = turns(messages)
    cited = tuple(citation.chunk_id for citation in first.citations)
    assert history[-1].evidence == tuple(dict.fromkeys(cited)) != ()
    second = ask(application, kb, "天津的采暖补贴几月发放？", *history)
    assert plan_of(second).carried == history[-1].evidence
    other = ask(application, kb, "北京的采暖补贴几月发放？", *history)
    assert plan_of(other).carried == ()
