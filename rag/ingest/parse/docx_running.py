"""What the headers and footers of a Word document say that its text doesn't."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rag.ingest.clean_running import Said, is_page_number, without_page_number
from rag.ingest.parse.docx_numbering import W
from rag.ingest.parse.docx_text import Collector, tidy
from rag.ingest.parse.ooxml import RELATION, Package
from rag.types import Block

_OFF = ("0", "false", "off")
_MOST_LINES = 40
"""Lines of headers and footers that are looked at. Chosen by us."""


def with_running(package: Package, main: str, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with what only headers say before them and what only footers say behind.

    Each line is a paragraph and stands once, without its page number.
    """
    root = package.part(main)
    if next(root.iter(W + "headerReference", W + "footerReference"), None) is None:
        return tuple(blocks)
    said = Said(
        text
        for block in blocks
        for text in (block.text, *(cell for row in block.rows or () for cell in row))
    )
    found: dict[str, list[Block]] = {"header": [], "footer": []}
    for kind, lines in found.items():
        for line in _lines(package, main, root, kind):
            text = tidy(without_page_number(line))
            if not is_page_number(line) and not said.says(text):
                said.add(text)
                lines.append(Block(kind="paragraph", text=text))
            if len(lines) >= _MOST_LINES:
                break
    return (*found["header"], *blocks, *found["footer"])


def _lines(package: Package, main: str, root: Any, kind: str) -> Iterator[str]:
    """The lines of the headers or footers that are shown; a row of a table is one line."""
    settings = next(iter(package.related(main, "settings")), None)
    facing = _is_on(package.optional(settings), "evenAndOddHeaders")
    for section in root.iter(W + "sectPr"):
        for reference in section.iter(f"{W}{kind}Reference"):
            place = reference.get(W + "type")
            if place == "first" and not _is_on(section, "titlePg"):
                continue
            if place == "even" and not facing:
                continue
            part = package.optional(package.target(main, reference.get(RELATION + "id")))
            if part is not None:
                yield from _lines_of(part)


def _lines_of(element: Any) -> Iterator[str]:
    collector = Collector()
    for child in element:
        if child.tag == W + "p":
            yield collector.read(child).text
        elif child.tag == W + "tbl":
            for row in child.iter(W + "tr"):
                cells = (
                    " ".join(filter(None, (collector.read(p).text for p in cell.iter(W + "p"))))
                    for cell in row.iter(W + "tc")
                )
                yield "  ".join(filter(None, cells))
        elif child.tag == W + "sdtContent" or (
            child.tag == W + "sdt" and child.find(f"{W}sdtPr/{W}showingPlcHdr") is None
        ):
            yield from _lines_of(child)


def _is_on(element: Any | None, name: str) -> bool:
    found = None if element is None else element.find(W + name)
    return found is not None and found.get(W + "val") not in _OFF
