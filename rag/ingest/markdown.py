"""Shows a document as Markdown: for people, the command line and the chunk preview."""

from __future__ import annotations

from rag.types import Block, Document

_DEEPEST = 6


def to_markdown(document: Document) -> str:
    """The document's blocks in reading order as Markdown; ends without a line break."""
    return "\n\n".join(_block(block) for block in document.blocks if block.text.strip())


def _block(block: Block) -> str:
    if block.kind == "heading":
        text = " ".join(block.text.split())
        return f"{'#' * min(block.level or 1, _DEEPEST)} {text}"
    if block.kind == "code":
        fence = "```"
        while fence in block.text:
            fence += "`"
        return f"{fence}\n{block.text}\n{fence}"
    if block.kind == "formula":
        return f"$$\n{block.text}\n$$"
    title = str(block.metadata.get("title") or "") if block.record_id is not None else ""
    if title and title != block.text:
        return f"**{title}**\n\n{block.text}"
    return block.text
