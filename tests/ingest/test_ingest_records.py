from __future__ import annotations

import json
from pathlib import Path

import pytest
from ingest_inputs import jsonl, read

from rag.ingest.parse.jsonl import parse_jsonl


def test_the_id_and_metadata_of_a_record_are_part_of_its_text(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "工单.jsonl",
        {
            "id": "GD-24001",
            "title": "门禁刷卡无响应",
            "text": "更换适配器后恢复。",
            "metadata": {
                "门店": "五角场店",
                "工程师": "韦超",
                "保修内": True,
                "配件": ["甲", "乙"],
            },
        },
    )
    (block,) = read(path).blocks
    assert block.record_id == "GD-24001"
    assert block.text == (
        "更换适配器后恢复。\nGD-24001：门禁刷卡无响应\n门店：五角场店\n工程师：韦超\n保修内：是\n配件：甲、乙"
    )


@pytest.mark.parametrize(
    "metadata",
    [
        {"content_hash": "Abc"},
        {"来源": "9f86d081884c7d659a2feaa0c55ad015"},
        {"键": "123e4567-e89b-12d3-a456-426614174000"},
        {"source": "data/raw/工单.csv"},
        {"source": "https://example.com/a?b=c"},
        {"embedding": [0.1, 0.2]},
        {"树": {"深": {"更深": {"最深": 1}}}},
        {"hash": {"甲": "乙"}, "category": {"甲": "乙"}},
        {"标题": "门禁"},
        {"空": None, "空白": " "},
    ],
)
def test_what_programs_write_into_records_stays_out_of_their_text(
    tmp_path: Path, metadata: dict[str, object]
) -> None:
    record = {"id": 17, "title": "门禁", "text": "更换适配器。", "metadata": metadata}
    (block,) = read(jsonl(tmp_path / "a.jsonl", record)).blocks
    assert block.text == "更换适配器。"


@pytest.mark.parametrize(
    ("identity", "is_told"),
    [
        ("HT2024-0153", True), (20240315001, True), (3, False), ("row-a", False),
        ("123e4567e89b12d3a456426614174000", False), ("0f8c2e7a91b34d5566778899", False),
    ],
)  # fmt: skip
def test_ids_that_people_write_down_are_part_of_the_text(
    tmp_path: Path, identity: object, is_told: bool
) -> None:
    (block,) = read(jsonl(tmp_path / "a.jsonl", {"编号": identity, "text": "正文。"})).blocks
    assert block.text == (f"正文。\n编号：{identity}" if is_told else "正文。")


def test_what_describes_the_record_is_no_part_of_its_text():
    record = {
        "id": "faq-006",
        "title": "停车位怎么申请？",
        "text": "每月200元，在系统里申请。",
        "metadata": {"document_type": "FAQ", "category": "行政", "year": 2024, "车位": "B2"},
    }
    (page,), _ = parse_jsonl(json.dumps(record, ensure_ascii=False))
    assert page.blocks[0].text == "每月200元，在系统里申请。\n车位：B2"
    assert page.blocks[0].record_id == "faq-006"


def test_what_is_nested_in_a_record_is_named_by_its_path() -> None:
    record = {
        "id": "faq-7",
        "title": "报修找谁？",
        "text": "联系网点。",
        "联系人": {"姓名": "柳青", "电话": {"手机": "138-0000-1111", "uuid": "9f86"}},
        "网点": ["东区", "西区"],
        "metadata": {
            "配件": [{"名称": "滤芯", "价格": 89}, {"名称": "水管", "价格": 25.5}, {}],
            "保修": {"整机": "两年", "上门": True},
            "embedding": [{"a": 1}],
        },
    }
    (page,), _ = parse_jsonl(json.dumps(record, ensure_ascii=False))
    assert page.blocks[0].text.split("\n") == [
        "联系网点。",
        "联系人/姓名：柳青",
        "联系人/电话/手机：138-0000-1111",
        "网点：东区、西区",
        "配件：名称 滤芯，价格 89",
        "配件：名称 水管，价格 25.5",
        "保修/整机：两年",
        "保修/上门：是",
    ]


def test_a_record_gets_so_many_lines_at_most() -> None:
    record = {"text": "正文。", "metadata": {"值": {f"第{n}项": n for n in range(500)}}}
    (page,), _ = parse_jsonl(json.dumps(record, ensure_ascii=False))
    assert len(page.blocks[0].text.split("\n")) == 1 + 40
