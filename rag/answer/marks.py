"""Reads citation marks in an answer's text: [1][2], [1,2], 【1】, [1-3], [^1], [来源1].

Marks inside code are left alone, and so are escaped brackets (they belong to a quotation).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rag.text.sentences import split_sentences

_ONE = r"(?:\^|来源|资料|证据|文档|参考|引用|source\s|ref\s?)?\s*\d{1,3}"
_JOIN = r"\s*(?:[,，、;；&和与]|[-–—~～至到])\s*"
_MARK = re.compile(
    rf"(?<!\\)\[{{1,2}}\s*({_ONE}(?:{_JOIN}{_ONE})*)\s*\]{{1,2}}(?!\()|【\s*({_ONE}(?:{_JOIN}{_ONE})*)\s*】",
    re.I,
)
_RANGE = re.compile(r"(\d{1,3})\s*[-–—~～至到]\s*\D{0,4}?(\d{1,3})|(\d{1,3})")
_CODE = re.compile(r"```.*?(?:```|\Z)|(?<!\\)`[^`\n]*`", re.S)
_BLOCK_START = re.compile(r"^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|>\s*)")
_ONLY_MARKS = re.compile(rf"(?:\s*(?:{_MARK.pattern})\s*[。，,.;；]?)+", re.I)
MOST_IN_RANGE = 50
"""Numbers that one range may stand for: [1-999] is no citation of 999 passages."""


class Mark(NamedTuple):
    """A citation mark: text[start:end] names `numbers`, in order."""

    start: int
    end: int
    numbers: tuple[int, ...]


class Statement(NamedTuple):
    """One sentence, list item or table row of an answer, its trailing marks included.

    `text[start:end]` is the statement; `kind` is "heading" and "lead" for lines that state
    nothing by themselves.
    """

    start: int
    end: int
    kind: str


def find_marks(text: str) -> list[Mark]:
    """All citation marks in order, those in code left out."""
    code = [match.span() for match in _CODE.finditer(text)]
    marks: list[Mark] = []
    for match in _MARK.finditer(text):
        if any(start <= match.start() < end for start, end in code):
            continue
        marks.append(Mark(*match.span(), _numbers(match[1] or match[2])))
    return marks


def without_marks(text: str) -> str:
    """`text` without its citation marks and the spaces before them."""
    result: list[str] = []
    position = 0
    for mark in find_marks(text):
        result.append(text[position : mark.start].rstrip(" ") if mark.start else "")
        position = mark.end
    return "".join([*result, text[position:]])


def statements(text: str) -> list[Statement]:
    """The statements of an answer in order; code blocks, rules and table heads are left out."""
    code = [m.span() for m in _CODE.finditer(text) if m.group().startswith("```")]
    found: list[Statement] = []
    position = 0
    lines = text.split("\n")
    for index, line in enumerate(lines):
        start, position = position, position + len(line) + 1
        if not line.strip() or any(a <= start < b for a, b in code):
            continue
        if re.match(r"^\s*\|", line):
            following = lines[index + 1] if index + 1 < len(lines) else ""
            is_rule = bool(re.fullmatch(r"\s*\|[\s:|-]+\|?\s*", line))
            if not is_rule and not re.fullmatch(r"\s*\|[\s:|-]+-[\s:|-]*\|?\s*", following):
                found.append(Statement(start, start + len(line.rstrip()), "row"))
            continue
        if re.fullmatch(r"\s*(?:[-*_]\s*){3,}", line):
            continue
        found.extend(_line(text, start, line))
    return found


def _line(text: str, start: int, line: str) -> list[Statement]:
    marker = _BLOCK_START.match(line)
    if marker and "#" in marker.group():
        return [Statement(start, start + len(line.rstrip()), "heading")]
    offset = marker.end() if marker else 0
    found: list[Statement] = []
    for span in split_sentences(line[offset:]):
        first, last = start + offset + span.start, start + offset + span.end
        marks_first = _ONLY_MARKS.match(text, first, last)
        if found and marks_first and marks_first.end() > first:
            # 。[1]下一句: the marks belong to the sentence before them.
            stop = first + len(text[first : marks_first.end()].rstrip())
            found[-1] = found[-1]._replace(end=stop)
            first = marks_first.end()
            if not text[first:last].strip():
                continue
        if found and _goes_on(text, found[-1]):
            found[-1] = found[-1]._replace(end=last)
            continue
        bare = without_marks(text[first:last]).strip()
        kind = "lead" if bare.endswith(("：", ":")) else "sentence"
        found.append(Statement(first, last, kind))
    return found


def _goes_on(text: str, statement: Statement) -> bool:
    """Whether a statement ends at a semicolon without a mark: its rest carries the mark."""
    return text[statement.start : statement.end].rstrip().endswith(("；", ";"))


def _numbers(inner: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for match in _RANGE.finditer(inner):
        if match[3]:
            numbers.append(int(match[3]))
        else:
            low, high = int(match[1]), int(match[2])
            if low <= high < low + MOST_IN_RANGE:
                numbers.extend(range(low, high + 1))
    return tuple(dict.fromkeys(numbers))
