"""What a document is called to people, and the unit that its kind is counted in.

Pages of a PDF, slides of a presentation, parts of an e-book or a mail; Word documents,
workbooks, texts and web pages have none that we know, so that nothing is said about theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal
from urllib.parse import unquote, urlsplit

from rag.ingest.formats import CODE_EXTENSIONS, TEXT_TYPES

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

_CHINESE: dict[Unit, str] = {"page": "第{}页", "slide": "第{}张幻灯片", "part": "第{}部分"}


def unit_of(name: str) -> Unit | None:
    """What a document of this name is counted in; None where its kind has no such unit.
    Pages, where the name doesn't tell the kind."""
    ending = PurePath(name.rstrip()).suffix.lower()
    return _ENDINGS.get(ending, None if ending in _FLOWING else "page")


def chinese_place(name: str, pages: Sequence[int]) -> str:
    """ "第3页", "第3–4张幻灯片"; "" where the document has nothing of the kind.

    Args:
        name: the document's name, for its kind.
        pages: numbers from 1, ascending; none counts as the first.
    """
    unit = unit_of(name)
    if unit is None:
        return ""
    first, last = (pages[0], pages[-1]) if pages else (1, 1)
    return _CHINESE[unit].format(first if first == last else f"{first}–{last}")


def shown_name(name: str, title: str | None, source: str | None) -> str:
    """What people know a document by: its file name, and for a page that was followed on the
    web its title rather than its address.

    Args:
        name: the stored name; that of a web page is its address without the scheme.
        title: its title, if it has one.
        source: where it was taken from, if that is known.
    """
    if not title or not (source or "").lower().startswith(("http://", "https://")):
        return name
    parts = urlsplit(source or "")
    ending = PurePath(name).suffix.lower()
    if ending not in (".html", ".htm") or not name.startswith(
        f"{parts.netloc}{unquote(parts.path).rstrip('/')}"
    ):
        return name
    return title if title.lower().endswith(ending) else f"{title}{ending}"
