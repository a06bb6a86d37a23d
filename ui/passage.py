"""Passages of documents as safe HTML: the quoted part highlighted, tables as tables."""

from __future__ import annotations

import re

from ui.words import escape

_BLANK_LINES = re.compile(r"\n[ \t\u3000]*(?:\n[ \t\u3000]*)+")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:\-]+")
_KEPT_AROUND = 1
"""Table rows kept on each side of a quoted row; the header is always kept."""


def quote_html(text: str, span: tuple[int, int], around: int = 90) -> str:
    """A passage with `span` highlighted.

    Args:
        text: the whole passage.
        span: the quoted characters; an empty or wrong range highlights nothing.
        around: characters of running text kept on each side of the quote.
    """
    start, end = max(0, min(span[0], len(text))), max(0, min(span[1], len(text)))
    if start >= end:
        return passage_html(text[: 2 * around], cut=len(text) > 2 * around)
    table = _table_around(text, start, end)
    if table is not None:
        return _table_html(text, *table, hit=(start, end), whole=around >= len(text))
    before, after = max(0, start - around), min(len(text), end + around)
    passage = (
        ("…" if before else "")
        + escape(text[before:start].lstrip("\n"))
        + f"<mark>{escape(text[start:end])}</mark>"
        + escape(text[end:after].rstrip("\n"))
        + ("…" if after < len(text) else "")
    )
    return _BLANK_LINES.sub("\n", passage)


def passage_html(text: str, cut: bool = False) -> str:
    """A whole passage; runs of Markdown table rows become tables."""
    pieces: list[str] = []
    position = 0
    for line_start, line_end in _lines(text):
        if line_start < position or not _is_row(text[line_start:line_end]):
            continue
        table_end = _table_end(text, line_start)
        pieces.append(_closed_up(text[position:line_start]))
        pieces.append(_table_html(text, line_start, table_end))
        position = table_end
    pieces.append(_closed_up(text[position:]) + ("…" if cut else ""))
    return "".join(pieces)


def _closed_up(text: str) -> str:
    return escape(_BLANK_LINES.sub("\n", text.strip("\n")))


def _lines(text: str) -> list[tuple[int, int]]:
    spans, position = [], 0
    for line in text.split("\n"):
        spans.append((position, position + len(line)))
        position += len(line) + 1
    return spans


def _is_row(line: str) -> bool:
    stripped = line.strip()
    return len(stripped) > 2 and stripped.startswith("|") and stripped.endswith("|")


def _table_end(text: str, start: int) -> int:
    end = start
    for line_start, line_end in _lines(text):
        if line_start >= start:
            if not _is_row(text[line_start:line_end]):
                break
            end = line_end
    return end


def _table_around(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The table that the quote lies in, or None when it lies in running text."""
    first: int | None = None
    for line_start, line_end in _lines(text):
        if _is_row(text[line_start:line_end]):
            first = line_start if first is None else first
            if line_start < end and start < line_end:
                return first, _table_end(text, first)
        else:
            first = None
    return None


def _table_html(
    text: str, start: int, end: int, hit: tuple[int, int] = (0, 0), whole: bool = True
) -> str:
    table = text[start:end]
    rows = [
        (table[a:b], a + start < hit[1] and hit[0] < b + start)
        for a, b in _lines(table)
        if not _RULE.fullmatch(table[a:b])
    ]
    kept = list(range(len(rows)))
    if not whole:
        hits = [index for index, (_, marked) in enumerate(rows) if marked]
        kept = [i for i in kept if i == 0 or any(abs(i - h) <= _KEPT_AROUND for h in hits)]
    body, last = [], -1
    for index in kept:
        if index > last + 1:
            body.append('<tr><td colspan="99">…</td></tr>')
        body.append(_row_html(rows[index][0], "th" if index == 0 else "td", rows[index][1]))
        last = index
    if last < len(rows) - 1:
        body.append('<tr><td colspan="99">…</td></tr>')
    return f"<table>{''.join(body)}</table>"


def _row_html(line: str, tag: str, marked: bool) -> str:
    cells = _CELL_BORDER.split(line.strip()[1:-1])
    texts = (escape(cell.strip().replace("\\|", "|")) for cell in cells)
    wrapped = (f"<mark>{text}</mark>" if marked and text else text for text in texts)
    return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in wrapped) + "</tr>"
