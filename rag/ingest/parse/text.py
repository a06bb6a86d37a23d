"""Plain text: paragraphs, with headings recognised by their numbers; subtitles and records of
talks; pages where form feeds mark them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rag.ingest.describe import is_typed_title
from rag.ingest.headings import (
    LEAD_LEVEL,
    bracketed_level,
    clause_label,
    heading_level,
    is_lead,
    is_title_like,
    starts_entry,
    without_register,
)
from rag.ingest.lines import unwrap
from rag.ingest.parse.faq import with_records
from rag.ingest.parse.subtitles import is_subtitles, subtitle_blocks
from rag.ingest.parse.text_sheets import without_running
from rag.types import Block, Page

_LIST_ITEM = re.compile(r"\s*([-*•·●○▪◦]|\d{1,3}[.．、)）]|[（(]\d{1,3}[)）]|[①-⑳])\s*\S")
_TIME = r"[\[(（]?\d{1,2}:\d{2}(?::\d{2})?[\])）]?"
_SPEAKER = re.compile(
    rf"(?:{_TIME}\s*)?(?P<who>[^\s:：，。；、\d]{{1,12}}(?:\s?\d{{1,2}})?(?:[（(][^）)]{{1,12}}[)）])?)\s*"
    rf"(?:[:：](?=\s*\S)|{_TIME}\s*(?:[:：]|$))"
)
_MIN_TURNS = 6
_MIN_TURN_SHARE = 0.4
"""Turns, and share of the lines that begin one, from which a text is the record of a talk;
on average each speaker must come back. Chosen by us."""


def parse_text(text: str, *, titled: bool = True) -> tuple[Page, ...]:
    """Pages of headings, paragraphs and lists; one page when no form feed divides the text.

    Args:
        titled: whether a short first line is the title; the first line of a mail is not.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if is_subtitles(text):
        return (Page(number=1, blocks=tuple(subtitle_blocks(text))),)
    sheets = [sheet.split("\n") for sheet in text.split("\f")]
    while len(sheets) > 1 and not any(line.strip() for line in sheets[-1]):
        sheets.pop()
    if len(sheets) == 1:
        blocks = _blocks(unwrap(sheets[0]), _turns(sheets[0]))
        blocks = _with_title(blocks) if titled else blocks
        return (Page(number=1, blocks=with_records(blocks)),)
    pages: list[Page] = []
    freed = without_running(sheets)
    for number, (sheet, lines) in enumerate(zip(sheets, freed, strict=True), start=1):
        blocks = [
            b.model_copy(update={"page": number}) for b in _blocks(unwrap(lines), frozenset())
        ]
        blocks = _with_title(blocks) if titled and number == 1 else blocks
        flags = ("header_footer",) if lines != sheet else () if blocks else ("blank",)
        pages.append(Page(number=number, blocks=tuple(blocks), flags=flags))
    return tuple(pages)


def _blocks(lines: Sequence[str], speakers: frozenset[str]) -> list[Block]:
    blocks: list[Block] = []
    group: list[str] = []
    kind: str = ""

    def flush() -> None:
        nonlocal group, kind
        if group:
            name = "list" if kind == "list" and len(group) > 1 else "paragraph"
            blocks.append(Block(kind=name, text="\n".join(group)))
        group, kind = [], ""

    for number, line in enumerate(lines):
        stripped = line.strip()
        if not stripped:
            flush()
            continue
        speaks = bool(speakers) and _speaker(stripped) in speakers
        level = None if speaks else _level(lines, number, stripped, bool(group))
        if level is not None:
            flush()
            blocks.append(Block(kind="heading", text=stripped, level=level))
            continue
        now = "list" if _LIST_ITEM.match(stripped) else "paragraph"
        if now != kind or speaks or clause_label(stripped):
            flush()
        kind = now
        group.append(stripped)
    flush()
    return blocks


def _level(lines: Sequence[str], number: int, text: str, follows: bool) -> int | None:
    level = heading_level(text, decimals=False) or bracketed_level(text)
    if level is None and not follows and is_lead(text) and _lists(lines, number + 1):
        return LEAD_LEVEL
    return level


def _lists(lines: Sequence[str], start: int) -> bool:
    """Whether the next line with text, at most one blank line away, is an item of a list."""
    following = next((line for line in lines[start : start + 2] if line.strip()), "")
    return bool(_LIST_ITEM.match(following)) or starts_entry(following)


def _turns(lines: Sequence[str]) -> frozenset[str]:
    """Who speaks, when the text is the record of a talk; each turn is then a paragraph."""
    filled = [line.strip() for line in lines if line.strip()]
    speakers = Counter(who for line in filled if (who := _speaker(line)) is not None)
    turns = sum(count for count in speakers.values() if count > 1)
    enough = turns >= max(_MIN_TURNS, _MIN_TURN_SHARE * len(filled))
    regular = len(speakers) >= 2 and turns >= 2 * len(speakers)
    return frozenset(speakers) if enough and regular else frozenset()


def _speaker(line: str) -> str | None:
    match = _SPEAKER.match(line)
    return match["who"] if match else None


def _with_title(blocks: list[Block]) -> list[Block]:
    """The first line as a heading when it stands alone and reads like a title; numbers and
    degrees of secrecy may stand above it."""
    at = 0
    while (
        at < len(blocks)
        and blocks[at].kind == "paragraph"
        and not without_register(blocks[at].text)
    ):
        at += 1
    if len(blocks) - at < 2 or blocks[at].kind != "paragraph":
        return blocks
    whole = blocks[at].text
    text = without_register(whole)
    first, newline, rest = text.partition("\n")
    if not is_title_like(first) or clause_label(first) or _speaker(first) is not None:
        return blocks
    if newline and is_title_like(rest.partition("\n")[0]) and not is_typed_title(first):
        return blocks  # an address or a verse rather than a title and its text
    above = whole[: len(whole) - len(text)].rstrip("\n")
    found = blocks[:at]
    if above:
        found.append(Block(kind="paragraph", text=above))
    found.append(Block(kind="heading", text=first, level=1))
    if rest:
        found.append(Block(kind="paragraph", text=rest))
    return found + blocks[at + 1 :]
