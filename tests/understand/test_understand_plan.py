"""From meaning to search: parts of a question, filters, strategy."""

from __future__ import annotations

from datetime import date

import pytest

from rag.types import DocumentMetadata, DocumentProfile, KnowledgeProfile
from rag.understand.plan import plan
from rag.understand.understand import understand

TODAY = date(2026, 11, 30)
PROFILE = KnowledgeProfile(
    kb_ids=("kb",),
    documents=tuple(
        DocumentProfile(
            document_id=name,
            name=f"{name}.md",
            title=name,
            metadata=DocumentMetadata(region=region, year=year),
        )
        for name, region, year in (
            ("北京市租房补贴办法（2024年）", "北京", 2024),
            ("上海市租房补贴办法（2023年）", "上海", 2023),
            ("员工手册", None, None),
        )
    ),
)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "北京、上海、深圳三地2024年的租房补贴各是多少？",
            (
                "北京2024年的租房补贴是多少？",
                "上海2024年的租房补贴是多少？",
                "深圳2024年的租房补贴是多少？",
            ),
        ),
        ("ZW-200的售价和保修期分别是多少？", ("ZW-200的售价是多少？", "ZW-200的保修期是多少？")),
        ("婚假有多少天？要在多久内休完？", ("婚假有多少天？", "婚假要在多久内休完？")),
        (
            "ZW-100和ZW-100S的防护等级有什么不同？",
            ("ZW-100的防护等级是什么？", "ZW-100S的防护等级是什么？"),
        ),
        ("年假有几天？", ()),
        ("我入职两年了，年假有几天？", ()),
    ],
)
def test_parts(question: str, parts: tuple[str, ...]) -> None:
    meaning = understand(question, (), PROFILE, TODAY)
    assert meaning.sub_questions == parts
    assert (meaning.strategy == "decompose") == bool(parts)
    made = plan(meaning, ("kb",), profile=PROFILE)
    assert made.queries == (question, *parts)


def test_regions_always_filter_and_years_only_where_there_are_some() -> None:
    made = plan(understand("北京2024年租房补贴", (), PROFILE, TODAY), ("kb",), profile=PROFILE)
    assert made.filter.regions == ("北京",)
    assert made.filter.years == (2024, 2024)
    assert made.filter.include_unspecified
    assert made.strategy == "metadata_filter"
    made = plan(understand("广州2021年租房补贴", (), PROFILE, TODAY), ("kb",), profile=PROFILE)
    assert made.filter.regions == ("广东/广州",)
    assert made.filter.years is None


def test_a_quoted_title_names_its_document() -> None:
    meaning = understand("《北京市租房补贴办法（2024年）》第三条说什么？", (), PROFILE, TODAY)
    made = plan(meaning, ("kb",), profile=PROFILE)
    assert made.filter.document_ids == ("北京市租房补贴办法（2024年）",)


@pytest.mark.parametrize(
    ("question", "route"),
    [("你好", "chitchat"), ("刚才我问了什么？", "conversation"), ("年假有几天？", "knowledge")],
)
def test_routes(question: str, route: str) -> None:
    meaning = understand(question, (), PROFILE, TODAY)
    assert meaning.route == route
    assert (meaning.strategy == "no_retrieval") == (route != "knowledge")
