"""Shows a document as one Markdown: for people, editors, the command line and exports."""

from __future__ import annotations

from collections.abc import Iterator

from rag.types import Block, Document, Page

_DEEPEST = 6


def to_markdown(document: Document, *, places: bool = False) -> str:
    """The document's blocks in reading order as Markdown; ends without a line break.

    Args:
        places: also tell, in comments that no viewer shows, the document's name and flags,
            and for each page its number, how it was read, its flags and the headings that
            its text begins under.
    """
    if not places:
        return "\n\n".join(block_markdown(block) for block in document.blocks if block.text.strip())
    return "\n\n".join(_with_places(document))


def page_markdown(page: Page) -> str:
    """One page as Markdown: what an editor corrects."""
    return "\n\n".join(block_markdown(block) for block in page.blocks if block.text.strip())


def block_markdown(block: Block) -> str:
    """One block as Markdown. Text of the document is shown as it is, never as markup of ours."""
    if block.kind == "heading":
        text = " ".join(block.text.split())
        return f"{'#' * min(block.level or 1, _DEEPEST)} {text}"
    if block.kind == "code":
        fence = "```"
        while fence in block.text:
            fence += "`"
        language = str(block.metadata.get("language") or "")
        return f"{fence}{language if language.isalnum() else ''}\n{block.text}\n{fence}"
    if block.kind == "formula":
        return f"$$\n{block.text}\n$$"
    title = str(block.metadata.get("title") or "") if block.record_id is not None else ""
    if title and title not in block.text:
        return f"**{title}**\n\n{block.text}"
    return block.text


def _with_places(document: Document) -> Iterator[str]:
    facts = [f"document: {document.name}"]
    if document.flags:
        facts.append(f"flags: {', '.join(document.flags)}")
    yield _comment(facts)
    stack: list[tuple[int, str]] = []
    for page in document.pages:
        yield _comment(_page_facts(page, [text for _, text in stack]))
        for block in page.blocks:
            if not block.text.strip():
                continue
            if block.kind == "heading":
                level = block.level or 1
                while stack and stack[-1][0] >= level:
                    stack.pop()
                stack.append((level, " ".join(block.text.split())))
            yield block_markdown(block)


def _page_facts(page: Page, path: list[str]) -> Iterator[str]:
    yield f"page: {page.number}"
    if page.route != "native":
        yield f"route: {page.route}"
    if page.confidence is not None:
        yield f"confidence: {page.confidence:.2f}"
    if page.flags:
        yield f"flags: {', '.join(page.flags)}"
    begins = next((block for block in page.blocks if block.text.strip()), None)
    if path and begins is not None and begins.kind != "heading":
        yield f"path: {' > '.join(path)}"


def _comment(facts: Iterator[str] | list[str]) -> str:
    # Two hyphens would end the comment, and the text is not ours.
    text = "; ".join(facts).replace("--", "- -").replace(">", "›")
    return f"<!-- {' '.join(text.split())} -->"
