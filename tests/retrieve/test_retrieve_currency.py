from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from rag.retrieve.currency import BEHIND, current_first
from rag.types import Chunk, DocumentMetadata, Hit

TODAY = date(2030, 6, 1)
OLDER = {"old": "new"}


def hit(document_id: str, score: float, **about: Any) -> Hit:
    metadata = DocumentMetadata(**{"title": "差旅管理办法", **about})
    chunk = Chunk(
        id=f"{document_id}-{score}",
        document_id=document_id,
        kb_id="kb",
        ordinal=0,
        text="住宿费标准为每天四百元。",
        document_name=f"{document_id}.pdf",
        metadata=metadata,
    )
    return Hit(chunk=chunk, scores={"fused": score, "rerank": score}, why="含有：住宿费")


OLD = hit(
    "old",
    0.9,
    title="差旅管理办法（2021版）",
    document_number="云财〔2021〕3号",
    year=2021,
    effective_date=date(2021, 4, 1),
)
NEW = hit("new", 0.8, title="差旅管理办法（2024版）", year=2024, effective_date=date(2024, 4, 1))
OTHER = hit("other", 0.3, title="报销指南")


def order(hits: list[Hit], question: str, **options: Any) -> list[str]:
    found = current_first(hits, question, options.pop("superseded", OLDER), TODAY, **options)
    assert [each.rank for each in found] == list(range(1, len(hits) + 1)) or found == hits
    return [each.chunk.document_id for each in found]


@pytest.mark.parametrize(
    "question",
    [
        "住宿费标准是多少？",
        "现在的住宿费标准是多少？",
        "2024年的住宿费标准是多少？",
        "2026年住宿费标准",
        "差旅管理办法里住宿费怎么定的",
        "出差30日以前要申请吗",
    ],
)
def test_the_current_version_comes_first(question: str) -> None:
    assert order([OLD, NEW, OTHER], question) == ["new", "other", "old"]


@pytest.mark.parametrize(
    "question",
    [
        "2021年的住宿费标准是多少？",
        "2022年住宿费标准是多少？",
        "二〇二三年的住宿费标准",
        "《差旅管理办法（2021版）》的住宿费标准",
        "2021版差旅办法的住宿费",
        "云财〔2021〕3号规定的住宿费",
        "旧版的住宿费标准是多少？",
        "以前的标准是多少？",
        "修订前住宿费是多少",
        "住宿费标准有什么变化？",
        "2021年和2024年的住宿费有什么不同",
    ],
)
def test_the_older_one_keeps_its_place_when_it_is_meant(question: str) -> None:
    assert order([OLD, NEW, OTHER], question) == ["old", "new", "other"]


def test_what_is_put_back_doesnt_compete_and_says_why() -> None:
    last = current_first([OLD, NEW], "住宿费", OLDER, TODAY)[-1]
    assert last.scores["rerank"] == BEHIND * 0.8
    assert last.scores["in_force"] == 0
    assert last.why == "已有新版本；含有：住宿费"


def test_alone_the_older_one_stays() -> None:
    assert order([OLD, OTHER], "住宿费") == ["old", "other"]


def test_a_version_that_isnt_in_force_yet_replaces_nothing() -> None:
    future = hit("new", 0.8, effective_date=date(2031, 1, 1))
    assert order([OLD, future], "住宿费") == ["old", "new"]


def test_an_expired_edition_goes_behind_its_successor_only() -> None:
    ended = hit(
        "ended", 0.9, title="租房补贴办法（2028年）", year=2028, expiry_date=date(2029, 1, 1)
    )
    valid = hit("valid", 0.5, title="租房补贴办法（2029年）", year=2029)
    elsewhere = hit("elsewhere", 0.7, title="租房补贴办法（2029年）", region="上海")
    assert order([ended, elsewhere, valid], "补贴多少", superseded={}) == [
        "elsewhere",
        "valid",
        "ended",
    ]
    assert order([ended, valid], "2028年补贴多少", superseded={}) == ["ended", "valid"]
    assert order([ended, elsewhere], "补贴多少", superseded={}) == ["ended", "elsewhere"]
    assert order([ended, valid], "补贴多少", superseded={}, expired=False) == ["ended", "valid"]


def test_the_number_of_an_edition_is_understood() -> None:
    first = hit("old", 0.9, title="用户手册 V1.0")
    second = hit("new", 0.8, title="用户手册 V2.0")
    assert order([first, second], "怎么开机") == ["new", "old"]
    assert order([first, second], "V1.0 的手册里怎么开机") == ["old", "new"]


def test_a_provisional_rule_can_be_named() -> None:
    first = hit("old", 0.9, title="差旅管理暂行办法")
    second = hit("new", 0.8, title="差旅管理办法")
    assert order([first, second], "差旅管理办法怎么规定住宿费") == ["new", "old"]
    assert order([first, second], "差旅管理暂行办法怎么规定住宿费") == ["old", "new"]
