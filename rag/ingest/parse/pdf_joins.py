"""Joins what a page break cut: paragraphs that go on, and tables without their header."""

from __future__ import annotations

from collections.abc import Sequence

from rag.ingest.headings import clause_label
from rag.ingest.lines import join_wrapped
from rag.ingest.table import to_markdown
from rag.types import Block, Page

_ENDS = tuple("。！？；：.!?;:”」』）)】")
_MIN_OPEN = 15
"""Characters of a paragraph that may go on; shorter ones without a full stop are captions."""

_EDGE_PT = 4.0
"""How far the columns of one table may lie apart on two pages, in points."""


def join_pages(pages: Sequence[Page]) -> list[Page]:
    """The pages with cut paragraphs moved to where they begin and table headers repeated.

    A joined paragraph's metadata holds its `pages`.
    """
    found: list[list[Block]] = [_join_columns(page.blocks) for page in pages]
    last: tuple[int, int] | None = None
    for index, blocks in enumerate(found):
        if last is not None and blocks:
            previous = found[last[0]][last[1]]
            if _goes_on(previous, blocks[0]):
                rest = blocks.pop(0)
                merged = _joined(previous, rest)
                numbers = [*previous.metadata.get("pages", [previous.page]), rest.page]
                found[last[0]][last[1]] = merged.model_copy(
                    update={"metadata": {**previous.metadata, "pages": numbers}}
                )
            elif _same_table(previous, blocks[0]):
                blocks[0] = _with_header(previous, blocks[0])
        if blocks:
            last = (index, len(blocks) - 1)
    return [
        page.model_copy(update={"blocks": tuple(_tidy(block) for block in blocks)})
        for page, blocks in zip(pages, found, strict=True)
    ]


def _join_columns(blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs that go on at the top of the next column of the same page."""
    joined: list[Block] = []
    for block in blocks:
        previous = joined[-1] if joined else None
        above = (
            previous is not None
            and previous.bbox is not None
            and block.bbox is not None
            and block.bbox[1] < previous.bbox[1]
        )
        if previous is not None and above and _goes_on(previous, block):
            joined[-1] = _joined(previous, block)
        else:
            joined.append(block)
    return joined


def _goes_on(previous: Block, block: Block) -> bool:
    if previous.kind not in ("paragraph", "list") or block.kind != "paragraph":
        return False
    text, rest = previous.text.rstrip(), block.text.lstrip()
    if len(text) < _MIN_OPEN or text.endswith(_ENDS) or clause_label(rest):
        return False
    # A sentence goes on in the middle; a capital or an indent would begin a new one.
    return bool(rest) and not (rest[0].isascii() and rest[0].isupper() and text[-1] != ",")


def _joined(previous: Block, rest: Block) -> Block:
    return previous.model_copy(update={"text": join_wrapped([previous.text, rest.text])})


def _same_table(previous: Block, block: Block) -> bool:
    if previous.kind != "table" or block.kind != "table" or not previous.rows or not block.rows:
        return False
    ours, theirs = previous.metadata.get("edges", ()), block.metadata.get("edges", ())
    return len(ours) == len(theirs) and all(
        abs(a - b) <= _EDGE_PT for a, b in zip(ours, theirs, strict=True)
    )


def _with_header(previous: Block, block: Block) -> Block:
    assert previous.rows is not None and block.rows is not None
    header = previous.rows[0]
    if block.rows[0] == header or block.metadata.get("has_header"):
        return block
    rows = (header, *block.rows)
    return block.model_copy(
        update={
            "rows": rows,
            "text": to_markdown(rows),
            "metadata": {**block.metadata, "has_header": True},
        }
    )


def _tidy(block: Block) -> Block:
    """The block without the notes that only this step needed."""
    if block.kind != "table":
        return block
    kept = {k: v for k, v in block.metadata.items() if k not in ("edges", "has_header")}
    return block.model_copy(update={"metadata": kept})
