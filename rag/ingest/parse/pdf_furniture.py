"""Finds headers, footers, page numbers and watermarks of a PDF by repetition and place."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from rag.ingest.parse.pdf_cells import is_sideways
from rag.ingest.parse.pdf_page import PageText, Segment

_MARGIN = 0.11
_NUMBER_MARGIN = 0.17
"""Shares of the page's height at the top and bottom in which lines, and page numbers that
count on from page to page, stand."""

_LINES = 3
"""How many lines from the edge of a page are looked at."""

_DRIFT_PT = 6.0
"""How far the same line may move from page to page, in points. All chosen by us."""

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

_WATERMARK_SHARE = 0.8
_WATERMARK_PAGES = 3
_WATERMARK_RATIO = 1.4
_OVERPRINT_RATIO = 1.8
_TILES = 4
_LONGEST_TILE = 24
"""A watermark stands at the same place on this share of all pages, on so many at least, and is
so much larger than the body or printed over it; a single one is larger by the fourth
number; small ones are repeated on the page as often as the fifth, and no longer than the last (in
characters). Chosen by us."""

_CHAIN = 4
_ALIGNED_PT = 3.0
"""So many lines whose pieces stand below each other (within points) are a table, not a header."""

_PAGE_NUMBER = re.compile(
    r"[-—–~·•|\s(（\[【<《]*(?:第\s*)?(?:\d{1,4}|[ivxlc]{1,6}|[一二三四五六七八九十百〇○]{1,5}(?=\s*[页頁\-—–]))"
    r"\s*(?:页|頁)?\s*(?:[/／|]|共|of|,|，)?\s*(?:共\s*)?"
    r"(?:\d{1,4})?\s*(?:页|頁)?[-—–~·•|\s)）\]】>》]*"
    r"|page\s*:?\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?|(?:P|PP|Pg)\.?\s*\d{1,4}"
    r"|页码\s*[:：]?\s*\d{1,4}(?:\s*[/／]\s*\d{1,4})?"
    r"|共\s*\d{1,4}\s*[页頁]\s*[,，、]?\s*第\s*\d{1,4}\s*[页頁]",
    re.IGNORECASE,
)
_HAN_NUMBER = re.compile(r"[-—–·\s]*[一二三四五六七八九十百〇○]{1,5}[-—–·\s]*")
_DIGITS = re.compile(r"\d+|[一二三四五六七八九十百]+(?=[页頁])")
_CAPTION = re.compile(
    r"(?:图|表|附图|附表|附件|例|公式|Fig(?:ure)?|Table|照片|步骤|问题?)\s*[.．]?\s*#", re.I
)


@dataclass(slots=True)
class _Line:
    """A candidate: a segment at an edge of a page."""

    page: int
    segment: Segment
    key: str
    place: float
    numbers: tuple[int, ...]


def remove_furniture(pages: Sequence[PageText]) -> bool:
    """Take headers, footers, page numbers and watermarks out of the pages.

    True when there were headers, footers or page numbers; watermarks mark their pages.
    """
    _remove_watermarks(pages)
    body = _body_size(pages)
    found = [_edge_lines(index, page) for index, page in enumerate(pages)]
    by_key: dict[str, list[_Line]] = {}
    for lines in found:
        for line in lines:
            by_key.setdefault(line.key, []).append(line)
    needed = max(_MIN_PAGES, _MIN_SHARE * min(len(pages), 12))
    slots = _slots(found, len(pages), pages)
    running: set[str] = set()
    doomed: set[int] = set()
    kept_titles: set[str] = set()
    for page, lines in zip(pages, found, strict=True):
        for line in lines:
            repeats = _repeats(by_key[line.key], line, needed)
            if repeats and line.segment.size >= _TITLE_RATIO * body and line.key not in kept_titles:
                kept_titles.add(line.key)
                continue
            if (
                repeats
                or _is_lone_number(page, line.segment)
                or _is_above_rule(page, line.segment)
                or any(_in_slot(slot, line) for slot in slots)
            ):
                doomed.add(id(line.segment))
                running.add(line.key)
    doomed |= _counting_numbers(pages)
    for page in pages:
        doomed |= {id(s) for s in page.segments if _is_beside(page, s, running)}
        if doomed:
            page.segments = [s for s in page.segments if id(s) not in doomed]
    return bool(doomed)


def is_page_number(text: str) -> bool:
    """Whether a line is a page number and nothing else ("12", "第 3 页", "- 4 -", "2/10")."""
    text = " ".join(text.split())
    return bool(_PAGE_NUMBER.fullmatch(text)) and any(c.isalnum() for c in text)


def remove_overprints(page: PageText) -> None:
    """Take watermarks out that are printed over the page's text: one large text, or the same
    text many times."""
    written = [s for s in page.segments if s.text.strip()]
    if len(written) < 3:
        return
    body = median(s.size for s in written)
    by_key: dict[str, list[Segment]] = {}
    for segment in written:
        by_key.setdefault(_key(segment.text), []).append(segment)
    doomed: set[int] = set()
    for key, same in by_key.items():
        large = same[0].size >= _OVERPRINT_RATIO * body
        short = _TILES <= len(same[0].text) <= _LONGEST_TILE
        tiles = len(same) >= _TILES and short and not key.isascii()
        if not large and not tiles:
            continue
        others = [s for s in written if _key(s.text) != key]
        share = 0.6 if large else 0.3
        over = sum(_is_over(a, other, share) for a in same[:_TILES] for other in others)
        if over > 1:
            doomed |= {id(segment) for segment in same}
    if doomed:
        page.watermark = True
        page.segments = [s for s in page.segments if id(s) not in doomed]


def _is_over(segment: Segment, other: Segment, share: float = 0.6) -> bool:
    """Whether two segments are printed over each other, beyond what close lines share."""
    wide = min(segment.x1, other.x1) - max(segment.x0, other.x0)
    high = min(segment.y1, other.y1) - max(segment.y0, other.y0)
    return wide > 0.5 * other.size and high > share * (other.y1 - other.y0)


def _remove_watermarks(pages: Sequence[PageText]) -> None:
    """Take out what stands at the same place on nearly all pages, over or larger than the text."""
    if len(pages) < _WATERMARK_PAGES:
        return
    body = _body_size(pages)
    seen: dict[tuple[str, int, int], list[tuple[PageText, Segment]]] = {}
    for page in pages:
        for s in page.segments:
            inside = _MARGIN * page.height < s.middle < (1 - _MARGIN) * page.height
            if inside and s.text.strip():
                place = (_key(s.text), round(s.x0 / _DRIFT_PT), round(s.middle / _DRIFT_PT))
                seen.setdefault(place, []).append((page, s))
    for found in seen.values():
        if len({id(page) for page, _ in found}) < max(
            _WATERMARK_PAGES, _WATERMARK_SHARE * len(pages)
        ):
            continue
        over = sum(
            any(_is_over(s, other) for other in page.segments if other is not s)
            for page, s in found
        )
        if found[0][1].size < _WATERMARK_RATIO * body and over < 0.5 * len(found):
            continue
        for page, s in found:
            page.segments = [other for other in page.segments if other is not s]
            page.watermark = True


def _body_size(pages: Sequence[PageText]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for segment in page.segments:
            sizes[round(segment.size * 2) / 2] += len(segment.text)
    return sizes.most_common(1)[0][0] if sizes else 10.5


def _edge_lines(index: int, page: PageText) -> list[_Line]:
    """Segments of the first and last lines within the margins, tables left out."""
    ordered = sorted(page.segments, key=lambda s: s.middle)
    found: list[_Line] = []
    for top, group in ((True, ordered), (False, ordered[::-1])):
        lines = _grouped(group)
        for number, line in enumerate(lines[:_LINES]):
            at = line[0].middle
            inside = at < page.height * _MARGIN if top else at > page.height * (1 - _MARGIN)
            if not inside:
                break
            if not _is_table(lines[number:]):
                found.extend(
                    _Line(index, s, _key(s.text), _place(page, s), _numbers(s.text))
                    for s in line
                    if not _CAPTION.match(_key(s.text))
                )
    return found


def _grouped(ordered: Sequence[Segment]) -> list[list[Segment]]:
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


def _key(text: str) -> str:
    """The line without what changes from page to page."""
    flat = unicodedata.normalize("NFKC", "".join(text.split()))
    if _HAN_NUMBER.fullmatch(flat):
        return "#"
    return _DIGITS.sub("#", flat)


def _numbers(text: str) -> tuple[int, ...]:
    flat = unicodedata.normalize("NFKC", "".join(text.split()))
    return tuple(int(digits[:9]) for digits in re.findall(r"\d+", flat))


def _place(page: PageText, segment: Segment) -> float:
    """Distance from the nearer edge; negative from the bottom."""
    top = segment.middle < page.height / 2
    return segment.middle if top else segment.middle - page.height


def _repeats(lines: Sequence[_Line], line: _Line, needed: float) -> bool:
    """Whether the line is on enough pages, with numbers that stay or count the pages."""
    if not any(c.isalnum() for c in line.key.replace("#", "1")):
        return False
    same = [
        other
        for other in lines
        if abs(other.place - line.place) <= _DRIFT_PT and (other is line or _counts_on(line, other))
    ]
    near = {other.page for other in same}
    # On two pages only, they must follow each other (or be left and right pages).
    neighbours = any(abs(page - line.page) in (1, 2) for page in near if page != line.page)
    return len(near) >= needed and neighbours


def _counts_on(line: _Line, other: _Line) -> bool:
    """Whether each number stays the same or goes on with the pages."""
    if len(line.numbers) != len(other.numbers):
        return True
    apart = other.page - line.page
    return all(b - a in (0, apart) for a, b in zip(line.numbers, other.numbers, strict=True))


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
            numbers = _numbers(segment.text)
            if at_edge > _NUMBER_MARGIN * page.height or not numbers:
                continue
            if is_page_number(segment.text) and _is_alone(page, segment):
                place = (round(_place(page, segment) / _DRIFT_PT), _key(segment.text))
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
    known = _key(segment.text) in running
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
