"""Reads a picture that is embedded in a document: DOCX, PPTX, EPUB, HTML."""

from __future__ import annotations

from rag.errors import DocumentError
from rag.ingest.ocr.blocks import to_blocks
from rag.ingest.ocr.engine import available, recognise
from rag.ingest.ocr.pixels import load
from rag.ingest.ocr.result import OcrResult
from rag.settings import IngestSettings
from rag.types import Block

_MIN_SIDE_PX = 40
"""Pictures with a side below it are icons and rules; chosen by us."""

_MIN_LETTERS = 2
_MIN_SHARE = 0.5
_MIN_CONFIDENCE = 0.6
_SURE = 0.85
_DPI = 96
"""Resolution that pictures in documents are taken for; only sizes relative to each other
matter here."""


def read_picture(data: bytes, settings: IngestSettings, *, page: int = 1) -> tuple[Block, ...]:
    """The text of a picture as blocks in reading order, without boxes (the picture's place on
    the page isn't known here); empty for icons, pictures without text, damaged ones, and
    where recognition is off or not available.

    Args:
        data: the bytes of the picture file.
        page: the number that the blocks get.
    """
    if available(settings):
        return ()
    try:
        pixels = load(data)
        if min(pixels.shape[:2]) < _MIN_SIDE_PX:
            return ()
        result = recognise(pixels, settings)
    except (DocumentError, MemoryError):
        return ()
    if not is_worth_reading(result):
        return ()
    blocks = to_blocks(result, page=page, scale=72 / _DPI)
    return tuple(block.model_copy(update={"bbox": None}) for block in blocks)


def is_worth_reading(result: OcrResult) -> bool:
    """Whether a picture says something: a few letters or digits, recognised with confidence.
    Ornaments and photos give single letters, or several doubtful ones; text in a font that was
    missing gives boxes."""
    text = "".join(line.text for line in result.lines)
    letters = sum(c.isalnum() for c in text)
    if letters < _MIN_SHARE * len("".join(text.split())):
        return False
    confidence = result.confidence or 0.0
    if letters < _MIN_LETTERS or confidence < _MIN_CONFIDENCE:
        return False
    return letters >= 2 * _MIN_LETTERS or confidence >= _SURE
