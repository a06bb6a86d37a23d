"""Image files: photos, screenshots and scans, a page per picture, read by text recognition."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import CorruptDocument
from rag.ingest.inspect import too_many_pages
from rag.ingest.ocr import available, recognise, to_blocks
from rag.ingest.ocr.picture import is_worth_reading
from rag.ingest.ocr.pixels import from_pillow, open_picture
from rag.settings import IngestSettings
from rag.types import Page

if TYPE_CHECKING:
    from PIL import Image

_DPI = 96.0
_CREDIBLE_DPI = (50.0, 1200.0)
"""Resolution of pictures that state none, and those that are believed. The first is what PDF
and web programs take; the others chosen by us."""


def parse_image(
    path: Path, settings: IngestSettings, progress: Callable[[float], None] | None = None
) -> tuple[Page, ...]:
    """The pages of an image file: one, or one per picture of a TIFF.

    Boxes, width and height are in points as the picture is shown (turned as its EXIF data
    says): 72 divided by its resolution for each pixel. Pages are flagged `recognised`, or
    `no_text` and `ocr_off` where recognition is switched off or not available;
    `low_information` where hardly anything could be read; `stamp_over_text`,
    `low_resolution`, `doubtful_numbers` where people should compare the text with the picture.

    Args:
        progress: called with 0..1 after each picture and strip; may raise to stop.

    Raises:
        CorruptDocument: it is no picture, or none of it can be decoded.
        TooLarge: too many pixels or pictures.
    """
    with open_picture(path) as picture:
        count = _count(picture)
        if count > settings.max_pages:
            raise too_many_pages(count, settings.max_pages)
        pages: list[Page] = []
        for number in range(1, count + 1):

            def step(share: float, done: int = number - 1) -> None:
                if progress is not None:
                    progress((done + share) / count)

            try:
                picture.seek(number - 1)
                pages.append(_page(picture, number, settings, step))
            except (CorruptDocument, EOFError, OSError, ValueError):
                if count == 1:
                    raise
                pages.append(Page(number=number, route="scanned", flags=("failed_page",)))
            step(1.0)
    return tuple(pages)


def _count(picture: Image.Image) -> int:
    """Pictures that are pages: animations have one, their first."""
    return int(getattr(picture, "n_frames", 1)) if picture.format == "TIFF" else 1


def _page(
    picture: Image.Image,
    number: int,
    settings: IngestSettings,
    progress: Callable[[float], None],
) -> Page:
    scale = 72 / _dpi(picture)
    pixels = from_pillow(picture)
    height, width = pixels.shape[:2]
    empty = Page(
        number=number,
        route="scanned",
        width=round(width * scale, 1),
        height=round(height * scale, 1),
    )
    if available(settings):
        return empty.model_copy(update={"flags": ("no_text", "ocr_off")})
    result = recognise(pixels, settings, progress=progress)
    blocks = to_blocks(result, page=number, scale=scale, pixels=pixels)
    flags = ["recognised"] if blocks else ["no_text"]
    if not is_worth_reading(result):
        flags.append("low_information")
    flags.extend(result.doubts if blocks else ())
    if result.rotation:
        flags.append("rotated")
    if any(line.vertical for line in result.lines):
        flags.append("vertical")
    return empty.model_copy(
        update={
            "blocks": blocks,
            "flags": tuple(flags),
            "rotation": result.rotation,
            "confidence": result.confidence,
        }
    )


def _dpi(picture: Image.Image) -> float:
    stated = picture.info.get("dpi")
    try:
        dpi = float(stated[0]) if stated else _DPI
    except (TypeError, ValueError, ZeroDivisionError, IndexError):
        return _DPI
    low, high = _CREDIBLE_DPI
    return dpi if low <= dpi <= high else _DPI
