"""What says which class a thing is of joins the table by classes."""

from __future__ import annotations

from rag.retrieve.definitions import with_definitions
from rag.types import Chunk, Hit

HEADER = "| 职级 | 一类城市（元/晚） | 二类城市（元/晚） |\n| --- | --- | --- |\n"
TEXTS = [
    ("城市分级", "| 级别 | 城市 |\n| --- | --- |\n| 一类城市 | 北京 |\n| 二类城市 | 成都、杭州 |"),
    ("住宿标准", HEADER + "| P1 | 400 | 320 |"),
    ("住宿标准", HEADER + "| P5 | 520 | 420 |"),
    ("报销", "发票须在15日内提交。"),
]  # fmt: skip


def chunk(place: int) -> Chunk:
    heading, text = TEXTS[place]
    return Chunk(
        id=f"c{place}",
        document_id="d",
        kb_id="kb",
        ordinal=place,
        text=text,
        heading_path=(heading,),
        kind="table" if text.startswith("|") else "text",
        document_name="差旅制度.md",
    )


def around(id_: str, before: int, after: int) -> list[Chunk]:
    return [chunk(place) for place in range(len(TEXTS))]


def test_the_definition_and_the_rest_of_the_table_join_the_hits() -> None:
    hits = [Hit(chunk=chunk(2), scores={"rerank": 0.8}, rank=1)]
    found = with_definitions(hits, "P5去成都住宿多少", around)
    assert [hit.chunk.id for hit in found] == ["c2", "c1", "c0"]
    assert [hit.rank for hit in found] == [1, 2, 3]
    assert found[2].scores["rerank"] == 0.4


def test_nothing_joins_where_there_is_no_table_by_classes() -> None:
    hits = [Hit(chunk=chunk(3), scores={"rerank": 0.8}, rank=1)]
    assert with_definitions(hits, "发票几天内提交", around) == hits
