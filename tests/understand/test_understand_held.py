"""The region and the year that a conversation stays with."""

from __future__ import annotations

from datetime import date

import pytest

from rag.types import (
    DocumentMetadata,
    DocumentProfile,
    KnowledgeProfile,
    Slots,
    Turn,
)
from rag.understand.ambiguity import judge
from rag.understand.held import held
from rag.understand.plan import plan
from rag.understand.slots import extract
from rag.understand.understand import understand

TODAY = date(2026, 3, 1)
NAMES = (
    ("上海市人才租房补贴办法（2023年）", "上海", 2023),
    ("上海市人才租房补贴办法（2024年）", "上海", 2024),
    ("深圳市人才租房补贴规程（2023年）", "广东/深圳", 2023),
    ("深圳市人才租房补贴规程（2024年）", "广东/深圳", 2024),
    ("杭州客户拜访记录", "浙江/杭州", None),
    ("员工手册（2024版）", None, 2024),
)
PROFILE = KnowledgeProfile(
    kb_ids=("kb",),
    documents=tuple(
        DocumentProfile(
            document_id=name,
            name=name,
            title=name,
            metadata=DocumentMetadata(region=region, year=year),
        )
        for name, region, year in NAMES
    ),
)


def turns(*questions: str) -> tuple[Turn, ...]:
    """A conversation of these completed questions."""
    found: list[Turn] = []
    for question in questions:
        found.append(Turn(role="user", content=question, standalone=question))
        found.append(Turn(role="assistant", content="好的。", status="answered"))
    return tuple(found)


SHANGHAI = "2024年上海租房补贴多少"


@pytest.mark.parametrize(
    ("before", "question", "region", "years"),
    [
        ((SHANGHAI,), "员工入职要带身份证吗", ("上海",), {2024}),
        ((SHANGHAI, "年假有几天", "病假有几天"), "社保要交几个月", ("上海",), {2024}),
        ((SHANGHAI, "一", "二", "三", "四"), "社保要交几个月", (), set()),
        ((SHANGHAI,), "深圳硕士一个月给多少", (), {2024}),
        ((SHANGHAI,), "2023年硕士一个月给多少", ("上海",), set()),
        ((SHANGHAI, "下周去杭州拜访谁"), "社保要交几个月", ("上海",), {2024}),
        ((SHANGHAI, "北京有多少客户"), "社保要交几个月", ("上海",), {2024}),
        (("2023年上海租房补贴多少",), "现在每月20号发补贴吗", ("上海",), {2024}),
        (("2023年上海租房补贴多少", "现在的补贴多少"), "社保要交几个月", ("上海",), {2024}),
        (("上海和深圳的租房补贴多少",), "社保要交几个月", (), set()),
        ((SHANGHAI,), "各地的社保要交几个月", (), set()),
        ((SHANGHAI,), "历年的社保要交几个月", ("上海",), set()),
        ((), "社保要交几个月", (), set()),
        ((), "现在社保要交几个月", (), {2024}),
    ],
)
def test_the_region_and_the_year_named_last_are_held(
    before: tuple[str, ...], question: str, region: tuple[str, ...], years: set[int]
) -> None:
    slots, _ = extract(question, PROFILE, TODAY)
    found = held(question, slots, turns(*before), PROFILE, TODAY)
    assert found.region == region
    assert {time.start.year for time in found.time if time.start} == years
    assert held(question, slots, turns(*before), None, TODAY) == Slots()


def test_what_is_held_passes_over_documents_of_the_same_matter_alone() -> None:
    before = turns(SHANGHAI)
    meaning = understand("员工入职要带身份证吗", before, PROFILE, TODAY)
    made = plan(meaning, ("kb",), profile=PROFILE, history=before)
    assert set(made.filter.left_out) == {
        "上海市人才租房补贴办法（2023年）",
        "深圳市人才租房补贴规程（2023年）",
        "深圳市人才租房补贴规程（2024年）",
    }
    assert made.filter.regions == ()
    assert sum("上文说的是" in reason for reason in made.reasons) == 2


def test_a_year_that_was_named_is_not_asked_for() -> None:
    question = "深圳租房补贴多少"
    meaning = understand(question, turns(SHANGHAI), PROFILE, TODAY)
    assert not judge(meaning, turns(SHANGHAI), PROFILE, None).needs_clarification
    alone = understand(question, (), PROFILE, TODAY)
    assert judge(alone, (), PROFILE, None).missing_slots == ("time",)


def test_a_question_put_right_by_the_user_holds_nothing() -> None:
    question = "员工入职要带身份证吗"
    meaning = understand(question, turns(SHANGHAI), PROFILE, TODAY, corrected=question)
    assert meaning.held == Slots()
