"""Binds tables that go on over page breaks to their header: part of the PDF parser."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rag.ingest.lines import join_wrapped
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_table_parts import (
    Header,
    Part,
    has_own_header,
    parts_of,
    repeated,
    same_columns,
)
from rag.ingest.table import is_value, to_markdown
from rag.types import BBox, Block

_CONTINUED = re.compile(
    r"[（(【\[]?\s*(?:接?续(?:上|前)?[页頁]?(?:表|图)?|continued|cont\.?)", re.I
)
_ONLY_CONTINUED = re.compile(
    r"[（(【\[]?\s*(?:接?续(?:上|前)?[页頁]?表?|(?:table\s+)?continued)\s*[)）】\]]?[:：]?", re.I
)
_ALSO_CONTINUED = re.compile(
    r"(?:[（(]续(?:表)?[一二三四五六七八九十\d]*[)）]|\(continued\))\s*$", re.I
)
_UNIT = re.compile(r"[（(]?\s*(?:金额)?单位\s*[:：].{1,20}")
_MAX_BETWEEN = 2
_PLACE_PT = 6.0
_BOX_SHARE = 0.22
_MIN_SHARE = 0.3
_ENDS = tuple("。！？；.!?;")
_DIGITS = re.compile(r"[\d一二三四五六七八九十]+")
"""Short lines between the two parts of a table ("续表", "单位：元"); points by which a box that
repeats on each page may move, the share of the page's height in which it stands at the top or
bottom, and on which share of the pages it must be. Chosen by us."""


@dataclass(slots=True)
class _Entry:
    """A table of one page, while its neighbours are looked for."""

    table: FoundTable
    page: int
    box: BBox
    metadata: dict[str, Any]
    carried: Header | None = None
    parts: list[Part] = field(default_factory=list)
    header: Header | None = None

    def finish(self) -> None:
        """Tell the parts apart with what is known now."""
        self.parts, self.header = parts_of(self.table, self.carried)

    def blocks(self) -> list[Block]:
        """What is left of it on the page."""
        found: list[Block] = []
        for part in self.parts:
            values: dict[str, Any] = {
                "page": self.page,
                "bbox": self.box,
                "metadata": self.metadata,
            }
            if part.rows:
                text = to_markdown(part.rows)
                found.append(Block(kind="table", text=text, rows=part.rows, **values))
            else:
                if part.form:
                    values["metadata"] = {**self.metadata, "form": True}
                kind: Literal["list", "paragraph"] = "list" if part.form else "paragraph"
                found.append(Block(kind=kind, text=part.text, **values))
        return found


def finish_tables(
    pages: Sequence[Sequence[Block]], heights: Sequence[float | None]
) -> list[list[Block]]:
    """The pages' blocks with tables whose every row has its header.

    Blocks of tables come with their `FoundTable` as metadata "found", which is taken out.
    A boxed header that stands at the same place on most pages is left on its first page only.
    """
    items: list[list[Block | _Entry]] = [[_entry(block) for block in blocks] for blocks in pages]
    _drop_repeated_boxes(items, heights)
    last: _Entry | None = None
    for blocks in items:
        for entry in [item for item in blocks if isinstance(item, _Entry)]:
            if last is not None and entry.page == last.page + 1:
                _continue(last, entry, blocks)
            entry.finish()
            last = None
        content = [item for item in blocks if not _is_footnote(item)]
        if content and isinstance(content[-1], _Entry) and content[-1].parts:
            last = content[-1]
    return [
        [
            block
            for item in blocks
            for block in (item.blocks() if isinstance(item, _Entry) else [item])
        ]
        for blocks in items
    ]


def _entry(block: Block) -> Block | _Entry:
    table = block.metadata.get("found")
    if not isinstance(table, FoundTable) or block.bbox is None:
        return block
    rest = {key: value for key, value in block.metadata.items() if key != "found"}
    return _Entry(table, block.page, block.bbox, rest)


def _is_footnote(item: Block | _Entry) -> bool:
    return isinstance(item, Block) and bool(item.metadata.get("footnote"))


def _continue(last: _Entry, entry: _Entry, blocks: list[Block | _Entry]) -> None:
    """Bind the entry to the table before it, if it is the rest of that one."""
    place = next(i for i, item in enumerate(blocks) if item is entry)
    between = blocks[:place]
    told = [b for b in between if isinstance(b, Block) and _is_told(b.text)]
    units = [b for b in between if isinstance(b, Block) and _UNIT.fullmatch(b.text.strip())]
    if len(between) > _MAX_BETWEEN or len(told) + len(units) < len(between) or last.header is None:
        return
    table = entry.table
    if not same_columns(table, last.header):
        return
    again = repeated(table, last.header)
    if not again and not told and has_own_header(table, last.header):
        return
    for block in told:
        if _ONLY_CONTINUED.fullmatch(block.text.strip()):
            blocks.remove(block)
    entry.carried = last.header
    del table.rows[:again], table.depth[:again], table.across[:again]
    _mend_cut_row(last, entry)
    _fill_label(last, entry)


def _is_told(text: str) -> bool:
    text = text.strip()
    return len(text) <= 40 and bool(_CONTINUED.match(text) or _ALSO_CONTINUED.search(text))


def _mend_cut_row(last: _Entry, entry: _Entry) -> None:
    """Put the rest of a row that the page break cut back to its beginning."""
    above, below = last.table, entry.table
    if not below.rows or len(above.edges) != len(below.edges) or below.across[0]:
        return
    begun, rest = above.rows[-1], below.rows[0]
    both = [i for i, (a, b) in enumerate(zip(begun, rest, strict=True)) if a and b]
    if not both or (len(below.rows) < 2 and len(above.rows) < 2):
        return
    alone = sum(map(bool, rest)) == 1
    open_end = alone and not rest[0] and not any(begun[i].endswith(_ENDS) for i in both)
    if any(is_value(begun[i]) or not (above.full[i] or open_end) for i in both):
        return
    if any(rest[i] and not begun[i] and is_value(rest[i]) for i in range(len(rest))) and begun[0]:
        filled = sum(bool(cell) for cell in begun)
        if filled > 1:
            return
    above.rows[-1] = [join_wrapped([a, b]) for a, b in zip(begun, rest, strict=True)]
    del below.rows[0], below.depth[0], below.across[0]
    last.finish()
    entry.carried = last.header


def _fill_label(last: _Entry, entry: _Entry) -> None:
    """Give the label of a merged cell that a page break cut to the rows behind it."""
    above, below = last.table, entry.table
    if not below.rows or len(above.edges) != len(below.edges) or below.across[0]:
        return
    if below.rows[0][0] and above.ruled:
        _fill_label_above(above, below)
        last.finish()
        entry.carried = last.header
        return
    label = above.rows[-1][0]
    body = above.rows[1:]
    usual = all(row[0] for row in body) and len(body) > 0
    filled = sum(bool(cell) for cell in below.rows[0]) >= 0.6 * (len(below.rows[0]) - 1)
    if below.rows[0][0] or not label or not usual or not filled or above.across[-1]:
        return
    for row in below.rows[: max(below.depth[0], 1)]:
        row[0] = row[0] or label
    if below.depth[0] > 1:
        below.depth[0] = 1


def _fill_label_above(above: FoundTable, below: FoundTable) -> None:
    """Give the label that stands only behind the page break to the rows before it."""
    empty = 0
    while empty < len(above.rows) - 1 and not above.rows[-1 - empty][0]:
        empty += 1
    start = len(above.rows) - empty
    labelled = start > 1 and all(row[0] for row in above.rows[1:start])
    if not empty or not labelled or above.depth[start] < empty:
        return
    for row in above.rows[start:]:
        row[0] = below.rows[0][0]


def _drop_repeated_boxes(
    items: list[list[Block | _Entry]], heights: Sequence[float | None]
) -> None:
    places: dict[str, list[tuple[int, _Entry]]] = {}
    for index, (blocks, height) in enumerate(zip(items, heights, strict=True)):
        for item in blocks:
            if not isinstance(item, _Entry) or not height:
                continue
            top, bottom = item.box[1], item.box[3]
            if bottom < _BOX_SHARE * height or top > (1 - _BOX_SHARE / 2) * height:
                flat = "|".join(cell for row in item.table.rows for cell in row)
                key = _DIGITS.sub("#", unicodedata.normalize("NFKC", "".join(flat.split())))
                places.setdefault(key, []).append((index, item))
    needed = max(2, _MIN_SHARE * len(items))
    for found in places.values():
        first = found[0][1]
        same = [
            (index, entry)
            for index, entry in found
            if abs(entry.box[1] - first.box[1]) <= _PLACE_PT
            and abs(entry.box[3] - first.box[3]) <= _PLACE_PT
        ]
        if len({index for index, _ in same}) >= needed:
            for index, entry in same[1:]:
                items[index] = [item for item in items[index] if item is not entry]
