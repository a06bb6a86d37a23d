"""Finds tables that no rules divide, by their columns: part of the PDF parser.

Lines whose pieces keep to the same columns are a table, unless they are a form, a list or
columns of running text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from rag.ingest.headings import clause_label
from rag.ingest.lines import join_wrapped
from rag.ingest.parse.pdf_cells import Line, parted, with_exponents
from rag.ingest.parse.pdf_flow import is_flowing
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_page import Segment
from rag.ingest.parse.pdf_rows import Span, TextLine, is_full, rows_between, rows_of
from rag.ingest.table import is_value

MAX_COLUMNS = 15
_MIN_LINES = 3
_TALL_GAP = 2.6
_LONG = 14
_MIN_WORDS = 0.7
"""Lines of a table; in font sizes, the empty band that ends one; characters from which cells
that fill their column are running text; share of cells with a letter or digit, fewer are a
formula. Chosen by us."""

_LABELLED = re.compile(r"[^:：]{1,12}[:：].*")
_MARK = re.compile(
    r"[\d一二三四五六七八九十百]{0,4}[-–—•●○■▪◆◇➢✓→·▶►*.．、)）(（①-⑳\d一二三四五六七八九十]{0,4}"
)


def grow(lines: Sequence[TextLine], start: int) -> tuple[int, int, FoundTable] | None:
    """The table around the line `start`: its first line, the line behind it, and its cells.

    None when there is none. Lines above `start` are taken for its header where they fit.
    """
    first = lines[start]
    if len(first.pieces) < 2:
        return None
    spans: list[Span] = [(p.x0, p.x1) for p in first.pieces]
    end = start + 1
    while end < len(lines) and _is_near(lines[end - 1], lines[end]):
        wider = widened(spans, lines[end], lines[start:end])
        if wider is None:
            break
        spans = wider
        end += 1
    while end > start + 1 and not _belongs(lines, end - 1, spans):
        end -= 1
    spans = tidied(spans, lines[start:end])
    if end - start < 2 or not 2 <= len(spans) <= MAX_COLUMNS:
        return None
    begin = start
    while begin > 0 and start - begin < 2 and _is_near(lines[begin - 1], lines[begin]):
        above = lines[begin - 1]
        wider = widened(spans, above) if len(above.pieces) > 1 and not _labels(above) else None
        if wider is None or len(wider) != len(spans):
            break
        spans = wider
        begin -= 1
    groups: list[list[str]] = []
    body = begin
    while begin > 0 and len(groups) < 2 and _is_near(lines[begin - 1], lines[begin]):
        titles = spread(lines[begin - 1], spans)
        if titles is None:
            break
        groups.insert(0, titles)
        begin -= 1
    table = cells_of(lines[body:end], spans, groups)
    if table is None or not _is_table(lines[body:end], spans, table):
        return None
    table.bbox = (
        min(p.x0 for line in lines[begin:end] for p in line.pieces),
        min(line.y0 for line in lines[begin:end]),
        max(p.x1 for line in lines[begin:end] for p in line.pieces),
        max(line.y1 for line in lines[begin:end]),
    )
    return begin, end, table


def columns_of(lines: Sequence[TextLine]) -> list[Span] | None:
    """The columns that all lines keep to; None when they don't."""
    ordered = sorted(lines, key=lambda line: -len(line.pieces))
    spans: list[Span] = [(p.x0, p.x1) for p in ordered[0].pieces]
    for line in ordered[1:]:
        wider = widened(spans, line)
        if wider is None:
            return None
        spans = wider
    return spans


def cells_of(
    lines: Sequence[TextLine],
    spans: Sequence[Span],
    groups: Sequence[list[str]] = (),
    bands: Sequence[float] = (),
) -> FoundTable | None:
    """The table that the lines make in these columns.

    Args:
        groups: header rows above the lines, already spread over the columns.
        bands: where rules part the rows, from top to bottom; empty when none do.
    """
    for line in lines:
        line.cells = _placed(line, spans) or {}
    if bands:
        rows = rows_between(lines, bands)
    else:
        rows = rows_of(lines, spans)
    cells: list[list[str]] = [list(titles) for titles in groups]
    for row in rows:
        texts = [""] * len(spans)
        for column in range(len(spans)):
            parts = [with_exponents(line.cells[column]) for line in row if column in line.cells]
            texts[column] = " ".join(join_wrapped(parts).split())
        cells.append(texts)
    if not rows:
        return None
    middles = [(a[1] + b[0]) / 2 for a, b in pairwise(spans)]
    edges = (spans[0][0], *middles, spans[-1][1])
    last = rows[-1]
    full = tuple(
        any(is_full(line.cells[c], spans[c]) for line in last[-1:] if c in line.cells)
        for c in range(len(spans))
    )
    return FoundTable(
        (edges[0], lines[0].y0, edges[-1], lines[-1].y1),
        cells,
        tuple(round(edge, 1) for edge in edges),
        header=len(groups) + 1 if groups else 0,
        full=full,
        ruled=False,
    )


def spread(line: TextLine, spans: Sequence[Span], rules: Sequence[Span] = ()) -> list[str] | None:
    """A line of group titles as one text for each column that it stands above; None when
    the line is something else.

    Args:
        rules: horizontal extents of short rules below the titles, which say what they cover.
    """
    pieces = line.pieces
    if (len(pieces) < 2 and not rules) or _labels(line):
        return None
    touched: list[tuple[int, int]] = []
    for piece in pieces:
        rule = next((r for r in rules if r[0] <= (piece.x0 + piece.x1) / 2 <= r[1]), None)
        low, high = rule or (piece.x0, piece.x1)
        over = [i for i, s in enumerate(spans) if s[0] < high and s[1] > low]
        if not over:
            over = [min(range(len(spans)), key=lambda i: _apart(spans[i], piece))]
        touched.append((over[0], over[-1]))
    if any(a[1] >= b[0] for a, b in pairwise(touched)):
        return None
    if all(a == b for a, b in touched) and len(pieces) < 2:
        return None
    titles = [""] * len(spans)
    floor = 0
    for number, piece in enumerate(pieces):
        low, high = touched[number]
        ceiling = touched[number + 1][0] if number + 1 < len(pieces) else len(spans)
        middle = (piece.x0 + piece.x1) / 2
        ranges = [(a, b) for a in range(floor, low + 1) for b in range(high, ceiling)]
        low, high = min(
            ranges,
            key=lambda r: (round(abs((spans[r[0]][0] + spans[r[1]][1]) / 2 - middle)), r[0] - r[1]),
        )
        for column in range(low, high + 1):
            titles[column] = piece.text.strip()
        floor = high + 1
    if any(is_value(title) and not title.isdigit() for title in titles):
        return None
    return titles


def _labels(line: TextLine) -> bool:
    """Whether half of the pieces are labels with their values, as above a table of results."""
    labels = sum(bool(_LABELLED.fullmatch(piece.text.strip())) for piece in line.pieces)
    return labels >= 0.5 * len(line.pieces)


def _apart(span: Span, piece: Segment) -> float:
    return abs(span[0] + span[1] - piece.x0 - piece.x1)


def _is_near(above: TextLine, below: TextLine) -> bool:
    size = max(above.size, below.size)
    similar = size <= 1.5 * min(above.size, below.size)
    return similar and below.y0 - above.y1 <= _TALL_GAP * size


def _placed(line: TextLine, spans: Sequence[Span]) -> dict[int, Segment] | None:
    """The line's pieces by the columns they touch; pieces across gutters are cut there if
    they have a gap. None when that is impossible."""
    cells: dict[int, Segment] = {}
    for piece in line.pieces:
        over = [i for i, s in enumerate(spans) if s[0] <= piece.x1 and s[1] >= piece.x0]
        if len(over) > 1:
            parts = _cut(piece, spans, over)
            if parts is None:
                return None
        else:
            parts = {over[0]: piece} if over else {}
        for column, part in parts.items():
            if column in cells:
                return None
            cells[column] = part
    return cells


def _cut(piece: Segment, spans: Sequence[Span], over: Sequence[int]) -> dict[int, Segment] | None:
    middles = [(spans[a][1] + spans[b][0]) / 2 for a, b in pairwise(over)]
    found = parted(Line(piece.y0, piece.y1, piece.chars), [piece.x0, *middles, piece.x1])
    if found is None:
        return None
    cut: dict[int, Segment] = {}
    for index, part in found.items():
        segment = Segment(part.text, part.x0, piece.y0, part.x1, piece.y1, piece.size, piece.bold)
        segment.chars = part.chars
        cut[over[index]] = segment
    return cut


def widened(
    spans: Sequence[Span], line: TextLine, above: Sequence[TextLine] = ()
) -> list[Span] | None:
    """The columns, wider or more of them, so that the line keeps to them as well; None when
    it cannot.

    Args:
        above: lines that keep to the columns so far; two columns that none of them fills
            together may turn out to be one (a name over the middle of longer texts).
    """
    cells = _placed(line, spans)
    if cells is None:
        merged = _merged(spans, line, above)
        return widened(merged, line, above) if merged is not None else None
    wider = list(spans)
    for column, piece in cells.items():
        wider[column] = (min(wider[column][0], piece.x0), max(wider[column][1], piece.x1))
    placed = {id(piece) for piece in cells.values()}
    for piece in line.pieces:
        if id(piece) not in placed and not any(
            s[0] <= piece.x1 and s[1] >= piece.x0 for s in spans
        ):
            if len(line.pieces) == 1:
                return None
            wider.append((piece.x0, piece.x1))
    wider.sort()
    if any(a[1] > b[0] for a, b in pairwise(wider)):
        return None
    return wider


def _merged(spans: Sequence[Span], line: TextLine, above: Sequence[TextLine]) -> list[Span] | None:
    """The columns with two as one that a piece of the line covers and no line fills together."""
    for piece in line.pieces:
        over = [i for i, s in enumerate(spans) if s[0] <= piece.x1 and s[1] >= piece.x0]
        if len(over) == 2 and _never_both(spans[over[0]], spans[over[1]], above):
            both = (spans[over[0]][0], spans[over[1]][1])
            return [*spans[: over[0]], both, *spans[over[1] + 1 :]]
    return None


def _never_both(a: Span, b: Span, lines: Sequence[TextLine]) -> bool:
    return bool(lines) and not any(
        any(p.x0 <= a[1] and p.x1 >= a[0] for p in line.pieces)
        and any(p.x0 <= b[1] and p.x1 >= b[0] for p in line.pieces)
        for line in lines
    )


def tidied(spans: Sequence[Span], lines: Sequence[TextLine]) -> list[Span]:
    """The columns without one that only the first line fills, where its neighbour is empty."""
    found = list(spans)
    index = 0
    while index + 1 < len(found):
        a, b = found[index], found[index + 1]
        lone = any(not _fills(span, lines[1:]) for span in (a, b))
        if lone and _never_both(a, b, lines):
            found[index : index + 2] = [(a[0], b[1])]
        else:
            index += 1
    return found


def _fills(span: Span, lines: Sequence[TextLine]) -> bool:
    return any(p.x0 <= span[1] and p.x1 >= span[0] for line in lines for p in line.pieces)


def _belongs(lines: Sequence[TextLine], at: int, spans: Sequence[Span]) -> bool:
    """Whether the last line is a row of the table or the rest of one, not the text below."""
    line, above = lines[at], lines[at - 1]
    if len(line.pieces) > 1:
        return True
    upper, lower = _placed(above, spans) or {}, _placed(line, spans) or {}
    if line.y0 < above.y1 - 0.2 * line.size and not set(upper) & set(lower):
        return True
    column = next(iter(lower), None)
    if column is None or column not in upper:
        return False
    return is_full(upper[column], spans[column]) and not is_value(upper[column].text)


def _is_table(lines: Sequence[TextLine], spans: Sequence[Span], table: FoundTable) -> bool:
    """Whether lines that keep to columns are a table and not a form, a list or prose."""
    if is_form(table):
        return False
    cells = [cell for row in table.rows for cell in row if cell]
    if sum(any(map(str.isalnum, cell)) for cell in cells) < _MIN_WORDS * len(cells):
        return False
    pieces = [(c, piece) for line in lines for c, piece in line.cells.items()]
    if _are_articles(pieces, len(spans)):
        return False
    if all(_is_prose([p for c, p in pieces if c == k], spans[k]) for k in range(len(spans))):
        return False
    several = sum(len(line.cells) >= min(3, len(spans)) for line in lines)
    if len(spans) > 2:
        return several >= _MIN_LINES or (
            several == 2
            and not any(map(is_value, table.rows[0]))
            and sum(map(is_value, table.rows[-1])) >= 0.4 * len(spans)
        )
    first = [row[0] for row in table.rows if row[0]]
    second = [row[1] for row in table.rows[1:] if row[1]]
    if several < _MIN_LINES or not first or not second:
        return False
    marks = sum(bool(_MARK.fullmatch(cell)) or clause_label(cell) is not None for cell in first)
    if marks > 0.5 * len(first):
        return False
    if sum(map(is_value, second)) >= 0.6 * len(second):
        return True
    size = median(line.size for line in lines)
    apart = spans[1][0] - spans[0][1] >= 1.5 * size
    short = median(map(len, first)) <= 12
    return apart and short and all(_is_aligned(pieces, column) for column in (0, 1))


def _are_articles(pieces: Sequence[tuple[int, Segment]], columns: int) -> bool:
    """Whether every column is running text of its own."""
    boxes = [
        [(p.x0, p.y0, p.x1, p.y1, p.text) for c, p in pieces if c == k] for k in range(columns)
    ]
    long = [part for part in boxes if len(part) > 2]
    return (
        len(long) > 1
        and all(map(is_flowing, long))
        and is_flowing([box for part in boxes for box in part])
    )


def _is_prose(pieces: Sequence[Segment], span: Span) -> bool:
    """Whether the column is one of running text."""
    if not pieces:
        return False
    full = sum(piece.x1 - piece.x0 > 0.8 * (span[1] - span[0]) for piece in pieces)
    return full > 0.6 * len(pieces) and median(len(p.text) for p in pieces) >= _LONG


def is_form(table: FoundTable) -> bool:
    """Whether the cells are labels with their values ("姓名：张三"), which bind themselves."""
    cells = [cell for row in table.rows for cell in row if cell]
    return sum(bool(_LABELLED.fullmatch(cell)) for cell in cells) > 0.4 * len(cells)


def _is_aligned(pieces: Sequence[tuple[int, Segment]], column: int) -> bool:
    starts = [piece.x0 for c, piece in pieces if c == column]
    usual = median(starts)
    return sum(abs(start - usual) < 2 for start in starts) >= 0.8 * len(starts)
