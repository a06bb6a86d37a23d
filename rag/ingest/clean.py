"""Removes what extraction left behind: the third step of the offline chain.

What is shown to people stays as it was written; width, case and characters are normalised
for the index alone (rag.text.normalise).
"""

from __future__ import annotations

import re
import unicodedata

from rag.types import Block, Document, Page

_SYMBOL_FONT = {
    0xF0B7: "•", 0xF0A7: "▪", 0xF06C: "●", 0xF06E: "■", 0xF075: "◆", 0xF0D8: "➢", 0xF0FC: "✓",
    0xF0E0: "→", 0xF0A8: "□", 0xF0FE: "☑", 0xF06F: "□",
}  # fmt: skip
"""Bullets and marks of the fonts Symbol and Wingdings, which map them to private code points."""

_SYMBOL_ASCII = "!%()+,-./0123456789:;<=>?[]{|}"
"""Characters that the font Symbol shares with ASCII; it maps them to U+F000 plus their code."""

_LETTER_SPACED = re.compile(r"(?<![^\s　])(?:[一-鿿][ 　]+){2,}[一-鿿](?![^\s　])")
_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f　]+")
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]"
)
_BREAKS = re.compile("\r\n|[\r\u000b\u000c\u0085\u2028\u2029]")
_MANY_BREAKS = re.compile(r"\n{3,}")


def clean(document: Document) -> Document:
    """The document without control and invisible characters, letter-spacing ("目　　录") and
    empty blocks. Code keeps its blanks; records keep their text but for such characters.
    """
    pages = tuple(_clean_page(page) for page in document.pages)
    title = clean_text(document.title).strip() if document.title else None
    return document.model_copy(update={"pages": pages, "title": title or None})


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
    blocks = (_clean_block(block) for block in page.blocks)
    return page.model_copy(update={"blocks": tuple(b for b in blocks if b.text.strip())})


def _clean_block(block: Block) -> Block:
    whole = block.kind == "code" or block.record_id is not None
    text = clean_text(block.text, keep_blanks=whole)
    if block.kind == "list":
        text = _keep_indent(block.text, text)
    rows = block.rows
    if rows is not None:
        rows = tuple(tuple(clean_text(cell) for cell in row) for row in rows)
    if text == block.text and rows == block.rows:
        return block
    return block.model_copy(update={"text": text, "rows": rows})


def _keep_indent(before: str, after: str) -> str:
    """Nested lists show their depth by blanks at the line's start."""
    old, new = before.split("\n"), after.split("\n")
    if len(old) != len(new):
        return after
    indents = (line[: len(line) - len(line.lstrip(" "))] for line in old)
    return "\n".join(indent + line for indent, line in zip(indents, new, strict=True))


def _clean_line(line: str) -> str:
    line = _BLANKS.sub(" ", line).strip()
    return _LETTER_SPACED.sub(lambda match: match[0].replace(" ", ""), line)


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
