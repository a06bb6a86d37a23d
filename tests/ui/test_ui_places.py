"""Where something stands: in the unit that its kind of document is counted in."""

from __future__ import annotations

import pytest

from ui import places
from ui.texts import text_in


@pytest.fixture(autouse=True)
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "t", lambda key, **values: text_in("zh", key, **values))


@pytest.mark.parametrize(
    ("name", "pages", "shown"),
    [
        ("制度.PDF", (3,), "第 3 页"),
        ("制度.pdf", (3, 4, 5), "第 3–5 页"),
        ("汇报.pptx", (2,), "第 2 张幻灯片"),
        ("手册.epub", (7, 8), "第 7–8 部分"),
        ("通知.docx", (1,), ""),
        ("价格.xlsx", (1,), ""),
        ("数据.csv", (), ""),
        ("说明.md", (1,), ""),
        ("程序.py", (1,), ""),
        ("记录.txt", (1,), ""),
        ("通知.eml", (2,), "第 2 部分"),
        ("没有扩展名的《办法》", (3,), "第 3 页"),
    ],
)
def test_a_place_is_named_in_the_unit_of_its_kind(name, pages, shown):
    assert places.place(name, pages) == shown


@pytest.mark.parametrize(
    ("name", "count", "shown"),
    [
        ("制度.pdf", 12, "12 页"),
        ("汇报.pptx", 8, "8 张幻灯片"),
        ("价格.xlsx", 1, ""),
        ("a.pdf", 0, ""),
    ],
)
def test_only_what_has_pages_counts_them(name, count, shown):
    assert places.counted(name, count) == shown
