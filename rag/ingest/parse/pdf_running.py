"""Gives a page back what its headers and footers alone say: part of the PDF parser."""

from __future__ import annotations

from collections.abc import Sequence

from rag.ingest.parse.pdf_furniture import grouped
from rag.ingest.parse.pdf_page import PageText
from rag.types import Block


def with_running(blocks: Sequence[Block], text: PageText) -> tuple[Block, ...]:
    """The blocks of a page and, each line as a paragraph at its place, what its headers and
    footers alone say."""
    lines = grouped(sorted(text.running, key=lambda s: s.middle))
    top, bottom = list(blocks), list[Block]()
    for line in reversed(lines):
        line.sort(key=lambda s: s.x0)
        block = Block(
            kind="paragraph",
            text=" ".join(s.text for s in line),
            page=text.number,
            bbox=(
                round(min(s.x0 for s in line), 1),
                round(min(s.y0 for s in line), 1),
                round(max(s.x1 for s in line), 1),
                round(max(s.y1 for s in line), 1),
            ),
        )
        middle = line[0].middle
        if middle > text.height / 2:
            bottom.insert(0, block)
            continue
        above = 0
        while above < len(top) and _ends_above(top[above], middle):
            above += 1
        top.insert(above, block)
    return (*top, *bottom)


def _ends_above(block: Block, y: float) -> bool:
    return block.bbox is not None and block.bbox[3] <= y
