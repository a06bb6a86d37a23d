"""Joins what a page break cut: paragraphs that go on, and tables without their header."""

from __future__ import annotations

from collections.abc import Sequence

from rag.ingest.clean_hyphens import settle_hyphens
from rag.ingest.headings import clause_label
from rag.ingest.lines import join_wrapped
from rag.ingest.parse.pdf_continued import finish_tables
from rag.types import BBox, Block, Page

_ENDS = tuple("。！？；：.!?;:”」』）)】")
_MIN_OPEN = 15
"""Characters of a paragraph that may go on; shorter ones without a full stop are captions."""


def join_pages(pages: Sequence[Page]) -> list[Page]:
    """The pages with cut paragraphs moved to where they begin and table headers repeated.

    A joined paragraph's metadata holds its `pages`.
    """
    found = finish_tables([page.blocks for page in pages], [page.height for page in pages])
    found = [_join_columns(blocks) for blocks in found]
    last: tuple[int, int] | None = None
    for index, blocks in enumerate(found):
        first = next((i for i, block in enumerate(blocks) if not _is_note(block)), None)
        if first is None:
            continue
        if last is not None and _goes_on(found[last[0]][last[1]], blocks[first]):
            previous = found[last[0]][last[1]]
            rest = blocks.pop(first)
            numbers = [*previous.metadata.get("pages", [previous.page]), rest.page]
            found[last[0]][last[1]] = _joined(previous, rest).model_copy(
                update={"metadata": {**previous.metadata, "pages": numbers}}
            )
        content = [i for i, block in enumerate(blocks) if not _is_note(block)]
        if content:
            last = (index, content[-1])
    return settle_hyphens(
        [
            page.model_copy(update={"blocks": tuple(blocks)})
            for page, blocks in zip(pages, found, strict=True)
        ]
    )


def _is_note(block: Block) -> bool:
    return bool(block.metadata.get("footnote"))


def _join_columns(blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs that go on at the top of the next column of the same page."""
    joined: list[Block] = []
    for block in blocks:
        content = [i for i, other in enumerate(joined) if not _is_note(other)]
        at = content[-1] if content else 0
        previous = joined[at] if content else None
        above = (
            previous is not None
            and previous.bbox is not None
            and block.bbox is not None
            and (block.bbox[1] < previous.bbox[1] or _is_right_of(block.bbox, previous.bbox))
        )
        if previous is not None and above and _goes_on(previous, block):
            joined[at] = _joined(previous, block)
        else:
            joined.append(block)
    return joined


def _is_right_of(box: BBox, other: BBox) -> bool:
    """Whether a box begins a column beside one that fills its own from the same height."""
    return box[0] > other[2] and box[1] < (other[1] + other[3]) / 2


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
