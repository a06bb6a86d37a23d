"""Where something stands in a document, in the unit that people count it in.

Pages of a PDF, slides of a presentation, parts of an e-book or a mail; Word documents,
workbooks, texts and web pages have none that we know, so that nothing is said about theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal

from rag.ingest.formats import CODE_EXTENSIONS, TEXT_TYPES
from ui.texts import t

Unit = Literal["page", "slide", "part"]

PICTURED = (".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".gif")
"""Endings of documents whose pages can be shown as pictures."""

_ENDINGS: dict[str, Unit] = dict.fromkeys(PICTURED, "page")
_ENDINGS |= dict.fromkeys((".pptx", ".ppt", ".odp"), "slide")
_ENDINGS |= dict.fromkeys((".epub", ".eml", ".msg"), "part")

_FLOWING = frozenset(TEXT_TYPES).union(
    CODE_EXTENSIONS,
    (".txt", ".log", ".json"),
    (".docx", ".doc", ".rtf", ".odt", ".xlsx", ".xls", ".xlsb", ".ods"),
)


def unit_of(name: str) -> Unit | None:
    """What a document of this name is counted in; None where its kind has no such unit.
    Pages, where the name doesn't tell the kind."""
    ending = PurePath(name.rstrip()).suffix.lower()
    return _ENDINGS.get(ending, None if ending in _FLOWING else "page")


def place(name: str, pages: Sequence[int]) -> str:
    """ "第 3 页", "第 3–4 张幻灯片"; "" where the document has nothing of the kind.

    Args:
        name: the document's name, for its kind.
        pages: numbers from 1, ascending; none counts as the first.
    """
    unit = unit_of(name)
    if unit is None:
        return ""
    if len(pages) < 2:
        return t(f"place.{unit}", n=pages[0] if pages else 1)
    return t(f"place.{unit}s", a=pages[0], b=pages[-1])


def counted(name: str, count: int) -> str:
    """ "12 页", "8 张幻灯片"; "" for none and where nothing is counted."""
    unit = unit_of(name)
    return t(f"count.{unit}", n=count) if unit and count else ""
