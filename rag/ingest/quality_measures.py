"""The figures behind the quality gate: how broken, repeated, thin or disordered a text is."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from rag.types import Block, Page

_HAN = re.compile(r"[㐀-䶿一-鿿豈-﫿]")
_REPEATED_HAN = re.compile(r"([㐀-䶿一-鿿豈-﫿])\1+")
_DECODED_WRONG = re.compile("锟斤拷|烫烫烫|屯屯屯|ï¿½|(?:Ã.|â€.){2}")
_LEAST_HAN = 10
_REPEATED_SHARE = 0.12
"""Share of one Han character standing next to itself, in a text with so many Han characters or
more. Measured on 28 real PDFs: a text whose glyphs map to one character is far above, doubled
words (人人, 天天) of sound texts stay below."""
_LEAST_PARAGRAPH = 20
"""Characters (blanks aside) from which a repeated paragraph counts; shorter ones are labels."""
_LEAST_PAGE = 60
"""The same for a whole page that repeats another."""
_LITTLE_TEXT = 8
"""Letters and digits under which a page that was read from a picture says next to nothing."""
_BACK_JUMPS = 2
"""Jumps back within a column that make the order of a page doubtful; one may be a caption.
This and the two constants above are chosen by us."""
_SAME_COLUMN = 0.5
"""Overlap of two boxes, as a share of the narrower one, that puts them in one column."""


def page_text(page: Page) -> str:
    """The texts of a page's blocks, a line break between them, without outer blanks."""
    return "\n".join(block.text for block in page.blocks).strip()


def garbled_share(text: str) -> float:
    """Share of characters (blanks aside) that no person wrote: replacement, private and
    unassigned ones, control characters, well-known results of wrong decoding, and Han
    characters beside themselves where that is too frequent to be language. 0..1."""
    total = sum(not c.isspace() for c in text)
    if not total:
        return 0.0
    bad = sum(map(_is_broken, text)) if not text.isprintable() or "\ufffd" in text else 0
    bad += sum(len(match[0]) for match in _DECODED_WRONG.finditer(text))
    han = len(_HAN.findall(text))
    if han >= _LEAST_HAN:
        runs: Counter[str] = Counter()
        for match in _REPEATED_HAN.finditer(text):
            runs[match[1]] += len(match[0])
        bad += sum(count for count in runs.values() if count / han > _REPEATED_SHARE)
    return min(bad / total, 1.0)


def duplicate_share(pages: Sequence[Page]) -> float:
    """Share of the paragraphs' characters in paragraphs that occurred before; tables, lists
    of records and code repeat by nature and don't count. 0..1."""
    seen: set[str] = set()
    total = repeated = 0
    for page in pages:
        for block in page.blocks:
            key = _paragraph_key(block)
            if key is None:
                continue
            total += len(key)
            if key in seen:
                repeated += len(key)
            seen.add(key)
    return repeated / total if total else 0.0


def repeated_pages(pages: Sequence[Page]) -> dict[int, int]:
    """Number of each page whose whole text an earlier page has → that page's number."""
    first: dict[str, int] = {}
    found: dict[int, int] = {}
    for page in pages:
        key = "".join(page_text(page).split())
        if len(key) < _LEAST_PAGE:
            continue
        if key in first:
            found[page.number] = first[key]
        else:
            first[key] = page.number
    return found


def confidence_of(pages: Sequence[Page]) -> float | None:
    """Mean confidence of what was recognised, weighed by the length of the pages' texts;
    None where nothing was."""
    read = [(p.confidence, len(page_text(p))) for p in pages if p.confidence is not None]
    weight = sum(length for _, length in read)
    if not weight:
        return None
    return sum(confidence * length for confidence, length in read) / weight


def says_little(page: Page, text: str) -> bool:
    """Whether a page was read from a picture and hardly anything came of it."""
    if not text or (page.confidence is None and page.route != "scanned"):
        return False
    return sum(c.isalnum() for c in text) < _LITTLE_TEXT


def is_out_of_order(page: Page) -> bool:
    """Whether the blocks jump back up within a column more than once: then columns were mixed
    up. Vertical and turned pages are read in another order and not judged."""
    if any(flag in page.flags for flag in ("vertical", "rotated")):
        return False
    boxes = [
        block.bbox for block in page.blocks if block.bbox is not None and block.page == page.number
    ]
    jumps = 0
    for (x0, y0, x1, _), (next_x0, _, next_x1, next_y1) in itertools.pairwise(boxes):
        shared = min(x1, next_x1) - max(x0, next_x0)
        narrower = min(x1 - x0, next_x1 - next_x0)
        if next_y1 <= y0 and narrower > 0 and shared > _SAME_COLUMN * narrower:
            jumps += 1
    return jumps >= _BACK_JUMPS


def _is_broken(character: str) -> bool:
    if character == "\ufffd":
        return True
    return character not in "\n\t\r" and unicodedata.category(character) in ("Cc", "Co", "Cn", "Cs")


def _paragraph_key(block: Block) -> str | None:
    if block.kind not in ("paragraph", "list") or block.record_id is not None:
        return None
    key = "".join(block.text.split())
    return key if len(key) >= _LEAST_PARAGRAPH else None
