from __future__ import annotations

import pytest

from rag.ingest.chunk.borders import border_before, may_cut
from rag.ingest.chunk.count import bounded
from rag.ingest.chunk.split import atoms


@pytest.mark.parametrize(
    "whole",
    [
        "1,200.5 元",
        "￥3,000万元",
        "2024年3月5日",
        "3小时20分钟",
        "第十二条",
        "第12条",
        "ABC-123",
        "5 kg/m3",
        "12:30",
        "百分之三十五",
        "10%",
        "36.5℃",
        "三百元",
        "15个工作日",
        "user@example.com",
        "GB/T19001-2016",
        "±0.5mm",
        "1.5×10",
    ],
)
def test_no_border_inside_a_quantity_or_a_code(whole: str) -> None:
    text = f"按{whole}，计"
    inside = range(2, 1 + len(whole))
    assert not any(may_cut(text, place) for place in inside)
    assert may_cut(text, 1)
    assert may_cut(text, 1 + len(whole))


def test_letters_that_are_one_sign_stay_together() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert [place for place in range(1, len(family)) if may_cut(family, place)] == []
    assert not may_cut("e\u0301", 1)


def test_a_place_before_is_found_and_a_run_without_any_is_cut() -> None:
    text = "标准为1,200.5元整"
    assert border_before(text, 6, 0) == 3
    assert border_before("1" * 200, 100, 0) == 100


def test_long_texts_are_counted_in_slices() -> None:
    longest = 0

    def count(text: str) -> int:
        nonlocal longest
        longest = max(longest, len(text))
        return len(text)

    assert bounded(count)("字" * 1_000_003) == 1_000_003
    assert longest <= 20_000


def test_code_is_cut_between_definitions_and_keeps_its_indentation() -> None:
    body = "    total = 0\n    for n in range(10):\n        total += n\n\n    return total\n"
    source = "".join(f"def f{n}():\n{body}\n\n" for n in range(6))
    found = atoms(source, 0, len(source), 100, len, code=True)
    assert len(found) == 6
    assert all(source[a.start :].startswith("def f") for a in found)
    lines = atoms(body, 0, len(body), 30, len, code=True)
    assert [body[a.start : a.end] for a in lines] == [
        "    total = 0",
        "    for n in range(10):",
        "        total += n",
        "    return total",
    ]
