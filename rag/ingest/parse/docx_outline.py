"""Headings of Word documents by what surrounds them: title, numbers, type size. Part of parse.

Works on the blocks of the whole text; the reader notes in a block's metadata how its
paragraph looks ("look"), and this module takes that out again.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.ingest.describe import find_type, is_typed_title
from rag.ingest.headings import clause_label, heading_level, is_title_like
from rag.types import Block

_TITLE_WITHIN = 3
"""Blocks (a letterhead, a date) that may stand above the title."""

_SIZED_TITLE_WITHIN = 8
_SIZED_TITLE = 1.15
"""Where a title without a style is looked for, and how many times as large as the body its
letters are; chosen by us (标题 二号 is 22 pt above 三号, 16 pt)."""

_LETTERHEAD = re.compile(r".{2,40}文\s*件")
"""The red heading of official documents names who issues them, not what they are about."""

_MAX_HEADING = 40
_MAX_RUN = 3
"""Characters of a heading by its looks, and how many may follow each other; chosen by us."""

_CONTENTS_HEADING = re.compile(r"目\s*[录錄次]|table of contents|contents", re.IGNORECASE)
_MIN_CONTENTS = 3


@dataclass(frozen=True)
class Shape:
    """How a paragraph looks: letters in half points (0 unknown), all bold, centred; `leader`
    says that it ends in dots or a tab and a page number."""

    size: int = 0
    bold: bool = False
    centred: bool = False
    leader: bool = False


def outline(blocks: Sequence[Block], stated: str | None, styled: bool) -> list[Block]:
    """The blocks with their headings settled.

    Args:
        stated: the title among the file's properties.
        styled: whether some heading is marked by a style.
    """
    found = _without_contents(blocks)
    if not styled:
        found = _by_look(found)
    found = _with_typed_title([_without_look(block) for block in found])
    found = _lone_numbers(_under_title(found, stated))
    return list(_join_lists(found))


def parts_of_lines(text: str) -> Iterator[str]:
    """The lines of a paragraph, parted before each article and before and after each heading
    by its number: texts typed with line breaks instead of paragraphs."""
    group: list[str] = []
    for line in text.split("\n"):
        numbered = heading_level(line, decimals=False) is not None
        if group and (numbered or clause_label(line)):
            yield "\n".join(group)
            group = []
        group.append(line)
        if numbered:
            yield line
            group = []
    if group:
        yield "\n".join(group)


def _look(block: Block) -> Shape:
    look = block.metadata.get("look")
    return look if isinstance(look, Shape) else Shape()


def _without_look(block: Block) -> Block:
    if "look" not in block.metadata:
        return block
    metadata = {key: value for key, value in block.metadata.items() if key != "look"}
    return block.model_copy(update={"metadata": metadata})


def _without_contents(blocks: Sequence[Block]) -> list[Block]:
    """Without tables of contents that were typed by hand, and their headings."""
    kept: list[Block] = []
    run: list[Block] = []
    for block in [*blocks, None]:
        if block is not None and _look(block).leader and block.kind != "table":
            run.append(block)
            continue
        if run and len(run) < _MIN_CONTENTS:
            kept.extend(run)
        elif run and kept and _CONTENTS_HEADING.fullmatch(kept[-1].text.strip()):
            kept.pop()
        run = []
        if block is not None:
            kept.append(block)
    return kept


def _by_look(blocks: Sequence[Block]) -> list[Block]:
    """Title and headings by type size, for documents that mark none."""
    sizes: Counter[int] = Counter()
    for block in blocks:
        if block.kind in ("paragraph", "list"):
            sizes[_look(block).size] += len(block.text)
    sizes.pop(0, None)
    body = sizes.most_common(1)[0][0] if sizes else 0
    found = list(blocks)
    title = _sized_title(found, body) if body else None
    if title is not None:
        found[title] = _as_heading(found[title], 1, title=True)
    if any(block.kind == "heading" for block in found[(title or 0) + 1 :]):
        return found  # numbers give the structure already
    marked = [_stands_out(block, body) for block in found]
    for index, block in enumerate(found):
        after = found[index + 1] if index + 1 < len(found) else None
        if not marked[index] or after is None or (title is not None and index < title):
            continue
        if marked[index + 1] and _run(marked, index):
            continue
        found[index] = _as_heading(block, 2 if _look(block).size > body else 3)
    return found


def _with_typed_title(blocks: list[Block]) -> list[Block]:
    """The blocks with a title that looks like any other line and names a kind of document."""
    for index, block in enumerate(blocks[:_TITLE_WITHIN]):
        text = block.text.strip()
        if block.kind != "paragraph" or clause_label(text):
            break
        if is_typed_title(text):
            blocks[index] = _as_heading(block, 1, title=True)
            break
    return blocks


def _sized_title(blocks: Sequence[Block], body: int) -> int | None:
    """The place of the largest line near the start that is larger than the body."""
    best: int | None = None
    for index, block in enumerate(blocks[:_SIZED_TITLE_WITHIN]):
        look = _look(block)
        large = look.size >= body * _SIZED_TITLE or (look.centred and look.bold)
        if block.kind != "paragraph" or not large or not is_title_like(block.text):
            continue
        if _LETTERHEAD.fullmatch(block.text.strip()):
            continue
        if "\n" in block.text and len(block.text) > _MAX_HEADING:
            continue
        if best is None or look.size > _look(blocks[best]).size:
            best = index
    return best


def _stands_out(block: Block, body: int) -> bool:
    look = _look(block)
    text = block.text.strip()
    return (
        block.kind == "paragraph"
        and (look.bold or (body > 0 and look.size > body))
        and 2 <= len(text) <= _MAX_HEADING
        and "\n" not in text
        and is_title_like(text)
        and not re.search(r"[:：]\s*\S", text)
    )


def _run(marked: Sequence[bool], index: int) -> bool:
    """Whether a line stands in a longer run of lines that stand out: emphasised text."""
    start = end = index
    while start > 0 and marked[start - 1]:
        start -= 1
    while end + 1 < len(marked) and marked[end + 1]:
        end += 1
    return end - start + 1 > _MAX_RUN


def _as_heading(block: Block, level: int, *, title: bool = False) -> Block:
    metadata = {**block.metadata, "title": True} if title else block.metadata
    text = block.text.replace("\n", " ")
    return block.model_copy(
        update={"kind": "heading", "level": level, "text": text, "metadata": metadata}
    )


def _under_title(blocks: Sequence[Block], stated: str | None) -> list[Block]:
    """The headings one level lower where the title that opens the text has their level."""
    first = next((i for i, block in enumerate(blocks) if block.kind == "heading"), None)
    if first is None or first > _TITLE_WITHIN:
        return list(blocks)
    title, rest = blocks[first], [b for b in blocks[first + 1 :] if b.kind == "heading"]
    level = title.level or 1
    peers = [block for block in rest if (block.level or 1) <= level]
    numbered = [block for block in peers if heading_level(block.text) is not None]
    is_title = heading_level(title.text) is None and (
        bool(title.metadata.get("title"))
        or title.text == stated
        or len(numbered) * 2 > len(peers)
        or find_type(title.text) is not None
    )
    if not peers or not is_title:
        return list(blocks)
    return [
        block.model_copy(update={"level": min((block.level or 1) + level, 9)})
        if block.kind == "heading" and index > first
        else block
        for index, block in enumerate(blocks)
    ]


def _lone_numbers(blocks: Sequence[Block]) -> list[Block]:
    """Numbered short lines with text between them as headings: documents without heading
    styles have no other ones. Items of a list follow each other and stay what they are."""
    levels = [_decimal_level(block) for block in blocks]
    listed = [
        level is not None or b.kind == "list" for level, b in zip(levels, blocks, strict=True)
    ]
    found: list[Block] = []
    for index, (block, level) in enumerate(zip(blocks, levels, strict=True)):
        around = listed[max(index - 1, 0) : index] + listed[index + 1 : index + 2]
        followed = index + 1 < len(blocks) and blocks[index + 1].kind != "heading"
        others = levels[:index] + levels[index + 1 :]
        if level is not None and followed and not any(around) and any(others):
            block = block.model_copy(update={"kind": "heading", "level": level})
        found.append(block)
    return found


def _decimal_level(block: Block) -> int | None:
    if block.kind not in ("list", "paragraph") or block.text.startswith("- "):
        return None
    text = unicodedata.normalize("NFKC", block.text)
    return heading_level(text) if text[:1].isdecimal() else None


def _join_lists(blocks: Sequence[Block]) -> Iterator[Block]:
    """Neighbouring list items as one list."""
    items: list[str] = []
    for block in blocks:
        if block.kind == "list":
            items.append(block.text)
            continue
        if items:
            yield Block(kind="list", text="\n".join(items))
            items = []
        yield block
    if items:
        yield Block(kind="list", text="\n".join(items))
