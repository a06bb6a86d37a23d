"""Second and third opinions on the text of PDF pages, from other libraries."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rag.ingest.parse.pdf_page import Segment


class Extractors:
    """Second and third opinions on the pages of one PDF; its file is opened when needed."""

    def __init__(self, path: Path, password: str | None) -> None:
        self._path = path
        self._password = password or ""
        self._plumber: Any = None
        self._pypdf: Any = None

    def segments(self, number: int) -> list[Segment]:
        """What pdfplumber reads on page `number` (from 1), a segment per line part; none when
        it fails."""
        try:
            if self._plumber is None:
                import pdfplumber

                logging.getLogger("pdfminer").setLevel(logging.CRITICAL)
                self._plumber = pdfplumber.open(self._path, password=self._password)
            page = self._plumber.pages[number - 1]
            words = page.extract_words(
                keep_blank_chars=True, use_text_flow=False, extra_attrs=["fontname"],
                return_chars=True,
            )  # fmt: skip
            found = [_from_word(word) for word in words]
            page.close()
            return found
        except Exception:  # Damaged files fail in it in any way.
            return []

    def text(self, number: int) -> str:
        """What pypdf reads on page `number` (from 1); empty when it fails."""
        try:
            if self._pypdf is None:
                import pypdf

                logging.getLogger("pypdf").setLevel(logging.CRITICAL)
                self._pypdf = pypdf.PdfReader(self._path, strict=False)
                if self._pypdf.is_encrypted:
                    self._pypdf.decrypt(self._password)
            return str(self._pypdf.pages[number - 1].extract_text() or "")
        except Exception:  # Damaged files fail in it in any way.
            return ""

    def close(self) -> None:
        """Close the file."""
        if self._plumber is not None:
            self._plumber.close()


def _from_word(word: Mapping[str, Any]) -> Segment:
    chars = [(c["text"], c["x0"], c["top"], c["x1"], c["bottom"]) for c in word["chars"]]
    font = str(word.get("fontname", ""))
    size = float(max((c["size"] for c in word["chars"]), default=10.0))
    return Segment(
        word["text"], float(word["x0"]), float(word["top"]), float(word["x1"]),
        float(word["bottom"]), size, "bold" in font.lower(), False, chars, font,
    )  # fmt: skip
