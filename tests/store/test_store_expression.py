import pytest

from rag.store.expression import clip, search_expression
from rag.types import SearchFilter


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({}, ""),
        ({"document_ids": ("d1",)}, 'document_id == "d1"'),
        ({"document_types": ("办法", "通知", "办法")}, 'document_type in ["办法", "通知"]'),
        (
            {"years": (2023, 2024)},
            "((year >= 2023 and year <= 2024) or year == 0)",
        ),
        (
            {"years": (2023, 2023), "include_unspecified": False},
            "(year >= 2023 and year <= 2023)",
        ),
        (
            {"regions": ("浙江/杭州",), "include_unspecified": False},
            '(region in ["浙江", "浙江/杭州"] or region like "浙江/杭州/%")',
        ),
        ({"regions": ("100%",)}, '(region in ["100%", ""])'),
        (
            {"organisations": ('") or (1 == 1',), "products": ("a\\b",)},
            'organisation == "\\") or (1 == 1" and product == "a\\\\b"',
        ),
    ],
)
def test_conditions_become_expressions(conditions, expected):
    assert search_expression(SearchFilter(kb_ids=("kb",), **conditions)) == expected


def test_knowledge_bases_are_told_apart_in_a_shared_collection():
    condition = SearchFilter(kb_ids=("a", "b"))
    assert search_expression(condition, condition.kb_ids) == 'kb_id in ["a", "b"]'


def test_long_values_are_cut_in_whole_characters():
    assert clip("document_type", "办" * 60) == "办" * 42
    assert clip("region", "a\0b") == "ab"
