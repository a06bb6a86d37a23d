"""Turns a grid of cells into titles, tables and notes: shared by CSV and XLSX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.ingest.table import find_header, is_banner, is_value, merge_header, to_markdown, trim
from rag.types import Block

AS_RECORDS = {"rows": "records"}
"""Block metadata that tells the chunker to write each row as "header：value"."""

_NOTE = re.compile(
    r"(注|备注|说明|附注|数据来源|来源|资料来源|单位|Note|Source)\s*[\d一二三]*\s*[:：]"
)


def sheet_blocks(rows: Sequence[Sequence[str]], depth: Sequence[int] = ()) -> list[Block]:
    """Blocks of one sheet; empty when all cells are.

    Args:
        rows: cell texts with merged cells already filled.
        depth: for each row how many rows its vertically merged cells reach down.
    """
    cells = trim(rows)
    if not cells:
        return []
    if len(cells[0]) == 1:
        return [Block(kind="paragraph", text="\n".join(row[0] for row in cells if row[0]))]
    blocks: list[Block] = []
    header: list[str] | None = None
    for start, end in _segments(cells):
        segment = cells[start:end]
        if not blocks or header is None or _starts_table(segment, header):
            found = find_header(segment, depth[start:end])
            first, height = found or (_leading_banners(segment), 0)
            blocks.extend(_paragraph(row) for row in segment[:first] if any(row))
            header = merge_header(segment[first : first + height]) if found else None
            segment = segment[first + height :]
        blocks.extend(_body_blocks(header, segment))
    return blocks


def table_block(header: Sequence[str] | None, body: Sequence[Sequence[str]]) -> Block:
    """A table block whose rows are to be read as records; without a header it stays empty."""
    names = list(header) if header else [""] * max(len(row) for row in body)
    rows = (tuple(names), *map(tuple, body))
    return Block(kind="table", text=to_markdown(rows), rows=rows, metadata=dict(AS_RECORDS))


def _segments(cells: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
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


def _leading_banners(segment: Sequence[Sequence[str]]) -> int:
    count = 0
    while count < len(segment) and is_banner(segment[count]):
        count += 1
    return count


def _body_blocks(header: Sequence[str] | None, segment: Sequence[Sequence[str]]) -> Iterator[Block]:
    """The table, and its notes as paragraphs behind it."""
    rows = list(segment)
    notes: list[Block] = []
    while rows and is_banner(rows[-1]) and _is_note(rows[-1]):
        notes.insert(0, _paragraph(rows.pop()))
    if rows:
        yield table_block(header, rows)
    elif header:
        yield _paragraph(header)
    yield from notes


def _is_note(row: Sequence[str]) -> bool:
    text = next(cell for cell in row if cell)
    return len(row) > 2 and (bool(_NOTE.match(text)) or len(text) > 20)


def _starts_table(segment: Sequence[Sequence[str]], header: Sequence[str]) -> bool:
    """Whether a new table begins after a blank row, rather than the old one going on."""
    found = find_header(segment)
    if found is None:
        return False
    first, height = found
    names = segment[first]
    below = segment[first + height : first + height + 5]
    if first or [bool(name) for name in names] != [bool(name) for name in header]:
        return bool(below)
    if list(names) == list(header):
        return True
    columns = [[row[i] for row in below if row[i]] for i, name in enumerate(names) if name]
    return any(column and all(map(is_value, column)) for column in columns)


def _paragraph(row: Sequence[str]) -> Block:
    text = " ".join(dict.fromkeys(cell for cell in row if cell))
    return Block(kind="paragraph", text=text)
