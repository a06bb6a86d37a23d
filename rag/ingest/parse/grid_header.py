"""Finds the header of a grid of cells: below titles, of one or several rows. Part of parse.

Used for sheets, CSV files and the tables of documents and slides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rag.ingest.table import is_banner, is_value, looks_like_header, merge_header

_MAX_SEARCH = 12
"""Rows from the top among which the header is searched; titles stand above it."""

_MAX_HEIGHT = 4
_LONG_CELL = 60
"""Rows of a header, and characters of one of its cells; chosen by us."""

_TIME_NAME = re.compile(
    r"(19|20)\d{2}年?([-/.]?\d{1,2}月?)?([-/.]\d{1,2}日?)?|\d{1,2}月(\d{1,2}日)?"
)
# The colon of a time is none of a statement: "白班（8:30—17:30）" names a column.
_STATED = re.compile(
    r"[^:：]{1,12}(?<!\d)[:：]\s*\S|[^:：]{1,12}[:：]$|单位|金额单位|(共|第)\s*\d+\s*页"
)


class Header(NamedTuple):
    """Where a header is: index of its first row, how many rows it takes, and the name that
    it gives to each column (names of several rows joined by "/")."""

    first: int
    height: int
    names: list[str]


def grid_header(rows: Sequence[Sequence[str]], depth: Sequence[int] = ()) -> Header | None:
    """The header of a grid, None when it has none.

    Args:
        rows: the cells with merged ones filled; all rows equally long.
        depth: for each row how many rows its vertically merged cells reach down (from 1).
    """
    for index, row in enumerate(rows[:_MAX_SEARCH]):
        if not any(row) or is_banner(row) or _is_preface(row, rows[index + 1 :]):
            continue
        return _header_at(rows, depth, index)
    return None


def _header_at(rows: Sequence[Sequence[str]], depth: Sequence[int], index: int) -> Header | None:
    for height in range(_height(rows, depth, index), 1, -1):
        part = [list(row) for row in rows[index : index + height]]
        names = merge_header(_spread(part))
        shown = [name for name in names if name]
        if len(set(shown)) == len(shown) and all(_is_name_row(row) for row in part):
            return Header(index, height, names)
    row = rows[index]
    if looks_like_header(row) or _is_dated(rows, index) or _repeats(rows, index):
        return Header(index, 1, [" ".join(cell.split()) for cell in row])
    return None


def _height(rows: Sequence[Sequence[str]], depth: Sequence[int], index: int) -> int:
    """How many rows the header may take, by merged cells or labels above several columns."""
    reach = depth[index] if index < len(depth) else 1
    end = index + 1
    while end < min(len(rows) - 1, index + _MAX_HEIGHT) and (
        end < index + reach or _groups(rows[end - 1], rows[end])
    ):
        if not _is_name_row(rows[end]):
            break
        reach = max(reach, end - index + (depth[end] if end < len(depth) else 1))
        end += 1
    return end - index


def _groups(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """Whether a row of labels stands above the columns that a second row names: some label
    covers several columns with names of their own."""
    if not _is_name_row(upper) or not _is_name_row(lower) or list(upper) == list(lower):
        return False
    if any(not above and not below for above, below in zip(upper, lower, strict=True)):
        return False
    filled = _spread([list(upper), list(lower)])[0]
    for left in range(len(filled) - 1):
        same = filled[left] and filled[left] == filled[left + 1]
        if same and lower[left] and lower[left + 1] and lower[left] != lower[left + 1]:
            return True
    return False


def _spread(part: list[list[str]]) -> list[list[str]]:
    """Labels carried on to the empty cells at their right under which columns have names, as
    in files that don't keep merged cells."""
    for upper, lower in pairwise(part):
        for column in range(1, len(upper)):
            named = lower[column] and lower[column - 1] and lower[column] != lower[column - 1]
            if not upper[column] and named:
                upper[column] = upper[column - 1]
    return part


def _is_name_row(row: Sequence[str]) -> bool:
    cells = [cell for cell in row if cell]
    return (
        bool(cells)
        and all(
            len(cell) <= _LONG_CELL and (not is_value(cell) or _TIME_NAME.fullmatch(cell))
            for cell in cells
        )
        and not all(re.fullmatch(r"\d+", cell) for cell in cells)
    )


def _is_preface(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row states something about the table ("编制单位：…", "单位：元") above it."""
    following = next((other for other in below if any(other)), None)
    if following is None:
        return False
    cells = [cell for cell in dict.fromkeys(row) if cell]
    stated = sum(bool(_STATED.match(cell)) for cell in cells)
    fuller = sum(map(bool, following)) >= len(cells) and len(set(filter(None, following))) > 1
    return stated * 2 >= len(cells) and fuller and not any(map(is_value, following))


def _is_dated(rows: Sequence[Sequence[str]], index: int) -> bool:
    """Whether columns are named by years, months or days and hold something else below."""
    row = rows[index]
    dated = [i for i, cell in enumerate(row) if cell and _TIME_NAME.fullmatch(cell)]
    others = [cell for i, cell in enumerate(row) if cell and i not in dated]
    if len(dated) < 2 or any(is_value(cell) or len(cell) > _LONG_CELL for cell in others):
        return False
    if len(set(filter(None, row))) != sum(map(bool, row)) or 0 in dated:
        return False
    body = rows[index + 1 : index + 6]
    return bool(body) and not any(
        _TIME_NAME.fullmatch(other[i]) for other in body for i in dated if other[i]
    )


def _repeats(rows: Sequence[Sequence[str]], index: int) -> bool:
    """Whether a row of names, some of them twice, stands above values."""
    row = rows[index]
    cells = [cell for cell in row if cell]
    if len(cells) < 3 or not _is_name_row(row) or any(map(is_value, cells)):
        return False
    if len(set(cells)) * 2 <= len(cells) or len(cells) * 2 < len(row):
        return False
    body = rows[index + 1 : index + 6]
    columns = [[other[i] for other in body if other[i]] for i, cell in enumerate(row) if cell]
    return any(column and all(map(is_value, column)) for column in columns)
