"""Sets chosen pieces as Markdown: sentences, lists and tables, each part with its `[n]`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.markup import escape
from rag.answer.pieces import Piece
from rag.answer.rank import Question, key_fit
from rag.answer.terms import coverage
from rag.text.normalise import normalise

_OPEN_END = re.compile(r"[；;，,、\s]+$")
_CLOSED = ("。", "！", "？", "!", "?", "…", "”", "」", "』", ".", "：", ":")


def mark(n: int) -> str:
    """The citation mark of evidence `n`."""
    return f"[{n}]"


def quote(piece: Piece, *, cited: bool = True) -> str:
    """One piece as a sentence with its mark; a trailing ；or ， becomes 。 so that it can stand
    alone."""
    return sentence(piece.body, piece.n if cited else 0)


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
    """Rows of one table under their header; a single cell that was asked for comes first."""
    header = rows[0].header
    rows = [row for row in rows if row.header == header]
    lines: list[str] = []
    if question is not None and len(rows) == 1:
        direct = _cell_asked_for(question, rows[0])
        if direct:
            lines += [direct, ""]
    width = max(len(header), *(len(row.cells) for row in rows))
    lines.append(_table_line([escape(cell) for cell in _padded(header, width)]))
    lines.append(_table_line(["---"] * width))
    for row in rows:
        cells = [escape(cell) for cell in _padded(row.cells, width)]
        cells[-1] = f"{cells[-1]} {mark(row.n)}".strip()
        lines.append(_table_line(cells))
    return "\n".join(lines)


def row_words(row: Piece) -> str:
    """A row as `column：value` parts."""
    cells = zip(row.header, row.cells, strict=False)
    return "；".join(f"{column}：{cell}" if column else cell for column, cell in cells if cell)


def _cell_asked_for(question: Question, row: Piece) -> str:
    """The one cell that the question is about, with its column's name, or an empty string."""
    named = [
        (column, cell)
        for column, cell in zip(row.header[1:], row.cells[1:], strict=False)
        if any(term.name and term.text == normalise(column) for term in question.terms)
    ]
    if len(named) == 1 and named[0][1]:
        # Columns are the things (models), rows their properties.
        return sentence(f"{row.cells[0]}（{named[0][0]}）：{named[0][1]}", row.n)
    scored = []
    for column, cell in zip(row.header, row.cells, strict=False):
        in_cell = coverage(question.terms, cell) if cell else 1.0
        scored.append((key_fit(question, column) - in_cell, column, cell))
    best = max(scored, default=(0.0, "", ""))
    if best[0] < 0.2 or not best[2]:
        return ""
    return sentence(f"{best[1]}：{best[2]}", row.n)


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
