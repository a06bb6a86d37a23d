"""When a question is asked back, with which options, and when never."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from rag.types import (
    Chunk,
    DocumentMetadata,
    DocumentProfile,
    Hit,
    KnowledgeProfile,
    Slots,
    Turn,
    Understanding,
)
from rag.understand.ambiguity import ALL_OF_THEM, judge
from rag.understand.understand import understand

TODAY = date(2026, 11, 30)

TEXTS: list[tuple[str, str | None, int | None, str | None, str]] = [
    # title, region, year, product, text
    (
        "北京市人才租房补贴办法（2023年）",
        "北京",
        2023,
        None,
        "第五条 硕士租房补贴每月1200元。第六条 提交身份证和劳动合同。",
    ),
    (
        "北京市人才租房补贴办法（2024年）",
        "北京",
        2024,
        None,
        "第五条 硕士租房补贴每月1500元。第六条 提交身份证和劳动合同。",
    ),
    (
        "杭州市人才租房补贴办法（2024年）",
        "浙江/杭州",
        2024,
        None,
        "第四条 硕士租房补贴每月1800元。第六条 提交身份证和租房合同。",
    ),
    (
        "深圳市人才租房补贴规程（2024年）",
        "广东/深圳",
        2024,
        None,
        "第四条 硕士租房补贴每月2000元。第六条 提交身份证和学历证书。",
    ),
    (
        "云岭科技员工手册",
        None,
        2024,
        None,
        "年假：满1年5天。病假：由部门经理审批，提交病假条。加班：周末两倍工资。",
    ),
    ("山东省中医药条例", "山东", 2020, None, "自2021年1月1日起施行。"),
    ("浙江省中医药条例", "浙江", 2021, None, "自2022年1月1日起施行。"),
    ("ZW-100说明书", None, None, "ZW-100", "净水器的保修期为12个月，滤芯每半年更换。"),
    ("ZW-200说明书", None, None, "ZW-200", "净水器的保修期为24个月，滤芯每半年更换。"),
]

PROFILE = KnowledgeProfile(
    kb_ids=("kb",),
    documents=tuple(
        DocumentProfile(
            document_id=f"d{i}",
            name=f"{title}.md",
            title=title,
            metadata=DocumentMetadata(title=title, region=region, year=year, product=product),
        )
        for i, (title, region, year, product, _) in enumerate(TEXTS)
    ),
)


def probe(question: str, slots: Slots) -> Sequence[Hit]:
    """All passages of the asked regions and years, by shared pairs of letters."""
    pairs = {question[i : i + 2] for i in range(len(question) - 1)}
    years = {t.start.year for t in slots.time if t.start}
    hits = []
    for i, (title, region, year, product, text) in enumerate(TEXTS):
        if slots.region and region and region not in slots.region:
            continue
        if years and year and year not in years:
            continue
        whole = f"{title} {text}"
        score = sum(pair in whole for pair in pairs) / max(1, len(pairs))
        chunk = Chunk(
            id=f"d{i}-1-0",
            document_id=f"d{i}",
            kb_id="kb",
            ordinal=0,
            text=text,
            document_name=f"{title}.md",
            metadata=DocumentMetadata(title=title, region=region, year=year, product=product),
        )
        hits.append(Hit(chunk=chunk, scores={"fused": score}))
    return sorted(hits, key=lambda hit: -hit.scores["fused"])[:6]


def ask(question: str, *earlier: str) -> Understanding:
    """Understand and judge a question after turns that alternate user and assistant."""
    history = [
        Turn(role="user" if i % 2 == 0 else "assistant", content=text)
        for i, text in enumerate(earlier)
    ]
    meaning = understand(question, history, PROFILE, TODAY)
    return judge(meaning, history, PROFILE, probe)


def labels(meaning: Understanding) -> list[str]:
    assert meaning.clarification is not None
    return [option.label for option in meaning.clarification.options]


def test_a_missing_region_is_asked_with_the_regions_of_the_documents() -> None:
    meaning = ask("硕士租房补贴每月多少钱？")
    assert meaning.needs_clarification
    assert meaning.missing_slots == ("region",)
    assert (meaning.route, meaning.strategy) == ("clarify", "clarify")
    assert set(labels(meaning)) == {"北京", "杭州", "深圳", ALL_OF_THEM}
    assert labels(meaning)[-1] == ALL_OF_THEM
    assert "哪个地区" in meaning.clarification.question  # type: ignore[union-attr]


def test_a_title_without_its_region_is_asked() -> None:
    meaning = ask("《中医药条例》从什么时候起施行？")
    assert meaning.missing_slots == ("region",)
    assert labels(meaning) == ["山东", "浙江", ALL_OF_THEM]


def test_a_missing_year_is_asked_when_editions_differ() -> None:
    meaning = ask("北京硕士租房补贴每月多少钱？")
    assert meaning.missing_slots == ("time",)
    assert labels(meaning) == ["2024年", "2023年", ALL_OF_THEM]


def test_a_missing_product_is_asked() -> None:
    meaning = ask("净水器的保修期是多久？")
    assert meaning.missing_slots == ("product",)
    assert labels(meaning) == ["ZW-100", "ZW-200", ALL_OF_THEM]


def test_an_unresolved_reference_is_asked_with_titles() -> None:
    meaning = ask("它怎么申请？")
    assert meaning.missing_slots == ("reference",)
    assert 2 <= len(labels(meaning)) <= 5
    assert "人才租房补贴" in labels(meaning)
    assert all(
        option.reply == f"{option.label}怎么申请？"
        for option in meaning.clarification.options[:-1]  # type: ignore[union-attr]
    )
    assert labels(meaning)[-1] == ALL_OF_THEM


@pytest.mark.parametrize(
    "question",
    [
        "年假有几天？",
        "病假由谁审批？",
        "2024年杭州硕士租房补贴每月多少钱？",
        "各地的硕士租房补贴是多少？",
        "所有城市的租房补贴标准是多少？",
        "哪个城市的租房补贴最高？",
        "《浙江省中医药条例》从什么时候起施行？",
        "《福建省中医药条例》从什么时候起施行？",
        "2024年广州硕士租房补贴每月多少钱？",
        "ZW-100的保修期是多久？",
        "哪款产品的保修期最长？",
        "滤芯多久更换一次？",
        "你好",
        "珠穆朗玛峰有多高？",
    ],
)
def test_no_needless_question(question: str) -> None:
    meaning = ask(question)
    assert not meaning.needs_clarification, meaning.clarification


def test_the_year_is_not_asked_when_the_editions_agree() -> None:
    same = tuple(
        (title, region, year, product, "第六条 提交身份证和劳动合同。")
        for title, region, year, product, _ in TEXTS[:2]
    )
    profile = KnowledgeProfile(kb_ids=("kb",), documents=PROFILE.documents[:2])
    hits = [
        hit.model_copy(update={"chunk": hit.chunk.model_copy(update={"text": same[0][4]})})
        for hit in probe("北京租房补贴材料", Slots(region=("北京",)))
        if hit.chunk.document_id in ("d0", "d1")
    ]
    meaning = understand("北京租房补贴要提交哪些材料？", (), profile, TODAY)
    assert not judge(meaning, (), profile, lambda q, s: hits).needs_clarification


def test_never_asked_twice_for_the_same_slot() -> None:
    asked = ask(
        "硕士租房补贴每月多少钱？",
        "租房补贴有多少？",
        "请问您想了解哪个地区的租房补贴？",
        "不知道",
        "好的。",
    )
    assert asked.missing_slots != ("region",)


def test_the_region_of_the_conversation_is_taken_over() -> None:
    meaning = ask(
        "租房补贴要提交哪些材料？",
        "2024年杭州硕士租房补贴每月多少钱？",
        "每月1800元。[1]",
        "婚假几天？",
        "10天。[1]",
    )
    assert not meaning.needs_clarification
    assert meaning.slots.region == ("浙江/杭州",)
    assert meaning.standalone_question == "租房补贴要提交哪些材料？"
    assert any("杭州" in note for note in meaning.notes)


def test_the_whole_dialogue_ends_in_an_answerable_question() -> None:
    first = ask("硕士租房补贴每月多少钱？")
    back = first.clarification.question  # type: ignore[union-attr]
    second = ask("北京", "硕士租房补贴每月多少钱？", back)
    assert second.standalone_question == "北京硕士租房补贴每月多少钱？"
    assert second.missing_slots == ("time",)
    year = second.clarification.question  # type: ignore[union-attr]
    third = ask("2024年", "硕士租房补贴每月多少钱？", back, "北京", year)
    assert third.standalone_question == "2024年北京硕士租房补贴每月多少钱？"
    assert not third.needs_clarification
    assert third.slots.region == ("北京",)


def test_all_of_them_is_not_asked_again() -> None:
    back = "请问您想了解哪个地区的租房补贴？"
    meaning = ask(ALL_OF_THEM, "硕士租房补贴每月多少钱？", back)
    assert meaning.standalone_question == "各地硕士租房补贴每月多少钱？"
    assert meaning.missing_slots != ("region",)


def test_without_documents_nothing_is_asked() -> None:
    meaning = understand("它怎么申请？", (), KnowledgeProfile(), TODAY)
    assert not judge(meaning, (), KnowledgeProfile(), None).needs_clarification
