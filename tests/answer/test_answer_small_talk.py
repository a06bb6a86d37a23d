from __future__ import annotations

import pytest
from answer_cases import meaning

from rag.answer.small_talk import reply
from rag.types import Turn

HISTORY = (
    Turn(role="user", content="上海租房补贴怎么申请？"),
    Turn(role="assistant", content="登录随申办提交材料。[1]"),
    Turn(role="user", content="那北京呢？"),
    Turn(role="assistant", content="在官网提交\\[表格\\]。[2]"),
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("你好", "您好"),
        ("谢谢", "不客气"),
        ("再见", "再见"),
        ("你是谁", "知问"),
        ("你能做什么？", "提问"),
    ],
)
def test_small_talk(question: str, expected: str) -> None:
    assert expected in reply(meaning(question, "chitchat"), ())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("刚才我问了什么？", "您刚才问的是：“那北京呢？”"),
        ("我的第一个问题是什么？", "您的第一个问题是：“上海租房补贴怎么申请？”"),
        ("我第二个问题是什么", "您的第 2 个问题是：“那北京呢？”"),
        ("我第5个问题是什么", "您到现在一共问了 2 个问题，没有第 5 个。"),
        (
            "我都问过哪些问题？",
            "您在这次对话里问过：\n\n1. 上海租房补贴怎么申请？\n2. 那北京呢？",
        ),
        ("你刚才说了什么？", "我上一次的回答是：\n\n> 在官网提交\\[表格\\]。"),
    ],
)
def test_questions_about_the_conversation(question: str, expected: str) -> None:
    assert reply(meaning(question, "meta"), HISTORY) == expected


def test_nothing_was_asked_yet() -> None:
    assert "还没有问过" in reply(meaning("刚才我问了什么？", "meta"), ())
    assert "还没有回答" in reply(meaning("你刚才说了什么？", "meta"), ())


def test_the_question_itself_is_not_the_last_question() -> None:
    history = (*HISTORY, Turn(role="user", content="刚才我问了什么？"))
    assert reply(meaning("刚才我问了什么？", "meta"), history) == "您刚才问的是：“那北京呢？”"
