"""Reads the markup of `samples/sources` into pieces.

The markup is Markdown with one addition: a line that begins with `@` is an article of a
regulation (第一条, 第二条 … counted through the whole document).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

CREATED = datetime(2024, 6, 30, 9, 0, 0)
"""The moment that all generated files carry, so that every run gives the same bytes."""


@dataclass(frozen=True)
class Piece:
    """One block of a source. `number` counts articles and steps from 1."""

    kind: str  # title, heading, note, article, step, item, table, paragraph
    text: str = ""
    level: int = 0
    number: int = 0
    rows: tuple[tuple[str, ...], ...] = ()


def chinese_number(value: int) -> str:
    """1..99 as 一 … 九十九."""
    digits = "零一二三四五六七八九"
    tens, ones = divmod(value, 10)
    text = ("" if tens < 2 else digits[tens]) + ("十" if tens else "")
    return text + (digits[ones] if ones or not tens else "")


def read_pieces(markup: str) -> list[Piece]:
    """Parse the markup described in the module's docstring."""
    pieces: list[Piece] = []
    articles = 0
    table: list[tuple[str, ...]] = []

    def end_table() -> None:
        if table:
            pieces.append(Piece("table", rows=tuple(table)))
            table.clear()

    for line in markup.splitlines():
        if line.startswith("|"):
            cells = tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
            if not all(set(cell) <= set("-") for cell in cells):
                table.append(cells)
            continue
        end_table()
        if not line.strip():
            continue
        heading = re.match(r"(#+) (.*)", line)
        step = re.match(r"(\d+)\. (.*)", line)
        if heading and len(heading[1]) == 1:
            pieces.append(Piece("title", heading[2]))
        elif heading:
            pieces.append(Piece("heading", heading[2], level=len(heading[1]) - 1))
        elif line.startswith("> "):
            pieces.append(Piece("note", line[2:]))
        elif line.startswith("@ "):
            articles += 1
            pieces.append(Piece("article", line[2:], number=articles))
        elif step:
            pieces.append(Piece("step", step[2], number=int(step[1])))
        elif line.startswith("- "):
            pieces.append(Piece("item", line[2:]))
        else:
            pieces.append(Piece("paragraph", line))
    end_table()
    return pieces


def article(piece: Piece) -> str:
    """The article's text with its number written out."""
    return f"第{chinese_number(piece.number)}条　{piece.text}"
