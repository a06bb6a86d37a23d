"""Questions over a whole column: all its values, or the row with the most or the least."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from rag.answer.asks import Asked, key_answers
from rag.answer.layout import bullets, remarks, sentence, shown_table
from rag.answer.pieces import Piece, about, pieces
from rag.answer.rank import Question
from rag.answer.record import SERIAL, of_noun, value_in
from rag.answer.rows import tables
from rag.answer.terms import content_terms, coverage
from rag.answer.values import find_values
from rag.text.normalise import normalise
from rag.types import Evidence

MOST_VALUES = 20
"""Values of one column that are listed."""
_MOST = re.compile(r"最(?:贵|高|多|大|长|久|慢|重|远|好)")
_LEAST = re.compile(r"最(?:便宜|低|少|小|短|快|轻|近|省)")
_MONEY = re.compile(r"最(?:贵|便宜|省)")
_WHICH = re.compile(r"哪|什么|谁|叫啥")
_MAY = re.compile(
    r"(?:能|可以|可|让|允许|准).{1,16}(?:吗|不|么|嘛|没)[？?。！\s]*$|能不能|可不可以|是否可以|可否"
)
_ALL = re.compile(r"有哪些|有哪几|哪几[种类个款张]|都有什么|都有啥|有什么|列出|全部|所有|几种")


class _Cell(NamedTuple):
    """One value of a row or record; `name` is what the row is called."""

    n: int
    name: str
    key: str
    value: str
    piece: Piece


def superlative(question: Question, evidence: Sequence[Evidence]) -> str:
    """The row with the most or the least of a number column, or "" when none is asked for."""
    sign = 1 if _MOST.search(question.text) else -1 if _LEAST.search(question.text) else 0
    if not sign or not _WHICH.search(question.text):
        return ""
    columns: dict[tuple[str, str], list[tuple[Decimal, _Cell]]] = {}
    for cell in _cells(question, evidence):
        number = _number(cell.value)
        if number is not None:
            document = next(e.chunk.document_id for e in evidence if e.n == cell.n)
            columns.setdefault((document, cell.key), []).append((number, cell))
    rated = [
        (_column_fit(question, key), len(rows), rows)
        for (_, key), rows in columns.items()
        if len(rows) > 1
    ]
    fit, _, rows = max(rated, key=lambda one: one[:2], default=(0.0, 0, []))
    if fit < 0.5:
        return ""
    best = max(number * sign for number, _ in rows)
    chosen = [cell for number, cell in rows if number * sign == best][:4]
    return "".join(sentence(f"{cell.name}，{cell.key}：{cell.value}", cell.n) for cell in chosen)


def column(question: Question, best: Piece, evidence: Sequence[Evidence]) -> str:
    """All values of the column that a list question names (都有哪些卡种), or ""."""
    if best.kind != "pair" or best.group < 0 or not _ALL.search(question.focus):
        return ""
    source = next((item for item in evidence if item.n == best.n), None)
    if source is None:
        return ""
    found: dict[str, Piece] = {}
    for item in sorted(evidence, key=lambda one: one.chunk.ordinal):
        if item.chunk.document_id != source.chunk.document_id:
            continue
        for record in _records(item):
            if any(len(value_in(p)) > 2 and value_in(p) in question.text for p in record):
                return ""  # the question names one row: its own fields are asked for
            for piece in of_noun(question, record)[:1]:
                found.setdefault(value_in(piece), piece._replace(body=value_in(piece)))
    if len(found) < 2:
        return ""
    lead = next(iter(found.values())).key
    return bullets(sentence(f"{lead}：", 0), list(found.values())[:MOST_VALUES])


def allowed(question: Question, evidence: Sequence[Evidence]) -> str:
    """The column that a yes-or-no question names with one of its values but without a row
    (高铁能坐一等座吗): which rows have that value is the answer. "" for any other question."""
    if not _MAY.search(question.text):
        return ""
    asked = normalise(question.text)
    for rows in tables(evidence):
        piece = rows[0].cells[0].piece
        if not piece.cells or any(normalise(row.cells[0].value) in asked for row in rows):
            continue
        for at, column_name in enumerate(piece.header):
            names = [normalise(n) for n in re.split(r"[或/、（(）)]", column_name) if len(n) > 1]
            if not at or not any(name in asked for name in names):
                continue
            values = {normalise(row.cells[0].piece.cells[at]) for row in rows}
            if any(len(v) > 1 and v in asked and not v.isdigit() for v in values):
                return shown_table([_narrow(row.cells[0].piece, at) for row in rows][:MOST_VALUES])
    return ""


def _narrow(row: Piece, at: int) -> Piece:
    """A row with its first cell, that of one column and remarks."""
    kept = [i for i in (0, at, *remarks(row.header)) if i < len(row.cells)]
    return row._replace(
        header=tuple(row.header[i] for i in kept), cells=tuple(row.cells[i] for i in kept)
    )


def _cells(question: Question, evidence: Sequence[Evidence]) -> Iterator[_Cell]:
    for item in evidence:
        if coverage(question.terms, f"{about(item.chunk)}\n{item.text}") < 0.3:
            continue
        for piece in pieces(item):
            if piece.cells:
                for key, value in zip(piece.header[1:], piece.cells[1:], strict=False):
                    yield _Cell(item.n, piece.cells[0], key, value, piece)
        for record in _records(item):
            names = [p for p in record if not SERIAL.search(p.key)] or record
            for piece in record:
                yield _Cell(item.n, value_in(names[0]), piece.key, value_in(piece), piece)


def _records(item: Evidence) -> list[list[Piece]]:
    """Records of one line each, as their fields."""
    groups: dict[int, list[Piece]] = {}
    for piece in pieces(item):
        if piece.group >= 0:
            groups.setdefault(piece.group, []).append(piece)
    return [
        record
        for record in groups.values()
        if len(record) > 1 and "\n" not in item.text[record[0].start : record[-1].end].strip()
    ]


def _number(value: str) -> Decimal | None:
    """The number of a cell that holds one (680, 7个工作日), else None."""
    found = [v for v in find_values(value) if v.kind in ("money", "count", "duration", "number",
                                                          "percent")]  # fmt: skip
    if len(found) != 1 or len(value) > len(found[0].text) + 2:
        return None
    return Decimal(found[0].value)


def _column_fit(question: Question, key: str) -> float:
    if _MONEY.search(question.text):
        return 1.0 if key_answers(Asked(wanted="value", kinds=frozenset({"money"})), key) else 0.0
    terms = content_terms(re.sub(r"[（(].*?[)）]", "", key))
    return coverage(terms, question.text) if terms else 0.0
