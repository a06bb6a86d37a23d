"""Groups a document's blocks into sections under their headings, and sections into groups.

A group is what belongs together by the document's own structure: an article of a law, a
question with its answer, or all running text under one heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rag.ingest.headings import clause_label
from rag.ingest.plain import block_offsets
from rag.types import Block, Document

_QUESTION = re.compile(r"(问题?|Q|q)\s*[\d一二三四五六七八九十]{0,3}\s*[:：.、]")
_MIN_CLAUSES = 3
"""Articles from which a document counts as written in articles; chosen by us: one "第三条"
may be a quotation."""


@dataclass(frozen=True)
class Unit:
    """A block with its half-open place in the plain text."""

    block: Block
    start: int
    end: int

    @property
    def is_heading(self) -> bool:
        """Whether the block is a heading."""
        return self.block.kind == "heading"


@dataclass
class Group:
    """Units that belong together. `label` is the article's number when it is one; `merged`
    says that several tiny sections are together, below the path's last heading."""

    heading_path: tuple[str, ...]
    label: str | None = None
    units: list[Unit] = field(default_factory=list)
    merged: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        """The headings above, with the article's number last."""
        return (*self.heading_path, self.label) if self.label else self.heading_path


def groups(document: Document) -> list[Group]:
    """All groups of a document in order; every unit is in exactly one."""
    blocks = document.blocks
    units = [
        Unit(block, start, start + len(block.text))
        for block, start in zip(blocks, block_offsets(blocks), strict=True)
        if block.text.strip()
    ]
    labels = sum(_label(unit) is not None for unit in units)
    by_clause = labels >= _MIN_CLAUSES
    found: list[Group] = []
    for path, section in _sections(units, by_clause):
        found.extend(_section_groups(path, section, by_clause))
    return found


def _sections(units: Iterable[Unit], by_clause: bool) -> list[tuple[tuple[str, ...], list[Unit]]]:
    """Runs of units under the same headings. A heading without text of its own goes on to
    the next section, so that it isn't a chunk of its own."""
    stack: list[tuple[int, str]] = []
    sections: list[tuple[tuple[str, ...], list[Unit]]] = []
    current: list[Unit] = []
    has_body = False
    for unit in units:
        is_clause = by_clause and _label(unit) is not None
        if unit.is_heading and not is_clause:
            if has_body:
                sections.append((_path(stack), current))
                current, has_body = [], False
            level = unit.block.level or 1
            while stack and stack[-1][0] >= level:
                stack.pop()
            stack.append((level, " ".join(unit.block.text.split())))
        else:
            has_body = True
        current.append(unit)
    if current:
        sections.append((_path(stack), current))
    return sections


def _path(stack: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(text for _, text in stack)


def _section_groups(path: tuple[str, ...], units: Sequence[Unit], by_clause: bool) -> list[Group]:
    found = [Group(path)]
    only_headings = True
    for unit in units:
        label = _label(unit) if by_clause else None
        starts = label is not None or bool(_QUESTION.match(unit.block.text))
        if starts and not only_headings:
            found.append(Group(path))
            found[-1].label = label
        elif starts:
            found[-1].label = label
        found[-1].units.append(unit)
        only_headings = only_headings and unit.is_heading and label is None
    return found


def _label(unit: Unit) -> str | None:
    if unit.block.kind not in ("paragraph", "heading") or unit.block.record_id is not None:
        return None
    return clause_label(unit.block.text)
