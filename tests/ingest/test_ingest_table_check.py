"""Numbers of tables are compared with what other extractors read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ingest_inputs import grid, pdf, read, write

from rag.ingest.quality import assess
from rag.ingest.table_check import check_tables
from rag.types import Document

CELLS = [
    ["项目", "本期", "上期"],
    ["营业收入", "4,755,785.11", "5,699,227.63"],
    ["净利润", "330,435.30", "234,850.00"],
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    def first(page: object) -> None:
        write(page, 72, 80, "截至2018年3月31日的主要财务数据如下。")
        grid(page, 72, 100, CELLS, width=150)

    return pdf(tmp_path / "a.pdf", first, lambda page: write(page, 72, 80, "第二页的说明。"))


def altered(document: Document, change: Callable[[str], str]) -> Document:
    def cells(rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(change(cell) for cell in row) for row in rows)

    pages = [
        page.model_copy(
            update={
                "blocks": tuple(
                    block.model_copy(update={"rows": cells(block.rows), "text": change(block.text)})
                    if block.rows
                    else block
                    for block in page.blocks
                )
            }
        )
        for page in document.pages
    ]
    return document.model_copy(update={"pages": tuple(pages)})


def test_right_tables_pass(path: Path) -> None:
    document = read(path)
    assert any(block.rows for block in document.blocks)
    assert check_tables(document, path) == document


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda text: text.replace("4,755,785.11", "475578511"), "475578511、4,755,785.11"),
        (lambda text: text.replace("234,850.00", ""), "234,850.00"),
        (lambda text: text.replace("330,435.30", "330,435.03"), "330,435.03、330,435.30"),
    ],
)
def test_numbers_that_only_one_of_them_has_are_flagged(
    path: Path, change: Callable[[str], str], names: str
) -> None:
    found = check_tables(altered(read(path), change), path)
    assert found.pages[0].flags[-1] == f"table_numbers:{names}"
    assert found.flags[-1] == "table_numbers"
    issues = [(i.code, i.page, i.detail) for i in assess(found).issues]
    assert issues == [("table_numbers", 1, names)]


def test_a_header_repeated_on_the_next_page_is_no_doubt(path: Path) -> None:
    document = read(path)
    table = next(block for block in document.blocks if block.rows)
    more = document.pages[1].model_copy(
        update={"blocks": (table.model_copy(update={"page": 2, "bbox": None}),)}
    )
    twice = document.model_copy(update={"pages": (document.pages[0], more)})
    assert check_tables(twice, path) == twice
