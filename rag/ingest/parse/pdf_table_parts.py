"""Tells titles, header, body and notes of a found table apart: part of the PDF parser.

A table may hold another one below it (a row across it, or a second header): each becomes a
table of its own, so that every row is bound to its own header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rag.ingest.parse.form import form_blocks
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.table import (
    find_header,
    is_banner,
    is_date,
    is_value,
    looks_like_header,
    merge_header,
)

_MOSTLY = 0.6
_MIN_SHARED = 0.5
_NEAR_PT = 4.0
"""Share of a column's cells that are numbers from which the column is one of numbers; share of
a column's width from which it lies below another; points by which edges may differ."""

_NOTE = re.compile(
    r"[（(\[]?(?:注|备注|说明|资料来源|数据来源|附注|NOTES?\b|Notes?\b|\*+)[\s\d]*[:：.\]）)]?"
)
_LONG_NOTE = 40
_LONG_LABEL = 8
"""Characters from which a note is known by its length, and of a label beside its value."""

Rows = list[list[str]]


class Header(NamedTuple):
    """The names of a table's columns, for the rest of it on the next page.

    `raw` are the rows that they came from (titles too), `numbers` the columns of numbers.
    """

    names: tuple[str, ...]
    edges: tuple[float, ...]
    raw: tuple[tuple[str, ...], ...]
    numbers: tuple[bool, ...]


class Part(NamedTuple):
    """A table with its header first, or (without rows) a text: a line, or a list of a form's
    labels with their values."""

    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    form: bool = False


def parts_of(table: FoundTable, carried: Header | None) -> tuple[list[Part], Header | None]:
    """The parts of a table from top to bottom, and the header that its last rows have; None
    when it is a form, which has none.

    Args:
        carried: the header of the table on the page before that this one continues.
    """
    found: list[Part] = []
    rows, across = table.rows, table.across
    start = 0
    if len(table.edges) == 2:
        return [Part(_one(row)) for row in rows], None
    if carried is None:
        form = [] if table.header else form_blocks(rows)
        if form:
            parts = [Part(b.text, b.rows or (), b.kind == "list") for b in form]
            return [part if not part.rows else Part(rows=part.rows) for part in parts], None
        if len(rows) == 2 and sum(across) == 1 and not table.header:
            return [
                part for row, one in zip(rows, across, strict=True) for part in _split(row, one)
            ], None
        start = _titles(table)
        found += [Part(_one(row)) for row in rows[:start]]
        height = 0 if _is_headless(table, start) else _header_height(table, start)
        header = _named(rows[: start + height], rows[start : start + height], table, start + height)
        start += height
    else:
        names = projected(carried, table.edges)
        start = repeated(table, carried)
        header = Header(names, table.edges, carried.raw, carried.numbers)
    body: Rows = []
    index = start
    notes: list[Part] = []
    end = len(rows)
    while end - 1 > start and across[end - 1] and _is_note(_one(rows[end - 1])):
        end -= 1
        notes.insert(0, Part(_one(rows[end])))
    while index < end:
        inner = _inner_header(table, index, end, header)
        if inner is None:
            row = rows[index]
            body.append([_one(row), *[""] * (len(row) - 1)] if across[index] else list(row))
            index += 1
            continue
        title, first, height = inner
        found += _written(header, body, table, first_is_header=True)
        if title:
            found.append(Part(title))
        body = []
        header = _named(
            rows[index : first + height], rows[first : first + height], table, first + height
        )
        index = first + height
    found += _written(header, body, table, first_is_header=carried is None or bool(body))
    return [*found, *notes], header


def projected(header: Header, edges: Sequence[float]) -> tuple[str, ...]:
    """The names for columns that are cut otherwise: those that they lie below."""
    if len(edges) == len(header.edges):
        return header.names
    shift = edges[0] - header.edges[0]
    names: list[str] = []
    for low, high in pairwise(edge - shift for edge in edges):
        over: dict[str, None] = {}
        for name, (start, stop) in zip(header.names, pairwise(header.edges), strict=True):
            shared = min(high, stop) - max(low, start)
            if shared > _MIN_SHARED * min(stop - start, high - low) and name:
                over[name] = None
        names.append("/".join(over))
    return tuple(names)


def repeated(table: FoundTable, header: Header) -> int:
    """How many of the first rows only repeat the header of the page before."""
    ours = [_flat(row) for row in table.rows]
    theirs = [_flat(row) for row in header.raw]
    for start in range(len(theirs)):
        rest = theirs[start:]
        if ours[: len(rest)] == rest and len(ours) > len(rest):
            return len(rest)
    names = _flat(header.names)
    return 1 if len(ours) > 1 and ours[0] == names else 0


def number_columns(rows: Sequence[Sequence[str]], width: int) -> tuple[bool, ...]:
    """Which columns hold numbers in most of their filled cells."""
    found = []
    for column in range(width):
        cells = [row[column] for row in rows if column < len(row) and row[column]]
        found.append(bool(cells) and sum(map(is_value, cells)) >= _MOSTLY * len(cells))
    return tuple(found)


def has_own_header(table: FoundTable, header: Header) -> bool:
    """Whether the first row names other columns than the header does: words stand where the
    columns hold numbers."""
    row = table.rows[0]
    if table.across[0] or len(table.rows) < 2:
        return False
    numbers = header.numbers
    if len(numbers) != len(row):
        numbers = number_columns(table.rows[1:], len(row))
        if len(table.rows) < 3:
            return False
    columns = [i for i, is_number in enumerate(numbers) if is_number]
    below = number_columns(table.rows[1:], len(row))
    named = [i for i in columns if row[i] and not is_value(row[i])]
    return bool(columns) and len(named) == len(columns) and any(below[i] for i in columns)


def _named(raw: Rows, rows: Rows, table: FoundTable, body: int) -> Header:
    names = merge_header(rows) if len(rows) > 1 else list(rows[0]) if rows else []
    if len(names) < len(table.edges) - 1:
        names += [""] * (len(table.edges) - 1 - len(names))
    return Header(
        tuple(names),
        table.edges,
        tuple(map(tuple, raw)),
        number_columns(table.rows[body:], len(table.edges) - 1),
    )


def _titles(table: FoundTable) -> int:
    """How many rows at the top are titles."""
    rows = table.rows
    count = 0
    while (
        count < len(rows) - 2
        and (table.across[count] or is_banner(rows[count]))
        and (table.ruled or table.across[count])
    ):
        count += 1
    return count


def _is_headless(table: FoundTable, start: int) -> bool:
    """Whether the first row is a row like the others: values stand where values stand below."""
    rows = table.rows[start:]
    if table.header or len(rows) < 3 or any(table.across[start:]):
        return False
    numbers = number_columns(rows[1:], len(rows[0]))
    first = [rows[0][i] for i, is_number in enumerate(numbers) if is_number]
    if not first or not all(map(is_value, first)):
        return False
    below = [row[i] for row in rows[1:] for i, is_number in enumerate(numbers) if is_number]
    # Years name columns of amounts, but not columns of years.
    return not all(map(is_date, first)) or all(map(is_date, filter(None, below)))


def _header_height(table: FoundTable, start: int) -> int:
    if table.header > start:
        return table.header - start
    found = find_header(table.rows[start:], table.depth[start:])
    return found[1] if found is not None and found[0] == 0 else 1


def _inner_header(
    table: FoundTable, at: int, end: int, header: Header
) -> tuple[str, int, int] | None:
    """A second header that begins in row `at`: its title, its first row and its height."""
    rows = table.rows
    title = ""
    first = at
    if table.across[at] and table.ruled:
        title, first = _one(rows[at]), at + 1
    if first >= end - 1 or table.across[first]:
        return None
    row = rows[first]
    distinct = {cell for cell in row if cell}
    if len(distinct) < 2 or any(map(is_value, distinct)) or not looks_like_header(list(distinct)):
        return None
    height = 1
    if title:
        found = find_header(rows[first:end], table.depth[first:end])
        height = found[1] if found is not None and found[0] == 0 else 1
    below = number_columns(_until_across(table, first + height, end), len(row))
    columns = [i for i in range(len(row)) if below[i] and i > 0]
    named = [i for i in columns if row[i]]
    if not columns or len(named) < len(columns):
        return None
    if title:
        return title, first, height
    # Without a title in between, it must look like the first header of the table.
    same = bool(header.raw) and len(header.raw[-1]) == len(row) and header.raw[-1][0] == row[0]
    above = [i for i in columns if i < len(header.numbers) and header.numbers[i]]
    other = tuple(row) != header.names
    return ("", first, 1) if same and len(above) == len(columns) and other else None


def _until_across(table: FoundTable, start: int, end: int) -> Rows:
    stop = start
    while stop < end and not table.across[stop]:
        stop += 1
    return table.rows[start:stop]


def _written(header: Header, body: Rows, table: FoundTable, *, first_is_header: bool) -> list[Part]:
    """The table of these rows, columns that are one merged cell throughout written once."""
    if not body and (not first_is_header or not any(header.names)):
        return []
    named = any(header.names) or len(body) > 1
    rows: Rows = [list(header.names), *body] if named else [list(r) for r in body]
    width = max(map(len, rows))
    rows = [row + [""] * (width - len(row)) for row in rows]
    kept = [
        c
        for c in range(width)
        if any(row[c] for row in rows) and not (table.ruled and c > 0 and _is_copy(rows, c))
    ]
    rows = [[row[c] for c in kept] for row in rows]
    if len(rows) == 1:
        return _lone_row(rows[0])
    return [Part(rows=tuple(map(tuple, rows)))]


def _split(row: Sequence[str], across: bool) -> list[Part]:
    """A row of a frame as text."""
    return [Part(_one(row))] if across else _lone_row(list(dict.fromkeys(row)))


def _lone_row(row: Sequence[str]) -> list[Part]:
    """One row alone is no table: it frames texts, or holds labels and their values."""
    cells = [cell for cell in row if cell]
    stated = len(cells) % 2 == 0 and any("：" in value for value in cells[1::2])
    if stated and all(map(_is_label, cells[::2])):
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return [Part(f"{label.rstrip('：:')}：{value}") for label, value in pairs]
    if any(len(cell) > _LONG_NOTE for cell in cells):
        return [Part(cell) for cell in cells]
    text = ""
    for cell in cells:
        mark = "：" if is_value(cell) and text and text[-1] not in "；：:0123456789%" else "；"
        text += (mark if text else "") + cell
    return [Part(text)]


def _is_label(text: str) -> bool:
    return len(text) <= _LONG_LABEL and not any(map(str.isdigit, text)) and not is_value(text)


def _is_copy(rows: Rows, column: int) -> bool:
    return all(row[column] == row[column - 1] for row in rows)


def _is_note(text: str) -> bool:
    return len(text) > _LONG_NOTE or bool(_NOTE.match(text))


def _one(row: Sequence[str]) -> str:
    return next((cell for cell in row if cell), "")


def _flat(row: Sequence[str]) -> tuple[str, ...]:
    return tuple("".join(cell.split()) for cell in row)


def same_columns(table: FoundTable, header: Header) -> bool:
    """Whether a table on the next page has the columns of the header, or whole ones of them.

    The page may be shifted sideways (left and right pages of a book).
    """
    ours, theirs = table.edges, header.edges
    if not table.ruled:
        return len(ours) == len(theirs) and all(
            theirs[i] - _NEAR_PT <= (ours[i] + ours[i + 1]) / 2 <= theirs[i + 1] + _NEAR_PT
            for i in range(len(ours) - 1)
        )
    shift = ours[0] - theirs[0]
    if abs((ours[-1] - theirs[-1]) - shift) > 2 * _NEAR_PT:
        return False
    fewer, more = sorted((tuple(e - shift for e in ours), theirs), key=len)
    return all(any(abs(edge - other) <= _NEAR_PT for other in more) for edge in fewer)
