"""XLSX: every visible sheet, merged cells filled, values as people see them."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import IO, Any

from rag.errors import TooLarge
from rag.ingest.archive import damaged
from rag.ingest.parse.ooxml import Package
from rag.ingest.parse.pictures import Pictures
from rag.ingest.parse.sheet import sheet_blocks
from rag.ingest.parse.xlsx_cells import PICTURE_FORMULA, cell_text, know_chinese_dates
from rag.ingest.parse.xlsx_sheet import SheetXml, cell_pictures, fill_merged, read_part
from rag.settings import IngestSettings
from rag.types import Block, Page

_DEFAULT_NAMES = ("sheet", "工作表", "シート")
_MAX_CELLS = 5_000_000
"""Bound of one file, chosen by us: beyond it a sheet is data for a database."""

_MAX_COLUMNS = 16_384
"""Columns of a sheet in Excel; those beyond come from damaged files."""

_USUAL_COLUMNS = 1000
_MAX_WIDE_CELLS = 1_000_000
"""Columns that are read of a wider sheet with more cells, empty ones to the last included: a
lone cell at the far right would else fill memory. Chosen by us."""

_MAX_ROWS = 1_048_576
"""Rows of a sheet in Excel; numbers beyond come from damaged files."""

_REPORT_EVERY = 5000
"""Rows between two calls of the progress function."""

_DAMAGES = (
    SyntaxError, ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError,
    EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What openpyxl lets through for a damaged sheet (broken XML is a SyntaxError)."""

Source = Path | IO[bytes]


def parse_xlsx(
    source: Source,
    settings: IngestSettings,
    progress: Callable[[float], None] | None = None,
    *,
    active_only: bool = False,
) -> tuple[tuple[Page, ...], tuple[str, ...]]:
    """One page with a heading for each named sheet, its tables, text boxes and pictures, and
    the flags. Hidden sheets, rows and columns are left out and flagged.

    Args:
        active_only: read only the sheet that was shown last, as in a workbook that is
            embedded in a document.

    Raises:
        CorruptDocument: the workbook cannot be read.
        TooLarge: it has too many cells.
    """
    if isinstance(source, Path):
        # Stored files have no extension, and openpyxl judges paths by it.
        with source.open("rb") as stream:
            return parse_xlsx(stream, settings, progress, active_only=active_only)
    import openpyxl

    know_chinese_dates()
    try:
        workbook = openpyxl.load_workbook(source, read_only=True, data_only=True)
    except Exception as error:  # openpyxl lets KeyError, ValueError, ParseError … through
        raise damaged(f"{type(error).__name__}: {error}") from error
    try:
        with Package(source) as package:
            reader = _Reader(package, settings, progress)
            blocks = reader.read(_visible(workbook, reader.flags, active_only))
    finally:
        workbook.close()
    return (Page(number=1, blocks=tuple(blocks)),), tuple(reader.all_flags)


def _visible(workbook: Any, flags: dict[str, None], active_only: bool) -> list[Any]:
    sheets = list(workbook.worksheets)
    visible = [sheet for sheet in sheets if sheet.sheet_state == "visible"] or sheets
    if len(visible) < len(sheets) and not active_only:
        flags["hidden_sheet"] = None
    if active_only:
        return [workbook.active] if workbook.active in visible else visible[:1]
    return visible


class _Reader:
    """Reads sheet by sheet; counts cells and gathers flags."""

    def __init__(
        self,
        package: Package,
        settings: IngestSettings,
        progress: Callable[[float], None] | None,
    ) -> None:
        self._package = package
        self._progress = progress
        self._share = 0.0
        self._pictures = Pictures(settings, self._report)
        self._in_cells = cell_pictures(package)
        self._cells = 0
        self.flags: dict[str, None] = {}

    @property
    def all_flags(self) -> dict[str, None]:
        """What was noticed, pictures included."""
        return {**self.flags, **self._pictures.flags}

    def read(self, sheets: list[Any]) -> list[Block]:
        """The blocks of the sheets."""
        blocks: list[Block] = []
        for position, sheet in enumerate(sheets):
            name = sheet.title.strip()
            found = self._sheet(sheet)
            if found and (len(sheets) > 1 or not _is_default(name)):
                blocks.append(Block(kind="heading", text=name, level=1))
            blocks.extend(found)
            self._share = (position + 1) / len(sheets)
            self._report()
        return blocks

    def _report(self) -> None:
        if self._progress is not None:
            self._progress(self._share)

    def _sheet(self, sheet: Any) -> list[Block]:
        xml = SheetXml(self._package, str(getattr(sheet, "_worksheet_path", "")).lstrip("/"))
        if xml.has_empty_formulas:
            self.flags["formula_without_value"] = None
        try:
            rows = self._rows(sheet, _MAX_COLUMNS)
            if rows is None:
                rows = self._rows(sheet, _USUAL_COLUMNS) or []
        except _DAMAGES as error:
            raise damaged(f"{sheet.title}: {error}") from error
        depth = fill_merged(rows, xml.merged_ranges())
        rows, depth = self._shown(rows, depth, xml)
        return [*sheet_blocks(rows, depth), *xml.drawn_blocks(self._pictures)]

    def _rows(self, sheet: Any, columns: int) -> list[list[str]] | None:
        """The texts of the cells in so many columns, the rest flagged; None for a sheet of
        more than the usual columns that is too large to be read so."""
        # Some writers declare a wrong extent; without it rows are read as they come.
        sheet.reset_dimensions()
        rows: list[list[str]] = []
        cells = widest = 0
        # A last column would fill up every row to it, empty ones included.
        for row in islice(sheet.iter_rows(), _MAX_ROWS):
            texts = [self._text(cell) for cell in row[:columns]]
            if any(cell.value is not None for cell in row[columns:]):
                self.flags["skipped_columns"] = None
            while texts and not texts[-1]:
                texts.pop()
            rows.append(texts)
            cells += len(texts)
            widest = max(widest, len(texts))
            if widest > _USUAL_COLUMNS and widest * len(rows) > _MAX_WIDE_CELLS:
                return None
            if self._cells + cells > _MAX_CELLS:
                raise _too_many_cells()
            if len(rows) % _REPORT_EVERY == 0:
                self._report()
        self._cells += cells
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def _text(self, cell: Any) -> str:
        value = cell.value
        if value is None:
            return ""
        if isinstance(value, str):
            picture = PICTURE_FORMULA.match(value) if "DISPIMG" in value.upper() else None
            if picture is not None:
                part = self._in_cells.get(picture[1])
                blocks = read_part(self._package, part, self._pictures)
                return "\n".join(block.text for block in blocks)
            return cell_text(value)
        return cell_text(value, cell.number_format)

    def _shown(
        self, rows: list[list[str]], depth: list[int], xml: SheetXml
    ) -> tuple[list[list[str]], list[int]]:
        """Without hidden rows and columns, which are flagged where they hold something."""
        hidden_rows, hidden_columns = xml.hidden_rows(), xml.hidden_columns()
        kept: list[list[str]] = []
        reach: list[int] = []
        lost = False
        for index, row in enumerate(rows):
            if index in hidden_rows:
                lost = lost or any(row)
                continue
            if not row and kept and not kept[-1]:
                continue  # one blank row says as much as a million
            if hidden_columns:
                lost = lost or any(cell for i, cell in enumerate(row) if i in hidden_columns)
                row = [cell for i, cell in enumerate(row) if i not in hidden_columns]
            kept.append(row)
            reach.append(depth[index])
        if not any(map(any, kept)):
            return rows, depth  # all is hidden: then nobody meant to
        if lost:
            self.flags["hidden_cells"] = None
        return kept, reach


def _is_default(name: str) -> bool:
    """Whether a sheet's name is the one that programs give."""
    core = name.lower().rstrip("0123456789 ()")
    return core in _DEFAULT_NAMES


def _too_many_cells() -> TooLarge:
    return TooLarge(
        f"表格超过 {_MAX_CELLS // 10000} 万个单元格。",
        "请拆分成几个文件，或只保留需要检索的行和列。",
        message_en=f"The workbook has more than {_MAX_CELLS:,} cells.",
        remedy_en="Split it, or keep only the rows and columns to be searched.",
    )
