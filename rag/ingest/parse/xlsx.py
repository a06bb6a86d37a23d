"""XLSX: every visible sheet, merged cells filled, values as people see them."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import IO, Any

from rag.errors import TooLarge
from rag.ingest.archive import damaged, read_member
from rag.ingest.parse.sheet import sheet_blocks
from rag.types import Block, Page

_DEFAULT_NAME = re.compile(r"(sheet|工作表|シート)\s*\d*", re.IGNORECASE)
_MERGE = re.compile(rb'<(?:\w+:)?mergeCell\b[^>]*\bref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
_FORMULA_WITHOUT_VALUE = re.compile(
    rb"<(?:\w+:)?f\b[^>]*?(?:/>|>[^<]*</(?:\w+:)?f>)\s*(?:<v\s*/>\s*|<v></v>\s*)?</(?:\w+:)?c>"
)
_MAX_CELLS = 5_000_000
_MAX_COLUMNS = 1000
"""Bounds of one file, chosen by us: beyond them a sheet is data for a database."""

Source = Path | IO[bytes]


def parse_xlsx(
    source: Source,
    progress: Callable[[float], None] | None = None,
    *,
    active_only: bool = False,
) -> tuple[tuple[Page, ...], tuple[str, ...]]:
    """One page with a heading for each named sheet and its tables, and the flags.

    Raises:
        CorruptDocument: the workbook cannot be read.
        TooLarge: it has too many cells.
    """
    if isinstance(source, Path):
        # Stored files have no extension, and openpyxl judges paths by it.
        with source.open("rb") as stream:
            return parse_xlsx(stream, progress, active_only=active_only)
    import openpyxl

    flags: dict[str, None] = {}
    try:
        workbook = openpyxl.load_workbook(source, read_only=True, data_only=True)
    except Exception as error:  # openpyxl lets KeyError, ValueError, ParseError … through
        raise damaged(f"{type(error).__name__}: {error}") from error
    blocks: list[Block] = []
    try:
        with zipfile.ZipFile(source) as archive:
            sheets = list(workbook.worksheets)
            if any(sheet.sheet_state != "visible" for sheet in sheets):
                flags["hidden_sheet"] = None
            visible = [s for s in sheets if s.sheet_state == "visible"] or sheets
            if active_only:
                visible = [workbook.active] if workbook.active in visible else visible[:1]
            cells = 0
            for position, sheet in enumerate(visible):
                raw = _sheet_xml(archive, sheet)
                if _FORMULA_WITHOUT_VALUE.search(raw):
                    flags["formula_without_value"] = None
                try:
                    rows = _rows(sheet, _MAX_CELLS - cells)
                except (ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
                    raise damaged(f"{sheet.title}: {error}") from error
                cells += sum(map(len, rows))
                depth = _fill_merged(rows, _merged_ranges(raw))
                found = sheet_blocks(rows, depth)
                named = len(visible) > 1 or not _DEFAULT_NAME.fullmatch(sheet.title.strip())
                if found and named:
                    blocks.append(Block(kind="heading", text=sheet.title.strip(), level=1))
                blocks.extend(found)
                if progress is not None:
                    progress((position + 1) / len(visible))
    finally:
        workbook.close()
    return (Page(number=1, blocks=tuple(blocks)),), tuple(flags)


def cell_text(value: Any, number_format: str = "General") -> str:
    """A cell's value as people see it: dates as 2024-05-01, .16 as 16% where so formatted."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, datetime):
        whole = value.time() == time(0)
        return value.date().isoformat() if whole else value.isoformat(" ", "minutes")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, int | float):
        return _number(value, number_format)
    text = str(value)
    return "" if text.startswith("=DISPIMG(") else text.replace("_x000D_", "").strip()


def _number(value: float, number_format: str) -> str:
    # Quoted texts and colours in a format may hold any letter, so drop them first.
    format_ = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", number_format.split(";")[0])
    match = re.search(r"0\.(0+)", format_)
    digits = len(match[1]) if match else 0
    if "%" in format_:
        places = digits if match else (0 if float(value * 100).is_integer() else 2)
        return f"{value * 100:.{places}f}%"
    if re.search(r"0E[+-]", format_, re.IGNORECASE):
        return repr(value)
    if "," in format_ and "#" in format_:
        return f"{value:,.{digits}f}"
    if match:
        return f"{value:.{digits}f}"
    if isinstance(value, float):
        # Repeating 0.1 + 0.2 in binary is noise; 12 digits are more than people typed.
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"
    return str(value)


def _rows(sheet: Any, limit: int) -> list[list[str]]:
    # Some writers declare a wrong extent; without it rows are read as they come.
    sheet.reset_dimensions()
    rows: list[list[str]] = []
    cells = 0
    for row in sheet.iter_rows(max_col=_MAX_COLUMNS):
        texts = [cell_text(c.value, getattr(c, "number_format", "General")) for c in row]
        while texts and not texts[-1]:
            texts.pop()
        rows.append(texts)
        cells += len(texts)
        if cells > limit or len(rows) > _MAX_CELLS:
            raise TooLarge(
                f"表格超过 {_MAX_CELLS // 10000} 万个单元格。",
                "请拆分成几个文件，或只保留需要检索的行和列。",
                message_en=f"The workbook has more than {_MAX_CELLS:,} cells.",
                remedy_en="Split it, or keep only the rows and columns to be searched.",
            )
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _sheet_xml(archive: zipfile.ZipFile, sheet: Any) -> bytes:
    path = str(getattr(sheet, "_worksheet_path", "")).lstrip("/")
    return read_member(archive, path) if path in archive.namelist() else b""


def _merged_ranges(raw: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Top, left, bottom, right of each merged range, from 0."""
    for match in _MERGE.finditer(raw):
        left, right = _column(match[1]), _column(match[3])
        yield int(match[2]) - 1, left, int(match[4]) - 1, right


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def _fill_merged(rows: list[list[str]], ranges: Iterator[tuple[int, int, int, int]]) -> list[int]:
    """Copy the first cell of each merged range into its other cells.

    Returns for each row how many rows its merged cells reach down (1 without any).
    """
    depth = [1] * len(rows)
    used = max(map(len, rows), default=0)  # a title may be merged far beyond the table
    for top, left, bottom, right in ranges:
        if top >= len(rows) or left >= len(rows[top]) or not rows[top][left]:
            continue
        depth[top] = max(depth[top], bottom - top + 1)
        value = rows[top][left]
        for row in rows[top : min(bottom + 1, len(rows))]:
            width = min(right + 1, used)
            row.extend([""] * (width - len(row)))
            row[left:width] = [value] * (width - left)
    return depth
