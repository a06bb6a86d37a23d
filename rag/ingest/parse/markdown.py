"""Markdown: headings, lists, tables, code, and the metadata in its front matter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rag.ingest.parse.html import html_fragment_blocks
from rag.ingest.table import to_markdown, trim
from rag.types import Block, Page

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TIGHT_HEADING = re.compile(r"^(#{1,6})(?=[一-鿿（《“])", re.MULTILINE)
_MAX_FRONT_MATTER = 20_000
_MAX_UNDERLINED_HEADING = 60
"""Characters; a longer text above a line of dashes is a paragraph before a rule."""


def parse_markdown(text: str) -> tuple[tuple[Page, ...], dict[str, Any]]:
    """One page of blocks, and the front matter (empty without any)."""
    from markdown_it import MarkdownIt

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front, text = _split_front_matter(text)
    # Chinese paragraphs are often indented by four blanks; those are no code.
    reader = MarkdownIt("commonmark", {"html": True}).enable("table").disable("code")
    # "#标题" without a blank is no heading by the standard, but always meant as one.
    text = _TIGHT_HEADING.sub(r"\1 ", _COMMENT.sub("", text))
    blocks = _Walker(reader.parse(text)).blocks()
    return (Page(number=1, blocks=tuple(b for b in blocks if b.text.strip())),), front


def _split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    import yaml

    match = _FRONT_MATTER.match(text[:_MAX_FRONT_MATTER])
    if match is None:
        return {}, text
    try:
        values = yaml.safe_load(match[1])
    except (yaml.YAMLError, ValueError):
        return {}, text
    if not isinstance(values, dict):
        return {}, text
    return {str(key): value for key, value in values.items()}, text[match.end() :]


class _Walker:
    """Turns the flat token list into blocks."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def blocks(self) -> list[Block]:
        found: list[Block] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token.type == "heading_open":
                found.append(self._heading(token))
            elif token.type == "inline":
                found.append(Block(kind="paragraph", text=inline_text(token)))
            elif token.type in ("fence", "code_block"):
                found.append(Block(kind="code", text=token.content.rstrip("\n")))
            elif token.type in ("bullet_list_open", "ordered_list_open"):
                found.extend(self._list())
            elif token.type == "table_open":
                found.append(self._table())
            elif token.type == "html_block":
                found.extend(html_fragment_blocks(token.content))
        return found

    def _heading(self, token: Token) -> Block:
        text = inline_text(self._tokens[self._at]).replace("\n", " ")
        self._at += 2
        if token.markup in ("-", "=") and len(text) > _MAX_UNDERLINED_HEADING:
            return Block(kind="paragraph", text=text)
        return Block(kind="heading", text=text, level=int(token.tag[1]))

    def _list(self) -> list[Block]:
        """One list block; code and tables inside it follow as blocks of their own."""
        lines: list[str] = []
        others: list[Block] = []
        numbers: list[int | None] = []
        first = False
        self._at -= 1
        depth = 0
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token.type in ("bullet_list_open", "ordered_list_open"):
                depth += 1
                ordered = token.type == "ordered_list_open"
                numbers.append(int(token.attrs.get("start", 1)) if ordered else None)
            elif token.type in ("bullet_list_close", "ordered_list_close"):
                depth -= 1
                numbers.pop()
                if depth == 0:
                    break
            elif token.type == "list_item_open":
                first = True
            elif token.type == "list_item_close" and numbers[-1] is not None:
                numbers[-1] += 1
            elif token.type == "inline":
                number = numbers[-1]
                mark = ("- " if number is None else f"{number}. ") if first else "  "
                indent = "  " * (depth - 1)
                text = inline_text(token).replace("\n", "\n" + indent + "  ")
                lines.append(indent + mark + text)
                first = False
            elif token.type in ("fence", "code_block"):
                others.append(Block(kind="code", text=token.content.rstrip("\n")))
            elif token.type == "table_open":
                others.append(self._table())
            elif token.type == "html_block":
                others.extend(html_fragment_blocks(token.content))
        found = [Block(kind="list", text="\n".join(lines))] if lines else []
        return found + others

    def _table(self) -> Block:
        rows: list[list[str]] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(inline_text(token).replace("\n", " "))
        rows = trim(rows)
        return Block(kind="table", text=to_markdown(rows), rows=tuple(map(tuple, rows)))


def inline_text(token: Token) -> str:
    """A token's text without its markup."""
    parts: list[str] = []
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type == "html_inline":
            parts.append("\n" if re.fullmatch(r"<br\s*/?>", child.content.strip()) else "")
        else:
            parts.append(child.content)
    lines = (line.strip() for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)
