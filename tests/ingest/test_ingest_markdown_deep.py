"""Markdown that is nested deeply is read to its end."""

from __future__ import annotations

import sys

import pytest

from rag.ingest.parse.markdown import parse_markdown
from rag.types import Block

TAIL = "\n\n# 第二章\n\n正文乙\n\n| 项目 | 数值 |\n|---|---|\n| 表内 | 1 |"


def read(text: str) -> list[Block]:
    (page,), _ = parse_markdown(text + TAIL)
    assert [block.kind for block in page.blocks[-3:]] == ["heading", "paragraph", "table"]
    assert [block.text for block in page.blocks[-3:-1]] == ["第二章", "正文乙"]
    return list(page.blocks[:-3])


def nested(kind: str, depth: int) -> str:
    if kind == "quote":
        return "\n".join(
            f"{'>' * level} 第{level}层\n{'>' * level}" for level in range(1, depth + 1)
        )
    mark = {"bullet": "- ", "number": "1. ", "both": "> - "}[kind]
    return "\n".join(f"{' ' * len(mark) * i}{mark}第{i + 1}层" for i in range(depth))


@pytest.mark.parametrize("depth", [10, 30, 49, 50, 99, 200])
@pytest.mark.parametrize("kind", ["bullet", "number", "both", "quote"])
def test_every_level_and_all_that_follows_is_read(kind: str, depth: int) -> None:
    text = "\n".join(block.text for block in read(nested(kind, depth)))
    assert [f"第{i}层" for i in range(1, depth + 1) if f"第{i}层" not in text] == []


def test_a_list_of_thirty_levels_is_one_list() -> None:
    (block,) = read(nested("bullet", 30))
    assert block.kind == "list"
    assert block.text.split("\n")[29] == "  " * 29 + "- 第30层"


def test_a_list_that_comes_back_from_the_depth_goes_on() -> None:
    levels = [*range(200), *range(198, -1, -1)]
    (block,) = read("\n".join(f"{'  ' * i}- 第{n}行" for n, i in enumerate(levels)))
    assert [n for n in range(len(levels)) if f"第{n}行" not in block.text] == []
    assert block.text.split("\n")[-1] == "- 第398行"


@pytest.mark.parametrize("mark", ["- ", "1. ", "> ", "[", "![", "> - "])
def test_thousands_of_marks_lose_nothing_and_need_no_deep_stack(mark: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(700)
    try:
        blocks = read(mark * 2500 + "深处")
    finally:
        sys.setrecursionlimit(limit)
    assert "深处" in blocks[-1].text
