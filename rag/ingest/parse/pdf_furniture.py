"""Finds headers, footers, page numbers and watermarks of a PDF by repetition and place.

What a header or footer says that the document doesn't say elsewhere stays on the first page
that has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from rag.ingest.clean_running import (
    Keys,
    Peers,
    Said,
    has_facts,
    is_caption,
    is_page_number,
    labels_of,
    line_key,
    near_peers,
    numbers_of,
    pages_of_records,
    stays,
)
from rag.ingest.parse.pdf_cells import is_sideways
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_page import PageText, Segment
from rag.ingest.parse.pdf_watermarks import body_size, remove_watermarks
from rag.ingest.parse.pdf_watermarks import remove_overprints as remove_overprints

_MARGIN = 0.11
_NUMBER_MARGIN = 0.17
_RECORD_MARGIN = 0.25
"""Shares of the page's height at the top and bottom in which lines, page numbers that count on
from page to page, and the fields of a record stand."""

_LINES = 3
"""How many lines from the edge of a page are looked at."""

_DRIFT_PT = 6.0
_SCAN_DRIFT_PT = 16.0
"""How far the same line may move from page to page, in points, on pages with text and on
recognised ones. All chosen by us."""

_MIN_PAGES = 2
_MIN_SHARE = 0.3
_SLOT_PAGES = 4
_SLOT_SHARE = 0.6
_SLOT_TEXTS = 0.6
"""Lines repeat on the first number of pages and share of (at most 12) pages. A place is a
header's, whatever it says (a chapter's name), from the third number of pages and share of all
pages on, when no more than the last share of its texts are different. Chosen by us."""

_TITLE_RATIO = 1.25
"""A repeated line so much larger than the body stays on its first page: it is a title."""

_CHAIN = 4
_ALIGNED_PT = 3.0
"""So many lines whose pieces stand below each other (within points) are a table, not a header."""


@dataclass(slots=True)
class _Line:
    """A candidate: a segment at an edge of a page. `ruled` ones are set off by a rule alone."""

    page: int
    segment: Segment
    key: str
    place: float
    drift: float
    ruled: bool = False


def remove_furniture(
    pages: Sequence[PageText], tables: Sequence[Sequence[FoundTable]] = ()
) -> bool:
    """Take headers, footers, page numbers and watermarks out of the pages.

    What only a header or footer says goes to `PageText.running` of its first page.

    Args:
        tables: those of each page, whose texts are no longer among the page's segments.

    Returns:
        whether there were headers, footers or page numbers; watermarks mark their pages.
    """
    remove_watermarks(pages)
    found = [_edge_lines(index, page) for index, page in enumerate(pages)]
    by_key = _by_key(found)
    running = _running(pages, found, by_key)
    known = {line.key for line in running}
    doomed = {id(line.segment) for line in running} | _page_numbers(pages)
    for page in pages:
        doomed |= {id(s) for s in page.segments if _is_beside(page, s, known)}
    if not doomed:
        return False
    for page in pages:
        page.segments = [s for s in page.segments if id(s) not in doomed]
    said = [line for line in running if not is_page_number(line.segment.text)]
    if said:
        _keep_once(said, Said(_contents(pages, tables)), pages)
    return True


def _by_key(found: Sequence[Sequence[_Line]]) -> dict[str, list[_Line]]:
    """The lines that say the same; on recognised pages, nearly the same."""
    keys = Keys()
    by_key: dict[str, list[_Line]] = {}
    for line in (line for lines in found for line in lines):
        if line.drift > _DRIFT_PT:
            line.key = keys.of(line.segment.text, line.page)
        by_key.setdefault(line.key, []).append(line)
    return by_key


def _running(
    pages: Sequence[PageText],
    found: Sequence[Sequence[_Line]],
    by_key: dict[str, list[_Line]],
) -> list[_Line]:
    """The lines that are headers or footers, from the first page to the last."""
    body = body_size(pages)
    needed = max(_MIN_PAGES, _MIN_SHARE * min(len(pages), 12))
    slots = _slots(found, len(pages), pages)
    repeated, changing = _compared(by_key.values(), needed)
    running: list[_Line] = []
    rest: list[_Line] = []
    titles: set[str] = set()
    for line in (line for lines in found for line in lines):
        repeats = id(line) in repeated
        if repeats and line.segment.size >= _TITLE_RATIO * body and line.key not in titles:
            titles.add(line.key)
            continue
        slotted = id(line) not in changing and any(_in_slot(slot, line) for slot in slots)
        if repeats or slotted:
            running.append(line)
        elif _is_above_rule(pages[line.page], line.segment):
            line.ruled = True
            running.append(line)
        else:
            rest.append(line)
    # Pages of another size or a first page have the same line elsewhere at that edge.
    likes = {(line.key, line.place > 0, round(line.segment.size)) for line in running}
    running += [x for x in rest if (x.key, x.place > 0, round(x.segment.size)) in likes]
    return sorted(_without_records(running, pages), key=lambda line: line.page)


def _without_records(running: Sequence[_Line], pages: Sequence[PageText]) -> list[_Line]:
    """The lines but for fields of records, one of which each page shows."""
    ids = {id(line.segment) for line in running}
    records = {
        top: pages_of_records(
            (index, labels_of(segment.text))
            for index, page in enumerate(pages)
            for segment in page.segments
            if id(segment) not in ids and _is_near_edge(page, segment, top)
        )
        for top in (True, False)
    }
    return [
        line
        for line in running
        if line.page not in records[line.place > 0] or not labels_of(line.segment.text)
    ]


def _is_near_edge(page: PageText, segment: Segment, top: bool) -> bool:
    reach = _RECORD_MARGIN * page.height
    return segment.middle < reach if top else segment.middle > page.height - reach


def _compared(groups: Iterable[Sequence[_Line]], needed: float) -> tuple[set[int], set[int]]:
    """The ids of the lines that repeat, and of those that tell something else each time."""
    repeated: set[int] = set()
    changing: set[int] = set()
    for same in groups:
        for index, line in enumerate(same):
            peers = near_peers(same, index)
            alike = [other for other in peers if other is line or _stays(line, other)]
            if len(alike) < len(peers):
                changing.add(id(line))
            if _repeats(alike, line, needed):
                repeated.add(id(line))
    return repeated, changing


def _keep_once(running: Sequence[_Line], said: Said, pages: Sequence[PageText]) -> None:
    """Give the first page what only a header or footer says, page numbers aside."""
    texts: dict[str, list[str]] = {}
    for line in running:
        texts.setdefault(line.key, []).append(line.segment.text)
    peers = {key: Peers(same) for key, same in texts.items()}
    seen: set[tuple[str, tuple[int, ...]]] = set()
    for line in running:
        mark = (line.key, peers[line.key].lasting(line.segment.text))
        if mark in seen:
            continue
        seen.add(mark)
        text = peers[line.key].told(line.segment.text)
        decoration = line.ruled and len(texts[line.key]) == 1 and not has_facts(text)
        if not decoration and not said.says(text):
            pages[line.page].running.append(replace(line.segment, text=text))
            said.add(text)


def _contents(pages: Sequence[PageText], tables: Sequence[Sequence[FoundTable]]) -> Iterator[str]:
    for page in pages:
        yield from (segment.text for segment in page.segments)
    for table in (table for found in tables for table in found):
        for row in table.rows:
            yield from row
            yield ":".join(row)


def _page_numbers(pages: Sequence[PageText]) -> set[int]:
    lone = {
        id(segment) for page in pages for segment in page.segments if _is_lone_number(page, segment)
    }
    return lone | _counting_numbers(pages)


def _edge_lines(index: int, page: PageText) -> list[_Line]:
    """Segments of the first and last lines within the margins, tables left out."""
    ordered = sorted(page.segments, key=lambda s: s.middle)
    found: list[_Line] = []
    for top, group in ((True, ordered), (False, ordered[::-1])):
        lines = grouped(group)
        for number, line in enumerate(lines[:_LINES]):
            at = line[0].middle
            inside = at < page.height * _MARGIN if top else at > page.height * (1 - _MARGIN)
            if not inside:
                break
            if not _is_table(lines[number:]):
                drift = _DRIFT_PT if page.confidence is None else _SCAN_DRIFT_PT
                found.extend(
                    _Line(index, s, line_key(s.text), _place(page, s), drift)
                    for s in line
                    if not is_caption(s.text)
                )
    return found


def grouped(ordered: Sequence[Segment]) -> list[list[Segment]]:
    """Segments, given from top to bottom or back, in lines of the same height."""
    lines: list[list[Segment]] = []
    for segment in ordered:
        if lines and abs(segment.middle - lines[-1][0].middle) <= segment.size / 2:
            lines[-1].append(segment)
        else:
            lines.append([segment])
    return lines


def _is_table(lines: Sequence[Sequence[Segment]]) -> bool:
    """Whether a line and those behind it have their pieces below each other."""
    if len(lines[0]) < 2 or len(lines) < _CHAIN:
        return False
    for above, below in pairwise(lines[:_CHAIN]):
        aligned = sum(
            any(
                min(abs(a.x0 - b.x0), abs(a.x1 - b.x1), abs(a.x0 + a.x1 - b.x0 - b.x1) / 2)
                <= _ALIGNED_PT
                for b in below
            )
            for a in above
        )
        near = abs(above[0].middle - below[0].middle) < 3 * above[0].size
        if aligned < 2 or not near:
            return False
    return True


def _place(page: PageText, segment: Segment) -> float:
    """Distance from the nearer edge; negative from the bottom."""
    top = segment.middle < page.height / 2
    return segment.middle if top else segment.middle - page.height


def _repeats(lines: Sequence[_Line], line: _Line, needed: float) -> bool:
    """Whether the line is on enough pages, with numbers that stay or count the pages."""
    if not any(c.isalnum() for c in line.key.replace("#", "1")):
        return False
    near = {other.page for other in lines if abs(other.place - line.place) <= line.drift}
    # On two pages only, they must follow each other (or be left and right pages).
    neighbours = any(abs(page - line.page) in (1, 2) for page in near if page != line.page)
    return len(near) >= needed and neighbours


def _stays(line: _Line, other: _Line) -> bool:
    return stays(line.segment.text, other.segment.text, other.page - line.page)


def _slots(
    found: Sequence[Sequence[_Line]], count: int, pages: Sequence[PageText]
) -> list[tuple[float, float]]:
    """Places (distance from the edge, font size) of headers whose text changes by chapter."""
    if count < _SLOT_PAGES:
        return []
    places: dict[tuple[int, int], list[_Line]] = {}
    for lines in found:
        for line in lines:
            places.setdefault((round(line.place), round(line.segment.size)), []).append(line)
    slots: list[tuple[float, float]] = []
    for lines in places.values():
        on = {line.page for line in lines}
        texts = {line.key for line in lines}
        if len(on) < max(_SLOT_PAGES, _SLOT_SHARE * count) or len(texts) > _SLOT_TEXTS * len(on):
            continue
        if sum(_is_apart(pages[line.page], line.segment) for line in lines) >= 0.8 * len(lines):
            slots.append((lines[0].place, lines[0].segment.size))
    return slots


def _is_apart(page: PageText, segment: Segment) -> bool:
    """Whether more than a line's height is empty between the line and the text."""
    top = segment.middle < page.height / 2
    inward = [
        s.y0 - segment.y1 if top else segment.y0 - s.y1
        for s in page.segments
        if (s.middle > segment.middle + segment.size / 2) is top
        and abs(s.middle - segment.middle) > segment.size / 2
    ]
    gap = min((g for g in inward if g > -segment.size), default=2 * segment.size)
    return gap > 0.8 * segment.size


def _in_slot(slot: tuple[float, float], line: _Line) -> bool:
    return abs(slot[0] - line.place) <= 1.0 and abs(slot[1] - line.segment.size) < 0.5


def _counting_numbers(pages: Sequence[PageText]) -> set[int]:
    """Page numbers farther from the edge, told by their counting on from page to page."""
    seen: dict[tuple[int, str], list[tuple[int, int, Segment]]] = {}
    for index, page in enumerate(pages):
        for segment in page.segments:
            at_edge = min(segment.middle, page.height - segment.middle)
            numbers = numbers_of(segment.text)
            if at_edge > _NUMBER_MARGIN * page.height or not numbers:
                continue
            if is_page_number(segment.text) and _is_alone(page, segment):
                place = (round(_place(page, segment) / _DRIFT_PT), line_key(segment.text))
                seen.setdefault(place, []).append((index, numbers[0], segment))
    found: set[int] = set()
    for entries in seen.values():
        offsets = Counter(number - index for index, number, _ in entries)
        offset, times = offsets.most_common(1)[0]
        if times >= _MIN_PAGES:
            found |= {id(s) for index, number, s in entries if number - index == offset}
    return found


def _is_alone(page: PageText, segment: Segment) -> bool:
    return all(
        other is segment or abs(other.middle - segment.middle) > segment.size
        for other in page.segments
    )


def _is_lone_number(page: PageText, segment: Segment) -> bool:
    if not is_page_number(segment.text):
        return False
    at_edge = min(segment.middle, page.height - segment.middle) < page.height * 0.09
    return _is_alone(page, segment) and at_edge and len(page.segments) > 1


def _is_beside(page: PageText, segment: Segment, running: set[str]) -> bool:
    """Whether a line on its side at the left or right edge is a header of a turned page."""
    at_edge = segment.x1 < 0.1 * page.width or segment.x0 > 0.9 * page.width
    if not at_edge or segment.vertical or len(page.segments) < 2:
        return False
    known = line_key(segment.text) in running
    return (known and is_sideways(segment)) or (
        is_page_number(segment.text)
        and _is_alone(page, segment)
        and 0.3 * page.height < segment.middle < 0.7 * page.height
    )


def _is_above_rule(page: PageText, segment: Segment) -> bool:
    """Whether a rule sets the line off from the text below, and it isn't larger than that."""
    if page.header_rule is None or segment.y1 > page.header_rule + 2:
        return False
    below = [s.size for s in page.segments if s.y0 >= page.header_rule]
    above = [s for s in page.segments if s.y1 <= page.header_rule + 2]
    one_line = max(s.middle for s in above) - min(s.middle for s in above) < segment.size
    return bool(below) and one_line and segment.size <= median(below) * 1.05
