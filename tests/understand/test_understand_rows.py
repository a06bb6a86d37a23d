"""Asking which row of a table is meant, and which edition, only where it matters."""

from __future__ import annotations

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
from rag.understand.rows import open_rows
from rag.understand.understand import understand

TICKETS = """| 票种 | 票价（元） | 说明 |
| --- | --- | --- |
| 单次票 | 45 | 限当日 |
| 夜场票 | 30 | 18点后入场 |
| 家庭票 | 99 | 两大一小 |"""
ROOMS = """房型编号：FX-1；房型名称：湖景房；房价（元）：388
房型编号：FX-2；房型名称：山景房；房价（元）：328"""
MANY = "| 站点 | 票价 |\n| --- | --- |\n" + "\n".join(f"| 第{i}站台 | {i}元 |" for i in range(1, 8))
SAME = "| 楼层 | 关门时间 |\n| --- | --- |\n| 东楼 | 22点 |\n| 西楼 | 22点 |"


def hit(text: str, title: str, year: int | None = None) -> Hit:
    chunk = Chunk(
        id=f"{title}{text[:9]}",
        document_id=title,
        kb_id="kb",
        ordinal=0,
        text=text,
        document_name=f"{title}.md",
        metadata=DocumentMetadata(title=title, year=year),
    )
    return Hit(chunk=chunk)


def ask(question: str, hits: list[Hit], *earlier: str) -> Understanding:
    metadata = {h.chunk.document_id: h.chunk.metadata for h in hits}
    profile = KnowledgeProfile(
        kb_ids=("kb",),
        documents=tuple(
            DocumentProfile(document_id=d, name=f"{d}.md", title=d, metadata=m)
            for d, m in metadata.items()
        ),
    )
    history = [
        Turn(role="user" if i % 2 == 0 else "assistant", content=text)
        for i, text in enumerate(earlier)
    ]

    def probe(_: str, slots: Slots) -> list[Hit]:
        years = {t.start.year for t in slots.time if t.start}
        return [h for h in hits if not years or h.chunk.metadata.year in {None, *years}]

    meaning = understand(question, history, profile, date(2026, 11, 30))
    return judge(meaning, history, profile, probe)


@pytest.mark.parametrize(
    ("question", "text", "title", "wanted", "names"),
    [
        (
            "游泳馆票价多少",
            TICKETS,
            "游泳馆须知",
            "哪个票种的票价？",
            ["单次票", "夜场票", "家庭票"],
        ),
        ("酒店房价多少", ROOMS, "酒店价目", "哪个房型的房价？", ["湖景房", "山景房"]),
    ],
)
def test_a_row_is_asked_for(
    question: str, text: str, title: str, wanted: str, names: list[str]
) -> None:
    meaning = ask(question, [hit(text, title)])
    assert meaning.clarification is not None
    assert meaning.clarification.question == f"请问您想了解{wanted}"
    assert [o.label for o in meaning.clarification.options] == [*names, ALL_OF_THEM]
    first = meaning.clarification.options[0]
    back = ask(names[0], [hit(text, title)], question, meaning.clarification.question)
    assert back.standalone_question == first.reply
    assert names[0] in first.reply
    assert not back.needs_clarification


@pytest.mark.parametrize(
    ("question", "text", "title"),
    [
        ("游泳馆夜场票票价多少", TICKETS, "游泳馆须知"),
        ("游泳馆18点后入场票价多少", TICKETS, "游泳馆须知"),
        ("游泳馆各种票价多少", TICKETS, "游泳馆须知"),
        ("游泳馆最便宜的票价多少", TICKETS, "游泳馆须知"),
        ("游泳馆停车多少钱", TICKETS, "游泳馆须知"),
        ("摆渡车票价多少", MANY, "摆渡车票价"),
        ("教学楼关门时间是几点", SAME, "教学楼规定"),
    ],
)
def test_no_row_is_asked_for(question: str, text: str, title: str) -> None:
    assert open_rows(question, [hit(text, title)]) is None
    assert not ask(question, [hit(text, title)]).needs_clarification


OLD = hit("第二条 会费每年300元。\n第三条 会员大会每年召开一次。", "书画院会费办法（2021年）", 2021)
NEW = hit("第二条 会费每年360元。\n第三条 会员大会每年召开一次。", "书画院会费办法（2022年）", 2022)
ONLY_NEW = hit("第九条 学生会员凭学生证减免会费一半。", "书画院会费办法（2022年）", 2022)


def test_the_year_is_asked_with_a_plain_noun() -> None:
    meaning = ask("书画院会费一年多少钱", [OLD, NEW])
    assert meaning.missing_slots == ("time",)
    assert meaning.clarification is not None
    assert meaning.clarification.question == "请问您想了解哪一年的书画院会费？"


@pytest.mark.parametrize(
    "question", ["学生会员凭学生证减免多少会费", "书画院每年召开几次会员大会", "博物馆会费多少"]
)
def test_the_year_is_not_asked_where_it_changes_nothing(question: str) -> None:
    assert not ask(question, [ONLY_NEW, OLD, NEW]).needs_clarification
