"""Cleaning what models write: rag.models.replies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.models.replies import ThinkStripper, problems


def strip(pieces: list[str]) -> str:
    stripper = ThinkStripper()
    return "".join(stripper.feed(piece) for piece in pieces) + stripper.finish()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("答案", "答案"),
        ("<think>想</think>答案", "答案"),
        ("\n<think>\n想\n</think>\n\n答案\n", "答案\n"),
        ("<think></think>答<think>又想</think>案", "答案"),
        ("<think>没有想完", ""),
        ("1 < 2，<b>不是标签", "1 < 2，<b>不是标签"),
        ("结尾是 <thi", "结尾是 <thi"),
        ("", ""),
    ],
)
def test_thoughts_are_removed_however_the_text_is_cut(text: str, expected: str) -> None:
    assert strip([text]) == expected
    assert strip(list(text)) == expected


@given(st.text(alphabet="<>/think想答 \n", max_size=60), st.integers(1, 9))
def test_the_cut_never_matters(text: str, size: int) -> None:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert strip(pieces) == strip([text])


@pytest.mark.parametrize(
    ("value", "schema", "wrong"),
    [
        ({}, {"type": "object"}, []),
        (True, {"type": "integer"}, ["(root): expected integer"]),
        (1.0, {"type": "number"}, []),
        (None, {"type": ["string", "null"]}, []),
        ({"a": [1, "x"]}, {"properties": {"a": {"items": {"type": "integer"}}}}, ["a[1]"]),
        ({"b": 1}, {"properties": {}, "additionalProperties": False}, ["b is unknown"]),
        ({"a": {"b": 1}}, {"properties": {"a": {"properties": {"b": {"enum": [2]}}}}}, ["a.b"]),
        ({}, {"type": "object", "required": ["a"]}, ["a is missing"]),
    ],
)
def test_problems_name_their_place(value: object, schema: dict, wrong: list[str]) -> None:
    found = problems(value, schema)
    assert len(found) == len(wrong)
    assert all(part in line for part, line in zip(wrong, found, strict=True))
