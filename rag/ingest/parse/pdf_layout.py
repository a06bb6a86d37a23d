"""Turns the lines of a PDF page into headings, paragraphs, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

from rag.ingest.headings import clause_label, heading_level
from rag.ingest.lines import join_wrapped
from rag.ingest.parse.pdf_found import FoundTable
from rag.ingest.parse.pdf_items import Column, Row
from rag.ingest.parse.pdf_order import with_tables
from rag.ingest.parse.pdf_upright import upright
from rag.ingest.table import to_markdown
from rag.types import BBox, Block

_LARGER = 1.18
_SLIGHTLY = 1.08
_SAME = 1.12
"""Ratio of font sizes from which a line is a heading, from which one that is set apart may be,
and up to which two are the same."""

_MAX_HEADING = 60
_MAX_HEADING_LINES = 3
_LIST_MARK = re.compile(
    r"([•●○■▪◆◇➢✓→·▶►\uf0b7\uf06c\uf0d8\uf0a7\uf0fc]|[-–—*](?=\s)|\d{1,3}[.．、)）](?!\d)|[（(]\d{1,3}[)）]|"
    r"[①-⑳]|[（(][一二三四五六七八九十]{1,3}[)）]|[一二三四五六七八九十]{1,3}、)\s*\S"
)
_BULLET = re.compile(r"[•●○■▪◆◇➢✓▶►\uf0b7\uf06c\uf0d8\uf0a7\uf0fc]\s*")
_HYPHEN = re.compile(r"[A-Za-z]-\s*$")
_NOTE_MARK = re.compile(
    r"(?:[①-⑳❶-❿⑴-⒇]|[*＊†‡§]{1,3}|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|[\[［〔【(（]\s*(?:注\s*)?\d{1,3}\s*[\]］〕】)）]"
    r"|注\s*\d{0,2}\s*[:：]|\d{1,3}(?=[\s.．、\u4e00-\u9fff]))"
)
_NOTE_SIZE = 0.93
"""Footnotes are smaller than the body by this factor. Chosen by us."""

_CONTENTS_LINE = re.compile(r"[.．…·․‥]{4,}\s*[-—]?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*[-—]?$")
_SENTENCE_END = tuple("。！？；.!?;:：”」』）)】")
_GOES_ON = ("，", "、")
_NO_HEADING_END = tuple("。；;，,、")


_FIELD = re.compile(r"[^\s\d：:，,。；;、！？!?][^\s：:，,。；;、！？!?]{1,11}\s?[：:](?!//)")
_DATE = re.compile(
    r"(?:19|20)\d\d\s?(?:年|[-./])\s?\d{1,2}\s?(?:月|[-./])\s?\d{1,2}\s?日?|"
    r"[一二][〇○零九][〇○零一二三四五六七八九]{2}年[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}日"
)
"""A label before its value, and a date."""

_CLOSED_VALUE = re.compile(
    r"[：:]\s*(?:[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)[\w./?=&%-]+|"
    r"[+(（]?\d[\d()（） /-]{5,20}\d)$"
)
_SIGNATURE = re.compile(
    r"[\w（）()·]{2,36}(?:公司|董事会|监事会|委员会|管委会|理事会|厅|局|处|院|所|部|中心|学校|大学|"
    r"协会|学会|银行|集团|政府|办公室|居委会|村委会|工会)"
)
"""A field's value that nothing can go on from (an address of mail or web, a number), and a
line that is nothing but the name of a body."""


@dataclass(slots=True)
class Style:
    """What is usual in the document: body size in points, heading sizes, its outline."""

    body: float
    heading_sizes: tuple[float, ...] = ()
    bold_body: bool = False
    outline: dict[str, int] = field(default_factory=dict)


def column_blocks(column: Column, page: int, style: Style) -> Iterator[Block]:
    """The blocks of one column in order."""
    rows = with_tables([row for row in column.rows if not _CONTENTS_LINE.search(row.text)])
    for block in _blocks(rows, column, page, style):
        if column.vertical and block.bbox is not None:
            block = block.model_copy(update={"bbox": upright(block.bbox)})
        yield block


def _blocks(rows: Sequence[Row], column: Column, page: int, style: Style) -> Iterator[Block]:
    leading = _leading(rows)
    notes = _notes_start(rows, style)
    index = 0
    while index < len(rows):
        row = rows[index]
        if index >= notes:
            end = index + 1
            while end < len(rows) and not _NOTE_MARK.match(rows[end].text.strip()):
                end += 1
            yield _text_block("paragraph", rows[index:end], page, notes=True)
            index = end
            continue
        table = row.items[0].table
        if table is not None:
            yield _table(table, page)
            index += 1
            continue
        level = _level(rows, index, column, style, leading)
        if level is not None:
            end = index + 1
            while end < len(rows) and _continues_heading(rows[end - 1], rows[end], style):
                end += 1
            yield _text_block("heading", rows[index:end], page, level)
            index = end
            continue
        end = index + 1
        while end < len(rows) and not _starts_block(rows, end, index, column, style, leading):
            end += 1
        yield _paragraph(rows[index:end], page)
        index = end


def _notes_start(rows: Sequence[Row], style: Style) -> int:
    """Where the footnotes begin: small lines at the column's end, the first with a mark."""
    start = len(rows)
    while start > 0:
        row = rows[start - 1]
        if row.items[0].table is not None or row.size > _NOTE_SIZE * style.body:
            break
        start -= 1
    if start == 0:
        return len(rows)
    while start < len(rows) and not _NOTE_MARK.match(rows[start].text.strip()):
        start += 1
    return start


def key_of(text: str) -> str:
    """A heading without blanks, as outlines are compared."""
    return "".join(text.split())


def _starts_block(
    rows: Sequence[Row], at: int, first: int, column: Column, style: Style, leading: float
) -> bool:
    row, previous = rows[at], rows[at - 1]
    if row.items[0].table is not None:
        return True
    if _level(rows, at, column, style, leading) is not None:
        return True
    if max(row.size, previous.size) > _SAME * min(row.size, previous.size):
        return True
    if row.y0 - previous.y0 > 1.45 * leading or row.y0 < previous.y0 - leading:
        return True
    if clause_label(row.text) or _LIST_MARK.match(row.text):
        return True
    if _HYPHEN.search(previous.text) and row.text[:1].islower():
        return False
    if _is_own_line(row, previous):
        return True
    hanging = at - 1 == first and bool(_LIST_MARK.match(previous.text))
    if row.x0 - previous.x0 > 0.9 * row.size and not hanging:
        return True
    if previous.text.rstrip().endswith(_GOES_ON) and row.x0 - rows[first].x0 < row.size:
        return False
    return _is_short(rows[first:at], row, column)


def _is_own_line(row: Row, previous: Row) -> bool:
    """Whether a row is a field of a form below another one, the name of a body below a field
    whose value is complete, or nothing but a date, such as stands below a signature."""
    text = row.text.strip()
    above = previous.text.strip()
    both = bool(_FIELD.match(text)) and bool(_FIELD.match(above))
    signed = bool(_SIGNATURE.fullmatch(text)) and bool(_CLOSED_VALUE.search(above))
    return both or signed or bool(_DATE.fullmatch(text))


def _is_short(paragraph: Sequence[Row], row: Row, column: Column) -> bool:
    """Whether the paragraph's last line ends before the next word would not have fitted."""
    end = paragraph[-1].x1 + _needed(row)
    if end >= column.x1:
        return False
    # The column's own edge may be set by a wider part, so the neighbours decide.
    usual = max(row.x1, *(r.x1 for r in paragraph))
    far = column.x1 - paragraph[-1].x1 > 0.2 * (column.x1 - column.x0)
    return far or end < usual or paragraph[-1].text.rstrip().endswith(_SENTENCE_END)


def _needed(row: Row) -> float:
    """The room that the row's first word would have needed in the line before."""
    word = row.text.split(" ", 1)[0]
    if word[:1].isascii():
        return (len(word) * 0.55 + 1) * row.size
    return 2.0 * row.size


def _level(
    rows: Sequence[Row], at: int, column: Column, style: Style, leading: float
) -> int | None:
    """The heading level of a row, or None for running text."""
    row = rows[at]
    text = row.text.strip()
    if not text or len(text) > _MAX_HEADING or row.items[0].table is not None:
        return None
    if key_of(text) in style.outline:
        return style.outline[key_of(text)]
    if text.endswith(_NO_HEADING_END) or not any(c.isalnum() for c in text):
        return None
    larger = row.size >= _LARGER * style.body
    heavier = row.bold and not style.bold_body
    short = _ends_short(rows, at, column)
    apart = at == 0 or row.y0 - rows[at - 1].y0 > 1.15 * leading
    heavier = heavier or (apart and row.size >= _SLIGHTLY * style.body)
    numbered = heading_level(text, decimals=larger or heavier)
    if numbered is not None and not text.endswith(("：", ":")):
        weak = numbered >= 5 and not (larger or heavier)
        if (larger or heavier or short) and not weak:
            return numbered
    if larger and short and len(text) >= 2 and not _is_lone_value(text):
        for rank, size in enumerate(style.heading_sizes):
            if row.size >= size - 0.3:
                return min(rank + 1, 4)
        return 4
    brief = row.x1 - row.x0 < 0.5 * max(column.x1 - column.x0, 1)
    if heavier and apart and brief and short and len(row.items) == 1 and len(text) >= 2:
        return None if _is_lone_value(text) or text.endswith(("：", ":")) else 5
    return None


def _ends_short(rows: Sequence[Row], at: int, column: Column) -> bool:
    """Whether the line, or the last of the lines in the same style, leaves room at its end."""
    row = rows[at]
    if column.x1 - column.x0 < 12 * row.size:
        return True
    last = row
    for following in rows[at + 1 : at + _MAX_HEADING_LINES]:
        same = abs(following.size - row.size) < 0.5 and following.bold == row.bold
        if following.items[0].table is not None or not same:
            break
        if following.y0 - last.y1 > 0.9 * row.size or not row.bold:
            break
        last = following
    return last.x1 < column.x1 - 2 * row.size


def _is_lone_value(text: str) -> bool:
    letters = sum(c.isalpha() for c in text)
    return letters < 2


def _continues_heading(previous: Row, row: Row, style: Style) -> bool:
    """Whether a large heading goes on in the next line."""
    if row.items[0].table is not None or len(row.text) > _MAX_HEADING:
        return False
    same = abs(row.size - previous.size) < 0.5 and row.bold == previous.bold
    large = row.size >= _LARGER * style.body
    near = row.y0 - previous.y1 < 0.9 * row.size
    fresh = heading_level(row.text) is None and key_of(row.text) not in style.outline
    return same and large and near and fresh and not row.text.strip().endswith(_NO_HEADING_END)


def _leading(rows: Sequence[Row]) -> float:
    """The usual distance of lines in points."""
    steps = [
        b.y0 - a.y0
        for a, b in pairwise(rows)
        if a.items[0].table is None
        and b.items[0].table is None
        and 0 < b.y0 - a.y0 < 4 * (b.size or 1)
    ]
    if steps:
        # The lower half: in documents of short paragraphs most steps are between them.
        return median(sorted(steps)[: max(len(steps) // 2, 1)])
    return 1.5 * (rows[0].size if rows else 12)


def _paragraph(rows: Sequence[Row], page: int) -> Block:
    kind = (
        "list" if _LIST_MARK.match(rows[0].text) and not clause_label(rows[0].text) else "paragraph"
    )
    return _text_block(kind, rows, page)


def _text_block(
    kind: Any, rows: Sequence[Row], page: int, level: int | None = None, *, notes: bool = False
) -> Block:
    text = join_wrapped([row.text for row in rows])
    if kind == "list":
        text = _BULLET.sub("- ", text, count=1) if _BULLET.match(text) else text
    metadata = {"footnote": True} if notes else {}
    return Block(kind=kind, text=text, page=page, bbox=_box(rows), level=level, metadata=metadata)


def _box(rows: Sequence[Row]) -> BBox:
    return (
        round(min(r.x0 for r in rows), 1),
        round(min(r.y0 for r in rows), 1),
        round(max(r.x1 for r in rows), 1),
        round(max(r.y1 for r in rows), 1),
    )


def _table(table: FoundTable, page: int) -> Block:
    """The table as it was found; its header is told when all pages are known."""
    x0, y0, x1, y1 = table.bbox
    return Block(
        kind="table",
        text=to_markdown(table.rows),
        page=page,
        bbox=(round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1)),
        metadata={"found": table},
    )
