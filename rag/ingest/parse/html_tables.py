"""Tables of HTML: data tables with their header, records of names and values, and tables
that only arrange a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from rag.ingest.parse.form import form_blocks
from rag.ingest.parse.html_inline import inline, tidy
from rag.ingest.parse.html_words import holds
from rag.ingest.table import is_banner, is_value, merge_header, to_markdown, trim
from rag.types import Block

if TYPE_CHECKING:
    from bs4 import Tag

_MAX_SPAN = 200
"""Largest rowspan or colspan that is believed."""

_MAX_CELLS = 500_000
"""Cells from which spans are no longer filled: a few tags can ask for billions."""

_MAX_HEADER_ROWS = 4
_MAX_TITLES = 3
_LONG_CELL = 400
"""Characters of a cell in a small table without header from which it arranges the page."""

_MAX_NAME = 16
"""Characters of the longest name in a table of names and values. All chosen by us."""


def table_blocks(tag: Tag, walk: Callable[[Tag], Iterable[Block]]) -> Iterator[Block]:
    """The blocks of a table element.

    Args:
        walk: gives the blocks of a cell, for tables that arrange a page.
    """
    rows = _own(tag, "tr")
    cells = [cell for row in rows for cell in _cells(row)]
    if _is_code(tag):
        for pre in tag.find_all("pre"):
            yield Block(kind="code", text=pre.get_text().strip("\n"))
        return
    caption = tag.find("caption")
    if caption is not None and (text := tidy(inline(caption))):
        yield Block(kind="paragraph", text=text)
    if not cells:
        yield from walk(tag) if not rows else ()
        return
    if _arranges(tag, cells):
        for cell in cells:
            yield from walk(cell)
        return
    grid, head = _grid(rows)
    yield from _data_blocks(trim(grid), head, _names_and_values(rows))


def _own(tag: Tag, name: str) -> list[Tag]:
    """Elements of the table itself, not of a table in one of its cells."""
    found = tag.find_all(name)
    if not holds(tag, ("table",)):
        return list(found)
    return [inner for inner in found if inner.find_parent("table") is tag]


def _cells(row: Tag) -> list[Tag]:
    from bs4 import Tag as Element

    return [c for c in row.children if isinstance(c, Element) and c.name in ("td", "th")]


def _is_code(tag: Tag) -> bool:
    """Whether this is a listing with a column of line numbers."""
    pres = tag.find_all("pre")
    return bool(pres) and len(_own(tag, "tr")) == 1 and tag.find("th") is None


def _arranges(tag: Tag, cells: list[Tag]) -> bool:
    if holds(tag, ("table",)) or len(cells) <= 1 or tag.get("role") == "presentation":
        return True
    if tag.find("th") is not None or len(cells) > 8:
        return False
    return any(
        holds(cell, ("h1", "h2", "h3", "h4"))
        or len(cell.find_all("p")) > 4
        or len(cell.get_text("", strip=True)) > _LONG_CELL
        for cell in cells
    )


def _data_blocks(rows: list[list[str]], head: int, pairs: bool) -> Iterator[Block]:
    for _ in range(_MAX_TITLES):
        if len(rows) < 2 or len(rows[0]) < 2 or not is_banner(rows[0]):
            break
        # A title that spans the whole table.
        yield Block(kind="paragraph", text=next(cell for cell in rows[0] if cell))
        rows, head = rows[1:], max(head - 1, 0)
    rows = trim(rows)
    if not rows:
        return
    if len(rows[0]) == 1:
        yield Block(kind="paragraph", text="\n".join(row[0] for row in rows if row[0]))
        return
    if pairs:
        yield Block(kind="list", text="\n".join(f"- {line}" for line in _pair_lines(rows)))
        return
    form = form_blocks(rows) if head == 0 else []
    if form:
        yield from form
        return
    if head > 1:
        rows = [merge_header(rows[:head]), *rows[head:]]
    elif head == 0 and any(map(is_value, rows[0])):
        # All rows are data: the header stays empty rather than to take one of them for it.
        rows = [[""] * len(rows[0]), *rows]
    yield Block(kind="table", text=to_markdown(rows), rows=tuple(map(tuple, rows)))


def _names_and_values(rows: list[Tag]) -> bool:
    """Whether each row is a name and its value, once or twice ("索引号 | x | 文号 | y")."""
    marked = plain = 0
    for row in rows:
        cells = _cells(row)
        if len(cells) % 2 or not cells:
            if len(cells) == 1:
                continue
            return False
        names, values = cells[::2], cells[1::2]
        texts = [cell.get_text("", strip=True) for cell in names]
        if any(len(text) > _MAX_NAME for text in texts):
            return False
        by_tag = all(c.name == "th" for c in names) and all(c.name == "td" for c in values)
        if by_tag or all(not text or re.search("[:：]$", text) for text in texts):
            marked += 1
        else:
            plain += 1
    return marked >= 1 and plain == 0


def _pair_lines(rows: list[list[str]]) -> Iterator[str]:
    for row in rows:
        if is_banner(row):
            yield next(cell for cell in row if cell)
            continue
        for name, value in zip(row[::2], row[1::2], strict=False):
            name = name.rstrip(":： ")
            if name and value:
                yield f"{name}：{value}"
            elif name or value:
                yield name or value


def _grid(rows: list[Tag]) -> tuple[list[list[str]], int]:
    """The cells with spanned ones repeated, and how many rows at the top are the header."""
    grid: list[list[str]] = []
    pending: dict[tuple[int, int], str] = {}
    total = head = 0
    for y, row in enumerate(rows):
        texts: list[str] = []
        cells = _cells(row)
        for cell in cells:
            while (y, len(texts)) in pending:
                texts.append(pending.pop((y, len(texts))))
            text = tidy(inline(cell)).replace("\n", " ")
            wide, high = _span(cell.get("colspan")), _span(cell.get("rowspan"))
            total += wide * high
            if total > _MAX_CELLS:
                wide = high = 1
            for below in range(1, min(high, len(rows) - y)):
                for column in range(len(texts), len(texts) + wide):
                    pending[y + below, column] = text
            texts.extend([text] * wide)
        while (y, len(texts)) in pending:
            texts.append(pending.pop((y, len(texts))))
        grid.append(texts)
        in_head = row.find_parent("thead") is not None or all(c.name == "th" for c in cells)
        if head == y and cells and in_head and head < _MAX_HEADER_ROWS:
            head += 1
    depth = _header_depth(rows[0])
    if any(is_value(cell) for texts in grid[:depth] for cell in texts):
        depth = 0
    return grid, max(head, depth)


def _header_depth(first: Tag) -> int:
    """Rows of a header whose first row has both deep cells and wide ones; 0 for others."""
    cells = _cells(first)
    deepest = max((_span(cell.get("rowspan")) for cell in cells), default=1)
    wide = any(_span(cell.get("colspan")) > 1 for cell in cells)
    return deepest if wide and 1 < deepest <= _MAX_HEADER_ROWS else 0


def _span(value: object) -> int:
    text = str(value or "")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 1
    return min(max(number, 1), _MAX_SPAN)
