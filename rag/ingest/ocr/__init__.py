"""Text recognition: what scans, photos and pictures say. Part of the parse step.

`recognise` finds the lines of an image, `to_blocks` puts them into reading order as the blocks
of a page, `read_picture` does both for a picture inside a document. The models come with the
installed packages; nothing is downloaded.
"""

from rag.ingest.ocr.blocks import to_blocks
from rag.ingest.ocr.engine import available, recognise
from rag.ingest.ocr.picture import read_picture
from rag.ingest.ocr.result import OcrLine, OcrResult

__all__ = ["OcrLine", "OcrResult", "available", "read_picture", "recognise", "to_blocks"]
