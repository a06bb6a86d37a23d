"""Where something stands in a document, in the unit that people count it in.

Pages of a PDF, slides of a presentation, parts of an e-book or a mail; Word documents,
workbooks, texts and web pages have none that we know, so that nothing is said about theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.ingest.places import PICTURED, Unit, unit_of
from ui.texts import t

__all__ = ["PICTURED", "Unit", "counted", "place", "unit_of"]


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
