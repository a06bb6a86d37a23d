"""Cuts source code without a grammar: at lines that look like definitions, or statements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.ingest.parse.code_part import Part

_DEFINITION = re.compile(
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|open|data|"
    r"sealed|override|suspend|inline|local|pub|unsafe|extern|partial|virtual|case)\s+)*"
    r"(?P<kind>class|interface|object|trait|struct|enum|protocol|extension|module|namespace|def|"
    r"defp|defmodule|fun|func|fn|function|sub|proc|procedure|service|message|contract|library|"
    r"Function|Sub|Class|Module)\s+(?P<name>[\w.:$]+)",
)
_ASSIGNED = re.compile(r"(?P<name>[\w.$]+)\s*(?:<-|=)\s*function\s*\(")
_CLASSES = frozenset(
    (
        "class", "interface", "object", "trait", "struct", "enum", "protocol", "extension",
        "module", "namespace", "defmodule", "service", "message", "contract", "library", "Class",
        "Module",
    )
)  # fmt: skip
_STATEMENT = re.compile(
    r"\s*(?P<verb>CREATE|ALTER|DROP|INSERT|UPDATE|DELETE|SELECT|WITH|MERGE|GRANT|REVOKE|DECLARE|"
    r"BEGIN|CALL|EXEC|USE|SET|TRUNCATE|COMMENT)\b",
    re.IGNORECASE,
)
_CREATED = re.compile(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:GLOBAL|LOCAL|TEMPORARY|TEMP|UNIQUE|MATERIALIZED|EXTERNAL|"
    r"DEFINER\s*=\s*\S+)\s+)*(?P<kind>TABLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|INDEX|SEQUENCE|TYPE|"
    r"SCHEMA|DATABASE|EVENT|ROLE|USER)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[^\s(;]+)",
    re.IGNORECASE,
)
_BLOCK_KINDS = ("FUNCTION", "PROCEDURE", "TRIGGER", "EVENT")
_BLOCK_END = re.compile(r"\s*(?:END\b[^;]*;?\s*(?:/|\$\$|//)?|\$\$.*;|/|GO)\s*$", re.IGNORECASE)


def by_lines(lines: Sequence[str]) -> list[Part]:
    """Definitions that begin at the left edge; each reaches to the next one."""
    starts: list[tuple[int, str, str]] = []
    for number, line in enumerate(lines):
        match = _DEFINITION.match(line)
        if match is not None:
            is_class = match["kind"] in _CLASSES
            starts.append(
                (
                    number,
                    match["name"] + ("" if is_class else "()"),
                    match["kind"] if is_class else "",
                )
            )
        elif assigned := _ASSIGNED.match(line):
            starts.append((number, f"{assigned['name']}()", ""))
    if not starts:
        return []
    ends = [start for start, _, _ in starts[1:]] + [len(lines)]
    return [
        Part(name, start, _trimmed(lines, start, end), kind)
        for (start, name, kind), end in zip(starts, ends, strict=True)
    ]


def by_statements(lines: Sequence[str]) -> list[Part]:
    """The statements of SQL that create something, by what they create."""
    found: list[Part] = []
    at = 0
    while at < len(lines):
        created = (
            _CREATED.match("\n".join(lines[at : at + 3])) if _STATEMENT.match(lines[at]) else None
        )
        if created is None:
            at += 1
            continue
        end = _statement_end(lines, at, created["kind"].upper() in _BLOCK_KINDS)
        name = created["name"].strip('`"[]')
        found.append(Part(name, at, end, created["kind"].upper()))
        at = end
    return found


def _statement_end(lines: Sequence[str], start: int, is_block: bool) -> int:
    """The line after the statement's last one: its semicolon, or the end of its body."""
    for number in range(start, len(lines)):
        line = re.sub(r"--.*$", "", lines[number]).rstrip()
        if is_block and _BLOCK_END.fullmatch(line) and not line.startswith((" ", "\t")):
            return number + 1
        if not is_block and line.endswith(";"):
            return number + 1
        if number > start and _CREATED.match(lines[number]) and not lines[number][:1].isspace():
            return number
    return len(lines)


def _trimmed(lines: Sequence[str], start: int, end: int) -> int:
    """Comments right above the next definition are that one's."""
    stop = end
    while stop > start + 1 and (
        not lines[stop - 1].strip()
        or lines[stop - 1].lstrip().startswith(("//", "#", "--", "/*", "*", "@"))
    ):
        stop -= 1
    return stop
