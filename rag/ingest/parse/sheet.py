"""Turns a grid of cells into titles, tables and notes: shared by CSV and XLSX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from rag.ingest.parse.form import form_blocks
from rag.ingest.parse.grid_header import Header, grid_header
from rag.ingest.table import is_banner, is_value, to_markdown, trim
from rag.types import Block

AS_RECORDS = {"rows": "records"}
"""Block metadata that tells the chunker to write each row as "header：value"."""

_NOTE = re.compile(
    r"(注|备注|说明|附注|数据来源|来源|资料来源|单位|填表说明|制表人?|审核人?|Note|Source)"
    r"\s*[\d一二三]*\s*[:：]"
)
_GROUP = re.compile(
    r"[一二三四五六七八九十]{1,3}[、.．]|[（(][一二三四五六七八九十]{1,3}[)）]|【.+】|第.{1,4}(部分|类|组)"
)
_STATEMENT = re.compile(r"[^:：\d]{1,12}[:：]")
_MAX_FORM_ROWS = 60
_FORM_LABEL = 12
"""Most rows of a form and characters of its labels; chosen by us."""

_LONG_NOTE = 20
_MIN_ROWS = 2
_MIN_COLUMNS = 2
"""Characters from which a lone cell below a table is a note, and the rows and columns that a
table beside another one has at least; chosen by us."""

Rows = Sequence[Sequence[str]]


def sheet_blocks(rows: Rows, depth: Sequence[int] = ()) -> list[Block]:
    """Blocks of one sheet; empty when all cells are.

    Args:
        rows: cell texts with merged cells already filled.
        depth: for each row how many rows its vertically merged cells reach down.
    """
    cells = trim(rows)
    if not cells:
        return []
    return list(_area_blocks(cells, [*depth, *[1] * len(cells)][: len(cells)]))


def table_block(header: Sequence[str] | None, body: Rows) -> Block:
    """A table block whose rows are to be read as records; without a header it stays empty."""
    names = list(header) if header else [""] * max(len(row) for row in body)
    rows = _without_empty_columns([names, *body])
    return Block(kind="table", text=to_markdown(rows), rows=rows, metadata=dict(AS_RECORDS))


def _area_blocks(cells: list[list[str]], depth: Sequence[int]) -> Iterator[Block]:
    """The blocks of an area: tables one below the other, each of which may stand beside
    others."""
    if len(cells[0]) == 1:
        yield Block(kind="paragraph", text="\n".join(row[0] for row in cells if row[0]))
        return
    form = form_blocks(cells)
    if form:
        yield from form
        return
    header: Header | None = None
    first = True
    for start, end in _segments(cells):
        segment, reach = cells[start:end], depth[start:end]
        beside = _beside(segment)
        if beside:
            for top, left, right in beside:
                part = trim([row[left:right] for row in segment[top:]])
                yield from _area_blocks(part, reach[top : top + len(part)])
            header, first = None, False
            continue
        form = _form_below_titles(segment) if first or header is None else []
        if form:
            yield from form
            header, first = None, True
            continue
        fresh = first or header is None or _starts_table(segment, header)
        if fresh:
            header = grid_header(segment, reach)
            above = header.first if header else _leading_banners(segment)
            yield from (_paragraph(row) for row in segment[:above] if any(row))
            height = header.height if header else 0
            segment = segment[above + height :]
            reach = reach[above + height :]
        first = False
        if header is not None and _is_form(header, segment):
            rows = [header.names, *segment]
            yield from form_blocks(rows, sure=True) or [_form_block(rows)]
            header, first = None, True
            continue
        yield from _body_blocks(header, segment, reach, fresh)


def _form_below_titles(segment: Rows) -> list[Block]:
    """The blocks of a form that stands between blank rows, with its titles; none when it is
    no form. Columns that the form leaves empty are no values of its labels."""
    top = _leading_banners(segment)
    body = segment[top:]
    used = [i for i in range(len(segment[0])) if any(row[i] for row in body)]
    form = form_blocks([[row[i] for i in used] for row in body]) if len(body) > 1 else []
    return [*map(_paragraph, segment[:top]), *form] if form else []


def _is_form(header: Header, body: Rows) -> bool:
    """Whether labels stand beside their values: then values are merged over several columns
    below what looks like a header."""
    if header.height > 1 or not 1 <= len(body) <= _MAX_FORM_ROWS or len(header.names) < 3:
        return False
    wide = sum(
        any(
            row[i] and row[i] == row[i + 1] and not is_value(row[i]) for i in range(1, len(row) - 1)
        )
        for row in body
        if row[0] and len(row[0]) <= _FORM_LABEL
    )
    labels = [row[0] for row in body if row[0]]
    return wide * 4 >= len(body) and len(set(labels)) == len(labels)


def _form_block(rows: Rows) -> Block:
    """A form's rows, each of its cells once."""
    compact = [[cell for cell, _ in groupby(row)] for row in rows]
    width = max(map(len, compact))
    cells = [row + [""] * (width - len(row)) for row in compact]
    table = _without_empty_columns([[""] * width, *cells])
    return Block(kind="table", text=to_markdown(table), rows=table, metadata={"form": True})


def _without_empty_columns(rows: Rows) -> tuple[tuple[str, ...], ...]:
    kept = [i for i in range(len(rows[0])) if any(i < len(row) and row[i] for row in rows)]
    return tuple(tuple(row[i] if i < len(row) else "" for i in kept) for row in rows)


def _segments(cells: Rows) -> Iterator[tuple[int, int]]:
    """Half-open ranges of rows without a blank row between."""
    start = None
    for index, row in enumerate(cells):
        if any(row) and start is None:
            start = index
        elif not any(row) and start is not None:
            yield start, index
            start = None
    if start is not None:
        yield start, len(cells)


def _beside(segment: Rows) -> list[tuple[int, int, int]]:
    """Tables beside each other, apart by an empty column: first row, left and right of each;
    empty where there is one table only. Titles above all of them go with the first."""
    top = _leading_banners(segment)
    body = segment[top:]
    if len(body) < _MIN_ROWS:
        return []
    width = len(body[0])
    empty = [not any(row[column] for row in body) for column in range(width)]
    parts: list[tuple[int, int]] = []
    left = 0
    for column in range(width + 1):
        if column == width or empty[column]:
            if column > left:
                parts.append((left, column))
            left = column + 1
    if len(parts) < 2:
        return []
    for left, right in parts:
        inner = [row[left:right] for row in body]
        filled = sum(any(row) for row in inner)
        if right - left < _MIN_COLUMNS or filled < _MIN_ROWS or grid_header(inner) is None:
            return []
    return [(0 if i == 0 else top, *part) for i, part in enumerate(parts)]


def _leading_banners(segment: Rows) -> int:
    count = 0
    while count < len(segment) and is_banner(segment[count]):
        count += 1
    return count


def _body_blocks(
    header: Header | None, segment: Rows, depth: Sequence[int], fresh: bool
) -> Iterator[Block]:
    """The tables below a header: cut at rows that label a group and where another table
    begins; notes behind them as paragraphs.

    Args:
        fresh: whether the header stands in this segment rather than above an earlier one.
    """
    names = header.names if header else None
    rows = list(segment)
    notes: list[Block] = []
    while rows and (_is_signed(rows[-1]) or (is_banner(rows[-1]) and _is_note(rows[-1]))):
        notes.insert(0, _paragraph(rows.pop()))
    if not rows:
        if names and fresh:
            yield _paragraph(names)
        yield from notes
        return
    pending: list[Sequence[str]] = []
    for index, row in enumerate(rows):
        if not _is_group(row):
            pending.append(row)
            continue
        if pending:
            yield table_block(names, pending)
            pending = []
        after = rows[index + 1 :]
        if header is not None and _opens_table(after, header):
            inner = [list(other) for other in rows[index:]]
            yield from _area_blocks(inner, depth[index:])
            yield from notes
            return
        yield _paragraph(row)
    if pending:
        yield table_block(names, pending)
    yield from notes


def _is_group(row: Sequence[str]) -> bool:
    """Whether a row labels the rows below it: merged over all columns, or numbered."""
    if not is_banner(row):
        return False
    filled = [cell for cell in row if cell]
    return len(filled) == len(row) > 1 or (bool(row[0]) and bool(_GROUP.match(row[0])))


def _opens_table(rows: Rows, header: Header) -> bool:
    """Whether a header of its own stands at the top of rows behind a title."""
    found = grid_header(rows) if rows else None
    if found is None or found.first:
        return False
    if found.names == header.names:
        return True
    below = rows[found.height : found.height + 5]
    columns = [[row[i] for row in below if row[i]] for i, name in enumerate(found.names) if name]
    return any(column and all(map(is_value, column)) for column in columns)


def _is_note(row: Sequence[str]) -> bool:
    text = next(cell for cell in row if cell)
    return bool(_NOTE.match(text)) or (len(row) > 2 and len(text) > _LONG_NOTE)


def _is_signed(row: Sequence[str]) -> bool:
    """Whether a row holds nothing but statements: "制表：张三", "审核：李四"."""
    cells = [cell for cell in row if cell]
    return len(cells) > 1 and all(_STATEMENT.match(cell) for cell in cells)


def _starts_table(segment: Rows, header: Header) -> bool:
    """Whether a new table begins after a blank row, rather than the old one going on."""
    found = grid_header(segment)
    if found is None:
        return False
    names, above = found.names, header.names
    below = segment[found.first + found.height :][:5]
    if found.first or [bool(name) for name in names] != [bool(name) for name in above]:
        return bool(below)
    if names == above:
        return True
    columns = [[row[i] for row in below if row[i]] for i, name in enumerate(names) if name]
    return any(column and all(map(is_value, column)) for column in columns)


def _paragraph(row: Sequence[str]) -> Block:
    text = " ".join(dict.fromkeys(cell for cell in row if cell))
    return Block(kind="paragraph", text=text)
