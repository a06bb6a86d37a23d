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


def stamped(
    pixels: np.ndarray,
    shape: str,
    middle: tuple[float, float],
    colour: tuple[int, int, int],
    *,
    dpi: int = 130,
) -> np.ndarray:
    """A picture of a page with a stamp on it, its ink over the print as real ink is.

    Args:
        shape: "ring" (140 points wide), "ellipse" (170 × 110) or "frame" (110 × 50).
        middle: of the stamp, in points of the page.
    """
    import pymupdf

    height, width = pixels.shape[:2]
    with pymupdf.open() as document:
        page = document.new_page(width=width * 72 / dpi, height=height * 72 / dpi)
        x, y = middle
        ink = tuple(value / 255 for value in colour)
        half = {"ring": (68, 68), "ellipse": (83, 53), "frame": (54, 24)}[shape]
        box = pymupdf.Rect(x - half[0], y - half[1], x + half[0], y + half[1])
        if shape == "frame":
            page.draw_rect(box, color=ink, width=2.5)
            _inked(page, x, y + 6, "合同专用章", 17, ink)
        else:
            page.draw_oval(box, color=ink, width=3)
            _inked(page, x, y + 8, "★", 32, ink)
            _inked(page, x, y + 0.6 * half[1], "合同专用章", 12, ink)
            for number, character in enumerate("海云实业有限公司"):
                angle = np.pi * (1.05 + 0.9 * number / 7)
                at = (x + 0.76 * half[0] * np.cos(angle), y + 0.76 * half[1] * np.sin(angle) + 6)
                _inked(page, *at, character, 16, ink)
        drawn = page.get_pixmap(dpi=dpi, alpha=False)
        stamp = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.h, drawn.w, 3)
    stamp = stamp[:height, :width].astype(np.uint16)
    mixed = pixels.copy()
    part = mixed[: stamp.shape[0], : stamp.shape[1]]
    part[:] = (part * stamp // 255).astype(np.uint8)
    return mixed


def _inked(page: Any, x: float, y: float, text: str, size: float, ink: Any) -> None:
    start = x - size * len(text) / 2
    page.insert_text((start, y), text, fontname="china-s", fontsize=size, color=ink)
