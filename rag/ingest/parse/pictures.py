"""Text of pictures inside office documents: part of the parse step.

Each picture is read once, however often it is shown; logos that stand on many pages are left
out after the first.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable

from rag.settings import IngestSettings
from rag.types import Block

_ICON_SIDE_PX = 40
_MIN_AREA_PX = 10_000
"""Pictures below are icons and rules, which nobody misses when they aren't read. Chosen by
us; the first is also where recognition gives up."""

_MAX_PICTURES = 300
"""Pictures of one document that are read; chosen by us, a dense one takes seconds."""


class Pictures:
    """The pictures of one document.

    Args:
        settings: says whether and how to read them.
        alive: called before each picture; may raise to stop.
    """

    def __init__(self, settings: IngestSettings, alive: Callable[[], None] | None = None) -> None:
        self.settings = settings
        self._alive = alive
        self._seen: set[bytes] = set()
        self._reason: str | None = None
        self._asked = False
        self.flags: dict[str, None] = {}

    def read(self, data: bytes, page: int = 1) -> list[Block]:
        """The text of a picture as blocks; empty for icons, repeated ones, and where nothing
        is recognised. Headings become paragraphs: a picture doesn't structure the text
        around it.

        Args:
            data: the bytes of the picture file.
            page: the number that the blocks get.
        """
        key = hashlib.sha1(data, usedforsecurity=False).digest()
        if key in self._seen or not _is_large(data):
            return []
        self._seen.add(key)
        if self._alive is not None:
            self._alive()
        if not self._works() or len(self._seen) > _MAX_PICTURES:
            self.flags["image_text"] = None
            return []
        from rag.ingest.ocr import read_picture

        return [_plain(block) for block in read_picture(data, self.settings, page=page)]

    def _works(self) -> bool:
        if not self._asked:
            from rag.ingest.ocr import available

            self._reason, self._asked = available(self.settings), True
        return self._reason is None


def _plain(block: Block) -> Block:
    update = {"kind": "paragraph", "level": None} if block.kind == "heading" else {}
    return block.model_copy(update={**update, "metadata": {**block.metadata, "picture": True}})


def _is_large(data: bytes) -> bool:
    """Whether a picture can hold text that matters; False where it cannot be opened."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as picture:
            width, height = picture.size
    except Exception:  # damaged pictures raise whatever their decoder stumbles over
        return False
    return min(width, height) >= _ICON_SIDE_PX and width * height >= _MIN_AREA_PX
