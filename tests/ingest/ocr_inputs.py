"""Inputs of the tests of text recognition: pages drawn with MuPDF's own Chinese font, pictures of
them, and PDFs whose fonts map their glyphs wrongly."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

Draw = Callable[[Any], None]


def write(
    page: Any, x: float, y: float, text: str, size: float = 14, font: str = "china-s"
) -> None:
    """Write a line at x, y (its baseline)."""
    page.insert_text((x, y), text, fontname=font, fontsize=size)


def picture(draw: Draw, *, width: float = 400, height: float = 200, dpi: int = 130) -> np.ndarray:
    """A drawn page of this size in points, as height × width × 3 RGB bytes."""
    import pymupdf

    with pymupdf.open() as document:
        page = document.new_page(width=width, height=height)
        draw(page)
        drawn = page.get_pixmap(dpi=dpi, alpha=False)
        pixels = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.h, drawn.w, 3)
        return pixels.copy()


def encoded(pixels: np.ndarray, kind: str = "PNG", **options: Any) -> bytes:
    """The bytes of a picture file."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind, **options)
    return buffer.getvalue()


def scan(path: Path, *pages: np.ndarray, typed: Draw | None = None, dpi: int = 130) -> Path:
    """A PDF with a picture filling each page, and `typed` drawn over it."""
    import pymupdf

    with pymupdf.open() as document:
        for pixels in pages:
            height, width = pixels.shape[:2]
            page = document.new_page(width=width * 72 / dpi, height=height * 72 / dpi)
            page.insert_image(page.rect, stream=encoded(pixels))
            if typed is not None:
                typed(page)
        document.save(path)
    return path


def pdf(path: Path, draw: Draw, *, width: float = 400, height: float = 200) -> Path:
    """A PDF of one drawn page."""
    import pymupdf

    with pymupdf.open() as document:
        draw(document.new_page(width=width, height=height))
        document.save(path)
    return path


def mapped(
    path: Path, lines: Sequence[str], change: Callable[[dict[int, int]], Mapping[int, int] | None]
) -> Path:
    """A PDF whose embedded font says that its glyphs are other characters.

    Args:
        change: gets glyph number → character code as it should be and returns what the file
            shall say instead; None takes the map out.
    """
    import pymupdf

    font = pymupdf.Font("cjk")
    right = {font.has_glyph(ord(c)): ord(c) for line in lines for c in line}
    wrong = change(right)
    with pymupdf.open() as document:
        page = document.new_page(width=440, height=60 + 24 * len(lines))
        page.insert_font(fontname="F0", fontbuffer=font.buffer)
        for number, line in enumerate(lines):
            write(page, 30, 40 + 24 * number, line, 13, "F0")
        for xref in range(1, document.xref_length()):
            kind, value = document.xref_get_key(xref, "ToUnicode")
            if kind != "xref":
                continue
            if wrong is None:
                document.xref_set_key(xref, "ToUnicode", "null")
            else:
                document.update_stream(int(value.split()[0]), _character_map(wrong))
        document.save(path, garbage=3)
    return path


def _character_map(codes: Mapping[int, int]) -> bytes:
    entries = [f"<{glyph:04x}> <{code:04x}>" for glyph, code in codes.items()]
    parts = [
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def",
        "/CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange",
    ]
    for start in range(0, len(entries), 100):
        part = entries[start : start + 100]
        parts += [f"{len(part)} beginbfchar", *part, "endbfchar"]
    return "\n".join([*parts, "endcmap end end"]).encode()
