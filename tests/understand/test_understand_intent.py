"""Intents."""

from __future__ import annotations

import pytest

from rag.understand.intent import classify, is_small_talk


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("年假有几天？", "fact"),
        ("《中医药条例》从什么时候起施行？", "fact"),
        ("人力资源部电话是多少", "fact"),
        ("什么是加计扣除", "definition"),
        ("加计扣除是什么意思？", "definition"),
        ("怎么申请居住证？", "procedure"),
        ("申请租房补贴需要哪些材料", "procedure"),
        ("A产品和B产品有什么区别", "comparison"),
        ("北京和上海哪个更高？", "comparison"),
        ("总结一下员工手册", "summary"),
        ("实习生能休年假吗", "policy"),
        ("租房补贴的申请条件是什么？", "policy"),
        ("员工手册里怎么规定年假", "policy"),
        ("打印机连不上怎么办", "troubleshooting"),
        ("E05是什么故障", "troubleshooting"),
        ("设备报E04怎么弄", "troubleshooting"),
        ("滤网怎么弄", "procedure"),
        ("好嘞，都清楚了，谢谢", "chitchat"),
        ("入职三年的员工年假怎么计算", "calculation"),
        ("你好", "chitchat"),
        ("谢谢，辛苦了", "chitchat"),
        ("谢啦", "chitchat"),
        ("谢咯", "chitchat"),
        ("明白了，谢啦", "chitchat"),
        ("你是谁？", "chitchat"),
        ("好的", "chitchat"),
        ("😀😀", "chitchat"),
        ("？？？", "chitchat"),
        ("刚才我问了什么？", "meta"),
        ("我第一个问题是什么？", "meta"),
        ("总结一下我们的对话", "meta"),
        ("帮我写一首诗", "out_of_scope"),
    ],
)
def test_classify(question: str, intent: str) -> None:
    found, confidence = classify(question, ())
    assert found == intent
    assert 0 < confidence <= 1


@pytest.mark.parametrize(
    "question", ["你好，年假几天？", "好的，那病假呢", "谢谢公司给的福利有哪些", "可以报销吗"]
)
def test_a_question_after_a_greeting_is_no_small_talk(question: str) -> None:
    assert not is_small_talk(question)
