"""Passages taken by their id pass the same filter that the vector store applies."""

from __future__ import annotations

import pytest
from retrieve_world import World

from rag.retrieve.conditions import admits
from rag.types import SearchFilter

CONDITIONS = [
    {},
    {"regions": ("浙江",)},
    {"regions": ("浙江/杭州",)},
    {"regions": ("浙江/杭州/西湖",)},
    {"regions": ("浙",)},
    {"regions": ("浙江",), "include_unspecified": False},
    {"years": (2023, 2024)},
    {"years": (2023, 2023), "include_unspecified": False},
    {"document_types": ("通知",)},
    {"organisations": ("财政局", "人社局")},
    {"products": ("ZW-100",)},
    {"regions": ("北京", "浙江/杭州"), "years": (2024, 2024)},
]


@pytest.mark.parametrize("conditions", CONDITIONS)
def test_admits_agrees_with_the_vector_store(world: World, conditions: dict) -> None:
    chunks = [
        *world.add("全国.txt", ["租房补贴一。"]),
        *world.add("浙江.txt", ["租房补贴二。"], region="浙江", year=2023, document_type="通知"),
        *world.add("杭州.txt", ["租房补贴三。"], region="浙江/杭州", year=2024),
        *world.add("北京.txt", ["租房补贴四。"], region="北京", organisation="财政局"),
        *world.add("产品.txt", ["租房补贴五。"], product="ZW-100", year=2022),
    ]
    condition = SearchFilter(kb_ids=(world.kb_id,), **conditions)
    vector = world.embedder.embed_queries(["租房补贴"])[0]
    found = {id_ for id_, _ in world.vectors.search_dense(vector, condition, 10)}
    assert {chunk.id for chunk in chunks if admits(condition, chunk)} == found


def test_another_knowledge_base_or_document_is_not_admitted(world: World) -> None:
    (chunk,) = world.add("杭州.txt", ["租房补贴。"])
    assert not admits(SearchFilter(kb_ids=("别的",)), chunk)
    assert not admits(SearchFilter(kb_ids=(world.kb_id,), document_ids=("别的",)), chunk)
    assert admits(SearchFilter(kb_ids=(world.kb_id,), document_ids=(chunk.document_id,)), chunk)
