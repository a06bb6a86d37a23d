"""What a cut list, table or clause goes on with joins the hits."""

from __future__ import annotations

import pytest
from retrieve_world import World

from rag.retrieve.neighbours import asks_for_all, continues, with_neighbours
from rag.types import Chunk, Hit


def piece(number: int, text: str, **values) -> Chunk:
    fields = {"id": f"d-1-{number}", "document_id": "d", "kb_id": "kb", "ordinal": number}
    return Chunk(**fields, text=text, **values)


TABLE = "| 级别 | 住宿 |\n| --- | --- |\n"


@pytest.mark.parametrize(
    ("first", "second", "goes_on"),
    [
        ("须提交：\n（一）身份证；\n（二）合同；", "（三）发票。\n（四）照片。", True),
        ("1. 拔下电源。\n2. 打开后盖。", "3. 取出滤芯。", True),
        ("第一步 登录。第二步 填表。", "第三步 提交。", True),
        ("①登录。②填表。", "③提交。", True),
        ("（一）身份证。（二）合同。", "（二）合同。（三）发票。", True),
        ("有下列情形之一的，不予办理：", "材料不全的。", True),
        ("1. 拔下电源。\n2. 打开后盖。", "1. 接上电源。", False),
        ("1. 拔下电源。", "（二）合同。", False),
        ("押金七日内退还。", "违约金另计。", False),
        ("共有 3.5 万元。", "4.5 万元另计。", False),
    ],
)
def test_lists_that_were_cut(first: str, second: str, goes_on: bool) -> None:
    assert continues(piece(0, first), piece(1, second)) is goes_on


def test_pieces_of_one_table_belong_together_and_headings_part() -> None:
    first = piece(0, TABLE + "| A | 300 |", kind="table")
    assert continues(first, piece(1, TABLE + "| B | 200 |", kind="table"))
    assert not continues(first, piece(1, "| 部门 |\n| --- |\n| 财务 |", kind="table"))
    assert not continues(first, piece(1, "住宿 200 元。"))
    other = piece(1, TABLE + "| B | 200 |", kind="table", heading_path=("二",))
    assert not continues(first, other)


def test_neighbours_stand_behind_their_hit_and_are_few() -> None:
    chunks = [piece(n, f"{n + 1}. 第{n + 1}件事。", kind="list") for n in range(6)]
    around = {c.id: chunks[max(n - 1, 0) : n + 2] for n, c in enumerate(chunks)}
    found = [
        Hit(chunk=chunks[n], rank=rank, scores={"rerank": 0.8})
        for rank, n in enumerate((2, 5), start=1)
    ]
    joined = with_neighbours(found, around.__getitem__, everything=True)
    assert [hit.chunk.ordinal for hit in joined] == [2, 3, 1, 5]
    assert [hit.rank for hit in joined] == [1, 2, 3, 4]
    assert joined[1].scores == {"rerank": 0.4}
    assert joined[1].why == "与第 1 条相连"
    assert with_neighbours(found, around.__getitem__, everything=False) == found


@pytest.mark.parametrize(
    ("question", "everything"),
    [
        ("办理租房补贴要哪些材料？", True),
        ("流程是什么", True),
        ("List the required documents", True),
        ("押金多少钱", False),
        ("a small allowance", False),
    ],
)
def test_which_questions_want_a_whole_list(question: str, everything: bool) -> None:
    assert asks_for_all(question, "fact") is everything
    assert asks_for_all(question, "procedure")


def test_a_search_returns_the_rest_of_a_cut_list(world: World) -> None:
    world.add(
        "指南.md",
        [
            "申请租房补贴须提交材料：\n（一）身份证；\n（二）租房合同；",
            "（三）完税证明；\n（四）银行卡复印件。",
            "食堂午餐时间为十一点半。",
        ],
    )
    found = world.retriever.search(world.plan("申请租房补贴要提交哪些材料？"), top_k=1)
    assert [hit.chunk.ordinal for hit in found.hits] == [0, 1]
    assert [hit.rank for hit in found.hits] == [1, 2]
    assert world.texts("食堂午餐几点")[0].startswith("食堂")
