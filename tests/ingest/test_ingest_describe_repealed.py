"""Dates of the rules that a document repeals are not its own."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from ingest_inputs import document_of

from rag.ingest.describe import describe
from rag.ingest.parse.text import parse_text
from rag.ingest.supersede import superseded
from rag.types import Block, DocumentInfo, DocumentMetadata

START = date(2024, 10, 1)


def of_text(text: str, name: str = "文件.txt") -> DocumentMetadata:
    (page,) = parse_text(text)
    return describe(document_of(*page.blocks, name=name))


@pytest.mark.parametrize(
    "clause",
    [
        "本办法自2024年10月1日起施行。2022年7月1日起施行的《海东市养犬管理办法》同时废止。",
        "本办法自2024年10月1日起施行。自2022年7月1日起施行的《海东市养犬管理办法》即行废止。",
        "本办法自2024年10月1日起施行，2022年7月1日起施行的《海东市养犬管理办法》同时废止。",
        "本办法自2024年10月1日起施行，自2022年7月1日起执行的原养犬管理办法同时废止。",
        "2022年7月1日起施行的《海东市养犬管理办法》同时废止，本办法自2024年10月1日起施行。",
        "《海东市养犬管理办法》同时废止，本办法（试行）自2024年10月1日起施行。",
        "本规定自2024年10月1日起正式实施。2022年7月1日实施的养犬暂行规定停止执行。",
        "本办法自2024年10月1日起施行。《养犬办法》（2022年7月1日起施行）同时废止。",
        "本办法自2024年10月1日起施行。养犬办法（2022年7月1日起施行）同时废止。",
        "本办法自2024年10月1日起施行。养犬管理规定自2022年7月1日起施行，现予以废止。",
        "本办法自2024年10月1日起施行。原办法自2022年7月1日起施行。",
        "本办法自2024年10月1日起施行。养犬办法（施行日期：2022年7月1日）同时废止。",
        "本办法自二〇二四年十月一日起施行。二〇二二年七月一日起施行的《养犬办法》同时废止。",
        "本办法自2024年10月1日起施行。2022年7月1日至2024年9月30日施行的《养犬办法》同时废止。",
        "自2024年10月1日起施行，有效期五年。",
        "本办法是自2024年10月1日起施行的。",
    ],
)
def test_the_date_of_a_repealed_rule_is_not_when_the_new_one_begins(clause: str) -> None:
    text = f"海东市养犬管理办法\n\n第一条 每户限养两只犬。\n\n第二条 {clause}"
    assert of_text(text).effective_date == START


@pytest.mark.parametrize(
    "clause",
    [
        "本办法自2024年10月1日起施行，2022年7月1日发布的《养犬办法》（海政发〔2022〕3号）同时废止。",
        "本办法自2024年10月1日起施行。\n\n2022年7月1日市政府公布的《养犬办法》同时废止。",
        "本办法自2024年10月1日起施行。《养犬办法》（2022年7月1日公布）同时废止。",
        "本办法自2024年10月1日起施行。2022年7月1日印发的养犬办法同时废止。",
        "本办法自2024年10月1日起施行。《养犬办法》（海政发〔2022〕3号）同时废止。",
    ],
)
def test_nor_is_its_publication_ours(clause: str) -> None:
    made = of_text(f"海东市养犬管理办法\n\n第一条 每户限养两只犬。\n\n第二条 {clause}")
    assert made.publish_date is None
    assert made.document_number is None
    assert (made.effective_date, made.year) == (START, 2024)


@pytest.mark.parametrize("first", ["旧.txt", "新.txt"])
@pytest.mark.parametrize(
    "clause",
    [
        "本办法自2024年10月1日起施行。2022年7月1日起施行的《海东市养犬管理办法》同时废止。",
        "本办法自2024年10月1日起施行，2022年7月1日发布的《海东市养犬管理办法》"
        "（海政发〔2022〕3号）同时废止。",
        "本办法自发布之日起施行。原《海东市养犬管理办法》（2022年7月1日起施行）同时废止。"
        "\n\n海东市人民政府\n2024年9月10日",
    ],
)
def test_the_repealing_rule_replaces_the_old_one_in_either_order(clause: str, first: str) -> None:
    texts = {
        "旧.txt": "海东市养犬管理办法\n\n第一条 登记费每年300元。\n\n"
        "第二条 本办法自2022年7月1日起施行。",
        "新.txt": f"海东市养犬管理办法\n\n第一条 登记费每年100元。\n\n第二条 {clause}",
    }
    infos = [
        DocumentInfo(
            id=name,
            kb_id="kb",
            status="indexed",
            name=name,
            metadata=of_text(texts[name], name),
            created_at=moment,
            updated_at=moment,
        )
        for moment, name in zip(
            (datetime(2030, 1, day, tzinfo=UTC) for day in (1, 2)),
            sorted(texts, key=lambda name: name != first),
            strict=True,
        )
    ]
    assert superseded(infos) == {"旧.txt": "新.txt"}


def test_the_title_may_state_the_own_date_in_brackets() -> None:
    made = describe(
        document_of(
            Block(kind="heading", text="养犬管理办法（2024年10月1日起施行）", level=1),
            Block(kind="paragraph", text="每户限养两只犬，以前的规定同时废止。"),
            name="a.docx",
        )
    )
    assert made.effective_date == START


def test_the_decision_that_changed_a_rule_dates_it() -> None:
    made = of_text(
        "某市养犬条例\n\n2020年5月1日市人大常委会通过\n\n"
        "2024年3月30日市人大常委会通过的《关于修改〈某市养犬条例〉的决定》修正\n\n"
        "第一条 每户限养两只犬。"
    )
    assert made.publish_date == date(2024, 3, 30)
