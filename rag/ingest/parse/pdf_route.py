"""Decides page by page how a PDF is read: as text, by looking at it, or both."""

from __future__ import annotations

from rag.ingest.clean_running import is_page_number
from rag.ingest.parse.pdf_page import PageText
from rag.types import PageRoute

SCAN_SHARE = 0.05
MIXED_SHARE = 0.04
_OUTLINED_PATHS = 50
"""Share of the page that pictures cover for a page without characters to be a scan, and for
one with characters to be mixed; so many paths without a character are letters drawn as
outlines. Measured on 28 real documents."""

_LONE_SHARE = 0.002
"""A page with nothing but smaller pictures is blank; larger ones are looked at. Chosen by us: a
stamp of 10 × 12 mm on A4."""

_COVERED_SHARE = 0.6
_STAMP_CHARACTERS = 40
"""A page mostly covered by pictures with fewer characters than these is a scan with a stamp,
a page number or a running title typed over it. Chosen by us."""

INVISIBLE_SHARE = 0.5
"""Share of unpainted characters from which they are worth a flag, and from which a page that
is covered by pictures is a scan with a hidden layer. Measured on 28 real documents."""

_FONT_SHARE = 0.05
_FONT_CHARACTERS = 6
"""A font with a bad mapping spoils the page when it has this share of its characters, and at
least so many. Chosen by us: an emoji font has fewer."""


def route_of(text: PageText, *, tables: bool) -> PageRoute:
    """How to read a page: `native` (by its text), `scanned` (by recognition of the whole
    page), `mixed` (recognition of its pictures), `complex` (by its text, in the
    order that the layout model saw), `abnormal` (its text is not to be believed).

    Args:
        tables: whether ruled tables were found, which scans with a stamp don't have.
    """
    covered = text.picture_share > SCAN_SHARE
    if not text.glyphs.total:
        if covered or text.drawings > _OUTLINED_PATHS:
            return "scanned"
        return "mixed" if text.picture_share > _LONE_SHARE else "native"
    if is_abnormal(text):
        return "abnormal"
    if covered and not tables:
        only_numbers = all(is_page_number(segment.text) for segment in text.segments)
        stamped = (
            text.picture_share > _COVERED_SHARE and text.glyphs.total < _STAMP_CHARACTERS
        ) or text.invisible_share > INVISIBLE_SHARE
        if only_numbers or (stamped and _is_like_scan(text)):
            return "scanned"
    if text.picture_share > MIXED_SHARE:
        return "mixed"
    return "complex" if text.regions else "native"


def left_out(text: PageText, route: PageRoute, *, tables: bool, pictures: bool) -> list[str]:
    """Flags of what a route that an editor chose did not look at: pictures and outlined letters
    that the page would have been recognised for.

    Args:
        tables: whether ruled tables were found.
        pictures: whether text was recognised in pictures of the page.
    """
    own = route_of(text, tables=tables)
    blind = route in ("native", "complex") and own in ("scanned", "mixed")
    if blind or (route == "mixed" and own == "scanned" and not pictures):
        return ["image_text"] if text.segments or tables else ["no_text"]
    return []


def is_abnormal(text: PageText) -> bool:
    """Whether the text of the page, or that of one of its fonts, may be another than what is
    seen."""
    if text.glyphs.is_abnormal():
        return True
    least = max(_FONT_SHARE * text.glyphs.total, _FONT_CHARACTERS)
    return any(glyphs.total >= least and glyphs.is_abnormal() for glyphs in text.fonts.values())


def noted(text: PageText) -> list[str]:
    """Flags of a page that don't depend on its route."""
    flags: list[str] = []
    if text.rotation or text.turned:
        flags.append("rotated")
    if text.invisible_share > INVISIBLE_SHARE:
        flags.append("invisible_text")
    if text.fake_bold:
        flags.append("fake_bold")
    if text.watermark:
        flags.append("watermark")
    if any(segment.vertical for segment in text.segments):
        flags.append("vertical")
    return flags


def _is_like_scan(text: PageText) -> bool:
    """Whether the typed text stands only at the page's edges."""
    margin = 0.12 * text.height
    return all(s.middle < margin or s.middle > text.height - margin for s in text.segments)
