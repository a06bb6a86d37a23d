"""A question that the user put right is taken to the letter."""

from __future__ import annotations

from datetime import date

import pytest

from rag.turn import TurnInput
from rag.types import Clarification, Turn
from rag.understand.plan import plan
from rag.understand.understand import understand

HISTORY = (
    Turn(role="user", content="上海博士的住房补贴是多少？"),
    Turn(role="assistant", content="每月3000元。", status="answered", evidence=("c1",)),
)


@pytest.mark.parametrize("corrected", ["那怎么申请？", "它多少钱", "北京呢", "X-1o0 怎么退货"])
def test_nothing_is_added_and_no_word_is_changed(corrected):
    meaning = understand("那怎么申请？", HISTORY, None, date(2026, 1, 1), corrected=corrected)
    assert meaning.standalone_question == corrected
    assert meaning.source == "user" and meaning.missing_slots == ()
    as_typed = corrected == "那怎么申请？"
    assert ("您的原话" if as_typed else "由您改写") in meaning.notes[0]
    assert meaning.rewritten is not as_typed


def test_slots_and_plan_follow_the_corrected_question():
    meaning = understand(
        "那北京呢？",
        HISTORY,
        None,
        date(2026, 1, 1),
        corrected="2024年广州的住房补贴多少？",
    )
    made = plan(meaning, ["kb"], profile=None, history=())
    assert made.queries[0] == "2024年广州的住房补贴多少？"
    assert any("广州" in region for region in made.filter.regions)
    assert "由您改写为“2024年广州的住房补贴多少？”" in made.reasons


def test_only_what_was_asked_back_counts_for_a_corrected_question():
    back = Clarification(slot="region", question="哪个地区？")
    asked = Turn(role="assistant", content=back.question, clarification=back)
    typed = TurnInput(question="多少？", history=(*HISTORY, asked))
    assert typed.context == typed.history
    corrected = typed.model_copy(update={"corrected": "补贴多少？"})
    assert [turn.role for turn in corrected.context] == ["assistant", "assistant"]
