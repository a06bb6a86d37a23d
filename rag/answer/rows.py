"""Finds the one row that a question means, and the one cell of it that is asked for.

Rows are told apart by everything that the question names: dates in any form (10月3号 is
2025-10-03), ordinals (第2批), codes, names. A row that holds another value where the question
names one (another date, 下午 for 上午) is not the one; where all rows do, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag.answer.asks import answers_kind, key_answers
from rag.answer.contrast import opposed
from rag.answer.fields import column_names, named_columns, of_unit
from rag.answer.layout import remarks, sentence
from rag.answer.pieces import Piece, pieces
from rag.answer.ranges import in_named_range
from rag.answer.rank import Question, Ranked
from rag.answer.terms import presence
from rag.answer.values import Found, find_values
from rag.text.normalise import normalise
from rag.text.similar import longest_common_substring
from rag.types import Evidence

PARTLY = 0.6
"""What a cell counts of which the question gives half or more, and no other row's; ours."""
CLEAR = 0.15
"""Lead in fit of the asked column over the next one; chosen by us."""
COLUMN_FITS = 0.5
IN_ITS_COLUMN = 0.5
"""What a value adds whose column the question names too (赫连云 under 白班); chosen by us."""
MOST_ROWS = 400
IN_FULL = 1.0
"""Weight of a row of which the question gives a value in full."""
LEAST_RECORDS = 3
"""Records of one line from which they make a table whose rows are told by name; ours."""
MOST_NAMES = 2
"""Values that name the row in an answer."""
TELLS = 0.5
"""Weight from which a word of the attribute tells columns apart; chosen by us."""

_WHICH_ROW = re.compile(
    r"^.{0,2}(?:哪(?:一)?[张个款种类项条家档]|什么(?:卡|型号|套餐|产品|项目)).{2,}"
)
"""The row itself is asked for by a value of it: 哪张卡赔600."""
_COUNTS = re.compile(r"(?:多少|几)\s*[个件台套只把条辆支名人份张块盒箱包瓶袋吨间本片](?!钱)|数量")
_COUNT_COLUMN = re.compile(r"数量|个数|件数|台数|套数|人数|份数|数$|(?<![订购容重质流用])量$|^数")
_MONEY_COLUMN = re.compile("价|费|金额|元|款|薪|资")
_WHO = re.compile("谁|哪位|何人|姓名|名字")
_NUMBERING = re.compile(
    r"^(?:[一二三四五六七八九十]+、|[（(][一二三四五六七八九十\d]+[)）]|[\d.]+)\s*"
)
_SLASHED = re.compile(r"(?<![\d/.])(1[0-2]|0?[1-9])/(3[01]|[12]\d|0?[1-9])(?![\d/.%])")
"""10/3 in a question; in documents it may be a fraction."""
_SUM = re.compile(r"合计|总计|小计|总额|总数|一共|共计")
LONGEST_REMARK = 60
_RESTRICTS = re.compile(r"仅|只|须|必须|限|除|不含|不包|以[上下]|起|满|不[得可能]|[折另]|[前后]")
_LATIN = re.compile(r"[a-z0-9]")
_ORDINAL = re.compile(r"第?([0-9]+)([\u4e00-\u9fff]?)")


class Cell(NamedTuple):
    """One filled cell: its column's name, its value and where it can be quoted from."""

    column: str
    value: str
    piece: Piece


class Row(NamedTuple):
    """A row of a table or a record of one line; `columns` names its kind of table, `above` is the
    row that heads it (三、减值准备)."""

    cells: tuple[Cell, ...]
    columns: tuple[str, ...]
    document: str
    n: int
    above: str = ""


class Fit(NamedTuple):
    """How a row fits: `weight` of the named cells, which they are, whether one conflicts."""

    row: Row
    weight: float
    named: tuple[Cell, ...]
    conflict: bool


class Answer(NamedTuple):
    """The cell that answers, its row, and how well both fit (about 1 to 6)."""

    score: float
    fit: Fit
    cell: Cell


def cell_asked_for(question: Question, evidence: Sequence[Evidence]) -> str:
    """`名称，列：值` of the one row and column that the question names, or ""."""
    found = _best_cell(question, evidence)
    return _said(question, found.fit, found.cell) if found else ""


def finds_cell(question: Question, evidence: Sequence[Evidence]) -> bool:
    """Whether the question gives a value of a row in full and its column's name or kind."""
    found = _best_cell(question, evidence)
    return found is not None and found.fit.weight >= IN_FULL


def of_document(ranked: Sequence[Ranked], evidence: Sequence[Evidence]) -> list[Evidence]:
    """The passages of the document that holds the best piece: no other's table may answer."""
    best = ranked[0].piece.order[0] if ranked else ""
    return [item for item in evidence if item.chunk.document_id == best]


def _best_cell(question: Question, evidence: Sequence[Evidence]) -> Answer | None:
    if _WHICH_ROW.search(question.focus):
        return None
    found: list[Answer] = []
    for rows in tables(evidence):
        best = best_rows(question, rows)
        answers = [(fit, _column(question, fit)) for fit in best]
        if len({chosen[1].value for _, chosen in answers if chosen}) != 1:
            continue
        fit, chosen = answers[0]
        if chosen is not None and all(other for _, other in answers):
            found.append(Answer(fit.weight + 2.0 * chosen[0], fit, chosen[1]))
    return max(found, key=lambda one: one.score, default=None)


def best_rows(question: Question, rows: Sequence[Row]) -> list[Fit]:
    """The rows that the question names best, alike; empty where it names none."""
    found = [fit for fit in fits(question, rows) if not fit.conflict and fit.named]
    top = max((fit.weight for fit in found), default=0.0)
    return [fit for fit in found if fit.weight >= top - 0.01]


def lacks_row(question: Question, evidence: Sequence[Evidence], best: Piece) -> bool:
    """Whether the question names a date, an ordinal or an opposite that all rows of the best
    piece's table differ from."""
    rows = _table_of(best, evidence)
    found = fits(question, rows)
    return len(rows) > 1 and all(fit.conflict for fit in found)


def names_row(question: Question, evidence: Sequence[Evidence], best: Piece) -> bool:
    """Whether the question names a value of some row of the best piece's table; True where
    that piece is in no table of several rows."""
    rows = _table_of(best, evidence)
    least = LEAST_RECORDS if best.key else 2
    return len(rows) < least or any(fit.named for fit in fits(question, rows))


def _table_of(best: Piece, evidence: Sequence[Evidence]) -> list[Row]:
    """The rows found of the table that a piece belongs to; empty when it belongs to none."""
    for rows in tables(evidence):
        if any(
            row.n == best.n and any(cell.piece.start == best.start for cell in row.cells)
            for row in rows
        ):
            return rows
    return []


def tables(evidence: Sequence[Evidence]) -> Iterator[list[Row]]:
    """Rows with the same columns in one document, tables in the order of the evidence."""
    tables: dict[tuple[str, tuple[str, ...]], list[Row]] = {}
    for item in evidence:
        for row in _rows(item):
            tables.setdefault((row.document, row.columns), []).append(row)
    yield from (rows[:MOST_ROWS] for rows in tables.values())


def _rows(item: Evidence) -> Iterator[Row]:
    document = item.chunk.document_id
    records: dict[int, list[Piece]] = {}
    for piece in pieces(item):
        if piece.cells and any(piece.header):
            cells = tuple(
                Cell(column, value, piece)
                for column, value in zip(piece.header, piece.cells, strict=False)
                if value.strip()
            )
            yield Row(cells, piece.header, document, item.n, piece.label)
        elif piece.group >= 0:
            records.setdefault(piece.group, []).append(piece)
    for members in records.values():
        one_line = "\n" not in item.text[members[0].start : members[-1].end].strip()
        if len(members) < 3 or not one_line:
            continue
        cells = tuple(
            Cell(p.key, p.body[len(p.key) + 1 :].strip(" ：:；;，,。"), p) for p in members
        )
        yield Row(cells, ("record", members[0].key), document, item.n)


def fits(question: Question, rows: Sequence[Row]) -> list[Fit]:
    """How each row fits what the question names, in their order."""
    text = normalise(question.text)
    dates = [value for value in find_values(question.text) if value.kind == "date"]
    dates = dates or [
        Found("date", f"--{int(m[1]):02d}-{int(m[2]):02d}", "", m.group(), *m.span())
        for m in _SLASHED.finditer(question.text)
    ]
    sizes = [value for value in find_values(question.text) if value.kind == "count"]
    return [_fit(text, (dates, sizes), row, rows) for row in rows]


def _fit(
    text: str, values: tuple[Sequence[Found], Sequence[Found]], row: Row, rows: Sequence[Row]
) -> Fit:
    dates, sizes = values
    above = normalise(_NUMBERING.sub("", row.above))
    weight, conflict = float(len(above) > 1 and above in text), False
    named: list[Cell] = []
    for cell in row.cells:
        value = normalise(cell.value)
        own = _date_of(cell.value)
        if own and dates:
            if any(_same_day(own.value, date.value) for date in dates):
                weight, named = weight + 2.0, [*named, cell]
            elif len(dates) == 1 and _is_key(cell, rows):
                conflict = True
            continue
        share = _given(text, cell, value, rows)
        if share:
            in_column = any(name in text for name in column_names(cell.column))
            weight += share + IN_ITS_COLUMN * in_column
            named.append(cell)
        elif (opposed(value, text) and _is_key(cell, rows)) or _other_size(cell, row, sizes):
            conflict = True
    return Fit(row, weight, tuple(named), conflict)


def _other_size(cell: Cell, row: Row, sizes: Sequence[Found]) -> bool:
    """Whether a row's first cell is a count of the question's unit and another number (30节)."""
    own = find_values(cell.value)
    if cell is not row.cells[0] or len(own) != 1 or len(own[0].text) < len(cell.value.strip()):
        return False
    alike = [s for s in sizes if s.unit == own[0].unit and s.unit and not s.bare_one]
    return bool(alike) and all(size.value != own[0].value for size in alike)


def _given(text: str, cell: Cell, value: str, rows: Sequence[Row]) -> float:
    """How far the question gives a cell's value: 1 or more in full, PARTLY in part, else 0."""
    if not value:
        return 0.0
    ordinal = _ORDINAL.fullmatch(value)
    if ordinal:
        unit = ordinal[2]
        names = [unit] if unit else [c for c in cell.column if "\u4e00" <= c <= "\u9fff"]
        return 1.5 if any(f"第{ordinal[1]}{name}" in text for name in names) else 0.0
    if f"{normalise(cell.column)}{value}" in text or (len(value) > 1 and _whole(value, text)):
        return 1.0 + 0.05 * min(len(value), 10)
    if in_named_range(text, value):
        return 1.0
    if len(value) < 3 or _LATIN.search(value):
        return 0.0
    run = longest_common_substring(value, text)
    others = [c.value for row in rows for c in row.cells if c.column == cell.column]
    alone = sum(run in normalise(other) for other in others) == 1
    return PARTLY if len(run) > 1 and 2 * len(run) >= len(value) and alone else 0.0


def _whole(value: str, text: str) -> bool:
    """Whether a value stands in the text by itself, not as part of a longer code or number."""
    before = r"(?<![a-z0-9.])" if _LATIN.match(value[0]) else ""
    after = r"(?![a-z0-9]|\.\d)" if _LATIN.match(value[-1]) else ""
    return re.search(before + re.escape(value) + after, text) is not None


def _is_key(cell: Cell, rows: Sequence[Row]) -> bool:
    """Whether a column is filled in most rows by values of this kind: it tells rows apart."""
    filled = sum(any(c.column == cell.column for c in row.cells) for row in rows)
    return 2 * filled > len(rows)


def _date_of(value: str) -> Found | None:
    """The date that a cell is, or None."""
    found = [one for one in find_values(value) if one.kind == "date"]
    return found[0] if len(found) == 1 and len(value) <= len(found[0].text) + 4 else None


def _same_day(left: str, right: str) -> bool:
    """Whether two dates agree in all parts that both have."""
    mine, other = left.replace("--", "-", 1).split("-"), right.replace("--", "-", 1).split("-")
    return all(a == b for a, b in zip(mine, other, strict=False) if a and b)


def _column(question: Question, fit: Fit) -> tuple[float, Cell] | None:
    """The cell of the row that is asked for with its fit; None when none or several fit."""
    given = set(fit.named)
    columns = named_columns(question, [cell.column for cell in fit.row.cells])
    rated = sorted(
        ((_column_fit(question, cell, fit.named, columns), -i)
         for i, cell in enumerate(fit.row.cells) if cell not in given),
        reverse=True,
    )  # fmt: skip
    if not rated or rated[0][0] < COLUMN_FITS:
        return None
    if len(rated) > 1 and rated[0][0] - rated[1][0] < CLEAR:
        return None
    return rated[0][0], fit.row.cells[-rated[0][1]]


def _column_fit(
    question: Question, cell: Cell, given: Sequence[Cell], columns: frozenset[str]
) -> float:
    """How well a column answers, by its name (one of `columns`, those that are named), by what
    is asked for and by what it holds, 0..1+."""
    asked, focus = question.asked, normalise(question.focus)
    if _SUM.search(cell.value):
        return 0.0
    names = column_names(cell.column)
    spoken = [name for name in names if name in focus] if cell.column in columns else []
    where = max((focus.rfind(name) + len(name) for name in spoken), default=0)
    named = 0.6 + 0.4 * where / max(1, len(focus)) if where else 0.0
    if "/" in cell.column and names[1:] and names[1] not in focus:
        named *= 0.5  # of two levels only the outer one is named
    kind = key_answers(asked, cell.column)
    one = of_unit(question, cell.column)
    if one is not None:
        return float(one)
    if _COUNTS.search(focus):
        if _MONEY_COLUMN.search(cell.column):
            return 0.0
        kind = bool(_COUNT_COLUMN.search(cell.column))
    if asked.wanted == "person" or _WHO.search(focus):
        kind = kind or (bool(where) and not any(c.isdigit() for c in cell.value))
    holds = _holds(question, cell)
    if not named and not kind:
        return 0.0
    if not named and not _COUNTS.search(focus) and _other_attribute(question, cell, given):
        return 0.0
    return (named + 0.5 * kind) * (1.0 if holds else 0.3)


def _other_attribute(question: Question, cell: Cell, given: Sequence[Cell]) -> bool:
    """Whether the question names an attribute of which neither the column nor what it gives of
    the row says anything: 住宿标准 is not answered by 体检标准."""
    known = " ".join((cell.column, *(f"{c.column} {c.value}" for c in given)))
    left = [t for t in question.attribute if not presence(t.text, known) and t.weight >= TELLS]
    return bool(left)


def _holds(question: Question, cell: Cell) -> bool:
    """Whether the cell can hold what is asked for: numbers for amounts, a date for a day."""
    asked = question.asked
    if asked.kinds and asked.kinds <= {"date", "time", "duration"}:
        return answers_kind(asked, cell.value) or any(c.isdigit() for c in cell.value)
    if asked.kinds or asked.wanted == "phone":
        return any(c.isdigit() for c in cell.value)
    if asked.wanted == "person":
        return not any(c.isdigit() for c in cell.value)
    return True


def _said(question: Question, fit: Fit, cell: Cell) -> str:
    """The cell after the values that name its row: 圆锥滚子轴承，数量：350."""
    names = [c.value for c in fit.named[:MOST_NAMES] if c.column != cell.column]
    if cell.piece.key:
        text, more = "，".join([*names, cell.piece.body]), _restrictions(question, fit, cell)
        return sentence(text.rstrip("；;，,。 ") + more if more else text, fit.row.n)
    if any(term.name and term.text == normalise(cell.column) for term in question.terms):
        return sentence(f"{'，'.join(names)}（{cell.column}）：{cell.value}", fit.row.n)
    text = "，".join([*names, f"{cell.column}：{cell.value}"])
    return sentence(text + _restrictions(question, fit, cell), fit.row.n)


def _restrictions(question: Question, fit: Fit, cell: Cell) -> str:
    """What the row's remarks say that restricts its value (仅限首次), to stand behind it."""
    if not any(c.isdigit() for c in cell.value) or not question.asked.kinds:
        return ""
    others = [c for c in fit.row.cells if c is not cell and c not in fit.named]
    texts = [
        f"；{c.column}：{c.value.strip('；;，,。 ')}"
        for c in others
        if remarks(("", c.column)) and _RESTRICTS.search(c.value) and len(c.value) <= LONGEST_REMARK
    ]
    return "".join(texts)
