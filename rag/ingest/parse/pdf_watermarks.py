"""Takes watermarks out of PDF pages: large or repeated texts at one place, over the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from rag.ingest.clean_running import line_key
from rag.ingest.parse.pdf_page import PageText, Segment

_MARGIN = 0.11
_DRIFT_PT = 6.0
"""Share of the page's height at its edges where headers stand instead, and how far a mark may
move from page to page, in points. Chosen by us."""

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


def remove_overprints(page: PageText) -> None:
    """Take watermarks out that are printed over the page's text: one large text, or the same
    text many times."""
    written = [s for s in page.segments if s.text.strip()]
    if len(written) < 3:
        return
    body = median(s.size for s in written)
    by_key: dict[str, list[Segment]] = {}
    for segment in written:
        by_key.setdefault(line_key(segment.text), []).append(segment)
    doomed: set[int] = set()
    for key, same in by_key.items():
        large = same[0].size >= _OVERPRINT_RATIO * body
        short = _TILES <= len(same[0].text) <= _LONGEST_TILE
        tiles = len(same) >= _TILES and short and not key.isascii()
        if not large and not tiles:
            continue
        others = [s for s in written if line_key(s.text) != key]
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


def remove_watermarks(pages: Sequence[PageText]) -> None:
    """Take out what stands at the same place on nearly all pages, over or larger than the text."""
    if len(pages) < _WATERMARK_PAGES:
        return
    body = body_size(pages)
    seen: dict[tuple[str, int, int], list[tuple[PageText, Segment]]] = {}
    for page in pages:
        for s in page.segments:
            inside = _MARGIN * page.height < s.middle < (1 - _MARGIN) * page.height
            if inside and s.text.strip():
                place = (line_key(s.text), round(s.x0 / _DRIFT_PT), round(s.middle / _DRIFT_PT))
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


def body_size(pages: Sequence[PageText]) -> float:
    """The font size of most characters in points; 10.5 where there are none."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for segment in page.segments:
            sizes[round(segment.size * 2) / 2] += len(segment.text)
    return sizes.most_common(1)[0][0] if sizes else 10.5
