"""Takes headers, footers and page numbers out of paged documents: part of the clean step.

Native PDF pages were freed of them line by line when they were parsed; this finds what is
left, above all on recognised pictures, by repetition and place. Tables are never touched: a
row that repeats on each page is not a header. What a header says that the document doesn't
say elsewhere stays on its first page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rag.ingest.clean_running import (
    Keys,
    Peers,
    Said,
    is_caption,
    is_page_number,
    labels_of,
    line_key,
    near_peers,
    pages_of_records,
    stays,
)
from rag.types import Block, Page

_MARGIN = 0.11
_RECORD_MARGIN = 0.25
"""Shares of the page's height at the top and bottom in which they, and the fields of a record,
stand. Chosen by us."""

_DRIFT = 0.02
"""How far the same line may move from page to page, as a share of the height: scans are
never laid on quite alike."""

_MIN_PAGES = 3
_MIN_SHARE = 0.3
"""Pages, and share of the pages, on which a line must stand. Facing pages have different
lines, so that each is on less than half. All chosen by us."""

_MAX_LENGTH = 80
"""Characters of the longest header."""


class _Line(NamedTuple):
    """A block at an edge of a page: the page's number, and its place as a share of the height
    from the top, negative from the bottom."""

    block: Block
    page: int
    place: float
    key: str


def without_furniture(pages: Sequence[Page]) -> tuple[Page, ...]:
    """The pages without what repeats at their edges; those that had some are flagged
    `header_footer`. Pages without a height or without boxes stay as they are."""
    keys = Keys()
    edges = [
        [
            _Line(block, page.number, _place(block, page), _key(keys, block, page))
            for block in page.blocks
            if _at_edge(block, page)
        ]
        for page in pages
    ]
    by_key: dict[str, list[_Line]] = {}
    for line in (line for lines in edges for line in lines):
        by_key.setdefault(line.key, []).append(line)
    read = sum(bool(page.blocks) for page in pages)
    needed = read if read == 2 else max(_MIN_PAGES, _MIN_SHARE * min(read, 12))
    numbered = _numbered_pages(edges)
    numbers = {
        id(line.block)
        for lines in edges
        for line in lines
        if line.page in numbered and is_page_number(line.block.text)
    }
    groups = [
        [x for n, x in enumerate(same) if _repeats(near_peers(same, n), x, needed)]
        for same in by_key.values()
    ]
    repeated = {id(line.block) for group in groups for line in group}
    groups = _without_records(groups, pages, repeated)
    repeated = {id(line.block) for group in groups for line in group}
    once = _said_once(groups, pages, numbers | repeated)
    return tuple(_without(page, (numbers | repeated) - set(once), once) for page in pages)


def _without_records(
    groups: Sequence[Sequence[_Line]], pages: Sequence[Page], repeated: set[int]
) -> list[list[_Line]]:
    """The lines but for fields of records, one of which each page shows."""
    records = {
        top: pages_of_records(
            (page.number, labels_of(block.text))
            for page in pages
            for block in page.blocks
            if id(block) not in repeated and _is_near_edge(block, page, top)
        )
        for top in (True, False)
    }
    return [
        [x for x in same if x.page not in records[x.place > 0] or not labels_of(x.block.text)]
        for same in groups
    ]


def _is_near_edge(block: Block, page: Page, top: bool) -> bool:
    if block.bbox is None or not page.height or len(block.text) > _MAX_LENGTH:
        return False
    reach = _RECORD_MARGIN * page.height
    return block.bbox[1] < reach if top else block.bbox[3] > page.height - reach


def _without(page: Page, doomed: set[int], kept: Mapping[int, str]) -> Page:
    """The page without these blocks, those that are kept with the texts given."""
    blocks = [block for block in page.blocks if id(block) not in doomed]
    # A page is never emptied: what fills it alone is its content.
    if not blocks or (len(blocks) == len(page.blocks) and not any(id(b) in kept for b in blocks)):
        return page
    told = tuple(
        block.model_copy(update={"text": kept[id(block)]}) if id(block) in kept else block
        for block in blocks
    )
    flags = tuple(dict.fromkeys((*page.flags, "header_footer")))
    return page.model_copy(update={"blocks": told, "flags": flags})


def _said_once(
    groups: Sequence[Sequence[_Line]], pages: Sequence[Page], doomed: set[int]
) -> dict[int, str]:
    """The first of the repeated blocks that say what the document doesn't say elsewhere, by
    their ids, and their texts without page numbers."""
    if not any(groups):
        return {}
    said = Said(
        part
        for page in pages
        for block in page.blocks
        if id(block) not in doomed
        for part in (block.text, *(cell for row in block.rows or () for cell in row))
    )
    kept: dict[int, str] = {}
    for group in sorted(filter(None, groups), key=lambda lines: lines[0].page):
        seen: set[tuple[int, ...]] = set()
        peers = Peers(line.block.text for line in group)
        for line in group:
            mark = peers.lasting(line.block.text)
            text = peers.told(line.block.text)
            if mark not in seen and not said.says(text):
                kept[id(line.block)] = text
                said.add(text)
            seen.add(mark)
    return kept


def _at_edge(block: Block, page: Page) -> bool:
    if block.bbox is None or not page.height or block.record_id is not None:
        return False
    if block.kind not in ("paragraph", "heading", "list") or "\n" in block.text.strip():
        return False
    if len(block.text) > _MAX_LENGTH or is_caption(block.text):
        return False
    return block.bbox[3] < page.height * _MARGIN or block.bbox[1] > page.height * (1 - _MARGIN)


def _key(keys: Keys, block: Block, page: Page) -> str:
    recognised = page.confidence is not None
    return keys.of(block.text, page.number) if recognised else line_key(block.text)


def _place(block: Block, page: Page) -> float:
    """The middle's distance from the top as a share of the height, negative from the bottom."""
    if block.bbox is None or not page.height:
        return 0.0
    middle = (block.bbox[1] + block.bbox[3]) / 2 / page.height
    return middle if middle < 0.5 else middle - 1


def _repeats(same: Sequence[_Line], line: _Line, needed: float) -> bool:
    near = {
        other.page
        for other in same
        if abs(other.place - line.place) <= _DRIFT
        and (other is line or stays(line.block.text, other.block.text, other.page - line.page))
    }
    return len(near) >= needed and any(c.isalnum() for c in line.block.text)


def _numbered_pages(edges: Sequence[Sequence[_Line]]) -> set[int]:
    """Pages whose lone number goes up with them: two neighbours with the same difference."""
    offsets: dict[int, set[int]] = {}
    for line in (line for lines in edges for line in lines):
        number = re.search(r"\d+", line.block.text)
        if number is not None and is_page_number(line.block.text):
            offsets.setdefault(line.page, set()).add(int(number[0]) - line.page)
    return {
        number
        for number, own in offsets.items()
        if any(own & offsets.get(number + step, set()) for step in (-2, -1, 1, 2))
    }
