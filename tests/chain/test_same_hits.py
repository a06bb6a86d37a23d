"""The chat and the retrieval lab find the same."""

from __future__ import annotations

import pytest

from rag.application import Application
from rag.turn import TurnInput
from rag.types import QueryPlan


@pytest.mark.parametrize(
    "question", ["工作满6年的员工有几天年假？", "年假和病假有什么区别？", "出差住宿标准是多少？"]
)
def test_a_question_has_the_same_hits_in_chat_and_lab(
    sample_application: Application, sample_kb: str, question: str
) -> None:
    turn = TurnInput(question=question, kb_ids=(sample_kb,))
    answer = sample_application.chain.invoke(turn)
    steps = {step.step: step for step in answer.steps}
    if "plan" not in steps:
        pytest.skip("the question was asked back")
    plan = QueryPlan.model_validate(steps["plan"].details["plan"])
    assert answer.understanding is not None
    found = sample_application.retriever.search(
        plan, question=answer.understanding.standalone_question, stages=True
    )
    told = [(hit["chunk_id"], hit["rank"]) for hit in steps["retrieve"].details["hits"]]
    assert [(hit.chunk.id, hit.rank) for hit in found.hits] == told
    assert all(hit.why for hit in found.hits)
    by_command = sample_application.search(question, [sample_kb], len(found.hits))
    assert [hit.chunk.id for hit in by_command.hits][: len(told)] == [id_ for id_, _ in told]
