"""Plain text: paragraphs, with headings recognised by their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.ingest.headings import (
    LEAD_LEVEL,
    bracketed_level,
    clause_label,
    heading_level,
    is_lead,
    is_title_like,
    starts_entry,
)
from rag.ingest.lines import unwrap
from rag.types import Block, Page

_LIST_ITEM = re.compile(r"\s*([-*•·●○▪◦]|\d{1,3}[.．、)）]|[（(]\d{1,3}[)）]|[①-⑳])\s*\S")


def parse_text(text: str, *, titled: bool = True) -> tuple[Page, ...]:
    """One page of headings, paragraphs and lists.

    Args:
        titled: whether a short first line is the title; the first line of a mail is not.
    """
    lines = unwrap(text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").split("\n"))
    blocks: list[Block] = []
    group: list[str] = []
    kind: str = ""

    def flush() -> None:
        nonlocal group, kind
        if group:
            name = "list" if kind == "list" and len(group) > 1 else "paragraph"
            blocks.append(Block(kind=name, text="\n".join(group)))
        group, kind = [], ""

    for number, line in enumerate(lines):
        stripped = line.strip()
        if not stripped:
            flush()
            continue
        level = heading_level(stripped, decimals=False) or bracketed_level(stripped)
        if level is None and not group and is_lead(stripped) and _lists(lines, number + 1):
            level = LEAD_LEVEL
        if level is not None:
            flush()
            blocks.append(Block(kind="heading", text=stripped, level=level))
            continue
        now = "list" if _LIST_ITEM.match(stripped) else "paragraph"
        if now != kind or clause_label(stripped):
            flush()
        kind = now
        group.append(stripped)
    flush()
    return (Page(number=1, blocks=tuple(_with_title(blocks) if titled else blocks)),)


def _lists(lines: Sequence[str], start: int) -> bool:
    """Whether the next line with text, at most one blank line away, is an item of a list."""
    following = next((line for line in lines[start : start + 2] if line.strip()), "")
    return bool(_LIST_ITEM.match(following)) or starts_entry(following)


def _with_title(blocks: list[Block]) -> list[Block]:
    """The first line as a heading when it stands alone and reads like a title."""
    if len(blocks) < 2 or blocks[0].kind != "paragraph":
        return blocks
    first, newline, rest = blocks[0].text.partition("\n")
    if not is_title_like(first) or clause_label(first):
        return blocks
    if newline and is_title_like(rest.partition("\n")[0]):
        return blocks  # an address or a verse rather than a title and its text
    head = [Block(kind="heading", text=first, level=1)]
    if rest:
        head.append(Block(kind="paragraph", text=rest))
    return head + blocks[1:]
