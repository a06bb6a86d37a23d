"""Source code: one block for each function and class, under the names that lead to it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from rag.ingest.parse.code_part import Part
from rag.types import Block, Page

_log = logging.getLogger(__name__)

_WHOLE_LINES = 40
"""Lines up to which a class is one block with all its methods. Chosen by us: about a screen,
and about the length of a chunk."""

TOP_LEVEL = "顶层代码"
"""The heading of statements between and after definitions, which belong to none of them."""

_LANGUAGES = {
    extension: language
    for language, extensions in {
        "python": "py pyi",
        "javascript": "js mjs cjs jsx",
        "typescript": "ts",
        "tsx": "tsx",
        "java": "java",
        "c": "c h",
        "cpp": "cc cpp cxx hh hpp hxx",
        "csharp": "cs",
        "go": "go",
        "rust": "rs",
        "php": "php",
        "ruby": "rb",
        "bash": "sh bash zsh",
        "sql": "sql",
        "kotlin": "kt kts",
        "perl": "pl pm",
        "powershell": "ps1",
        "batch": "bat cmd",
        "vb": "vb vbs bas",
        "elixir": "ex exs",
        "protobuf": "proto",
        "solidity": "sol",
        "julia": "jl",
    }.items()
    for extension in extensions.split()
}
"""Languages by extension; the others are called like their extension."""


def parse_code(text: str, extension: str) -> tuple[Page, ...]:
    """One page: headings with the names of classes and functions, and their code.

    Together the code blocks are the whole text, line by line, without blank lines at their
    ends. What cannot be parsed is cut at the lines that look like definitions.

    Args:
        extension: of the file, with or without its dot; tells the language.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    language = _LANGUAGES.get(extension.lower().lstrip("."), extension.lower().lstrip("."))
    parts = _parts(text, lines, language)
    blocks = tuple(_blocks(lines, parts, language))
    return (Page(number=1, blocks=blocks),)


def _parts(text: str, lines: Sequence[str], language: str) -> list[Part]:
    from rag.ingest.parse.code_lines import by_lines, by_statements
    from rag.ingest.parse.code_python import python_parts
    from rag.ingest.parse.code_trees import tree_parts

    found: list[Part] | None = None
    if language == "python":
        found = python_parts(text)
    elif language == "sql":
        found = by_statements(lines)
    else:
        try:
            found = tree_parts(text, language)
        except (ImportError, ValueError, RuntimeError, RecursionError) as error:
            _log.warning("no grammar for %s: %s", language, type(error).__name__)
    return by_lines(lines) if found is None else found


def _blocks(lines: Sequence[str], parts: Sequence[Part], language: str) -> Iterator[Block]:
    yield from _inside(lines, parts, 0, len(lines), 1, "", language)


def _inside(
    lines: Sequence[str],
    parts: Sequence[Part],
    start: int,
    end: int,
    level: int,
    owner: str,
    language: str,
) -> Iterator[Block]:
    """Blocks of the lines from `start` to `end`, in which `parts` lie."""
    at = start
    first = True
    for part in parts:
        begin = max(part.start, at)
        while begin > at and _is_attached(lines[begin - 1]):
            begin -= 1  # the comment or decorator above belongs to it
        stop = min(part.end, end)
        if stop <= begin:
            continue
        yield from _rest(lines, at, begin, level, owner, first, language)
        yield from _part(lines, part, begin, stop, level, owner, language)
        at, first = stop, False
    yield from _rest(lines, at, end, level, owner, first, language)


def _part(
    lines: Sequence[str],
    part: Part,
    begin: int,
    stop: int,
    level: int,
    owner: str,
    language: str,
) -> Iterator[Block]:
    name = f"{owner}.{part.name}" if owner else part.name
    title = f"{part.kind} {name}".strip()
    yield Block(kind="heading", text=title, level=min(level, 6))
    if part.children and stop - begin > _WHOLE_LINES:
        yield from _inside(lines, part.children, begin, stop, level + 1, name, language)
    else:
        yield from _code(lines, begin, stop, language)


def _rest(
    lines: Sequence[str], start: int, end: int, level: int, owner: str, first: bool, language: str
) -> Iterator[Block]:
    """Lines that belong to no part of their own."""
    blocks = list(_code(lines, start, end, language))
    if blocks and not first:
        title = owner or TOP_LEVEL
        yield Block(kind="heading", text=title, level=min(level, 6))
    yield from blocks


def _code(lines: Sequence[str], start: int, end: int, language: str) -> Iterator[Block]:
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end:
        yield Block(kind="code", text="\n".join(lines[start:end]), metadata={"language": language})


def _is_attached(line: str) -> bool:
    text = line.strip()
    return text.startswith(("//", "/*", "*", "#", "@", "--")) and not text.startswith(
        ("#include", "#define", "#if", "#endif", "#else", "#pragma", "#!")
    )
