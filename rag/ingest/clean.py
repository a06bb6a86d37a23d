"""Removes what extraction left behind: the third step of the offline chain.

What is shown to people stays as it was written; width, case and characters are normalised
for the index alone (rag.text.normalise).
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable

from rag.ingest import formats
from rag.ingest.clean_adverts import without_adverts
from rag.ingest.clean_furniture import without_furniture
from rag.ingest.clean_hyphens import settle_hyphens
from rag.ingest.clean_mojibake import repair
from rag.ingest.lines import join_lines, wrap_width
from rag.ingest.table import to_markdown
from rag.types import Block, Document, Page

_SYMBOL_FONT = {
    0xF0B7: "•", 0xF0A7: "▪", 0xF06C: "●", 0xF06E: "■", 0xF075: "◆", 0xF0D8: "➢", 0xF0FC: "✓",
    0xF0E0: "→", 0xF0A8: "□", 0xF0FE: "☑", 0xF06F: "□",
}  # fmt: skip
"""Bullets and marks of the fonts Symbol and Wingdings, which map them to private code points."""

_SYMBOL_ASCII = "!%()+,-./0123456789:;<=>?[]{|}"
"""Characters that the font Symbol shares with ASCII; it maps them to U+F000 plus their code."""

_HAN = "一-鿿"
_LETTER_SPACED = re.compile(rf"(?<![{_HAN}\w])(?:[{_HAN}][ 　]+){{2,}}[{_HAN}](?![{_HAN}\w])")
_LATIN_SPACED = re.compile(r"(?<!\S)(?:[A-Za-z] ){4,}[A-Za-z](?!\S)")
_SERIES = frozenset(
    "甲乙丙丁戊己庚辛壬癸零一二三四五六七八九十日月优良中差上下左右东西南北春夏秋冬是否有无男女"
)
"""Single letters that stand side by side as a list rather than as a spaced word."""

_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f　]+")
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_BREAKS = re.compile("\r\n|[\r\u000b\u000c\u0085\u2028\u2029]")
_MANY_BREAKS = re.compile(r"\n{3,}")

_BROKEN_BY_LINES = frozenset(
    (formats.HTML, formats.MARKDOWN, formats.EML, formats.MSG, formats.EPUB, formats.TEXT)
)
"""Formats whose authors break lines by hand; the other parsers know the lines of a page."""

_PAGED = frozenset((formats.PDF, *formats.IMAGES))
"""Formats with printed pages; slides have titles at their edges, which may repeat."""

_ADVERTISED = frozenset((formats.HTML, formats.MARKDOWN, formats.EPUB, formats.TEXT))


def clean(document: Document) -> Document:
    """The document without control and invisible characters, letter-spacing ("目　　录"), wrong
    decodings, headers and footers, calls to follow and empty blocks; broken lines are joined.

    Code keeps its blanks; records keep their text but for such characters. What was done is
    told by the flags `header_footer`, `mojibake_repaired`, `lost_text` and `adverts_removed`.
    """
    pages = [_clean_page(page) for page in settle_hyphens(document.pages)]
    if document.media_type in _BROKEN_BY_LINES:
        pages = settle_hyphens(_join_broken(pages))
    if document.media_type in _PAGED:
        pages = list(without_furniture(pages))
    if document.media_type in _ADVERTISED:
        pages = [_without_adverts(page) for page in pages]
    title = clean_text(repair(document.title).text).strip() if document.title else None
    flags = dict.fromkeys((*document.flags, *(flag for page in pages for flag in page.flags)))
    return document.model_copy(
        update={"pages": tuple(pages), "title": title or None, "flags": tuple(flags)}
    )


def clean_text(text: str, *, keep_blanks: bool = False) -> str:
    """One text without control and invisible characters; runs of blanks become one unless
    `keep_blanks`. Emoji, private characters with a meaning and line breaks stay."""
    text = _BREAKS.sub("\n", text)
    if not text.isprintable():
        text = "".join(map(_character, text))
        text = _INVISIBLE.sub("", text)
    if keep_blanks:
        return text
    lines = [_clean_line(line) for line in text.split("\n")]
    return _MANY_BREAKS.sub("\n\n", "\n".join(lines)).strip("\n")


def _clean_page(page: Page) -> Page:
    found = [_clean_block(block) for block in page.blocks]
    noticed = (flag for _, flags in found for flag in flags)
    flags = tuple(dict.fromkeys((*page.flags, *noticed)))
    blocks = tuple(block for block, _ in found if block.text.strip())
    return page.model_copy(update={"blocks": blocks, "flags": flags})


def _clean_block(block: Block) -> tuple[Block, tuple[str, ...]]:
    """The block, and flags for what was wrong with it."""
    mended = repair(block.text)
    flags = [
        name
        for name, noticed in (("mojibake_repaired", mended.repaired), ("lost_text", mended.lost))
        if noticed
    ]
    whole = block.kind == "code" or block.record_id is not None
    text = clean_text(mended.text, keep_blanks=whole)
    if block.kind == "list":
        text = _keep_indent(mended.text, text)
    rows = block.rows
    if rows is not None:
        rows = tuple(tuple(clean_text(repair(cell).text) for cell in row) for row in rows)
        if rows != block.rows and block.text == to_markdown(block.rows or ()):
            text = to_markdown(rows)
    if text == block.text and rows == block.rows:
        return block, tuple(flags)
    return block.model_copy(update={"text": text, "rows": rows}), tuple(flags)


def _join_broken(pages: Iterable[Page]) -> list[Page]:
    """Paragraphs whose lines were broken at a fixed width are one line again."""
    pages = list(pages)
    paragraphs = [b.text for page in pages for b in page.blocks if _may_be_broken(b)]
    width = wrap_width(paragraphs)
    if width is None:
        return pages
    joined: list[Page] = []
    for page in pages:
        blocks = tuple(
            block.model_copy(update={"text": join_lines(block.text, width)})
            if _may_be_broken(block)
            else block
            for block in page.blocks
        )
        joined.append(page.model_copy(update={"blocks": blocks}))
    return joined


def _may_be_broken(block: Block) -> bool:
    return block.kind == "paragraph" and block.record_id is None and "\n" in block.text


def _without_adverts(page: Page) -> Page:
    blocks = without_adverts(page.blocks)
    if len(blocks) == len(page.blocks):
        return page
    flags = tuple(dict.fromkeys((*page.flags, "adverts_removed")))
    return page.model_copy(update={"blocks": blocks, "flags": flags})


def _keep_indent(before: str, after: str) -> str:
    """Nested lists show their depth by blanks at the line's start."""
    old, new = before.split("\n"), after.split("\n")
    if len(old) != len(new):
        return after
    indents = (line[: len(line) - len(line.lstrip(" "))] for line in old)
    return "\n".join(indent + line for indent, line in zip(indents, new, strict=True))


def _clean_line(line: str) -> str:
    line = _LATIN_SPACED.sub(_join_latin, line)
    line = _BLANKS.sub(" ", line).strip()
    return _LETTER_SPACED.sub(_join_han, line)


def _join_han(match: re.Match[str]) -> str:
    joined = match[0].replace(" ", "")
    return match[0] if _SERIES.issuperset(joined) else joined


def _join_latin(match: re.Match[str]) -> str:
    """ "N O T I C E" is a word; "A B C D E" are the letters of answers or columns."""
    joined = match[0].replace(" ", "")
    codes = [ord(c) for c in joined.upper()]
    rising = sum(b > a for a, b in itertools.pairwise(codes))
    return match[0] if rising >= (len(codes) - 1) * 0.75 else joined


def _character(character: str) -> str:
    if character in "\n\t":
        return character
    category = unicodedata.category(character)
    if category == "Co":
        code = ord(character)
        shared = chr(code - 0xF000) if 0xF020 <= code < 0xF07F else ""
        return _SYMBOL_FONT.get(code) or (shared if shared in _SYMBOL_ASCII else "")
    if category in ("Cc", "Cs", "Cn"):
        return ""
    return character
