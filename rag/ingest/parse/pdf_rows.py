"""Gathers the printed lines of a table without rules to its rows: part of the PDF parser.

Which lines make one row is told by the distance of the lines, by cells that are full to their
right edge, and by numbers, which never wrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rag.ingest.parse.pdf_page import Segment
from rag.ingest.table import is_value

_WIDER = 1.25
_FULL = 1.4
"""How many times wider the steps between rows are than those between the lines of a row;
glyphs that would still have fitted into a full cell. Chosen by us."""

Span = tuple[float, float]
"""Left and right end in points."""


@dataclass(slots=True)
class TextLine:
    """One printed line: its pieces from left to right, its vertical extent and font size."""

    pieces: list[Segment]
    y0: float
    y1: float
    size: float
    cells: dict[int, Segment] = field(default_factory=dict)


def is_full(piece: Segment, span: Span) -> bool:
    """Whether the piece ends where its column ends, so that its text may go on below."""
    return piece.x1 + _FULL * piece.size > span[1] and len(piece.text.strip()) > 3


def rows_of(lines: Sequence[TextLine], spans: Sequence[Span]) -> list[list[TextLine]]:
    """The lines of each row."""
    steps = [b.y0 - a.y0 for a, b in pairwise(lines)]
    wide = _wide_step(steps)
    rows: list[list[TextLine]] = []
    for index, line in enumerate(lines):
        if rows and _goes_on(rows[-1], line, steps[index - 1], wide, spans):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _wide_step(steps: Sequence[float]) -> float | None:
    """The step from which a line begins a row, when narrow and wide steps are told apart."""
    ordered = sorted(step for step in steps if step > 0)
    best: tuple[float, float] | None = None
    for low, high in pairwise(ordered):
        if high / low >= _WIDER and (best is None or high / low > best[0]):
            best = (high / low, (low + high) / 2)
    return best[1] if best is not None else None


def _goes_on(
    row: Sequence[TextLine],
    line: TextLine,
    step: float,
    wide: float | None,
    spans: Sequence[Span],
) -> bool:
    above = row[-1]
    filled = {column for other in row for column in other.cells}
    numbers = {c for other in row for c, piece in other.cells.items() if is_value(piece.text)}
    if any(c in numbers and is_value(piece.text) for c, piece in line.cells.items()):
        return False
    if line.y0 < above.y1 - 0.25 * min(line.size, above.size) and not (
        set(line.cells) & set(above.cells)
    ):
        return True
    if wide is not None and step > wide:
        return False
    new = set(line.cells) - filled
    shared = [c for c in line.cells if c in above.cells]
    on = [c for c in line.cells if c in above.cells and is_full(above.cells[c], spans[c])]
    most = len(line.cells) > max(1, 0.6 * len(spans))
    if wide is not None and (not most or (shared and len(on) == len(shared) == len(above.cells))):
        return True
    if 0 not in line.cells and not most:
        return True
    return bool(on) and len(on) == len(set(line.cells) - new) and not most


def rows_between(lines: Sequence[TextLine], bands: Sequence[float]) -> list[list[TextLine]]:
    """The lines of each row, where rules stand between the rows (their y from the top)."""
    rows: dict[int, list[TextLine]] = {}
    for line in lines:
        middle = (line.y0 + line.y1) / 2
        rows.setdefault(sum(edge < middle for edge in bands), []).append(line)
    return [rows[band] for band in sorted(rows)]
