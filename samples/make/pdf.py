"""Writes pieces as a PDF with a text layer."""

from __future__ import annotations

import re
from typing import Any

from samples.make.pieces import CREATED, Piece, article

PAGE_WIDTH, PAGE_HEIGHT, MARGIN = 595.0, 842.0, 64.0
NO_LINE_START = "，。；：、！？）》”’】〕%℃"


class PdfWriter:
    """Sets pieces on A4 pages with running header, page numbers, outline and ruled tables."""

    def __init__(self, title: str) -> None:
        import pymupdf

        self._pymupdf = pymupdf
        self._font = pymupdf.Font("cjk")
        self._document = pymupdf.open()
        self._title = title
        self._outline: list[list[Any]] = []
        self._new_page()

    def _new_page(self) -> None:
        self._page = self._document.new_page(width=PAGE_WIDTH, height=PAGE_HEIGHT)
        self._y = MARGIN + 16

    def _room(self, height: float) -> bool:
        if self._y + height <= PAGE_HEIGHT - MARGIN:
            return False
        self._new_page()
        return True

    def _draw(self, x: float, y: float, text: str, size: float, colour: tuple = (0, 0, 0)) -> None:
        writer = self._pymupdf.TextWriter(self._page.rect, color=colour)
        writer.append((x, y), text, font=self._font, fontsize=size)
        writer.write_text(self._page)

    def _wrap(self, text: str, size: float, width: float) -> list[str]:
        lines, line = [], ""
        for word in re.findall(r"[A-Za-z0-9.\-/]+|.", text):
            fits = self._font.text_length(line + word, size) <= width
            if fits or not line or word in NO_LINE_START:
                line += word
            else:
                lines.append(line)
                line = word
        return [*lines, line]

    def _flow(self, text: str, size: float = 10.5, indent: float = 0.0, after: float = 5.0) -> None:
        for line in self._wrap(text, size, PAGE_WIDTH - 2 * MARGIN - indent):
            self._room(size * 1.65)
            self._y += size * 1.65
            self._draw(MARGIN + indent, self._y - size * 0.45, line, size)
        self._y += after

    def _table(self, rows: tuple[tuple[str, ...], ...]) -> None:
        size, pad = 9.0, 4.0
        longest = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        shares = [min(max(length, 6), 22) for length in longest]
        full = PAGE_WIDTH - 2 * MARGIN
        widths = [full * share / sum(shares) for share in shares]

        def height(row: tuple[str, ...]) -> float:
            cells = zip(row, widths, strict=True)
            return (
                2 * pad + max(len(self._wrap(c, size, w - 2 * pad)) for c, w in cells) * size * 1.4
            )

        def draw(row: tuple[str, ...], shade: bool) -> None:
            x, tall = MARGIN, height(row)
            for cell, width in zip(row, widths, strict=True):
                box = self._pymupdf.Rect(x, self._y, x + width, self._y + tall)
                fill = (0.92, 0.94, 0.96) if shade else None
                self._page.draw_rect(box, color=(0.3, 0.3, 0.3), fill=fill, width=0.6)
                for number, line in enumerate(self._wrap(cell, size, width - 2 * pad)):
                    baseline = self._y + pad + size * (1.05 + 1.4 * number)
                    self._draw(x + pad, baseline, line, size)
                x += width
            self._y += tall

        self._room(height(rows[0]) + height(rows[1]))
        draw(rows[0], True)
        for row in rows[1:]:
            if self._room(height(row)):
                draw(rows[0], True)
            draw(row, False)
        self._y += 8

    def add(self, piece: Piece) -> None:
        """Set one piece below the last."""
        if piece.kind == "title":
            self._flow(piece.text, 18, after=10)
        elif piece.kind == "heading":
            size = {1: 14.0, 2: 12.0}.get(piece.level, 11.0)
            self._room(size * 1.65 + 60)
            self._y += 6
            self._outline.append([piece.level, piece.text, self._document.page_count])
            self._flow(piece.text, size)
        elif piece.kind == "table":
            self._table(piece.rows)
        elif piece.kind == "step":
            self._flow(f"{piece.number}. {piece.text}", indent=12, after=2)
        elif piece.kind == "item":
            marked = piece.text if piece.text.startswith("（") else f"· {piece.text}"
            self._flow(marked, indent=12, after=2)
        elif piece.kind == "article":
            self._flow(article(piece))
        else:
            self._flow(piece.text, 9 if piece.kind == "note" else 10.5)

    def data(self) -> bytes:
        """The finished file."""
        total = self._document.page_count
        grey = (0.45, 0.45, 0.45)
        for number, page in enumerate(self._document, 1):
            self._page = page
            self._draw(MARGIN, MARGIN - 20, self._title, 8.5, grey)
            page.draw_line(
                (MARGIN, MARGIN - 14), (PAGE_WIDTH - MARGIN, MARGIN - 14), color=grey, width=0.4
            )
            self._draw(
                PAGE_WIDTH / 2 - 30, PAGE_HEIGHT - 36, f"第 {number} 页 共 {total} 页", 8.5, grey
            )
        self._document.set_toc(self._outline)
        stamp = CREATED.strftime("D:%Y%m%d%H%M%S+08'00'")
        self._document.set_metadata(
            {"title": self._title, "author": "示例", "creationDate": stamp, "modDate": stamp}
        )
        self._document.subset_fonts()
        return self._document.tobytes(garbage=4, deflate=True, no_new_id=True)


def to_pdf(pieces: list[Piece]) -> bytes:
    """A PDF with a text layer."""
    title = next(piece.text for piece in pieces if piece.kind == "title")
    writer = PdfWriter(title)
    for piece in pieces:
        writer.add(piece)
    return writer.data()
