from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from rag.ingest.supersede import edition, superseded, title_key
from rag.types import DocumentInfo, DocumentMetadata

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def info(id_: str, title: str, **about: Any) -> DocumentInfo:
    """A published document of this title."""
    row = {key: about.pop(key) for key in ("hidden", "status", "kb_id", "version") if key in about}
    values = {"kb_id": "kb", "status": "indexed", "name": f"{id_}.pdf", **row}
    metadata = DocumentMetadata(title=title, **about)
    return DocumentInfo(id=id_, metadata=metadata, created_at=NOW, updated_at=NOW, **values)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("中华人民共和国某某法（2018修正）", "中华人民共和国某某法（2023年修订）"),
        ("中华人民共和国某某法_20231229", "《中华人民共和国某某法》"),
        ("中华人民共和国某某法(2023年12月29日修订)", "中华人民共和国某某法"),
        ("员工手册（2024版）", "员工手册 V2.1"),
        ("员工手册v3", "员工手册第三版"),
        ("差旅管理暂行办法", "差旅管理办法（试行）"),
        ("关于印发《差旅管理办法》的通知", "差旅管理办法（征求意见稿）"),
        ("GB/T 7714-2005 著录规则", "GB/T 7714-2015 著录规则"),
        ("ＺＷ－100 用户手册 Rev. B", "ZW-100用户手册"),
        ("员工手册 最新版 (1)", "员工手册"),
    ],
)
def test_versions_of_one_rule_have_one_key(one: str, other: str) -> None:
    assert title_key(one) == title_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("上海市租房补贴办法（2023年）", "上海市租房补贴办法（2024年）"),
        ("2023年度部门预算", "2024年度部门预算"),
        ("ZW-100用户手册", "ZW-200用户手册"),
        ("电动车V5", "电动车V6"),
        ("城市更新条例", "城市条例"),
        ("全文检索说明", "检索说明"),
        ("修订办法", "办法"),
    ],
)
def test_what_is_no_version_mark_sets_titles_apart(one: str, other: str) -> None:
    assert title_key(one) != title_key(other)


def test_the_edition_of_a_title() -> None:
    assert edition("某法（2023年修订）") == (2023, ())
    assert edition("员工手册 V2.1") == (None, (2, 1))
    assert edition("专利法（第四次修正）") == (None, (4,))
    assert edition("GB/T 7714-2015 著录规则") == (2015, ())
    assert edition("租房补贴办法（2023年）") == (None, ())


def test_all_older_versions_point_at_the_newest() -> None:
    versions = [
        info("c", "某某法（2023修订）", effective_date=date(2024, 7, 1)),
        info("a", "某某法", effective_date=date(2006, 1, 1)),
        info("b", "某某法（2018修正）", publish_date=date(2018, 10, 26)),
        info("x", "另一部法", effective_date=date(1999, 1, 1)),
    ]
    assert superseded(versions) == {"a": "c", "b": "c"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"publish_date": date(2020, 1, 1)}, {"publish_date": date(2021, 1, 1)}),
        ({"publish_date": date(2020, 1, 1)}, {"effective_date": date(2021, 1, 1)}),
        ({"year": 2020}, {"year": 2021}),
        ({"title": "员工手册V1.9"}, {"title": "员工手册V1.10"}),
        ({"title": "员工手册（2019版）"}, {"title": "员工手册（2020版）"}),
        ({"title": "员工手册（征求意见稿）"}, {"title": "员工手册"}),
    ],
)
def test_what_tells_the_later_version(old: dict[str, Any], new: dict[str, Any]) -> None:
    pair = [
        info("old", **{"title": "员工手册", **old}),
        info("new", **{"title": "员工手册", **new}),
    ]
    assert superseded(pair) == {"old": "new"}
    assert superseded(pair[::-1]) == {"old": "new"}


EARLY, LATE = {"publish_date": date(2020, 1, 1)}, {"publish_date": date(2022, 1, 1)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {}),
        (EARLY, {}),
        (EARLY, EARLY),
        ({**EARLY, "region": "北京"}, {**LATE, "region": "上海"}),
        ({**EARLY, "region": "浙江"}, {**LATE, "region": "浙江/杭州"}),
        ({**EARLY, "organisation": "甲公司"}, {**LATE, "organisation": "乙公司"}),
        ({**EARLY, "kb_id": "kb2"}, LATE),
        (EARLY, {**LATE, "hidden": True}),
        (EARLY, {**LATE, "status": "quarantined"}),
        (EARLY, {**LATE, "version": 0}),
        (EARLY, {**LATE, "title": "员工手册（修订草案）"}),
        ({**EARLY, "document_type": "纪要"}, {**LATE, "document_type": "纪要"}),
        ({**EARLY, "title": "技术部周报"}, {**LATE, "title": "技术部周报"}),
        ({**EARLY, "title": "附件1"}, {**LATE, "title": "附件1"}),
    ],
)
def test_when_in_doubt_both_stay_current(one: dict[str, Any], other: dict[str, Any]) -> None:
    pair = [info(id_, **{"title": "员工手册", **own}) for id_, own in (("a", one), ("b", other))]
    assert superseded(pair) == {}


def test_the_short_name_of_a_body_is_the_same_body() -> None:
    pair = [
        info("a", "员工手册", organisation="云岭科技", **EARLY),
        info("b", "员工手册", organisation="云岭科技有限公司", **LATE),
    ]
    assert superseded(pair) == {"a": "b"}
