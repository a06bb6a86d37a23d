"""Which knowledge bases hold the evidence: told by the plan, and no reason to search fewer."""

from __future__ import annotations

from datetime import date

import pytest
from retrieve_world import World

from rag.retrieve.shares import shares
from rag.types import Chunk, Hit, QueryPlan, Slots
from rag.understand.plan import plan
from rag.understand.understand import understand

LEAVE = "员工入职满一年后享有五天带薪年假，满十年为十天。"
NAMES = {"a": "人事", "b": "采购", "c": "空"}


def hit(kb_id: str, score: float) -> Hit:
    chunk = Chunk(id=f"{kb_id}{score}", document_id="d", kb_id=kb_id, ordinal=0, text="文")
    return Hit(chunk=chunk, scores={"rerank": score})


def planned(question: str, *hits: Hit, kb_ids: tuple[str, ...] = ("a", "b", "c"), **more):
    meaning = understand(question, (), None, date(2026, 11, 30))
    return plan(
        meaning, kb_ids, profile=None, probe=lambda text, slots: hits, kb_names=NAMES, **more
    )


def test_the_best_hits_count_most() -> None:
    found = shares([hit("a", 0.9), hit("b", 0.6), hit("a", 0.5), hit("c", 0.01)])
    assert list(found) == ["a", "b"]
    assert found["a"] > 0.6 and sum(found.values()) == pytest.approx(1)
    assert shares([hit("a", 0.02)]) == shares([]) == {}


def test_the_plan_says_where_the_evidence_is_and_searches_everywhere() -> None:
    made = planned("年假有几天？", hit("a", 0.9), hit("b", 0.9))
    assert [kb_id for kb_id, _ in made.shares] == ["a", "b"]
    assert made.filter.kb_ids == ("a", "b", "c")
    assert made.reasons[-1] == "3 个知识库都检索，依据主要在“人事”54%、“采购”46%"
    assert QueryPlan.model_validate(made.model_dump(mode="json")) == made


def test_it_says_so_where_no_base_has_anything() -> None:
    made = planned("火星上有水吗？", hit("a", 0.01))
    assert made.shares == ()
    assert made.reasons[-1] == "3 个知识库都检索，初步没有找到相近的内容"


@pytest.mark.parametrize(
    ("question", "more"),
    [("年假有几天？", {"kb_ids": ("a",)}), ("年假有几天？", {"override": "no_retrieval"})],
)
def test_one_base_or_no_search_needs_no_look(question: str, more: dict) -> None:
    assert planned(question, hit("a", 0.9), **more).shares == ()


def test_a_chosen_strategy_keeps_the_shares() -> None:
    assert planned("年假有几天？", hit("b", 0.9), override="direct").shares == (("b", 1.0),)


def test_many_passages_of_another_base_push_none_of_a_small_one_out(world: World) -> None:
    other = world.catalog.knowledge_bases.create("制度汇编").id
    small = world.add("手册.txt", [LEAVE])[0]
    texts = [f"第{n}条 员工第{n}类假期的天数由第{n}部门规定，有几天另行通知。" for n in range(120)]
    world.add("汇编.txt", texts, kb_id=other)
    both = (world.kb_id, other)
    found = world.retriever.search(world.plan("年假有几天？", kb_ids=both)).hits
    assert found[0].chunk.id == small.id
    looked = world.retriever.probe("年假有几天？", both, Slots())
    assert next(iter(shares(looked))) == world.kb_id
