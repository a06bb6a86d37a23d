"""Sets chosen pieces as Markdown: sentences, lists and tables, each part with its `[n]`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.fields import key_fit, named_columns
from rag.answer.markup import escape
from rag.answer.pieces import Piece
from rag.answer.rank import Question
from rag.answer.terms import coverage
from rag.text.normalise import normalise

_OPEN_END = re.compile(r"[；;，,、\s]+$")
_REMARK = re.compile(r"备注|说明|适用|限制|附注|^注$|注意|要求|条件|例外")
_SERIAL = re.compile("^(?:序号|编号|No|#)", re.I)
ALIKE = 0.05
"""Difference in fit up to which two columns are asked for alike; chosen by us."""
_CLOSED = ("。", "！", "？", "!", "?", "…", "”", "」", "』", ".", "：", ":")


def mark(n: int) -> str:
    """The citation mark of evidence `n`."""
    return f"[{n}]"


def quote(piece: Piece, *, cited: bool = True) -> str:
    """One piece as a sentence with its mark; a trailing ；or ， becomes 。 so that it can stand
    alone."""
    body = row_words(piece) if piece.cells else piece.body
    return sentence(body, piece.n if cited else 0)


def sentence(text: str, n: int) -> str:
    """`text` escaped, closed and marked with `[n]` (no mark when n is 0)."""
    text = " ".join(text.split())
    if not text.endswith(_CLOSED):
        text = _OPEN_END.sub("", text) + ("" if _is_token(text) else "。")
    return escape(text) + (mark(n) if n else "")


def paragraph(chosen: Sequence[Piece]) -> str:
    """Sentences one after the other; those of another document begin a new paragraph."""
    parts: list[str] = []
    previous: Piece | None = None
    for piece in chosen:
        joined = "" if previous is None or _together(previous, piece) else "\n\n"
        parts.append(joined + quote(piece))
        previous = piece
    return "".join(parts)


def numbered(lead: str, items: Sequence[Piece]) -> str:
    """A numbered list in the order given, after its lead-in (a line of its own)."""
    lines = [f"{index}. {quote(piece)}" for index, piece in enumerate(items, start=1)]
    return "\n".join([*_lead_lines(lead), *lines])


def bullets(lead: str, items: Sequence[Piece]) -> str:
    """A list with dots, after its lead-in."""
    return "\n".join([*_lead_lines(lead), *(f"- {quote(piece)}" for piece in items)])


def shown_table(rows: Sequence[Piece], question: Question | None = None) -> str:
    """Rows of one table under their header; of one row, only the cell that was asked for."""
    header = rows[0].header
    rows = [row for row in rows if row.header == header]
    lines: list[str] = []
    if question is not None and len(rows) == 1:
        direct = _cell_asked_for(question, rows[0])
        if direct:
            return direct
    if question is not None:
        header, rows = _asked_columns(question, header, rows)
    width = max(len(header), *(len(row.cells) for row in rows))
    lines.append(_table_line([escape(cell) for cell in _padded(header, width)]))
    lines.append(_table_line(["---"] * width))
    for row in rows:
        cells = [escape(cell) for cell in _padded(row.cells, width)]
        cells[-1] = f"{cells[-1]} {mark(row.n)}".strip()
        lines.append(_table_line(cells))
    return "\n".join(lines)


def _asked_columns(
    question: Question, header: tuple[str, ...], rows: Sequence[Piece]
) -> tuple[tuple[str, ...], list[Piece]]:
    """The table with only its first column and those named in the question, if any are."""
    named = named_columns(question, header)
    fitting = [i for i in range(1, len(header)) if key_fit(question, header[i]) == 1.0]
    kept = [0] + ([i for i in fitting if header[i] in named] or fitting)
    kept += [i for i in remarks(header) if len(kept) > 1 and i not in kept]
    if len(kept) == 1 or any(len(row.cells) < len(header) for row in rows):
        return header, list(rows)
    narrow = [row._replace(cells=tuple(row.cells[i] for i in kept)) for row in rows]
    return tuple(header[i] for i in kept), narrow


def remarks(header: Sequence[str]) -> list[int]:
    """The columns that restrict what the others say: 备注, 说明, 适用范围."""
    return [i for i, column in enumerate(header) if i and _REMARK.search(column)]


def row_words(row: Piece) -> str:
    """A row as `column：value` parts."""
    cells = zip(row.header, row.cells, strict=False)
    return "；".join(f"{column}：{cell}" if column else cell for column, cell in cells if cell)


def asked_cell(question: Question, row: Piece) -> tuple[str, str]:
    """The column (its name) and the cell of a row that the question is about; two "" where
    there is none, or several alike."""
    found = asked_cells(question, row)
    return found[0] if len(found) == 1 else ("", "")


def asked_cells(question: Question, row: Piece) -> list[tuple[str, str]]:
    """The columns and cells of a row that the question is about: several where they fit alike
    (平日价, 周末价), of which none may be picked."""
    named = [
        (column, cell)
        for column, cell in zip(row.header[1:], row.cells[1:], strict=False)
        if any(term.name and term.text == normalise(column) for term in question.terms)
    ]
    if len(named) == 1 and named[0][1]:
        return named  # columns are the things (models), rows their properties
    scored = []
    for column, cell in zip(row.header, row.cells, strict=False):
        in_cell = coverage(question.terms, cell) if cell else 1.0
        scored.append((key_fit(question, column) - in_cell, column, cell))
    top = max((fit for fit, _, _ in scored), default=0.0)
    if top < 0.2:
        return []
    return [(column, cell) for fit, column, cell in scored if top - fit < ALIKE and cell]


def _cell_asked_for(question: Question, row: Piece) -> str:
    """The one cell asked for after its row's name, or an empty string."""
    column, cell = asked_cell(question, row)
    if not cell or (column == row.header[0] and question.asked.wanted == "text"):
        return ""
    if any(term.name and term.text == normalise(column) for term in question.terms):
        return sentence(f"{row.cells[0]}（{column}）：{cell}", row.n)
    if column == row.header[0]:
        return sentence(f"{column}：{cell}", row.n)
    return sentence(f"{_row_name(question, row)}，{column}：{cell}", row.n)


def _row_name(question: Question, row: Piece) -> str:
    """What a row is called: its first cell, unless that only counts the rows (序号)."""
    if not _SERIAL.search(row.header[0]) or len(row.cells) < 2:
        return row.cells[0]
    asked = normalise(question.text)
    given = [c for c in row.cells[1:] if len(c) > 1 and normalise(c) in asked]
    return given[0] if given else row.cells[1]


def _padded(cells: Sequence[str], width: int) -> list[str]:
    return [*cells, *[""] * (width - len(cells))]


def _table_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _lead_lines(lead: str) -> list[str]:
    return [lead, ""] if lead else []


def _together(left: Piece, right: Piece) -> bool:
    return left.n == right.n and left.kind == right.kind == "sentence"


def _is_token(text: str) -> bool:
    """A bare code, address or number: a full stop would look like a part of it."""
    return bool(re.search(r"[A-Za-z0-9/@_-]$", text)) and not re.search(r"[\u4e00-\u9fff]{6}", text)
