"""A follow-up is taken by the better of its two readings."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from rag.behind import best_line, taken
from rag.settings import Settings
from rag.turn import TurnInput
from rag.turn_state import TurnState
from rag.types import Chunk, Evidence, Turn, Understanding

BEFORE = "U50多少钱"
TEXT = "整机保修三年。\n\n单价1200元。"


def state(question: str) -> TurnState:
    history = (
        Turn(role="user", content=BEFORE),
        Turn(role="assistant", content="1200元。", status="answered"),
    )
    asked = TurnInput(question=question, history=history)
    nothing = cast(Any, None)
    return TurnState(asked, Settings(), nothing, nothing, threading.Event())


def meaning(question: str, completed: str = "") -> Understanding:
    return Understanding(question=question, standalone_question=completed or question)


def read(behind: float, alone: float | None = None) -> list[Evidence]:
    """A passage of two lines; the first fits so well behind the question before, and alone."""
    chunk = Chunk(
        id="d-1-0", document_id="d", kb_id="kb", ordinal=0, text=TEXT, document_name="d.md"
    )
    by_itself = () if alone is None else (alone, 0.01)
    span = (0, len(TEXT))
    return [
        Evidence(n=1, chunk=chunk, text=TEXT, span=span, fits=(behind, 0.02), fits_alone=by_itself)
    ]


def test_the_best_line_of_each_reading() -> None:
    found = read(0.9, 0.1)
    best, fit = best_line(found)
    assert best is not None and best[1].body == "整机保修三年。" and fit == 0.9
    assert best_line(found, alone=True)[1] == 0.1
    assert best_line(read(0.9), alone=True) == (None, 0.0)


def test_what_needs_the_question_before_says_so() -> None:
    one = taken(state("保几年"), meaning("保几年"), read(0.9, 0.1))
    assert one.read.standalone_question == "保几年"
    assert one.meant is not None and one.meant.standalone_question == f"{BEFORE}；保几年"
    assert one.meant.notes == (f"连同上一问“{BEFORE}”理解",)


@pytest.mark.parametrize(("behind", "alone"), [(0.4, 0.1), (0.9, 0.8), (0.2, 0.9)])
def test_what_fits_alone_or_not_at_all_stays_as_it_was_typed(behind: float, alone: float) -> None:
    said = meaning("整机保修几年")
    one = taken(state("整机保修几年"), said, read(behind, alone))
    assert one.read.standalone_question == "整机保修几年" and one.meant is None


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("保几年", "U50保几年"),  # few words
        ("那么它一共要保修几年呢", "U50一共要保修几年"),  # the code that they stand for
        ("那U70呢", "U70多少钱"),  # nothing is asked otherwise
        ("那上海呢，北京呢，硕士", "上海和北京硕士的多少钱"),  # values alone
        ("我们今年是硕士研究生", "硕士研究生的U50多少钱"),
    ],
)
def test_a_completion_without_which_nothing_is_asked_is_kept(typed: str, completed: str) -> None:
    said = meaning(typed, completed)
    assert taken(state(typed), said, read(0.9, 0.0)) == (said, None)


def test_a_completion_that_fits_no_line_is_dropped() -> None:
    said = meaning("机器是去年才装上的", "多少钱机器是去年才装上的钱")
    assert taken(state(said.question), said, read(0.9, 0.5)) == (said, None)
    dropped = taken(state(said.question), said, read(0.9, 0.1))
    assert dropped.read.standalone_question == said.question
    assert dropped.meant is not None and dropped.meant.standalone_question.startswith(BEFORE)
    assert taken(state(said.question), said, read(0.2, 0.1)).meant is None


def test_without_a_reader_or_a_question_before_nothing_changes() -> None:
    said = meaning("机器是去年才装上的", "U50机器是去年才装上的")
    assert taken(state(said.question), said, read(0.9)) == (said, None)
    alone = state(said.question)
    alone.input = TurnInput(question=said.question)
    assert taken(alone, said, read(0.9, 0.1)) == (said, None)
