"""The question before, behind which a follow-up is read."""

from __future__ import annotations

import pytest

from rag.types import Turn, Understanding
from rag.understand.carried import question_before


def talked(*turns: tuple[str, str | None, str]) -> list[Turn]:
    """Turns from questions, their completed form, and what became of them."""
    history = []
    for question, standalone, status in turns:
        history.append(Turn(role="user", content=question, standalone=standalone))
        history.append(Turn(role="assistant", content="。", status=status))
    return history


def meaning(**changes: object) -> Understanding:
    return Understanding(question="保几年", standalone_question="保几年").model_copy(update=changes)


@pytest.mark.parametrize(
    ("history", "before"),
    [
        ([], ""),
        (talked(("U50多少钱", None, "answered")), "U50多少钱"),
        (talked(("多少钱", "U50多少钱", "hedged")), "U50多少钱"),
        (talked(("U50多少钱", None, "answered"), ("谢谢", None, "chitchat")), "U50多少钱"),
        (talked(("U50多少钱", None, "answered"), ("有红的吗", None, "refused")), "有红的吗"),
        (talked(("U50多少钱", None, "clarify")), ""),
    ],
)
def test_the_last_question_stands_before_completed_answered_or_not(
    history: list[Turn], before: str
) -> None:
    assert question_before(meaning(), history) == before


@pytest.mark.parametrize("source", ["llm", "user"])
def test_nothing_stands_before_what_a_model_or_a_person_completed(source: str) -> None:
    history = talked(("U50多少钱", None, "answered"))
    assert question_before(meaning(source=source), history) == ""
