"""A document's plain text: the text that `Chunk.char_span` points into."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Block, Document

SEPARATOR = "\n\n"


def plain_text(document: Document) -> str:
    """The texts of all blocks in reading order, joined by blank lines."""
    return SEPARATOR.join(block.text for block in document.blocks)


def block_offsets(blocks: Sequence[Block]) -> list[int]:
    """Where each block's text starts in the plain text."""
    offsets: list[int] = []
    position = 0
    for block in blocks:
        offsets.append(position)
        position += len(block.text) + len(SEPARATOR)
    return offsets
