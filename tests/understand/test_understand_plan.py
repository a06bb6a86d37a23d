"""From meaning to search: parts of a question, filters, strategy."""

from __future__ import annotations

from datetime import date

import pytest

from rag.types import (
    Chunk,
    DocumentMetadata,
    DocumentProfile,
    Hit,
    KnowledgeProfile,
    QueryPlan,
    Slots,
    Strategy,
    Turn,
)
from rag.understand.expand import is_vague, wordings
from rag.understand.plan import asks_the_web, plan
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
        ("ZW-100的PM2.5一直降不下来，屏幕上写E04，怎么处理", ()),
        ("我入职两年了，年假有几天？", ()),
    ],
)
def test_parts(question: str, parts: tuple[str, ...]) -> None:
    meaning = understand(question, (), PROFILE, TODAY)
    assert meaning.sub_questions == parts
    assert (meaning.strategy == "decompose") == bool(parts)
    made = plan(meaning, ("kb",), profile=PROFILE)
    assert made.queries[: 1 + len(parts)] == (question, *parts)


def test_regions_always_filter_and_years_leave_out_other_editions() -> None:
    title = "北京市租房补贴办法（2023年）"
    earlier = PROFILE.documents[0].model_copy(
        update={
            "document_id": title,
            "title": title,
            "metadata": DocumentMetadata(region="北京", year=2023),
        }
    )
    both = PROFILE.model_copy(update={"documents": (*PROFILE.documents, earlier)})
    made = plan(understand("北京2024年租房补贴", (), both, TODAY), ("kb",), profile=both)
    assert made.filter.regions == ("北京",)
    assert made.filter.years is None
    assert made.filter.left_out == (title,)
    assert made.filter.include_unspecified
    assert made.strategy == "metadata_filter"
    made = plan(understand("广州2021年租房补贴", (), PROFILE, TODAY), ("kb",), profile=PROFILE)
    assert made.filter.regions == ("广东/广州",)
    assert made.filter.left_out == ()


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


LIBRARY = KnowledgeProfile(
    kb_ids=("kb",),
    documents=tuple(
        DocumentProfile(
            document_id=name,
            name=f"{name}.md",
            title=name,
            metadata=DocumentMetadata(organisation=issuer, document_type=kind),
        )
        for name, issuer, kind in (
            ("考勤管理制度", "云岭科技有限公司", "制度"),
            ("差旅费管理办法", "云岭科技有限公司", "办法"),
            ("个人所得税法实施条例", "国务院", "条例"),
            ("货币公告", "中国人民银行", "公告"),
        )
    ),
)


def planned(question: str, history: tuple[Turn, ...] = (), **more: object) -> QueryPlan:
    meaning = understand(question, history, LIBRARY, TODAY)
    return plan(meaning, ("kb",), profile=LIBRARY, history=history, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "strategy"),
    [
        ("打卡机坏了找谁修", "expand"),
        ("考勤时间怎么统计", "direct"),
        ("公司有哪些制度？", "broad"),
        ("各部门的考勤要求", "broad"),
        ("梳理一下所有的报销要求", "broad"),
        ("2024年的考勤要求", "metadata_filter"),
        ("北京的考勤要求", "metadata_filter"),
        ("央行发布的公告", "metadata_filter"),
        ("《考勤管理制度》有哪些规定", "direct"),
        ("打卡有几次？迟到扣多少钱？", "decompose"),
    ],
)
def test_strategies(question: str, strategy: str) -> None:
    made = planned(question)
    assert made.strategy == strategy
    assert made.breadth == (strategy == "broad")
    assert made.reasons


def test_a_continued_question_is_searched_as_completed() -> None:
    history = (
        Turn(role="user", content="迟到一次扣多少？", standalone="迟到一次扣多少？"),
        Turn(role="assistant", content="扣50元。[1]", evidence=("a-1-3", "a-1-4")),
    )
    made = planned("那早退呢？", history)
    assert made.queries[0] == "早退一次扣多少？"
    assert made.reasons[0] == "补全为“早退一次扣多少？”"
    assert made.carried == ("a-1-3", "a-1-4")


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("上海的租房补贴有多少？", "北京的租房补贴有多少？"),
        ("2023年的租房补贴有多少？", "2024年的租房补贴有多少？"),
        ("ABC-12保修多久？", "ABC-13保修多久？"),
        ("上海的租房补贴有多少？", "差旅费怎么报销？"),
    ],
)
def test_evidence_of_other_places_years_and_topics_stays_behind(before: str, now: str) -> None:
    history = (
        Turn(role="user", content=before),
        Turn(role="assistant", content="好的。[1]", evidence=("a-1-3",)),
    )
    meaning = understand(now, (), LIBRARY, TODAY)
    assert plan(meaning, ("kb",), profile=LIBRARY, history=history).carried == ()


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("老板拖欠工资违法吗", "用人单位拖欠工资违法吗"),
        ("个税怎么算", "个人所得税怎么算"),
        ("五险一金什么时候缴", "社会保险和住房公积金什么时候缴"),
        ("ABC-12坏了怎么办", ""),
        ("《差旅费管理办法》里租房怎么报", ""),
        ("考勤时间怎么统计", ""),
    ],
)
def test_other_wordings(question: str, other: str) -> None:
    assert wordings(question) == ((other,) if other else ())


@pytest.mark.parametrize(
    ("question", "vague"),
    [
        ("老板不给钱咋办", True),
        ("个税怎么算", True),
        ("ABC-12坏了咋办", False),
        ("考勤时间怎么统计", False),
        ("你好", False),
    ],
)
def test_a_vague_question_may_have_an_imagined_answer(question: str, vague: bool) -> None:
    assert is_vague(understand(question, (), LIBRARY, TODAY)) == vague


def test_an_imagined_answer_makes_the_plan_one_by_hyde() -> None:
    meaning = understand("考勤时间怎么统计", (), LIBRARY, TODAY)
    made = plan(
        meaning.model_copy(update={"passage": "考勤时间按月统计。"}), ("kb",), profile=LIBRARY
    )
    assert made.strategy == "hyde"
    assert made.passage == "考勤时间按月统计。"


def test_the_web_is_searched_only_where_it_is_switched_on() -> None:
    question = "上网查一下考勤时间怎么统计"
    assert asks_the_web(question)
    off, on = planned(question), planned(question, web_enabled=True)
    assert (off.web, on.web) == (False, True)
    assert "没有启用网页检索，只查知识库" in off.reasons
    assert on.strategy == "web"


def test_the_web_helps_out_where_nothing_near_is_known() -> None:
    def near(question: str, slots: Slots) -> list[Hit]:
        chunk = Chunk(
            id="a-1-0",
            document_id="a",
            kb_id="kb",
            ordinal=0,
            text="考勤时间按月统计。",
            document_name="考勤.md",
        )
        return [Hit(chunk=chunk, rank=1)]

    question = "考勤时间怎么统计"
    assert not planned(question, web_enabled=True, probe=near).web
    assert planned(question, web_enabled=True, probe=lambda q, s: ()).web
    assert not planned(question, probe=lambda q, s: ()).web


def test_bodies_and_kinds_filter_only_where_the_question_points_at_them() -> None:
    assert planned("央行发布的公告").filter.organisations == ("中国人民银行",)
    assert planned("云岭科技的考勤制度").filter.organisations == ("云岭科技有限公司",)
    assert planned("央行的电话").filter.organisations == ()
    assert planned("条例里怎么规定缴税").filter.document_types == ("条例",)
    assert planned("有没有条例").filter.document_types == ()


@pytest.mark.parametrize(
    ("strategy", "queries", "filtered"),
    [
        ("direct", ("北京老板拖欠工资违法吗",), False),
        ("rewrite", ("北京老板拖欠工资违法吗",), False),
        ("expand", ("北京老板拖欠工资违法吗", "北京用人单位拖欠工资违法吗"), False),
        ("metadata_filter", ("北京老板拖欠工资违法吗",), True),
        ("no_retrieval", (), False),
    ],
)
def test_the_lab_can_force_a_strategy(
    strategy: Strategy, queries: tuple[str, ...], filtered: bool
) -> None:
    made = planned("北京老板拖欠工资违法吗", override=strategy)
    assert made.strategy == strategy
    assert made.queries == queries
    assert bool(made.filter.regions) == filtered
    assert made.reasons[0].startswith("指定策略")


@pytest.mark.parametrize(
    ("strategy", "lacking"),
    [
        ("hyde", "没有模型设想的答案"),
        ("decompose", "问题里只有一件事"),
        ("web", "没有启用网页检索"),
        ("metadata_filter", "问题里没有可以筛选的条件"),
        ("expand", "没有别的书面说法"),
    ],
)
def test_a_forced_strategy_says_what_it_lacks(strategy: Strategy, lacking: str) -> None:
    assert planned("考勤时间怎么统计", override=strategy).reasons[-1] == lacking


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "各地的租房补贴是多少？",
            ("北京的租房补贴是多少？", "上海的租房补贴是多少？"),
        ),
        ("所有城市租房补贴怎么申请？", ("北京租房补贴怎么申请？", "上海租房补贴怎么申请？")),
        ("历年的租房补贴是多少？", ("2024年的租房补贴是多少？", "2023年的租房补贴是多少？")),
        ("各地的年假有几天？", ()),
        ("北京历年的租房补贴是多少？", ()),
    ],
)
def test_all_of_a_kind_is_a_question_for_each_that_the_documents_have(
    question: str, parts: tuple[str, ...]
) -> None:
    meaning = understand(question, (), PROFILE, TODAY)
    assert meaning.sub_questions == parts
    if parts and "各地" in question:
        assert meaning.slots.region == ("北京", "上海")


@pytest.mark.parametrize(
    ("question", "spelled"),
    [
        ("ZW200保修多久", "ZW-200保修多久"),
        ("zw 200 保修多久", "zw-200 保修多久"),
        ("ZW-200保修多久", "ZW-200保修多久"),
        ("ZW201保修多久", "ZW201保修多久"),
    ],
)
def test_codes_are_asked_for_as_the_documents_write_them(question: str, spelled: str) -> None:
    profile = KnowledgeProfile(
        kb_ids=("kb",),
        documents=(DocumentProfile(document_id="a", name="a.md", title="ZW-200用户手册"),),
    )
    assert understand(question, (), profile, TODAY).standalone_question == spelled
