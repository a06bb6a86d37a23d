"""Finds the gutters between columns of text on a PDF page.

Text stands in columns when an empty gutter runs down between lines that mostly fill their
side or that don't stand side by side; the cells of a table without rules do neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from rag.ingest.lines import columns
from rag.ingest.parse.pdf_flow import Box, is_flowing
from rag.ingest.parse.pdf_items import Item

_MIN_GUTTER_PT = 6.0
_MIN_LINES = 3
_MAX_GUTTERS = 40
"""The least gutter in points, lines on each side, and gutters that are tried."""

_FULL = 0.85
_MIN_FULL = 0.5
_MIN_COLUMNS = 14
_SAMPLES = 30
_BETWEEN = 0.4
_MAX_STEP = 1.9
_SIDE_BY_SIDE = 0.5
"""Running text: share of its side's width that a full line fills, share of lines that are full,
their usual width in letters (two for a Han character), lines that are looked at, how far the
lines of columns inside a side may stand apart and the widest step between lines (in heights
of a line). Short lines are cells when this share of them has a neighbour on the same height."""

_MIN_BANDS = 3
_BAND_STEP = 1.2
_ALIKE = 0.8
"""So many bands of text that begin together on both sides are rows of a table; the step to
another band in steps of the lines inside; the ratio of widths from which two sides are equally
wide."""

_TITLE = 1.2
_PAGE_TITLE = 1.45
_HEADLINE = 1.35
_TITLE_GAP = 2.2
_REST_GAP = 1.2
_NEARER = 0.7
"""In heights of a line: a title inside and above the columns, headlines side by side, the
empty stretch of the other side that a title stands in, the gap that sets off what isn't of the
columns; that gap on the other side as a share of the one on its own. All of these chosen by us
on documents of one to four columns."""


def find_gutter(items: Sequence[Item]) -> tuple[float, float, float] | None:
    """The x of the gutter between two columns, and its first and last y; None without any.

    Of several, the one that parts most lines.
    """
    if len(items) < 2 * _MIN_LINES:
        return None
    lines = lines_of_items(items)
    best: tuple[int, float, float, float] | None = None
    for gutter in _gaps(lines):
        for run in _runs(lines, gutter):
            if best is not None and sum(map(len, run)) <= best[0]:
                continue
            inside = [item for line in run for item in line]
            left = [i for i in inside if (i.x0 + i.x1) / 2 < gutter]
            right = [i for i in inside if (i.x0 + i.x1) / 2 >= gutter]
            if _are_columns(left, right):
                top = min(i.middle for i in inside)
                best = (len(inside), gutter, top, max(i.middle for i in inside))
    return best[1:] if best is not None else None


def lines_of_items(items: Sequence[Item]) -> list[list[Item]]:
    """Items on the same height, from top to bottom; each line from left to right."""
    lines: list[list[Item]] = []
    for item in sorted(items, key=lambda i: (i.middle, i.x0)):
        if lines and abs(item.middle - lines[-1][0].middle) <= 0.3 * (item.y1 - item.y0):
            lines[-1].append(item)
        else:
            lines.append([item])
    for line in lines:
        line.sort(key=lambda i: i.x0)
    return lines


def _gaps(lines: Sequence[Sequence[Item]]) -> list[float]:
    """Places where gutters may be: in the middle of the gaps that most lines share."""
    low = min(i.x0 for line in lines for i in line)
    high = max(i.x1 for line in lines for i in line)
    events: dict[float, int] = {}
    for line in lines:
        # A line that ends early, or begins late, leaves the rest of the page empty too.
        ends = [low, *(i.x1 for i in line)]
        starts = [*(i.x0 for i in line), high]
        for end, start in zip(ends, starts, strict=True):
            if start - end >= _MIN_GUTTER_PT:
                events[end] = events.get(end, 0) + 1
                events[start] = events.get(start, 0) - 1
    level = 0
    found: list[tuple[int, float]] = []
    for place, following in pairwise(sorted(events)):
        level += events[place]
        # Narrow remains between two ragged ends are no gutters of their own.
        if level > 0 and following - place >= 1.0:
            found.append((level, (place + following) / 2))
    found.sort(reverse=True)
    return [place for _, place in found[:_MAX_GUTTERS]]


def _runs(lines: Sequence[Sequence[Item]], gutter: float) -> Iterator[list[list[Item]]]:
    """Stretches of lines none of which crosses the gutter, with text on both sides."""
    run: list[list[Item]] = []
    reach = float("-inf")
    for line in [*lines, None]:
        crosses = line is None or any(i.x0 < gutter < i.x1 for i in line)
        if line is not None and not crosses and line[0].middle > reach:
            run.append(list(line))
            continue
        if line is not None and crosses:
            # A tall thing across the gutter (a table, a picture) parts all that it stands beside.
            reach = max(i.y1 for i in line if i.x0 < gutter < i.x1)
        yield from _trimmed(run, gutter)
        run = [] if crosses or line is None else [list(line)]
    return


def _trimmed(run: list[list[Item]], gutter: float) -> Iterator[list[list[Item]]]:
    """The stretch without titles and rests of other texts, which stand on one side only with
    nothing beside them; a title in the middle parts it."""
    if not run:
        return
    sides = [{(i.x0 + i.x1) / 2 < gutter for i in line} for line in run]
    if len(set.union(*sides)) < 2:
        return
    size = median(i.y1 - i.y0 for line in run for i in line)
    part: list[list[Item]] = []
    for index, line in enumerate(run):
        if part and _is_title(run, sides, index, size):
            yield _without_edges(part, gutter, size)
            part = []
        elif part and _are_headlines(run, sides, index, size):
            yield _without_edges(part, gutter, size)
            part = [line]
        else:
            part.append(line)
    yield _without_edges(part, gutter, size)


def _is_title(
    run: Sequence[Sequence[Item]], sides: Sequence[set[bool]], index: int, size: float
) -> bool:
    """Whether a larger line stands alone, the other side empty above and below it."""
    line = run[index]
    if len(sides[index]) > 1 or max(i.y1 - i.y0 for i in line) < _TITLE * size:
        return False
    others = [i for k, row in enumerate(run) if sides[k] - sides[index] for i in row]
    top, bottom = min(i.y0 for i in line), max(i.y1 for i in line)
    above = max((i.y1 for i in others if i.middle < top), default=None)
    below = min((i.y0 for i in others if i.middle > bottom), default=None)
    if above is None or below is None or above > top or below < bottom:
        return False
    return below - above > _TITLE_GAP * size


def _are_headlines(
    run: Sequence[Sequence[Item]], sides: Sequence[set[bool]], index: int, size: float
) -> bool:
    """Whether much larger lines stand side by side with nothing beside them: new articles
    begin in several columns."""
    line = run[index]
    if len(sides[index]) < 2 or min(i.y1 - i.y0 for i in line) < _HEADLINE * size:
        return False
    top, bottom = min(i.y0 for i in line), max(i.y1 for i in line)
    return not any(i.y0 < bottom and i.y1 > top for row in run if row is not line for i in row)


def _without_edges(run: list[list[Item]], gutter: float, size: float) -> list[list[Item]]:
    """The stretch without first and last lines that a gap sets off from their side and that
    end before the other side begins (or begin after it ends)."""
    run = list(run)
    for turn in (1, -1):
        while len(run) > 2:
            line, rest = run[::turn][0], run[::turn][1:]
            side = {(i.x0 + i.x1) / 2 < gutter for i in line}
            if len(side) > 1:
                break
            left = side == {True}
            own = [i for row in rest for i in row if ((i.x0 + i.x1) / 2 < gutter) is left]
            other = [i for row in rest for i in row if ((i.x0 + i.x1) / 2 < gutter) is not left]
            if not own or not other:
                break
            gaps = [_beyond(line, part, turn) for part in (own, other)]
            large = max(i.y1 - i.y0 for i in line) > _PAGE_TITLE * size
            apart = large or gaps[0] > _REST_GAP * size
            if not apart or gaps[1] < (_NEARER * max(gaps[0], 0.0) if turn > 0 else 0.0):
                break
            run.remove(line)
    return run


def _beyond(line: Sequence[Item], others: Sequence[Item], turn: int) -> float:
    """The empty height between a first (`turn` 1) or last line and what follows it."""
    if turn > 0:
        return min(i.y0 for i in others) - max(i.y1 for i in line)
    return min(i.y0 for i in line) - max(i.y1 for i in others)


def _are_columns(left: Sequence[Item], right: Sequence[Item]) -> bool:
    if len(left) < _MIN_LINES or len(right) < _MIN_LINES:
        return False
    if min(i.x0 for i in right) - max(i.x1 for i in left) < _MIN_GUTTER_PT:
        return False
    shared = min(max(i.y1 for i in left), max(i.y1 for i in right)) - max(
        min(i.y0 for i in left), min(i.y0 for i in right)
    )
    shorter = min(max(i.y1 for i in side) - min(i.y0 for i in side) for side in (left, right))
    if shared < 0.4 * shorter:
        return False
    if _are_rows(left, right):
        return False
    fewer, more = sorted((left, right), key=len)
    beside = sum(any(abs(a.middle - b.middle) <= 0.2 * (a.y1 - a.y0) for b in more) for a in fewer)
    if beside < _SIDE_BY_SIDE * len(fewer) and len(fewer) > _MIN_LINES:
        return True
    if all(_is_prose(side) and _is_dense(side) for side in (left, right)):
        return True
    return all(is_flowing(_boxes(side)) for side in (left, right))


def _boxes(side: Sequence[Item]) -> list[Box]:
    return [(i.x0, i.y0, i.x1, i.y1, i.segment.text) for i in side if i.segment is not None]


def _is_prose(side: Sequence[Item]) -> bool:
    """Whether most of the side's lines are long and fill its width, as cells seldom do."""
    width = max(i.x1 for i in side) - min(i.x0 for i in side)
    lines = lines_of_items(side)
    full = sum(sum(i.x1 - i.x0 for i in line) >= _FULL * width for line in lines)
    long = median(sum(_columns(i) for i in line) for line in lines)
    if long < _MIN_COLUMNS:
        return False
    return full >= _MIN_FULL * len(lines) or _filled(side) >= _FULL * width


def _filled(side: Sequence[Item]) -> float:
    """What width of text a line and those beside it cover as a rule, in points: lines of
    columns inside this one needn't stand on the same height."""
    step = max(len(side) // _SAMPLES, 1)
    found = []
    for item in side[::step]:
        reach = _BETWEEN * (item.y1 - item.y0)
        beside = [i for i in side if i.y0 - reach <= item.middle <= i.y1 + reach]
        covered, end = 0.0, float("-inf")
        for other in sorted(beside, key=lambda i: i.x0):
            covered += max(other.x1 - max(other.x0, end), 0.0)
            end = max(end, other.x1)
        found.append(covered)
    return median(found)


def _columns(item: Item) -> int:
    return columns(item.segment.text) if item.segment is not None else _MIN_COLUMNS


def _is_dense(side: Sequence[Item]) -> bool:
    """Whether the side's lines follow each other as those of a paragraph do."""
    lines = lines_of_items(side)
    steps = [b[0].middle - a[0].middle for a, b in pairwise(lines)]
    height = median(i.y1 - i.y0 for i in side)
    return bool(steps) and median(steps) <= _MAX_STEP * height


def _are_rows(left: Sequence[Item], right: Sequence[Item]) -> bool:
    """Whether both sides are cut into bands that begin together, like wrapped cells.

    Columns may have their paragraphs side by side by chance, but then of the same lengths.
    """
    sides = [lines_of_items(left), lines_of_items(right)]
    height = median(i.y1 - i.y0 for i in (*left, *right))
    steps = [sorted(b[0].middle - a[0].middle for a, b in pairwise(lines)) for lines in sides]
    usual = [found[len(found) // 4] for found in steps if found]
    # Lines of columns inside a side follow each other in half steps, which say nothing.
    leading = min((step for step in usual if step >= height), default=0.0)
    if not leading:
        return False
    bands: list[list[list[float]]] = []
    last = float("-inf")
    ordered = sorted((line[0].middle, side) for side in (0, 1) for line in sides[side])
    for middle, side in ordered:
        if middle - last > _BAND_STEP * leading:
            bands.append([[], []])
        bands[-1][side].append(middle)
        last = middle
    if len(bands) < _MIN_BANDS:
        return False
    reach = 0.3 * median(i.y1 - i.y0 for i in left)
    together = [b for b in bands if b[0] and b[1] and abs(b[0][0] - b[1][0]) <= reach]
    tall = [band for band in together if max(map(len, band)) > 1]
    uneven = [band for band in tall if len(band[0]) != len(band[1])]
    if len(together) < 0.8 * len(bands) or 2 * len(uneven) < len(tall):
        return False
    # Two equally wide columns of running text meet a few times by chance.
    widths = sorted(max(i.x1 for i in s) - min(i.x0 for i in s) for s in (left, right))
    alike = widths[0] >= _ALIKE * widths[1] and _is_prose(left) and _is_prose(right)
    return not alike or len(bands) >= 2 * _MIN_BANDS
