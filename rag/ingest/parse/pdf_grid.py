"""Finds the grids of ruled tables among the drawings of a PDF page.

Rules are joined to edges, edges crossed to corners, corners closed to cells, and touching
cells gathered to tables. PyMuPDF's own finder gives the same cells on our documents, but
takes ten times as long, because it also reads all texts and styles (benchmarks/bench_ingest.py
prints both).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

_THIN_PT = 3.0
_NEAR_PT = 3.0
_MIN_EDGE_PT = 6.0
"""A box thinner than the first is a rule; places closer than the second are the same; joined
rules shorter than the third are ornaments. The values are PyMuPDF's and pdfplumber's."""

_MAX_EDGES = 3000
_MAX_DRAWINGS = 20_000
"""More than these on a page is a drawing or a map, not a table. Chosen by us."""

Cell = tuple[float, float, float, float]


class Edge(NamedTuple):
    """A straight line: at `place` across, from `start` to `end` along."""

    place: float
    start: float
    end: float


def find_grids(drawings: Sequence[dict[str, Any]], width: float, height: float) -> list[list[Cell]]:
    """The cells of each table on a page, tables from top to bottom.

    Args:
        drawings: the page's vector graphics as `get_cdrawings` gives them.
        width, height: the page's size in points.
    """
    across, down = rules(drawings, width, height)
    if len(across) < 2 or len(across) + len(down) > _MAX_EDGES:
        return []
    down = sorted([*down, *_open_sides(across, down)])
    if len(down) < 2:
        return []
    cells = _cells(across, down)
    grids = [grid for grid in gathered(cells) if len(grid) > 1]
    return sorted(grids, key=lambda grid: min(cell[1] for cell in grid))


def rules(
    drawings: Sequence[dict[str, Any]], width: float, height: float
) -> tuple[list[Edge], list[Edge]]:
    """The rules that run across a page and those that run down, pieces of one joined.

    Both are empty for a page that is a drawing.
    """
    if len(drawings) > _MAX_DRAWINGS:
        return [], []
    raw = list(_rules(drawings, width, height))
    across = _joined(edge for is_across, edge in raw if is_across)
    return across, _joined(edge for is_across, edge in raw if not is_across)


def _rules(
    drawings: Iterable[dict[str, Any]], width: float, height: float
) -> Iterator[tuple[bool, Edge]]:
    """Each straight line and box side: whether it runs across, and where."""
    for drawing in drawings:
        for item in drawing["items"]:
            if item[0] == "l":
                (x0, y0), (x1, y1) = item[1], item[2]
                if abs(y0 - y1) < 1:
                    yield True, Edge((y0 + y1) / 2, min(x0, x1), max(x0, x1))
                elif abs(x0 - x1) < 1:
                    yield False, Edge((x0 + x1) / 2, min(y0, y1), max(y0, y1))
                continue
            if item[0] == "re":
                x0, y0, x1, y1 = item[1]
            elif item[0] == "qu":
                points = item[1]
                x0, x1 = min(p[0] for p in points), max(p[0] for p in points)
                y0, y1 = min(p[1] for p in points), max(p[1] for p in points)
            else:
                continue
            if y1 - y0 < _THIN_PT:
                yield True, Edge((y0 + y1) / 2, x0, x1)
            elif x1 - x0 < _THIN_PT:
                yield False, Edge((x0 + x1) / 2, y0, y1)
            elif x1 - x0 < 0.95 * width or y1 - y0 < 0.95 * height:
                yield True, Edge(y0, x0, x1)
                yield True, Edge(y1, x0, x1)
                yield False, Edge(x0, y0, y1)
                yield False, Edge(x1, y0, y1)


def _joined(edges: Iterable[Edge]) -> list[Edge]:
    """Edges at nearly the same place as one, where they touch or overlap."""
    ordered = sorted(edges)
    found: list[Edge] = []
    index = 0
    while index < len(ordered):
        end = index + 1
        while end < len(ordered) and ordered[end].place - ordered[end - 1].place <= _NEAR_PT:
            end += 1
        group = sorted(ordered[index:end], key=lambda edge: edge.start)
        place = sum(edge.place for edge in group) / len(group)
        start, stop = group[0].start, group[0].end
        for edge in group[1:]:
            if edge.start <= stop + _NEAR_PT:
                stop = max(stop, edge.end)
            else:
                found.append(Edge(place, start, stop))
                start, stop = edge.start, edge.end
        found.append(Edge(place, start, stop))
        index = end
    return [edge for edge in found if edge.end - edge.start >= _MIN_EDGE_PT]


def _open_sides(across: Sequence[Edge], down: Sequence[Edge]) -> list[Edge]:
    """The outer sides of tables that are drawn without them: three or more rules of the same
    extent with rules between them."""
    groups: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge in across:
        groups[round(edge.start / _NEAR_PT), round(edge.end / _NEAR_PT)].append(edge)
    sides: list[Edge] = []
    for group in groups.values():
        if len(group) < 3:
            continue
        left, right = group[0].start, group[0].end
        top, bottom = group[0].place, group[-1].place
        inside = [
            edge
            for edge in down
            if left - _NEAR_PT <= edge.place <= right + _NEAR_PT
            and edge.start < bottom
            and edge.end > top
        ]
        if not any(left + _NEAR_PT < edge.place < right - _NEAR_PT for edge in inside):
            continue
        for side in (left, right):
            if not any(abs(edge.place - side) <= 2 * _NEAR_PT for edge in inside):
                sides.append(Edge(side, top, bottom))
    return sides


def _cells(across: Sequence[Edge], down: Sequence[Edge]) -> list[Cell]:
    """The smallest boxes whose corners are crossings and whose sides are edges."""
    columns: dict[float, dict[float, int]] = defaultdict(dict)
    rows: dict[float, dict[float, int]] = defaultdict(dict)
    for number, upright in enumerate(down):
        for level, edge in enumerate(across):
            if edge.place > upright.end + _NEAR_PT:
                break
            if edge.place < upright.start - _NEAR_PT:
                continue
            if edge.start - _NEAR_PT <= upright.place <= edge.end + _NEAR_PT:
                columns[upright.place][edge.place] = number
                rows[edge.place][upright.place] = level
    sorted_columns = {x: sorted(ys) for x, ys in columns.items()}
    sorted_rows = {y: sorted(xs) for y, xs in rows.items()}
    cells: list[Cell] = []
    for x, ys in sorted_columns.items():
        for position, y in enumerate(ys):
            cell = _smallest(x, y, ys[position + 1 :], columns, rows, sorted_rows)
            if cell is not None:
                cells.append(cell)
    return cells


def _smallest(
    x: float,
    y: float,
    below: Sequence[float],
    columns: dict[float, dict[float, int]],
    rows: dict[float, dict[float, int]],
    sorted_rows: dict[float, list[float]],
) -> Cell | None:
    """The smallest cell whose top left corner is the crossing (x, y)."""
    right = sorted_rows[y][bisect_left(sorted_rows[y], x) + 1 :]
    for bottom in below:
        if columns[x][bottom] != columns[x][y]:
            return None  # The left side ends above.
        for other in right:
            if rows[y][other] != rows[y][x]:
                break
            if bottom not in columns[other] or rows[bottom].get(x) != rows[bottom].get(other):
                continue
            if columns[other][bottom] == columns[other].get(y):
                return (x, y, other, bottom)
    return None


def gathered(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Cells that share a corner, directly or through others."""
    parent = list(range(len(cells)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    corner_of: dict[tuple[float, float], int] = {}
    for index, (x0, y0, x1, y1) in enumerate(cells):
        for corner in ((x0, y0), (x1, y0), (x0, y1), (x1, y1)):
            other = corner_of.setdefault(corner, index)
            parent[root(index)] = root(other)
    groups: dict[int, list[Cell]] = defaultdict(list)
    for index, cell in enumerate(cells):
        groups[root(index)].append(cell)
    return list(groups.values())
