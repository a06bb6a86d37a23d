"""Markdown: headings, lists, tables, code, and the metadata in its front matter."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rag.ingest.parse.faq import with_records
from rag.ingest.parse.html import html_fragment_blocks
from rag.ingest.parse.html_inline import shifted
from rag.ingest.table import to_markdown, trim
from rag.types import Block, Page

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_TOML_FRONT_MATTER = re.compile(r"\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|$)", re.DOTALL)
_TIGHT_HEADING = re.compile(r"^(#{1,6})(?=[一-鿿（《“])")
_NOTE = re.compile(
    r"^( {0,3})(?=\[[^\]]+\]:[ \t]*+(?!<?(?:[a-z][a-z+.-]*:|/|\.|#|www\.|[\w./-]+\.[a-z]{2,5}\b)))",
    re.IGNORECASE,
)
"""A line like "[^1]: 注释" or "[注意]: 请先备份", which the standard takes for the address of a
link and drops."""

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_FORMULA = re.compile(r"\$\$\s*(.+?)\s*\$\$", re.DOTALL)
_INLINE_FORMULA = re.compile(r"\$(?=\S)[^$\n]{1,300}?(?<=\S)\$(?!\d)")
_MAX_FRONT_MATTER = 20_000
_MAX_NESTING = 100
"""Levels from which the reader drops text, two for each level of a list: what the reader's own
default preset allows. Outlines exported from mind maps are deeper than the 20 of "commonmark"."""
_MAX_UNDERLINED_HEADING = 60
"""Characters; a longer text above a line of dashes is a paragraph before a rule."""


def parse_markdown(text: str) -> tuple[tuple[Page, ...], dict[str, Any]]:
    """One page of blocks, and the front matter (empty without any)."""
    from markdown_it import MarkdownIt

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front, text = _split_front_matter(text)
    # Chinese paragraphs are often indented by four blanks; those are no code.
    options = {"html": True, "maxNesting": _MAX_NESTING}
    reader = MarkdownIt("commonmark", options).enable("table").disable("code")
    reader.block.ruler.before("table", "too_deep", _keep_too_deep)
    reader.inline.ruler.before("escape", "formula", _keep_formula)
    blocks = [b for b in _Walker(reader.parse(_prepared(text))).blocks() if b.text.strip()]
    return (Page(number=1, blocks=with_records(blocks)),), front


def _prepared(text: str) -> str:
    """The text with what is always meant otherwise than the standard reads it put right:
    "#标题" without a blank, and notes that look like addresses of links. Code stays."""
    lines = text.split("\n")
    fence = ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence[0]) and len(match[1]) >= len(fence):
            fence = ""
        elif not fence:
            lines[number] = _NOTE.sub(r"\1\\", _TIGHT_HEADING.sub(r"\1 ", line))
    return "\n".join(lines)


def _keep_too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A block rule: what lies deeper than the reader goes is text, its marks kept."""
    # A list takes two levels, so that nothing ever reaches the last one.
    if silent or state.level < _MAX_NESTING - 2:
        return False
    line = last = start
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        last = last if state.isEmpty(line) else line
        line += 1
    state.line = last + 1
    state.push("paragraph_open", "p", 1).map = [start, state.line]
    inside = state.push("inline", "", 0)
    inside.content = state.getLines(start, state.line, state.blkIndent, False).strip()
    inside.map, inside.children = [start, state.line], []
    state.push("paragraph_close", "p", -1)
    return True


def _keep_formula(state: StateInline, silent: bool) -> bool:
    """An inline rule: "$a*b*c$" is a formula, its stars and lines are no emphasis."""
    if state.src[state.pos] != "$":
        return False
    match = _INLINE_FORMULA.match(state.src, state.pos, state.posMax)
    if match is None or (state.pos and state.src[state.pos - 1] == "$"):
        return False
    if not silent:
        state.push("text", "", 0).content = match[0]
    state.pos = match.end()
    return True


def _split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    import yaml

    head = text[:_MAX_FRONT_MATTER].lstrip("\ufeff")
    match = _FRONT_MATTER.match(head) or _TOML_FRONT_MATTER.match(head)
    if match is None:
        return {}, text
    try:
        is_toml = match.re is _TOML_FRONT_MATTER
        values = tomllib.loads(match[1]) if is_toml else yaml.safe_load(match[1])
    except (yaml.YAMLError, ValueError, RecursionError):
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
                found.append(_paragraph(token))
            elif token.type in ("fence", "code_block"):
                found.append(_code(token))
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
        """The list's lines; code and tables inside it are blocks between them."""
        found: list[Block] = []
        lines: list[str] = []
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
            elif others := self._inside_list(token):
                found.extend(_lines_block(lines))
                found.extend(others)
        return [*found, *_lines_block(lines)]

    def _inside_list(self, token: Token) -> list[Block]:
        if token.type in ("fence", "code_block"):
            return [_code(token)]
        if token.type == "table_open":
            return [self._table()]
        return html_fragment_blocks(token.content) if token.type == "html_block" else []

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


def _lines_block(lines: list[str]) -> list[Block]:
    """The lines so far as a block, if there are any; the list is emptied."""
    found = [Block(kind="list", text="\n".join(lines))] if lines else []
    lines.clear()
    return found


def _code(token: Token) -> Block:
    language = token.info.split()[0] if token.info.strip() else ""
    metadata = {"language": language} if language else {}
    return Block(kind="code", text=token.content.rstrip("\n"), metadata=metadata)


def _paragraph(token: Token) -> Block:
    formula = _FORMULA.fullmatch(token.content.strip())
    if formula is not None:
        return Block(kind="formula", text=formula[1])
    return Block(kind="paragraph", text=inline_text(token))


def inline_text(token: Token) -> str:
    """A token's text without its markup; powers and indices keep their meaning."""
    parts: list[str] = []
    raised: tuple[str, int] | None = None
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type == "html_inline":
            tag = child.content.strip().lower()
            if re.fullmatch(r"<br\s*/?>", tag):
                parts.append("\n")
            elif tag in ("<sup>", "<sub>"):
                raised = tag[1:4], len(parts)
            elif tag in ("</sup>", "</sub>") and raised is not None:
                name, start = raised
                parts[start:] = [shifted("".join(parts[start:]), name)]
                raised = None
        else:
            parts.append(child.content)
    lines = (line.strip() for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)
