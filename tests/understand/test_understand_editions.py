"""Which documents a year in a question passes over."""

from __future__ import annotations

from datetime import date

import pytest

from rag.types import DocumentMetadata, DocumentProfile, KnowledgeProfile, Slots
from rag.understand.editions import other_editions
from rag.understand.times import find_times

TODAY = date(2026, 3, 1)
TITLES = {
    "租房补贴办法（2023年）": 2023,
    "租房补贴办法（2024年）": 2024,
    "2022年度工作报告": 2022,
    "2024年度工作报告": 2024,
    "项目会议纪要": 2025,
    "某某条例": 2010,
    "《某某条例》": 2018,
    "员工手册": None,
}
PROFILE = KnowledgeProfile(
    kb_ids=("kb",),
    documents=tuple(
        DocumentProfile(
            document_id=title, name=title, title=title, metadata=DocumentMetadata(year=year)
        )
        for title, year in TITLES.items()
    ),
)


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("2024年租房补贴多少", {"租房补贴办法（2023年）", "2022年度工作报告"}),
        ("2023年租房补贴多少", {"租房补贴办法（2024年）"}),
        ("2021年租房补贴多少", set()),
        ("2023到2024年租房补贴", {"2022年度工作报告"}),
        ("2018年的某某条例", {"某某条例"}),
        ("2025年的合同金额", set()),
        ("租房补贴多少", set()),
    ],
)
def test_only_editions_of_what_there_is_of_the_asked_year_are_left_out(question, left_out):
    slots = Slots(time=tuple(mention.range for mention in find_times(question, TODAY)))
    assert set(other_editions(PROFILE, slots)) == left_out


def test_without_knowledge_bases_nothing_is_left_out():
    slots = Slots(time=tuple(mention.range for mention in find_times("2024年", TODAY)))
    assert other_editions(None, slots) == ()
