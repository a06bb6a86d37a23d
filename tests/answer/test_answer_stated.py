"""What the best place states is answered, with a caution where the words differ."""

from __future__ import annotations

import pytest
from answer_cases import hits, meaning, passage

from rag.answer.refuse import confidence, decide
from rag.settings import AnswerSettings

VISIT = passage(
    1,
    "押金：内科5000元，外科8000元。\n陪护：每位患者限1名陪护，陪护床每晚15元。\n"
    "报告：血常规1小时出报告，核磁共振3个工作日出报告。\n投诉电话：0512-66008811",
    title="就诊须知",
)
LIBRARY = passage(
    2, "每人可借3本，借期14天，逾期每天每本0.2元。图书馆由总务处管理。", title="图书馆规定"
)
FILTER = passage(
    3, "价格：滤芯套装268元一套，2套起订包邮。\n整机保修2年，滤芯不在保修范围内。", title="净水器"
)
PHONE = passage(4, "总务处电话：0571-87650001。", title="校规")


def _decided(question: str, item, rerank: float) -> str:
    sure = confidence(meaning(question), hits([item], rerank=rerank), [item])
    return decide(sure.value, AnswerSettings())


@pytest.mark.parametrize(
    ("question", "item"),
    [
        ("核磁几天能拿到结果", VISIT),
        ("陪床一晚上多少钱", VISIT),
        ("能借几本书", LIBRARY),
        ("书超期了罚多少", LIBRARY),
        ("最少买几套", FILTER),
        ("滤芯坏了保不保", FILTER),
    ],
)
def test_spoken_words_do_not_refuse_what_is_stated(question: str, item) -> None:
    assert _decided(question, item, 0.1) != "refuse"


@pytest.mark.parametrize(
    ("question", "item"),
    [
        ("停车一小时多少钱", VISIT),
        ("胃镜几天出结果", VISIT),
        ("产科电话多少", VISIT),
        ("年卡多少钱", LIBRARY),
        ("延保多少钱", FILTER),
        ("滤芯每盒几个", FILTER),
        ("校长电话多少", PHONE),
    ],
)
def test_another_thing_with_a_value_of_the_kind_stays_refused(question: str, item) -> None:
    assert _decided(question, item, 0.9 if item is PHONE else 0.1) == "refuse"


def test_no_plain_answer_where_the_value_stands_elsewhere() -> None:
    several = [
        passage(1, "病人须带身份证。", title="住院"),
        passage(2, "病人须办理陪护证。", title="陪护"),
        passage(3, "病人须按时服药。", title="用药"),
        passage(4, "抽血时间为7:00至10:00。", title="检查"),
    ]
    sure = confidence(meaning("几点能看病人"), hits(several, rerank=0.95), several)
    assert decide(sure.value, AnswerSettings()) != "answer"
