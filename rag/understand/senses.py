"""Several things of one name in a table: two people, one version of two products.

The rows that a question names by the same cell differ in what it asks for; the column that
tells them apart gives the options.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.text.normalise import normalise
from rag.types import Hit
from rag.understand.rows import MOST_ROWS, asked_column, table_of

_LOOKED_AT = 3
"""Passages among which the table must be (chosen by us)."""
_PEOPLE = re.compile("姓名|人员|联系人|员工|负责人|教师|医生|作者|成员")
_ALL = re.compile(
    "都|各|每|分别|所有|全部|区别|不同|几个|有哪些|一览|列出|最[高低大小多少长短贵早晚]"
)
_SHORTEST = 2


@dataclass(frozen=True, slots=True)
class Senses:
    """`name` is what the question says; `values` of the column `label` tell the rows apart."""

    name: str
    label: str
    values: tuple[str, ...]
    person: bool


def senses(question: str, hits: Sequence[Hit]) -> Senses | None:
    """The rows that a question may mean by one name.

    None where it names one row alone or all of them, where the rows say the same, or where
    no column tells them apart.
    """
    if _ALL.search(question):
        return None
    for hit in hits[:_LOOKED_AT]:
        table = table_of(hit.chunk.text)
        if table is None:
            continue
        head, _ = table
        rows = [
            row
            for other in hits
            if other.chunk.document_id == hit.chunk.document_id
            and (part := table_of(other.chunk.text)) is not None
            and part[0] == head
            for row in part[1]
        ]
        if found := _several(question, head, list(dict.fromkeys(rows))):
            return found
    return None


def _several(question: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Senses | None:
    text = normalise(question)
    named = [(_named(text, row), row) for row in rows]
    most = max((sum(map(len, cells.values())) for cells, _ in named), default=0)
    meant = [
        (cells, row) for cells, row in named if cells and sum(map(len, cells.values())) == most
    ]
    asked = asked_column(question, head)
    if asked is None or not 2 <= len(meant) <= MOST_ROWS:
        return None
    cells = meant[0][0]
    at = next(iter(cells))
    if at == asked or any(other != cells for other, _ in meant):
        return None
    if len({normalise(row[asked]) for _, row in meant}) < 2:
        return None
    for column, label in enumerate(head):
        values = [row[column] for _, row in meant]
        if column in (asked, *cells) or len(set(values)) < len(values):
            continue
        if all(value and len(value) <= 20 and not _is_figure(value) for value in values):
            return Senses(meant[0][1][at], label, tuple(values), bool(_PEOPLE.search(head[at])))
    return None


def _named(text: str, row: tuple[str, ...]) -> dict[int, str]:
    """The cells of a row that stand in the question, by their column."""
    return {
        column: normalise(cell)
        for column, cell in enumerate(row)
        if len(cell) >= _SHORTEST and not _is_figure(cell) and normalise(cell) in text
    }


def _is_figure(value: str) -> bool:
    return re.fullmatch(r"[\d\s.,:：%元年月日\-/()+]+", value) is not None
