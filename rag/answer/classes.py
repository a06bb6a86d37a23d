"""Answers from a table whose columns or rows are classes that another place defines.

"P5去成都住宿": the table has a column for each class of city, and another table says that 成都 is
of the second class. The cell is given together with the place that says so; where the question
names nothing that tells the class, no cell may be picked and the caller shows them all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.answer.layout import remarks, row_words, sentence, shown_table
from rag.answer.pieces import Piece, pieces
from rag.answer.rank import Question, Ranked, own_words
from rag.answer.rows import Row, best_rows, tables
from rag.answer.terms import content_terms, coverage, presence
from rag.text.alternatives import Defined, alternatives, bare, defined, rest
from rag.text.normalise import normalise
from rag.types import Evidence

LOOKED_AT = 4
"""Best pieces among which the table is looked for; chosen by us."""
MOST_ROWS = 12
LEAST_HELD, LEAST_OTHERS = 0.5, 0.35
"""Share of the question, and of its words beside what names the class, that table and definitions
must hold: 去广州坐飞机 is not answered by the table of hotel rates; chosen by us."""
_NUMBERING = re.compile(r"^[\d.\s]+|^[一二三四五六七八九十]+、|^第\S{1,4}[章节条]\s*")
_CODE = re.compile(r"[A-Za-z0-9.\-_/]+")


class _Class(NamedTuple):
    """A class with the piece of the evidence that defines it."""

    name: str
    source: Piece
    member: str


class ClassCell(NamedTuple):
    """What a question means of a table: rows (one, or all where none is named), the column
    (its index) and the pieces that say so; they and the table hold `share` of the question."""

    rows: list[Piece]
    column: int
    sources: list[Piece]
    share: float

    @property
    def sure(self) -> bool:
        """Whether one single cell is meant."""
        return len(self.rows) == 1


def class_cell(
    question: Question,
    ranked: Sequence[Ranked],
    evidence: Sequence[Evidence],
    everything: Sequence[Evidence],
) -> ClassCell | None:
    """The cell whose column or row the question names through a definition, or None.

    Args:
        ranked: the pieces of `evidence`, best first.
        evidence: passages that agree with the question; tables are looked for there.
        everything: all passages; definitions are looked for there.
    """
    titled = {item.n for item in evidence if _named_table(question, item)}
    first = [one for one in ranked if one.piece.n in titled and one.piece.cells][:1]
    for one in [*first, *ranked[:LOOKED_AT]]:
        columns = alternatives(one.piece.header) if one.piece.cells else ()
        if columns:
            return _in_table(question, one, columns, everything)
    return None


def class_answer(found: ClassCell) -> str:
    """The cell (or the column of all rows) and what says that it is the one meant."""
    header = found.rows[0].header
    if found.sure:
        row = found.rows[0]
        parts = [f"{row.cells[0]}，{header[found.column]}：{row.cells[found.column]}"]
        parts += [f"{header[i]}：{row.cells[i]}" for i in remarks(header) if row.cells[i]]
        answer = sentence("；".join(parts), row.n)
    else:
        kept = [0, found.column, *remarks(header)]
        narrow = [
            row._replace(
                header=tuple(header[i] for i in kept), cells=tuple(row.cells[i] for i in kept)
            )
            for row in found.rows
            if len(row.cells) == len(header)
        ]
        answer = f"{header[found.column]}：\n\n{shown_table(narrow[:MOST_ROWS])}"
    return "\n\n".join([answer, *(_quoted(piece) for piece in found.sources)])


def _named_table(question: Question, item: Evidence) -> bool:
    """Whether the question names the heading that the passage stands under (住宿标准)."""
    heading = item.chunk.heading_path[-1] if item.chunk.heading_path else ""
    name = normalise(_NUMBERING.sub("", heading))
    return len(name) > 2 and name in normalise(question.text)


def _in_table(
    question: Question, best: Ranked, columns: Sequence[int], everything: Sequence[Evidence]
) -> ClassCell | None:
    header = best.piece.header
    document = best.piece.order[0]
    names = [bare(header[i]) for i in columns]
    asked = normalise(question.text)
    if all(_CODE.fullmatch(name) for name in names):
        return None
    own = [item for item in everything if item.chunk.document_id == document]
    others = [item for item in everything if item.chunk.document_id != document]
    table = next((rows for rows in tables(own) if rows[0].columns == header), [])
    named = [name for name in names if normalise(name) in asked]
    if len(named) > 1 or not table:
        return None
    kind = None if named else _class_of(question, names, own) or _class_of(question, names, others)
    kind = kind or (None if named else _rest_of(question, names, own, table))
    if not kind and not named:
        return None
    rows, row_kind = _rows(question, table, [*own, *others])
    if not kind and not row_kind:
        return None  # all is named outright
    column = columns[names.index(kind.name if kind else named[0])]
    sources = [one.source for one in (kind, row_kind) if one]
    named_by = [one.member for one in (kind, row_kind) if one]
    told = " ".join([own_words(best.piece), *named_by, *(own_words(piece) for piece in sources)])
    share = coverage(question.terms, told)
    rest_of_it = [t for t in question.terms if not presence(t.text, " ".join(named_by))]
    if share < LEAST_HELD or coverage(rest_of_it, told) < LEAST_OTHERS * bool(rest_of_it):
        return None
    if not _can_answer(question, rows, column):
        return None
    return ClassCell(rows, column, sources, share)


def _rows(
    question: Question, table: Sequence[Row], evidence: Sequence[Evidence]
) -> tuple[list[Piece], _Class | None]:
    """The row that the question names, itself or through a definition; else all of them."""
    whole = [row.cells[0].piece for row in table]
    fitting = best_rows(question, table)
    if len(fitting) == 1:
        return [fitting[0].row.cells[0].piece], None
    keys = [piece.cells[0] for piece in whole]
    elsewhere = [item for item in evidence if not _holds_table(item, whole[0].header)]
    kind = _class_of(question, keys, elsewhere)
    if kind:
        return [piece for piece in whole if piece.cells[0] == kind.name], kind
    return (list(whole), None) if not fitting else ([f.row.cells[0].piece for f in fitting], None)


def _holds_table(item: Evidence, header: tuple[str, ...]) -> bool:
    return any(piece.header == header for piece in pieces(item))


def _can_answer(question: Question, rows: Sequence[Piece], column: int) -> bool:
    """Whether the column holds numbers where an amount, a time or a number is asked for."""
    filled = [row.cells[column] for row in rows if column < len(row.cells)]
    numbers = all(any(c.isdigit() for c in cell) for cell in filled)
    return bool(filled) and (numbers or not question.asked.kinds)


def _class_of(
    question: Question, names: Sequence[str], evidence: Sequence[Evidence]
) -> _Class | None:
    for item in evidence:
        found = defined(names, question.text, item.text)
        source = _piece_at(item, found) if found else None
        if found and source:
            return _Class(found.name, source, found.member)
    return None


def _rest_of(
    question: Question, names: Sequence[str], evidence: Sequence[Evidence], table: Sequence[Row]
) -> _Class | None:
    """The class of all that no other lists, where the question names a thing of their kind."""
    for item in evidence:
        found = rest(names, item.text)
        thing = _of_their_kind(question, found.members, table) if found else ""
        source = _piece_at(item, found) if found and thing else None
        if found and source:
            return _Class(found.name, source, thing)
    return None


def _of_their_kind(question: Question, members: Sequence[str], table: Sequence[Row]) -> str:
    """What the question names of the kind that is listed, or "": a place where places are, or a
    word that ends as all listed ones do (眼科 beside 骨科 and 心内科)."""
    from rag.understand.regions import find_regions, is_region

    if all(is_region(member) for member in members):
        places = find_regions(question.text)
        return question.text[places[0].start : places[0].end] if len(places) == 1 else ""
    ends = {member[-1] for member in members}
    if len(ends) != 1:
        return ""
    known = normalise(" ".join([*(row.cells[0].value for row in table), *table[0].columns]))
    of_kind = (
        term.text
        for term in content_terms(question.text)
        if term.text[-1] in ends and len(term.text) > 1 and term.text not in known
    )
    return next(of_kind, "")


def _piece_at(item: Evidence, found: Defined) -> Piece | None:
    return next(
        (
            piece
            for piece in pieces(item)
            if piece.kind != "heading" and piece.start < found.end and piece.end > found.start
        ),
        None,
    )


def _quoted(piece: Piece) -> str:
    """A definition: of a row its key, the cell that lists and remarks; a sentence as it is."""
    if not piece.cells:
        return sentence(piece.body, piece.n)
    listing = max(range(1, len(piece.cells)), key=lambda i: len(piece.cells[i].split("、")))
    kept = sorted({0, listing, *remarks(piece.header)})
    kept = [i for i in kept if i < len(piece.cells) and i < len(piece.header)]
    narrow = piece._replace(
        cells=tuple(piece.cells[i] for i in kept), header=tuple(piece.header[i] for i in kept)
    )
    return sentence(row_words(narrow), piece.n)
