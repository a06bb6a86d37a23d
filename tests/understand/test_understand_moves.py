"""Dialogue moves without a topic: asking again, dropping the topic, the year before."""

from __future__ import annotations

from datetime import date

import pytest

from rag.answer.small_talk import reply
from rag.types import DocumentProfile, KnowledgeProfile, Turn
from rag.understand.complete import complete
from rag.understand.times import find_times
from rag.understand.understand import understand

TODAY = date(2026, 11, 30)
PROFILE = KnowledgeProfile(
    kb_ids=("kb",),
    documents=tuple(
        DocumentProfile(document_id=name, name=f"{name}.md", title=name)
        for name in ("游泳馆使用须知", "校车时刻表")
    ),
)


def history(*texts: str) -> list[Turn]:
    return [
        Turn(role="user" if i % 2 == 0 else "assistant", content=text or "按规定执行。[1]")
        for i, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    "question",
    [
        "你确定吗",
        "确定吗？",
        "真的吗",
        "你没搞错吧",
        "这个数据准确吗",
        "帮我再确认一下",
        "没错吧？",
    ],
)
def test_asking_whether_it_is_right_asks_the_last_question_again(question: str) -> None:
    made = complete(question, history("游泳馆单次票多少钱？", "45元。[1]"))
    assert made.standalone == "游泳馆单次票多少钱？"
    assert made.reason


@pytest.mark.parametrize(
    ("earlier", "question", "expected"),
    [
        ("2022年高温津贴每月多少？", "前一年呢", "2021年高温津贴每月多少？"),
        ("2022年高温津贴每月多少？", "那上一年是多少？", "2021年高温津贴每月多少？"),
        ("2022年高温津贴每月多少？", "去年那版呢", "2021年高温津贴每月多少？"),
        ("2022年高温津贴每月多少？", "再前一年呢？", "2020年高温津贴每月多少？"),
        ("2022年高温津贴每月多少？", "后一年呢", "2023年高温津贴每月多少？"),
        ("2022年高温津贴每月多少？", "21年呢", "2021年高温津贴每月多少？"),
        ("2022年高温津贴每月多少？", "去年呢", "去年高温津贴每月多少？"),
        ("高温津贴每月多少？", "2019年的呢", "2019年高温津贴每月多少？"),
    ],
)
def test_a_neighbouring_year_counts_from_the_year_under_discussion(
    earlier: str, question: str, expected: str
) -> None:
    assert complete(question, history(earlier, "")).standalone == expected


@pytest.mark.parametrize(
    "question", ["算了，不问这个了", "算了吧", "换个话题吧", "不聊这个了。", "那说点别的吧"]
)
def test_dropping_the_topic_searches_nothing(question: str) -> None:
    earlier = history("游泳馆单次票多少钱？", "45元。[1]")
    meaning = understand(question, earlier, PROFILE, TODAY)
    assert meaning.route == "chitchat"
    assert "换个话题" in reply(meaning, earlier, PROFILE)


def test_the_question_behind_a_dropped_topic_stands_alone() -> None:
    earlier = history("2022年游泳馆单次票多少钱？", "45元。[1]")
    made = complete("算了，不问这个了，校车几点发车？", earlier)
    assert made.standalone == "校车几点发车？"
    later = [
        *earlier,
        Turn(role="user", content="不问这个了"),
        Turn(role="assistant", content="好。"),
    ]
    assert complete("它怎么收费？", later).unresolved


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("知识库里有哪些文件", "1. 游泳馆使用须知\n2. 校车时刻表"),
        ("你能查哪些资料？", "2. 校车时刻表"),
        ("都有什么文档", "选中的知识库里有 2 份文档"),
        ("谢谢啦，帮大忙了", "不客气"),
        ("辛苦了", "不辛苦"),
        ("嗯嗯知道了", "好的。"),
        ("你是谁开发的", "部署"),
        ("怎么用你", "提问"),
        ("你都能干啥", "知识库里的文档"),
    ],
)
def test_talk_about_us_gets_a_fitting_reply(question: str, part: str) -> None:
    meaning = understand(question, (), PROFILE, TODAY)
    assert meaning.route in ("chitchat", "conversation"), meaning
    assert part in reply(meaning, (), PROFILE)


@pytest.mark.parametrize(
    "question",
    [
        "申请落户要哪些文件",
        "有哪些材料要交",
        "这个办法包括哪些内容",
        "不看病能报销吗",
        "谁开发的商场",
    ],
)
def test_questions_that_only_look_like_talk_about_us(question: str) -> None:
    assert understand(question, (), PROFILE, TODAY).route == "knowledge"


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("24年四川失业金多少", ["24年"]),
        ("23年的呢", ["23年"]),
        ("那25年会费怎么收", ["25年"]),
        ("20年工龄能休几天", []),
        ("满25年的员工呢", []),
        ("24年以上工龄", []),
        ("15年社保能领多少", []),
    ],
)
def test_two_digits_are_a_year_where_they_can_be_no_duration(text: str, times: list[str]) -> None:
    assert [found.text for found in find_times(text, TODAY)] == times
