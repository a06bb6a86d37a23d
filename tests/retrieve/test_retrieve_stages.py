"""What a search says of itself for the retrieval lab: stages, reasons, other settings."""

from __future__ import annotations

import pytest
from retrieve_world import World

LEAVE = "员工入职满一年后享有五天带薪年假，满十年为十天。"
EXPENSES = "差旅费用应在出差结束后三十日内提交报销单和发票。"
SICK = "病假三天以上须提交医院证明，病假工资按八成发放。"


@pytest.fixture
def handbook(world: World) -> World:
    world.add("员工手册.docx", [LEAVE, EXPENSES, SICK])
    world.add("年假办法.docx", ["申请应提前三天提出。", "型号 ABC-123 的保修期为两年。"])
    return world


@pytest.mark.parametrize("question", ["年假有几天？", "ABC-123 保修多久", "出差回来多久报销"])
def test_stages_do_not_change_the_hits(handbook: World, question: str) -> None:
    plain = handbook.retriever.search(handbook.plan(question))
    told = handbook.retriever.search(handbook.plan(question), stages=True)
    assert plain.stages == ()
    assert [(h.rank, h.chunk, h.scores) for h in told.hits] == [
        (h.rank, h.chunk, h.scores) for h in plain.hits
    ]


def test_each_stage_is_told_in_order_with_scores(handbook: World) -> None:
    found = handbook.retriever.search(handbook.plan("年假有几天？"), stages=True)
    names = [stage.name for stage in found.stages]
    assert names == ["dense", "sparse", "fused", "reranked", "ordered", "final"]
    assert all(stage.query == "年假有几天？" and stage.ms >= 0 for stage in found.stages)
    for stage in found.stages[:4]:
        scores = [score for _, score in stage.ranked]
        assert scores and scores == sorted(scores, reverse=True)
    assert [id_ for id_, _ in found.stages[-1].ranked] == [hit.chunk.id for hit in found.hits]


def test_codes_are_a_stage_of_their_own(handbook: World) -> None:
    found = handbook.retriever.search(handbook.plan("ABC-123 保修多久"), stages=True)
    exact = next(stage for stage in found.stages if stage.name == "exact")
    assert exact.query == "abc-123"
    assert exact.ranked[0][0] == found.hits[0].chunk.id


def test_each_hit_says_why_it_stands_there(handbook: World) -> None:
    found = handbook.retriever.search(handbook.plan("年假有几天？"), stages=True)
    best = found.hits[0]
    assert best.chunk.text == LEAVE
    score = f"{best.scores['rerank']:.2f}"
    assert best.why == f"含有：年假；关键词第 3 位，向量第 1 位；重排 {score}"
    other = next(hit for hit in found.hits if hit.chunk.document_name == "年假办法.docx")
    assert "标题相符" in other.why
    code = handbook.retriever.search(handbook.plan("ABC-123 保修多久"), stages=True).hits[0]
    assert code.why.startswith("准确匹配：abc-123；关键词第 1 位")


def test_a_hit_of_another_query_names_it(handbook: World) -> None:
    plan = handbook.plan("报销", "带薪假期")
    found = handbook.retriever.search(plan, stages=True)
    leave = next(hit for hit in found.hits if hit.chunk.text == LEAVE)
    assert "（带薪假期）" in leave.why


def test_widening_is_told_and_only_the_last_attempt_shown(world: World) -> None:
    world.add("杭州.txt", ["人才租房补贴每月八百元。"], region="浙江/杭州", year=2024)
    plan = world.plan("租房补贴", regions=("浙江",), years=(2019, 2019))
    found = world.retriever.search(plan, stages=True)
    assert [stage.name for stage in found.stages].count("dense") == 1
    assert found.stages[0].ranked
    assert found.stages[-1].note == "放宽了：年份"


def test_parts_of_a_comparison_have_their_stages(handbook: World) -> None:
    plan = handbook.plan("年假和病假有什么区别？", "年假是什么规定", "病假是什么规定")
    plan = plan.model_copy(update={"strategy": "decompose"})
    found = handbook.retriever.search(plan, stages=True)
    finals = [stage for stage in found.stages if stage.name == "final"]
    assert [stage.query for stage in finals] == [
        "年假和病假有什么区别？",
        "年假是什么规定",
        "病假是什么规定",
        "年假和病假有什么区别？",
    ]
    assert [id_ for id_, _ in finals[-1].ranked] == [hit.chunk.id for hit in found.hits]


def test_a_search_under_other_settings_leaves_the_current_ones_alone(handbook: World) -> None:
    handbook.add("年假问答.txt", ["".join(f"年假问题{n}：见员工手册。" for n in range(20))])
    current = handbook.settings.retrieval
    plan = handbook.plan("年假有几天？")
    words = current.model_copy(update={"dense_weight": 0.0, "fusion": "rrf", "top_k": 2})
    other = handbook.retriever.search(plan, settings=words, rerank=False, stages=True)
    usual = handbook.retriever.search(plan)
    assert len(other.hits) == 2
    assert "reranked" not in [stage.name for stage in other.stages]
    assert all("rerank" not in hit.scores and "重排" not in hit.why for hit in other.hits)
    sparse = next(stage for stage in other.stages if stage.name == "sparse")
    fused = next(stage for stage in other.stages if stage.name == "fused")
    assert fused.ranked[0][0] == sparse.ranked[0][0]
    assert len(usual.hits) > 2
    assert handbook.settings.retrieval == current
    small = current.model_copy(update={"context_tokens": 101})
    assert len(handbook.retriever.evidence("年假有几天？", usual.hits, settings=small)) < len(
        handbook.retriever.evidence("年假有几天？", usual.hits)
    )
