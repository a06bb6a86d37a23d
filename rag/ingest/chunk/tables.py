"""Cuts tables between rows; every piece keeps the caption and the header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rag.ingest.chunk.split import CountTokens, atoms, pack
from rag.ingest.table import to_markdown, to_record
from rag.types import Block

ROWS_SHARE = 0.6
"""Share of a chunk's tokens that rows of a table fill. Chosen by us: rows are dense with
facts, and a shorter chunk points closer to the one that is asked for."""


class TablePiece(NamedTuple):
    """Some rows in words, and their half-open range in the block's text."""

    text: str
    start: int
    end: int


def table_pieces(block: Block, limit: int, count: CountTokens) -> list[TablePiece]:
    """A table block in pieces of at most `limit` tokens where rows allow it."""
    rows = block.rows or ()
    if len(rows) < 2:
        return [TablePiece(block.text, 0, len(block.text))]
    header, body = rows[0], rows[1:]
    as_records = block.metadata.get("rows") == "records"
    places = _row_places(block, len(rows))
    fixed = 0 if as_records else count(to_markdown([header]))
    room = max(limit - fixed, limit // 3)
    pieces: list[TablePiece] = []
    chosen: list[int] = []
    size = 0

    def close() -> None:
        nonlocal chosen, size
        if chosen:
            text = _write(header, [body[i] for i in chosen], as_records)
            pieces.append(TablePiece(text, places[chosen[0]][0], places[chosen[-1]][1]))
        chosen, size = [], 0

    for index, row in enumerate(body):
        if not any(cell.strip() for cell in row):
            continue
        length = count(to_record(header, row) if as_records else " | ".join(row))
        if length > limit:
            close()
            start, end = places[index]
            parts = _long_row(header, row, limit, count)
            pieces.extend(TablePiece(part, start, end) for part in parts)
            continue
        if size + length > room:
            close()
        chosen.append(index)
        size += length
    close()
    return pieces


def _write(header: Sequence[str], rows: Sequence[Sequence[str]], as_records: bool) -> str:
    if not as_records:
        return to_markdown([header, *rows])
    records = [to_record(header, row) for row in rows]
    return ("\n\n" if any("\n" in record for record in records) else "\n").join(records)


def _long_row(
    header: Sequence[str], row: Sequence[str], limit: int, count: CountTokens
) -> list[str]:
    """A row that fills several chunks, each led by the row's first cell when it is short."""
    record = to_record(header, row)
    first = next(i for i, cell in enumerate(row) if cell.strip())
    lead = to_record(header[: first + 1], row[: first + 1])
    led = count(lead) <= limit // 4 and record.startswith(lead)
    room = limit - count(lead) if led else limit
    groups = pack(atoms(record, 0, len(record), room, count), room)
    texts = [record[group[0].start : group[-1].end] for group in groups]
    return [text if i == 0 or not led else f"{lead}\n{text}" for i, text in enumerate(texts)]


def _row_places(block: Block, rows: int) -> list[tuple[int, int]]:
    """The range of each body row in the block's Markdown, one line a row."""
    lines = block.text.split("\n")
    if len(lines) != rows + 1:
        return [(0, len(block.text))] * (rows - 1)
    places: list[tuple[int, int]] = []
    position = 0
    for line in lines:
        places.append((position, position + len(line)))
        position += len(line) + 1
    return places[2:]
