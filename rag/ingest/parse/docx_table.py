"""Tables of Word documents as rows of texts, merged cells filled: part of the parse step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag.ingest.parse.docx_numbering import W
from rag.ingest.parse.form import form_blocks
from rag.ingest.parse.grid_table import grid_blocks
from rag.ingest.table import to_markdown, trim
from rag.types import Block

_MAX_GRID = 400
"""Columns of a table that are believed."""

_WRAPPERS = (W + "sdt", W + "sdtContent", W + "ins", W + "moveTo", W + "customXml")
_FORM_ROWS = 3
_FORM_LABEL = 12
"""A form has at least so many rows, and labels of at most so many characters; chosen by us."""


@dataclass(eq=False)
class _Row:
    """A row of the grid: the texts of all columns, the widths of its own cells, how far down
    its merged cells reach, and whether Word repeats it on each page."""

    texts: list[str] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    depth: int = 1
    header: bool = False


def table_blocks(element: Any, read_cell: Callable[[Any], list[Block]]) -> Iterator[Block]:
    """The blocks of a table.

    A frame (one column) gives the blocks of its cells; a title row gives a paragraph before
    the table. A header of several rows becomes one. Tables inside cells follow the table.

    Args:
        read_cell: the blocks of a cell element.
    """
    inner: list[Block] = []
    frames: list[list[Block]] = []
    rows = _grid(element, read_cell, inner, frames)
    texts = trim([row.texts for row in rows])
    if not texts:
        yield from (block for blocks in frames for block in blocks)
        return
    if len(texts[0]) == 1 or all(len(row.widths) == 1 for row in rows):
        yield from (block for blocks in frames for block in blocks)
        return
    rows = rows[: len(texts)]
    mixed = _is_form(rows)
    stated = any(row.header for row in rows)
    starts = [_starts(row) for row in rows]
    form = [] if stated else form_blocks(texts, starts=starts, sure=mixed)
    if form:
        yield from form
    elif mixed:
        yield from _form(rows)
    else:
        yield from grid_blocks(texts, [row.depth for row in rows], _stated_header(rows))
    yield from inner


def _grid(
    element: Any,
    read_cell: Callable[[Any], list[Block]],
    inner: list[Block],
    frames: list[list[Block]],
) -> list[_Row]:
    rows: list[_Row] = []
    above: dict[int, tuple[str, _Row]] = {}
    for source in _children(element, "tr"):
        properties = source.find(W + "trPr")
        if properties is not None and properties.find(W + "del") is not None:
            continue
        row = _Row(header=_is_header(properties))
        if properties is not None:
            row.texts.extend([""] * _span(properties.find(W + "gridBefore")))
        for cell in _children(source, "tc"):
            wide = max(_span(cell.find(f"{W}tcPr/{W}gridSpan")), 1)
            column = len(row.texts)
            if column + wide > _MAX_GRID:
                break
            merged = cell.find(f"{W}tcPr/{W}hMerge")
            if merged is not None and merged.get(W + "val") != "restart" and row.widths:
                row.texts.extend([row.texts[-1]] * wide)
                row.widths[-1] += wide
                continue
            merge = cell.find(f"{W}tcPr/{W}vMerge")
            if merge is not None and merge.get(W + "val") != "restart" and column in above:
                text, origin = above[column]
                origin.depth = max(origin.depth, len(rows) - rows.index(origin) + 1)
            else:
                blocks = read_cell(cell)
                frames.append(blocks)
                inner.extend(block for block in blocks if block.kind == "table")
                text = "\n".join(b.text for b in blocks if b.kind != "table")
                above.update(dict.fromkeys(range(column, column + wide), (text, row)))
            row.texts.extend([text] * wide)
            row.widths.append(wide)
        rows.append(row)
    width = max((len(row.texts) for row in rows), default=0)
    for row in rows:
        # A row merged over the whole width labels the rows below it, not its columns.
        if len(row.widths) == 1 and row.widths[0] == width > 2:
            row.texts[1:] = [""] * (len(row.texts) - 1)
    return rows


def _stated_header(rows: Sequence[_Row]) -> int:
    """How many rows Word repeats at the top of each page; not all of them."""
    stated = 0
    while stated < len(rows) - 1 and rows[stated].header:
        stated += 1
    return stated


def _is_form(rows: Sequence[_Row]) -> bool:
    """Whether labels stand beside their values rather than above them: then rows are cut into
    cells in many different ways."""
    cut = [row for row in rows if len(row.widths) > 1]
    if len(cut) < _FORM_ROWS or any(row.header for row in rows):
        return False
    layouts = Counter(tuple(row.widths) for row in cut)
    firsts = [row.texts[0] for row in cut if row.texts]
    if sum(len(text) <= _FORM_LABEL for text in firsts) * 2 <= len(firsts):
        return False
    if len(layouts) >= 3 and layouts.most_common(1)[0][1] * 2 <= len(rows):
        return True
    # Values that reach over several columns, below a row that looks like a header.
    wide = [row for row in cut[1:] if max(row.widths[1:]) > 1]
    labels = [row.texts[0] for row in cut]
    plain = max(cut[0].widths) == 1 and len(set(labels)) == len(labels)
    return plain and len(wide) * 4 >= len(cut)


def _starts(row: _Row) -> list[int]:
    """The columns in which the row's own cells begin."""
    places = [len(row.texts) - sum(row.widths)]
    for wide in row.widths[:-1]:
        places.append(places[-1] + wide)
    return places if row.widths else []


def _form(rows: Sequence[_Row]) -> Iterator[Block]:
    """Rows of the form's own cells, each once."""
    compact: list[list[str]] = []
    for row in rows:
        place = len(row.texts) - sum(row.widths)
        cells: list[str] = []
        for wide in row.widths:
            cells.append(row.texts[place])
            place += wide
        compact.append(cells)
    texts = trim([cells + [""] * (max(map(len, compact)) - len(cells)) for cells in compact])
    if texts:
        table = [[""] * len(texts[0]), *texts]
        yield Block(
            kind="table",
            text=to_markdown(table),
            rows=tuple(map(tuple, table)),
            metadata={"form": True},
        )


def _children(element: Any, name: str) -> Iterator[Any]:
    """Direct children of a name, also inside content controls and tracked insertions."""
    for child in element:
        if child.tag == W + name:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _children(child, name)


def _is_header(properties: Any | None) -> bool:
    mark = None if properties is None else properties.find(W + "tblHeader")
    return mark is not None and mark.get(W + "val") not in ("0", "false", "off")


def _span(element: Any | None) -> int:
    value = element.get(W + "val") if element is not None else None
    return min(int(value), _MAX_GRID) if value and value.isdecimal() else 0
