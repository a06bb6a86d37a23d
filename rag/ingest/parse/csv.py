"""CSV: delimiter found by counting, rows bound to their header."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter

from rag.errors import CorruptDocument
from rag.ingest.parse.sheet import sheet_blocks
from rag.types import Page

_DELIMITERS = (",", "\t", ";", "|", "，", "；", "\x01")
_SAMPLE_ROWS = 60
_MAX_CELL = 10_000_000
"""Characters of one cell; chosen by us, the library's own limit of 131,072 is too small."""

_MAX_CELL_LINES = 200
"""Lines of one cell from which a quote that was never closed is suspected; chosen by us."""

_STATED = re.compile(r"sep=(.)\r?(?:\n|$)", re.IGNORECASE)
_ESCAPED = re.compile(r'=\s*"([^"]*)"')


def parse_csv(text: str) -> tuple[tuple[Page, ...], tuple[str, ...]]:
    """One page with the titles, tables and notes of the file, and the flags.

    Raises:
        CorruptDocument: quotes are so broken that no rows can be told apart.
    """
    csv.field_size_limit(_MAX_CELL)
    # The reader wants "\n" only, and stops at NUL.
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    stated = _STATED.match(text)
    if stated:
        text = text[stated.end() :]
    delimiter = stated[1] if stated else find_delimiter(text)
    rows = [[_cell(cell) for cell in row] for row in _rows(text, delimiter)]
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    widths = Counter(len(row) for row in filled)
    # A single title row above the table is not a fault.
    ragged = len(widths) > 1 and any(
        len(row) != widths.most_common(1)[0][0] for row in filled if len(row) > 1
    )
    flags = ("ragged_rows",) if ragged else ()
    return (Page(number=1, blocks=tuple(sheet_blocks(rows))),), flags


def find_delimiter(text: str) -> str:
    """The delimiter with which most rows have the same number of cells, above one."""
    sample = "\n".join(text.split("\n")[: _SAMPLE_ROWS * 3])
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        try:
            rows = [r for r in csv.reader(io.StringIO(sample), delimiter=delimiter) if any(r)]
        except csv.Error:
            continue
        rows = rows[:_SAMPLE_ROWS]
        if not rows:
            continue
        width, count = Counter(len(row) for row in rows).most_common(1)[0]
        if width > 1 and count / len(rows) > best_score:
            best, best_score = delimiter, count / len(rows)
    return best


def _rows(text: str, delimiter: str) -> list[list[str]]:
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
        if not any(cell.count("\n") > _MAX_CELL_LINES for row in rows for cell in row):
            return rows
        # A quote that opens and never closes swallows the rest of the file.
        plain = csv.reader(io.StringIO(text), delimiter=delimiter, quoting=csv.QUOTE_NONE)
        return list(plain)
    except csv.Error as error:
        raise CorruptDocument(
            "CSV 文件的引号或分隔符有误，无法分列。",
            "请用 Excel 或 WPS 打开核对后另存为 CSV 或 XLSX，再重新上传。",
            message_en="Quotes or delimiters of the CSV file are broken.",
            remedy_en="Check it in Excel or WPS, save it as CSV or XLSX and upload that.",
            detail=str(error),
        ) from error


def _cell(cell: str) -> str:
    """A cell without the ="…" by which exports keep leading zeros."""
    match = _ESCAPED.fullmatch(cell.strip())
    return match[1] if match else cell
