"""Completion of questions from their conversation."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from understand_conversations import ANSWER, CASES

from rag.types import (
    Clarification,
    ClarificationOption,
    DocumentProfile,
    KnowledgeProfile,
    Turn,
)
from rag.understand.complete import complete


def conversation(*texts: str) -> list[Turn]:
    """Turns that alternate user and assistant."""
    return [
        Turn(role="user" if i % 2 == 0 else "assistant", content=text or ANSWER)
        for i, text in enumerate(texts)
    ]


def titles(*names: str) -> KnowledgeProfile:
    """A profile of documents with these titles."""
    return KnowledgeProfile(
        kb_ids=("kb",),
        documents=tuple(
            DocumentProfile(document_id=f"d{i}", name=f"{name}.md", title=name)
            for i, name in enumerate(names)
        ),
    )


@pytest.mark.parametrize(
    ("kind", "earlier", "question", "expected"),
    CASES,
    ids=[f"{kind}-{i}" for i, (kind, *_) in enumerate(CASES)],
)
def test_conversations_of_ten_kinds(
    kind: str, earlier: list[str], question: str, expected: str
) -> None:
    made = complete(question, conversation(*earlier))
    assert made.standalone == (question if expected == "=" else expected), kind
    assert made.changed == (made.standalone != question)
    assert bool(made.reason) == made.changed


def test_there_are_ten_kinds_and_sixty_cases() -> None:
    assert len({kind for kind, *_ in CASES}) >= 10
    assert len(CASES) >= 60


LAWS = titles(
    "山东省中医药条例", "浙江省中医药条例", "上海市实施《中华人民共和国教师法》办法", "上海港口条例"
)


@pytest.mark.parametrize(
    ("asked", "reply", "expected"),
    [
        ("《中医药条例》何时施行？", "山东的", "《山东省中医药条例》何时施行？"),
        ("《中医药条例》何时施行？", "我想了解浙江省的", "《浙江省中医药条例》何时施行？"),
        (
            "《实施《教师法》办法》何时施行？",
            "上海",
            "《上海市实施《中华人民共和国教师法》办法》何时施行？",
        ),
        ("《港口条例》何时施行？", "上海的", "《上海港口条例》何时施行？"),
        ("《中医药条例》何时施行？", "福建的", "福建《中医药条例》何时施行？"),
        ("中医药条例何时施行？", "山东", "山东中医药条例何时施行？"),
    ],
)
def test_region_goes_into_the_title_when_a_document_has_it(
    asked: str, reply: str, expected: str
) -> None:
    history = conversation(asked, "请问您想了解哪个地区的规定？")
    assert complete(reply, history, LAWS).standalone == expected


def test_region_in_a_title_is_replaced_by_the_documents_own_form() -> None:
    history = conversation("《山东省中医药条例》何时施行？", "")
    assert complete("浙江呢？", history, LAWS).standalone == "《浙江省中医药条例》何时施行？"


def test_a_title_of_an_unknown_region_is_left_alone() -> None:
    question = "《福建省中医药条例》何时施行？"
    assert complete(question, (), LAWS).standalone == question


def test_an_option_is_chosen_by_its_number_or_words() -> None:
    back = Clarification(
        slot="product",
        question="请问您想了解哪个产品？",
        options=(
            ClarificationOption(label="ZW-100", reply="ZW-100"),
            ClarificationOption(label="ZW-200", reply="ZW-200"),
            ClarificationOption(label="都看看", reply="都看看"),
        ),
    )
    history = [
        Turn(role="user", content="监测仪的防护等级是多少？"),
        Turn(role="assistant", content=back.question, clarification=back, status="clarify"),
    ]
    assert complete("第二个", history).standalone == "ZW-200的防护等级是多少？"
    assert complete("ZW-100", history).standalone == "ZW-100的防护等级是多少？"
    assert complete("都看看", history).standalone == "各产品监测仪的防护等级是多少？"


def test_region_and_year_in_one_reply() -> None:
    history = conversation("租房补贴有多少？", "请问您想了解哪个地区的租房补贴？")
    assert complete("上海2024年的", history).standalone == "2024年上海租房补贴有多少？"


def test_two_replies_after_each_other() -> None:
    history = conversation(
        "租房补贴有多少？",
        "请问您想了解哪个地区的租房补贴？",
        "杭州",
        "请问您想了解哪一年的租房补贴？",
    )
    assert complete("2024年", history).standalone == "2024年杭州租房补贴有多少？"


def test_the_stored_completion_of_a_turn_is_used() -> None:
    history = [
        Turn(role="user", content="那它呢", standalone="北京租房补贴有多少？"),
        Turn(role="assistant", content=ANSWER),
    ]
    assert complete("怎么申请？", history).standalone == "北京租房补贴怎么申请？"


@pytest.mark.parametrize(
    "question", ["它怎么申请？", "这个怎么办理？", "两者有什么区别？", "该办法何时施行？"]
)
def test_a_reference_to_nothing_is_reported(question: str) -> None:
    made = complete(question, ())
    assert made.standalone == question
    assert made.unresolved


@pytest.mark.parametrize(
    "question",
    [
        "这个月工资什么时候发？",
        "其他补贴有哪些？",
        "该不该缴个税？",
        "应该找谁？",
        "那时候的规定是什么？",
        "公司买了新车，它能借吗？",
        "这样做违规吗？",
        "尤其要注意什么？",
    ],
)
def test_words_that_only_look_like_references(question: str) -> None:
    assert not complete(question, ()).unresolved


def test_what_nobody_named_is_unresolved_only_with_a_knowledge_base() -> None:
    assert complete("怎么申请？", (), titles("员工手册", "租房补贴办法")).unresolved
    assert not complete("怎么报销？", (), titles("员工手册", "差旅报销制度")).unresolved


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=30), max_size=4))
def test_any_text_is_survived(question: str, earlier: list[str]) -> None:
    made = complete(question, conversation(*earlier))
    assert made.changed or made.standalone == question.strip()


def test_a_very_long_question_is_returned_unchanged_and_quickly() -> None:
    question = "年假有几天，" * 2000
    begin = time.perf_counter()
    assert complete(question, conversation("病假有几天？", "")).standalone == question
    assert time.perf_counter() - begin < 2.0
