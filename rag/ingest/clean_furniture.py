"""Takes headers, footers and page numbers out of paged documents: part of the clean step.

Native PDF pages were freed of them line by line when they were parsed; this finds what is
left, above all on recognised pages, by repetition and place. Tables are never touched: a row
that repeats on each page is not a header.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rag.types import Block, Page

_MARGIN = 0.11
"""Share of the page's height at the top and bottom in which they stand."""

_DRIFT = 0.02
"""How far the same line may move from page to page, as a share of the height: scans are
never laid on quite alike."""

_MIN_PAGES = 3
_MIN_SHARE = 0.3
"""Pages, and share of the pages, on which a line must stand. Facing pages have different
lines, so that each is on less than half. All chosen by us."""

_MAX_LENGTH = 80
"""Characters of the longest header."""

_DIGITS = re.compile(r"\d+|[ivxlc]+(?=\W*$)|[一二三四五六七八九十百]+(?=页)", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"[-—–·•|~\s]*(?:第\s*)?\d{1,4}\s*(?:页|頁)?\s*(?:[/／|]|共|of|,|，)?\s*(?:共\s*)?"
    r"(?:\d{1,4})?\s*(?:页|頁)?[-—–·•|~\s]*|page\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?|P\.?\s*\d{1,4}",
    re.IGNORECASE,
)


def without_furniture(pages: Sequence[Page]) -> tuple[Page, ...]:
    """The pages without what repeats at their edges; those that had some are flagged
    `header_footer`. Pages without a height or without boxes stay as they are."""
    edges = [[b for b in page.blocks if _at_edge(b, page)] for page in pages]
    seen: dict[str, list[tuple[int, float]]] = {}
    for page, blocks in zip(pages, edges, strict=True):
        for block in blocks:
            seen.setdefault(_key(block.text), []).append((page.number, _place(block, page)))
    read = sum(bool(page.blocks) for page in pages)
    needed = max(_MIN_PAGES, _MIN_SHARE * min(read, 12))
    numbered = _numbered_pages(pages, edges)
    found: list[Page] = []
    for page, blocks in zip(pages, edges, strict=True):
        doomed = {
            id(block)
            for block in blocks
            if _repeats(seen[_key(block.text)], _place(block, page), needed)
            or (page.number in numbered and _PAGE_NUMBER.fullmatch(block.text.strip()))
        }
        # A page is never emptied: what fills it alone is its content.
        if doomed and len(doomed) < len(page.blocks):
            kept = tuple(block for block in page.blocks if id(block) not in doomed)
            flags = tuple(dict.fromkeys((*page.flags, "header_footer")))
            page = page.model_copy(update={"blocks": kept, "flags": flags})
        found.append(page)
    return tuple(found)


def is_page_number(text: str) -> bool:
    """Whether a line is a page number and nothing else ("12", "第 3 页", "- 4 -", "2/10")."""
    text = " ".join(text.split())
    return bool(_PAGE_NUMBER.fullmatch(text)) and any(c.isalnum() for c in text)


def _at_edge(block: Block, page: Page) -> bool:
    if block.bbox is None or not page.height or block.record_id is not None:
        return False
    if block.kind not in ("paragraph", "heading", "list") or "\n" in block.text.strip():
        return False
    if len(block.text) > _MAX_LENGTH:
        return False
    return block.bbox[3] < page.height * _MARGIN or block.bbox[1] > page.height * (1 - _MARGIN)


def _key(text: str) -> str:
    """The line without what changes from page to page."""
    return _DIGITS.sub("#", unicodedata.normalize("NFKC", "".join(text.split())))


def _place(block: Block, page: Page) -> float:
    """The middle's distance from the top as a share of the height, negative from the bottom."""
    if block.bbox is None or not page.height:
        return 0.0
    middle = (block.bbox[1] + block.bbox[3]) / 2 / page.height
    return middle if middle < 0.5 else middle - 1


def _repeats(places: Sequence[tuple[int, float]], place: float, needed: float) -> bool:
    return len({number for number, other in places if abs(other - place) <= _DRIFT}) >= needed


def _numbered_pages(pages: Sequence[Page], edges: Sequence[Sequence[Block]]) -> set[int]:
    """Pages whose lone number goes up with them: two neighbours with the same difference."""
    offsets: dict[int, set[int]] = {}
    for page, blocks in zip(pages, edges, strict=True):
        for block in blocks:
            number = re.search(r"\d+", block.text)
            if number is not None and _PAGE_NUMBER.fullmatch(block.text.strip()):
                offsets.setdefault(page.number, set()).add(int(number[0]) - page.number)
    return {
        number
        for number, own in offsets.items()
        if any(own & offsets.get(number + step, set()) for step in (-2, -1, 1, 2))
    }
