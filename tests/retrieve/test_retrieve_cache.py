"""What is remembered of a search, and what makes it forget."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from retrieve_world import World

from rag.errors import ModelUnavailable
from rag.retrieve.cache import RecentResults
from rag.settings import RerankerSettings
from rag.types import QueryPlan

LEAVE = "员工入职满一年后享有五天带薪年假，满十年为十天。"
EXPENSES = "差旅费用应在出差结束后三十日内提交报销单和发票。"
QUESTION = "年假有几天？"


def test_the_least_recently_used_result_leaves_first() -> None:
    results: RecentResults[str] = RecentResults(2)
    for key in ("a", "b", "a", "c"):
        results.get(key, lambda key=key: f"made {key}")
    assert results.get("a", lambda: "made again") == "made a"
    assert results.get("b", lambda: "made again") == "made again"
    assert len(results) == 2


def test_what_is_not_worth_keeping_is_made_again() -> None:
    results: RecentResults[int] = RecentResults(2)
    assert results.get("a", lambda: 1, lambda value: value > 1) == 1
    assert results.get("a", lambda: 2, lambda value: value > 1) == 2
    assert results.get("a", lambda: 3) == 2


def change_settings(world: World, section: str, **values) -> None:
    changed = getattr(world.settings, section).model_copy(update=values)
    world.settings = world.settings.model_copy(update={section: changed})


def delete(world: World) -> None:
    world.catalog.documents.delete(world.second)


def hide(world: World) -> None:
    world.catalog.documents.set_hidden([world.second], True)


def supersede(world: World) -> None:
    world.catalog.documents.set_superseded(world.kb_id, {world.second: world.first})


def add_elsewhere(world: World) -> None:
    # Rarity of words is counted over all knowledge bases.
    other = world.catalog.knowledge_bases.create("另一个").id
    world.add("别处.txt", [EXPENSES], kb_id=other)


@pytest.mark.parametrize(
    "change",
    [
        delete,
        hide,
        supersede,
        add_elsewhere,
        lambda world: world.add("新.txt", [EXPENSES]),
        lambda world: change_settings(world, "retrieval", dense_weight=0.2),
        lambda world: setattr(
            world, "settings", world.settings.model_copy(
                update={"reranker": RerankerSettings(candidates=7)}
            )
        ),
    ],
)  # fmt: skip
def test_each_change_makes_a_new_search(world: World, change: Callable[[World], object]) -> None:
    world.first = world.add("手册.txt", [LEAVE])[0].document_id
    world.second = world.add("旧手册.txt", [LEAVE + "旧。"])[0].document_id
    before = world.retriever.search(world.plan(QUESTION))
    assert world.retriever.search(world.plan(QUESTION)) is before
    change(world)
    assert world.retriever.search(world.plan(QUESTION)) is not before


@pytest.mark.parametrize(
    "values",
    [
        {"passage": "年假为五天。"},
        {"breadth": True},
        {"carried": ("x",)},
        {"intent": "procedure"},
        {"queries": (QUESTION, "带薪假")},
    ],
)
def test_each_part_of_the_plan_counts(world: World, values: dict) -> None:
    world.add("手册.txt", [LEAVE, EXPENSES])
    plan: QueryPlan = world.plan(QUESTION)
    before = world.retriever.search(plan)
    assert world.retriever.search(plan.model_copy(update=values)) is not before
    assert world.retriever.search(plan) is before


def test_who_may_read_less_gets_no_remembered_result(world: World) -> None:
    other = world.catalog.knowledge_bases.create("另一个").id
    world.add("手册.txt", [LEAVE])
    world.add("密件.txt", ["年假有二十天。"], kb_id=other)
    both = world.texts(QUESTION, kb_ids=(world.kb_id, other))
    assert set(both) == {LEAVE, "年假有二十天。"}
    assert world.texts(QUESTION) == [LEAVE]


def test_a_stand_in_reranker_is_told_and_not_remembered(world: World) -> None:
    class Dead:
        name = "dead"

        def score(self, question, hits):
            raise ModelUnavailable("重排服务没有响应。")

    world.add("手册.txt", [LEAVE, EXPENSES])
    working, world.reranker = world.reranker, Dead()
    found = world.retriever.search(world.plan(QUESTION))
    assert found.notes == ("重排服务没有响应，已改用内置重排",)
    world.reranker = working
    assert world.retriever.search(world.plan(QUESTION)).notes == ()
