"""Draws tables and columns on the pages of the PDFs that the tests read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ingest_inputs import write

SENTENCES = (
    "为了规范城市轨道交通建设项目的资金管理，提高财政资金使用效益，制定本实施细则。",
    "各区人民政府应当建立健全项目储备制度，对纳入储备库的项目实行动态管理。",
    "项目单位应当严格按照批准的建设内容组织实施，不得擅自变更建设规模和标准。",
    "审计机关依法对建设资金的筹集、使用和管理情况进行监督检查，督促整改落实。",
)


def width(text: str, size: float) -> float:
    """The printed width of a text in points."""
    import pymupdf

    return float(pymupdf.get_text_length(text, fontname="china-s", fontsize=size))


def wrapped(text: str, room: float, size: float) -> list[str]:
    """The text in lines that fit into the room."""
    lines = [""]
    for letter in text:
        if width(lines[-1] + letter, size) > room:
            lines.append("")
        lines[-1] += letter
    return lines


def centred(page: Any, x0: float, x1: float, y: float, text: str, size: float = 9) -> None:
    """A line in the middle between two edges."""
    write(page, (x0 + x1 - width(text, size)) / 2, y, text, size)


def prose(page: Any, x: float, y: float, text: str, room: float, size: float = 10) -> float:
    """A paragraph; returns where the next one may begin."""
    for line in wrapped(text, room, size):
        write(page, x, y, line, size)
        y += 1.6 * size
    return y


def ruled(
    page: Any, x: float, y: float, widths: Sequence[float], rows: Sequence[Sequence[str]]
) -> float:
    """A table with rules round each cell, long cells wrapped; returns its lower edge."""
    for row in rows:
        cells = [wrapped(text, room - 8, 9) for text, room in zip(row, widths, strict=True)]
        height = max(map(len, cells)) * 12 + 8
        left = x
        for lines, room in zip(cells, widths, strict=True):
            page.draw_rect((left, y, left + room, y + height))
            for number, line in enumerate(lines):
                write(page, left + 4, y + 13 + 12 * number, line, 9)
            left += room
        y += height
    return y


def boxes(
    page: Any,
    xs: Sequence[float],
    ys: Sequence[float],
    cells: Sequence[tuple[int, int, int, int, str]],
) -> None:
    """A table of merged cells: each from row to row (exclusive), column to column, and text."""
    for top, bottom, left, right, text in cells:
        page.draw_rect((xs[left], ys[top], xs[right], ys[bottom]))
        centred(page, xs[left], xs[right], (ys[top] + ys[bottom]) / 2 + 3, text)


def spaced(
    page: Any,
    xs: Sequence[float],
    y: float,
    rows: Sequence[Sequence[str]],
    step: float = 18,
    size: float = 10,
) -> float:
    """A table without rules; returns the next row's place."""
    for row in rows:
        for x, text in zip(xs, row, strict=True):
            if text:
                write(page, x, y, text, size)
        y += step
    return y
