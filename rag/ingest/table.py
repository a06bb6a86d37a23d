"""Tables as rows of cells: header detection and the two ways to write them down.

Used by the parsers (which find the header) and by the chunker (which keeps it).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

Rows = Sequence[Sequence[str]]

_VALUE = re.compile(
    r"[-+−]?[¥$€￥]?\d[\d,，.]*\s*[%％‰]?|\d{4}[-/年.]\d{1,2}月?([-/月.]?\d{1,2}日?)?(\s[\d:]+)?|[-—–/]+"
)
_YEAR_HEADER = re.compile(r"(19|20)\d{2}(\s*年(\s*\d{1,2}\s*月(\s*\d{1,2}\s*日)?)?)?")
_LONG_CELL = 60
"""Characters; no header cell is longer. Chosen by us."""

_MAX_HEADER_SEARCH = 10
"""Rows from the top among which the header is searched; titles stand above it."""


def to_markdown(rows: Rows) -> str:
    """A table whose first row is the header, as Markdown."""
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    lines = [_markdown_row(row, width) for row in rows]
    return "\n".join((lines[0], "| " + " | ".join(["---"] * width) + " |", *lines[1:]))


def to_record(header: Sequence[str], row: Sequence[str]) -> str:
    """A row in words, each value bound to its header: "部门：研发；人数：12".

    Empty cells are left out. A row with long or broken cells gets a line for each.
    """
    parts: list[str] = []
    for position, cell in enumerate(row):
        value = cell.strip()
        if not value:
            continue
        name = " ".join(header[position].split()) if position < len(header) else ""
        parts.append(f"{name}：{value}" if name else value)
    long = any("\n" in part for part in parts) or sum(map(len, parts)) > 300
    return ("\n" if long else "；").join(parts)


def trim(rows: Rows) -> list[list[str]]:
    """Equally long rows without empty columns at the right and empty rows at the end."""
    cells = [[cell.strip() for cell in row] for row in rows]
    while cells and not any(cells[-1]):
        cells.pop()
    used = max((i + 1 for row in cells for i, cell in enumerate(row) if cell), default=0)
    return [(row + [""] * used)[:used] for row in cells]


def is_value(cell: str) -> bool:
    """Whether a cell holds a number, an amount or a date rather than a name."""
    return bool(_VALUE.fullmatch(cell.strip()))


def is_date(cell: str) -> bool:
    """Whether a cell holds a year or a date in years ("2024", "2024年12月31日")."""
    return bool(_YEAR_HEADER.fullmatch(cell.strip()))


def looks_like_header(row: Sequence[str]) -> bool:
    """Whether a row names its columns: short and different texts, no values.

    Years and dates ("2024年12月31日") may be column names when no other values are there.
    """
    cells = [cell.strip() for cell in row if cell.strip()]
    if not cells or any(len(cell) > _LONG_CELL for cell in cells):
        return False
    values = [cell for cell in cells if is_value(cell)]
    if any(not _YEAR_HEADER.fullmatch(cell) for cell in values) or len(values) == len(cells):
        return False
    return len(set(cells)) == len(cells)


def is_banner(row: Sequence[str]) -> bool:
    """Whether a row of a wider table holds one text only: a title or a note."""
    cells = {cell.strip() for cell in row if cell.strip()}
    filled = sum(bool(cell.strip()) for cell in row)
    return len(row) > 1 and len(cells) == 1 and (filled == 1 or filled == len(row))


def find_header(rows: Rows, depth: Sequence[int] = ()) -> tuple[int, int] | None:
    """Where the header is: index of its first row, and how many rows it takes.

    Args:
        depth: for each row, how many rows its vertically merged cells reach down (from 1).
            A header of several rows is only recognised by such merges.
    """
    for index, row in enumerate(rows[:_MAX_HEADER_SEARCH]):
        if is_banner(row) or not any(cell.strip() for cell in row):
            continue
        height = depth[index] if index < len(depth) else 1
        height = min(height, 3, len(rows) - index)
        if height == 1 and _shares_names(row):
            height = min(2, len(rows) - index)
        if height > 1 and not any(_is_body(c) for r in rows[index : index + height] for c in r):
            merged = merge_header(rows[index : index + height])
            names = [name for name, _ in groupby(merged)]
            # Names of merged cells stand once for each column that they cover.
            if len(set(names)) == len(names) and (depth or len(names) == len(merged)):
                return index, height
        return (index, 1) if looks_like_header(row) else None
    return None


def _shares_names(row: Sequence[str]) -> bool:
    """Whether neighbouring cells are the same: a name over several columns."""
    return any(a.strip() and a.strip() == b.strip() for a, b in pairwise(row))


def _is_body(cell: str) -> bool:
    return is_value(cell) and not _YEAR_HEADER.fullmatch(cell.strip())


def merge_header(rows: Rows) -> list[str]:
    """One header row from several: the different names of a column joined by "/"."""
    merged: list[str] = []
    for column in zip(*rows, strict=True):
        names = dict.fromkeys(" ".join(cell.split()) for cell in column if cell.strip())
        merged.append("/".join(names))
    return merged


def _markdown_row(row: Sequence[str], width: int) -> str:
    cells = [" ".join(cell.split()).replace("|", "\\|") for cell in row]
    return "| " + " | ".join(cells + [""] * (width - len(cells))) + " |"
