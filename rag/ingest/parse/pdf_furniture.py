"""Finds headers, footers and page numbers of a PDF by their repetition."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from statistics import median

from rag.ingest.parse.pdf_page import PageText, Segment

_MARGIN = 0.11
"""Share of the page's height at the top and bottom in which they stand."""

_LINES = 3
"""How many lines from the edge of a page are looked at."""

_DRIFT_PT = 6.0
"""How far the same line may move from page to page, in points. All chosen by us."""

_MIN_PAGES = 2
_MIN_SHARE = 0.3

_PAGE_NUMBER = re.compile(
    r"[-—–·•|\s]*(?:第\s*)?(?:\d{1,4}|[ivxlc]{1,6})\s*(?:页|頁)?\s*(?:[/／|]|共|of|,|，)?\s*(?:共\s*)?"
    r"(?:\d{1,4})?\s*(?:页|頁)?[-—–·•|\s]*|page\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?|P\.?\s*\d{1,4}",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+|[一二三四五六七八九十]+(?=页)")


def remove_furniture(pages: Sequence[PageText]) -> bool:
    """Take headers, footers and page numbers out of the pages; True when there were any."""
    candidates = [_edge_segments(page) for page in pages]
    seen: dict[str, list[tuple[int, float]]] = {}
    for index, (page, segments) in enumerate(zip(pages, candidates, strict=True)):
        for segment in segments:
            seen.setdefault(_key(segment.text), []).append((index, _place(page, segment)))
    needed = max(_MIN_PAGES, _MIN_SHARE * min(len(pages), 12))
    removed = False
    for index, (page, segments) in enumerate(zip(pages, candidates, strict=True)):
        doomed = {
            id(segment)
            for segment in segments
            if _is_lone_number(page, segment)
            or _is_above_rule(page, segment)
            or _repeats(seen[_key(segment.text)], index, _place(page, segment), needed)
        }
        if doomed:
            removed = True
            page.segments = [s for s in page.segments if id(s) not in doomed]
    return removed


def is_page_number(text: str) -> bool:
    """Whether a line is a page number and nothing else ("12", "第 3 页", "- 4 -", "2/10")."""
    text = " ".join(text.split())
    return bool(_PAGE_NUMBER.fullmatch(text)) and any(c.isalnum() for c in text)


def _edge_segments(page: PageText) -> list[Segment]:
    """Segments of the first and last lines within the margins."""
    ordered = sorted(page.segments, key=lambda s: s.middle)
    found: list[Segment] = []
    for group, inside in (
        (ordered, lambda s: s.middle < page.height * _MARGIN),
        (ordered[::-1], lambda s: s.middle > page.height * (1 - _MARGIN)),
    ):
        lines = 0
        last = None
        for segment in group:
            if not inside(segment):
                break
            if last is None or abs(segment.middle - last) > segment.size / 2:
                lines, last = lines + 1, segment.middle
            if lines > _LINES:
                break
            found.append(segment)
    return found


def _key(text: str) -> str:
    """The line without what changes from page to page."""
    flat = unicodedata.normalize("NFKC", "".join(text.split()))
    return _DIGITS.sub("#", flat)


def _place(page: PageText, segment: Segment) -> float:
    """Distance from the nearer edge; negative from the bottom."""
    top = segment.middle < page.height / 2
    return segment.middle if top else segment.middle - page.height


def _repeats(places: Sequence[tuple[int, float]], index: int, place: float, needed: float) -> bool:
    near = {i for i, p in places if abs(p - place) <= _DRIFT_PT}
    # On two pages only, they must follow each other (or be left and right pages).
    neighbours = any(abs(i - index) in (1, 2) for i in near if i != index)
    return len(near) >= needed and neighbours


def _is_lone_number(page: PageText, segment: Segment) -> bool:
    if not is_page_number(segment.text):
        return False
    alone = all(
        other is segment or abs(other.middle - segment.middle) > segment.size
        for other in page.segments
    )
    at_edge = min(segment.middle, page.height - segment.middle) < page.height * 0.09
    return alone and at_edge and len(page.segments) > 1


def _is_above_rule(page: PageText, segment: Segment) -> bool:
    """Whether a rule sets the line off from the text below, and it isn't larger than that."""
    if page.header_rule is None or segment.y1 > page.header_rule + 2:
        return False
    below = [s.size for s in page.segments if s.y0 >= page.header_rule]
    above = [s for s in page.segments if s.y1 <= page.header_rule + 2]
    one_line = max(s.middle for s in above) - min(s.middle for s in above) < segment.size
    return bool(below) and one_line and segment.size <= median(below) * 1.05
