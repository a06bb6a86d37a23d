"""When the completion model's word is taken, and what it is told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from rag.models.completion_spans import Completed
from rag.types import Turn
from rag.understand.complete import complete
from rag.understand.learned import REASON, SURE_FROM, Fill, turns_read
from rag.understand.understand import understand

HISTORY = (
    Turn(role="user", content="请几天", standalone="婚假可以请几天"),
    Turn(role="assistant", content="**婚假**10天。[1]", status="answered"),
)


def says(text: str, sureness: float = 0.95) -> Fill:
    """A model that always says the same."""
    return lambda context, utterance: Completed(text, sureness)


def test_the_turns_are_told_in_full_and_without_marks() -> None:
    refused = Turn(role="assistant", content="根据现有信息无法确定：没有找到。", status="refused")
    assert turns_read(HISTORY) == ["婚假可以请几天", "婚假10天。"]
    assert turns_read([HISTORY[0], refused])[1] == "根据现有信息无法确定。"


@pytest.mark.parametrize(("sureness", "taken"), [(SURE_FROM, True), (SURE_FROM - 0.05, False)])
def test_the_model_completes_what_the_rules_leave(sureness: float, taken: bool) -> None:
    typed = "当天晚上喝多了第二天没来上班怎么算"
    assert not complete(typed, HISTORY).changed
    made = complete(typed, HISTORY, fill=says("婚假" + typed, sureness))
    assert made.changed == taken and made.reason == (REASON if taken else "")


def test_what_the_rules_complete_stays() -> None:
    assert complete("要什么证明", HISTORY).changed
    by_rules = complete("要什么证明", HISTORY)
    assert complete("要什么证明", HISTORY, fill=says("请婚假要什么证明")) == by_rules


@pytest.mark.parametrize("typed", ["谢谢", "换个话题吧，食堂几点开门", "不对，我问的是产假"])
def test_what_the_rules_know_for_certain_stays(typed: str) -> None:
    assert complete(typed, HISTORY, fill=says("婚假什么")) == complete(typed, HISTORY)


def test_nothing_is_asked_of_the_model_without_a_conversation() -> None:
    def never(context: Sequence[str], utterance: str) -> Completed:
        raise AssertionError(utterance)

    assert complete("婚假可以请几天", (), fill=never).standalone == "婚假可以请几天"


def test_people_see_that_the_question_was_completed() -> None:
    typed = "当天晚上喝多了第二天没来上班怎么算"
    meaning = understand(typed, HISTORY, None, date(2026, 11, 30), fill=says("婚假" + typed))
    assert meaning.standalone_question == "婚假" + typed and REASON in meaning.notes
