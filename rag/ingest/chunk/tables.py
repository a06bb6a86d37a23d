"""Cuts tables between rows; every piece keeps the caption and the header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.ingest.chunk.count import CountTokens
from rag.ingest.chunk.split import Atom, atoms, pack
from rag.ingest.table import to_markdown, to_record
from rag.types import Block

ROWS_SHARE = 0.6
"""Share of a chunk's tokens that rows of a table fill. Chosen by us: rows are dense with
facts, and a shorter chunk points closer to the one that is asked for."""

_LEVELS = (
    re.compile(r"[一二三四五六七八九十]{1,3}[、.．]|第[一二三四五六七八九十]{1,3}[部类组]"),
    re.compile(r"[（(][一二三四五六七八九十]{1,3}[)）]"),
    re.compile(r"\d{1,2}\s*[、.．](?!\d)"),
    re.compile(r"[（(]\d{1,2}[)）]"),
)
"""Numbers of rows that have others below them, the highest first."""
_MIN_GROUPED_COLUMNS = 3
"""Columns of a table with rows that head groups. Chosen by us."""

WIDE_HEADER = 0.85
"""Share of the room that a header may take above the rows; wider ones are written beside each
value instead, so that a row can be cut between columns. Chosen by us."""


class TablePiece(NamedTuple):
    """Some rows in words, their half-open range in the block's text, and their indexes among
    the rows below the header."""

    text: str
    start: int
    end: int
    rows: tuple[int, ...] = ()


def table_pieces(
    block: Block,
    limit: int,
    count: CountTokens,
    *,
    rows: Sequence[int] | None = None,
    apart: bool = False,
    most: int | None = None,
    places: Sequence[tuple[int, int]] | None = None,
) -> list[TablePiece]:
    """A table block in pieces of at most `limit` tokens, each with the header.

    A row that is longer than a piece is cut; each of its parts begins with its first cell. A
    piece that begins inside a group of rows ("二、累计折旧") repeats the group's first cell.

    Args:
        most: tokens that a single row with the header may take; `limit` when left out.
        places: what `row_places` says, where the caller knows it.
        rows: indexes of the rows wanted, among those below the header; all when left out.
        apart: each row is a piece.
    """
    all_rows = block.rows or ()
    if not any(cell.strip() for row in all_rows[1:] for cell in row):
        whole = pack(atoms(block.text, 0, len(block.text), limit, count), limit)
        spans = [(group[0].start, group[-1].end) for group in whole]
        return [TablePiece(block.text[start:end], start, end) for start, end in spans]
    header, body = all_rows[0], all_rows[1:]
    fixed = count(to_markdown([header]))
    as_records = apart or block.metadata.get("rows") == "records" or fixed > limit * WIDE_HEADER
    places = row_places(block) if places is None else places
    room = limit if as_records else max(limit - fixed, limit // 3)
    longest = limit if as_records else min(limit, (most or limit) - fixed)
    pieces: list[TablePiece] = []
    chosen: list[int] = []
    size = 0
    groups = _groups(body)

    def close() -> None:
        nonlocal chosen, size
        if chosen:
            text = written(block, chosen, as_records=as_records, groups=groups)
            start, end = places[chosen[0]][0], places[chosen[-1]][1]
            pieces.append(TablePiece(text, start, end, tuple(chosen)))
        chosen, size = [], 0

    for index in range(len(body)) if rows is None else rows:
        row = body[index]
        if not any(cell.strip() for cell in row):
            continue
        length = count(to_record(header, row) if as_records else " | ".join(row))
        if length > longest:
            close()
            start, end = places[index]
            parts = _long_row(header, row, limit, count)
            pieces.extend(TablePiece(part, start, end, (index,)) for part in parts)
            continue
        if size + length > room or (apart and chosen):
            close()
        if not chosen:
            size = count("\n".join(_heads(body, groups, [index])))
        chosen.append(index)
        size += length
    close()
    return pieces


def written(
    block: Block,
    rows: Sequence[int],
    *,
    as_records: bool,
    groups: Sequence[tuple[int, ...]] | None = None,
) -> str:
    """Some rows of a table in words, below the groups that they lie in.

    Args:
        rows: indexes among the rows below the header, rising.
        as_records: each value is bound to its column's name; else the table is Markdown.
        groups: what `_groups` says of the body, where the caller knows it.
    """
    header, *body = block.rows or ((),)
    groups = _groups(body) if groups is None else groups
    heads = [[head] for head in _heads(body, groups, rows)]
    shown = [*heads, *(body[i] for i in rows)]
    if not as_records:
        return to_markdown([header, *shown])
    records = [to_record(header, row) for row in shown]
    return ("\n\n" if any("\n" in record for record in records) else "\n").join(records)


def _heads(
    body: Sequence[Sequence[str]], groups: Sequence[tuple[int, ...]], rows: Sequence[int]
) -> list[str]:
    """The first cells of the groups that the first of some rows lies in."""
    return [body[i][0] for i in groups[rows[0]]] if rows and groups else []


def _groups(body: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
    """For each row the rows that head the groups in which it lies, outermost first. A table
    without a row that is empty but for its first cell has none."""
    if not body or len(body[0]) < _MIN_GROUPED_COLUMNS:
        return []
    bare = [_is_bare(row) for row in body]
    if not any(bare) or sum(bare) * 2 > len(body):
        return []
    open_: list[tuple[int, int]] = []
    found: list[tuple[int, ...]] = []
    for index, row in enumerate(body):
        level = _level(row[0])
        if level is None and bare[index]:
            level = -1
        if level is None:
            found.append(tuple(i for _, i in open_ if bare[i]))
            continue
        open_ = [(other, i) for other, i in open_ if other < level]
        found.append(tuple(i for _, i in open_))
        open_.append((level, index))
    return found


def _is_bare(row: Sequence[str]) -> bool:
    """Whether a row says nothing but its name."""
    return (
        bool(row[0].strip())
        and not any(cell.strip() and cell != row[0] for cell in row[1:])
        and sum(bool(cell.strip()) for cell in row) in (1, len(row))
    )


def _level(cell: str) -> int | None:
    text = cell.strip()
    return next((n for n, pattern in enumerate(_LEVELS) if pattern.match(text)), None)


def _long_row(
    header: Sequence[str], row: Sequence[str], limit: int, count: CountTokens
) -> list[str]:
    """A row that fills several chunks: each led by the row's first cell when it is short, and
    each part of a cell by its column's name."""
    first = next(i for i, cell in enumerate(row) if cell.strip())
    lead = to_record(header[: first + 1], row[: first + 1])
    led = count(lead) <= limit // 4
    room = limit - count(lead) if led else limit
    parts: list[str] = []
    for position, cell in enumerate(row):
        if cell.strip():
            name = " ".join(header[position].split()) if position < len(header) else ""
            parts.extend(_cell_parts(f"{name}：" if name else "", cell.strip(), room, count))
    groups = pack([Atom(i, i + 1, count(part)) for i, part in enumerate(parts)], room)
    texts = ["\n".join(parts[group[0].start : group[-1].end]) for group in groups]
    return [text if i == 0 or not led else f"{lead}\n{text}" for i, text in enumerate(texts)]


def _cell_parts(label: str, value: str, room: int, count: CountTokens) -> list[str]:
    """A cell behind its column's name, in parts of at most `room` tokens."""
    if count(label + value) <= room:
        return [label + value]
    label = label if count(label) <= room // 3 else ""
    left = room - count(label) if label else room
    found = pack(atoms(value, 0, len(value), left, count), left)
    return [label + value[group[0].start : group[-1].end] for group in found]


def row_places(block: Block) -> list[tuple[int, int]]:
    """The half-open range of each row below the header in a table block's Markdown, which has
    a line for each row; the whole text for each where it is written otherwise."""
    rows = len(block.rows or ())
    lines = block.text.split("\n")
    if len(lines) != rows + 1:
        return [(0, len(block.text))] * max(rows - 1, 0)
    places: list[tuple[int, int]] = []
    position = 0
    for line in lines:
        places.append((position, position + len(line)))
        position += len(line) + 1
    return places[2:]
