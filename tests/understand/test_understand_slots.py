"""Slots and named things."""

from __future__ import annotations

from datetime import date

import pytest

from rag.types import DocumentMetadata, DocumentProfile, KnowledgeProfile
from rag.understand.slots import codes, extract

TODAY = date(2026, 11, 30)
PROFILE = KnowledgeProfile(
    documents=(
        DocumentProfile(
            document_id="a",
            name="手册.pdf",
            title="产品手册",
            metadata=DocumentMetadata(product="星河净水器", organisation="云岭科技"),
        ),
        DocumentProfile(
            document_id="b",
            name="手册2.pdf",
            title="产品手册二",
            metadata=DocumentMetadata(product="ABC-12"),
        ),
    )
)


@pytest.mark.parametrize(
    ("question", "slot", "values"),
    [
        ("ABC-123怎么重置？", "product", ("ABC-123",)),
        ("b产品保修多久", "product", ("b产品",)),
        ("星河净水器多少钱", "product", ("星河净水器",)),
        ("16GB内存够吗", "product", ()),
        ("GB/T 19001-2016是什么标准", "number", ("GB/T 19001-2016",)),
        ("杭人社发〔2023〕12号说什么", "number", ("杭人社发〔2023〕12号",)),
        ("杭人社发〔2023〕12号说什么", "region", ("浙江/杭州",)),
        ("請問廣東省租房補貼多少錢", "region", ("广东",)),
        ("云岭科技的年假", "organisation", ("云岭科技",)),
        ("人力资源部电话是多少", "organisation", ("人力资源部",)),
        ("员工手册里怎么规定年假", "document_type", ("员工手册",)),
        ("《差旅管理办法》适用于谁", "document_type", ()),
    ],
)
def test_slots(question: str, slot: str, values: tuple[str, ...]) -> None:
    slots, _ = extract(question, PROFILE, TODAY)
    assert getattr(slots, slot) == values


def test_entities_name_titles_and_amounts() -> None:
    _, entities = extract("《浙江省人才补贴办法》规定每月3000元吗", None, TODAY)
    assert {(e.kind, e.text) for e in entities} >= {
        ("document", "《浙江省人才补贴办法》"),
        ("region", "浙江省"),
        ("amount", "3000元"),
    }


def test_a_nested_title_is_one_title() -> None:
    _, entities = extract("《上海市实施《教师法》办法》何时施行？", None, TODAY)
    assert [e.text for e in entities if e.kind == "document"] == ["《上海市实施《教师法》办法》"]


def test_a_code_with_dots_is_one_code() -> None:
    assert codes("VM.g5.a10一年多少钱") == ("VM.g5.a10",)
    assert codes("www.example.com打不开") == ()
