"""Which decisions about a document's pages are refused before they are kept."""

from __future__ import annotations

from collections.abc import Sequence

from rag.errors import InvalidInput
from rag.types import DocumentInfo, Page, PageDecision


def require_page(info: DocumentInfo, page: int) -> None:
    """Let a page pass that a document has.

    Raises:
        InvalidInput: it has no such page.
    """
    if info.version and page > info.page_count:
        raise InvalidInput(
            f"《{info.name}》没有第 {page} 页。",
            f"它一共有 {info.page_count} 页。",
            message_en=f"{info.name} has no page {page}.",
            remedy_en=f"It has {info.page_count} pages.",
        )


def require_text_left(
    info: DocumentInfo, pages: Sequence[Page], decisions: Sequence[PageDecision]
) -> None:
    """Let decisions pass that leave some text of a document.

    Args:
        pages: those that are published, with the decisions that held until now.
        decisions: all that are to hold.

    Raises:
        InvalidInput: a published document would be left without any text.
    """
    empty = {decision.page for decision in decisions if _leaves_nothing(decision)}
    if not pages or not empty:
        return
    read_anew = {d.page for d in decisions if d.action in ("reparse", "correct")} - empty
    for page in pages:
        # What was excluded or corrected before may have other text when it is read again.
        kept = "excluded" in page.flags or "corrected" in page.flags or _has_text(page)
        if page.number not in empty and (kept or page.number in read_anew):
            return
    raise InvalidInput(
        f"这样《{info.name}》就没有任何内容了，没有保存。",
        "请至少保留一页有文字的页面；整份不需要时，请隐藏或删除这个文档。",
        message_en=f"Nothing of {info.name} would be left; this was not saved.",
        remedy_en="Keep one page with text at least, or hide or delete the document.",
    )


def _leaves_nothing(decision: PageDecision) -> bool:
    blank = decision.action == "correct" and not decision.text.strip()
    return blank or decision.action == "exclude"


def _has_text(page: Page) -> bool:
    return any(block.text.strip() for block in page.blocks)
