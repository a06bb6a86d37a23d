from __future__ import annotations

import pytest

from rag.application import Application
from rag.second_look import shorter
from rag.turn import TurnInput
from rag.types import Chunk, Evidence, Turn, Understanding


def meaning(typed: str, standalone: str) -> Understanding:
    return Understanding(question=typed, standalone_question=standalone)


def evidence(text: str) -> list[Evidence]:
    chunk = Chunk(
        id="d-1-0", document_id="d", kb_id="kb", ordinal=0, text=text, document_name="d.md",
        access="kb",
    )  # fmt: skip
    return [Evidence(n=1, chunk=chunk, text=text, span=(0, len(text)))]


@pytest.mark.parametrize(
    ("typed", "standalone", "left"),
    [
        ("后者能延保吗", "ZW-200能延保吗", "能延保吗"),
        ("好吧，那会议室怎么订", "健身房会议室怎么订", "会议室怎么订"),
        ("它多少钱", "ZW-200多少钱", ""),
        ("ZW-900多少钱", "ZW-900多少钱", ""),
        ("杭州呢", "杭州健身房呢", ""),
    ],
)
def test_only_what_was_carried_is_left_out(typed: str, standalone: str, left: str) -> None:
    found = evidence("ZW-200的单价是7200元，会议室在二楼。")
    assert shorter(meaning(typed, standalone), found)[0] == left


def test_a_rule_for_all_models_is_found_without_the_model(
    sample_application: Application, sample_kb: str
) -> None:
    question = TurnInput(
        question="它能延保吗",
        history=(
            Turn(role="user", content="ZW-200保修期多久"),
            Turn(role="assistant", content="24个月。"),
        ),
        kb_ids=(sample_kb,),
    )
    answer = sample_application.chain.invoke(question)
    assert answer.status == "hedged"
    assert "最多延长两次" in answer.text
    assert answer.understanding is not None
    assert "ZW-200" in answer.understanding.standalone_question
    again = [record for record in answer.steps if record.step == "retrieve"]
    assert len(again) == 2
    assert "ZW-200" in again[1].summary
