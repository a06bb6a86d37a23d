"""Groups a document's blocks into sections under their headings, and sections into groups.

A group is what belongs together by the document's own structure: an article of a law, a
question with its answer, or all running text under one heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from rag.ingest.headings import clause_label
from rag.ingest.parse.faq import question_in
from rag.ingest.plain import block_offsets
from rag.text.numerals import parse_numeral
from rag.types import Block, Document

_QUESTION = re.compile(
    r"[【\[（(]?(问题?|提问|Q|q)\s*[\d一二三四五六七八九十]{0,3}\s*[】\])）]?\s*[:：.、]"
)
_MIN_CLAUSES = 3
"""Articles from which a document counts as written in articles; chosen by us: one "第三条"
may be a quotation."""
_IN_ORDER = 0.5
_LARGEST_STEP = 3
"""Share of the articles whose number is that of the one before plus 1 to 3; quotations from a
law are in no order. Chosen by us."""
_ARTICLE_NUMBER = re.compile(r"第([0-9０-９零〇一二三四五六七八九十百千两]+)条")
_LONGEST_QUESTION = 80
_MIN_BARE = 3
_PLAIN_SHARE = 5
"""Characters of a question; lines that ask from which they part a text, a single one being a
heading or rhetorical; and units for each such line where it has no number. Chosen by us."""


@dataclass(frozen=True)
class Unit:
    """A block with its half-open place in the plain text, and the headings above it where
    its group has none of its own."""

    block: Block
    start: int
    end: int
    path: tuple[str, ...] = ()

    @property
    def is_heading(self) -> bool:
        """Whether the block is a heading."""
        return self.block.kind == "heading"


@dataclass
class Group:
    """Units that belong together. `label` is the article's number when it is one, `question`
    the question that the units answer; `merged` says that several tiny sections are together,
    below the path's last heading."""

    heading_path: tuple[str, ...]
    label: str | None = None
    units: list[Unit] = field(default_factory=list)
    merged: bool = False
    question: str | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """The headings above, with the article's number last."""
        return (*self.heading_path, self.label) if self.label else self.heading_path


def units_of(document: Document) -> list[Unit]:
    """All blocks with text, in order, with their places."""
    blocks = document.blocks
    return [
        Unit(block, start, start + len(block.text))
        for block, start in zip(blocks, block_offsets(blocks), strict=True)
        if block.text.strip()
    ]


def groups(
    document: Document, *, articles: bool = True, questions: bool = True, headings: bool = True
) -> list[Group]:
    """All groups of a document in order; every unit is in exactly one.

    Args:
        articles: whether an article of a law is a group of its own.
        questions: whether a question with its answer is one.
        headings: whether a heading begins a group; else there is one group for all, whose
            units know their headings.
    """
    units = units_of(document)
    if not headings:
        sections = _sections(units, False, is_slides(document))
        placed = [replace(unit, path=path) for path, section in sections for unit in section]
        return [Group((), units=placed)] if placed else []
    by_clause = articles and in_articles(units)
    asked = questions_in(units) if questions else frozenset[int]()
    found: list[Group] = []
    for path, section in _sections(units, by_clause, is_slides(document)):
        found.extend(_section_groups(path, section, by_clause, asked))
    return found


def is_slides(document: Document) -> bool:
    """Whether each page of the document is a slide."""
    return "presentation" in document.media_type


def in_articles(units: Sequence[Unit]) -> bool:
    """Whether a document is written in articles (第一条, 第二条 …), in their order."""
    numbers = [
        parse_numeral(match[1]) or 0 if not match[1].isdecimal() else int(match[1])
        for unit in units
        if (label := article(unit)) and (match := _ARTICLE_NUMBER.match(label))
    ]
    if len(numbers) < _MIN_CLAUSES:
        return False
    steps = [0 <= b - a <= _LARGEST_STEP or b == 1 for a, b in pairwise(numbers)]
    return sum(steps) >= _IN_ORDER * len(steps)


def article(unit: Unit) -> str | None:
    """The "第十二条" that a unit starts with, else None."""
    if unit.block.kind not in ("paragraph", "heading") or unit.block.record_id is not None:
        return None
    return clause_label(unit.block.text)


def asks(unit: Unit) -> bool:
    """Whether a unit is marked as a question: "问：…", "Q3. …"."""
    return bool(_QUESTION.match(unit.block.text))


def questions_in(units: Sequence[Unit]) -> frozenset[int]:
    """Where the units begin that ask: those with a mark, and numbered lines that end in "？"
    where several have something behind them that answers; paragraphs of a question alone too,
    where they are many."""
    marked = {unit.start for unit in units if asks(unit)}
    for plain in (False, True):
        bare = [i for i, unit in enumerate(units) if _asks_barely(unit, plain)]
        answered = sum(_is_answered(units, i, bare) for i in bare)
        least = max(_MIN_BARE, len(units) / _PLAIN_SHARE) if plain else _MIN_BARE
        if answered >= least and answered * 2 >= len(bare):
            return frozenset(marked | {units[i].start for i in bare})
    return frozenset(marked)


def _is_answered(units: Sequence[Unit], index: int, asking: Sequence[int]) -> bool:
    if "\n" in units[index].block.text.strip():
        return True
    after = index + 1
    return after < len(units) and after not in asking and not units[after].is_heading


def _asks_barely(unit: Unit, plain: bool) -> bool:
    block = unit.block
    if block.kind not in ("paragraph", "list") or block.record_id is not None:
        return False
    found = question_in(first_line(block.text), plain=plain)
    return found is not None and found.bare


def _sections(
    units: Iterable[Unit], by_clause: bool, by_page: bool
) -> list[tuple[tuple[str, ...], list[Unit]]]:
    """Runs of units under the same headings. A heading without text of its own goes on to
    the next section, so that it isn't a chunk of its own."""
    stack: list[tuple[int, str]] = []
    sections: list[tuple[tuple[str, ...], list[Unit]]] = []
    current: list[Unit] = []
    has_body = False
    for unit in units:
        if by_page and current and unit.block.page != current[-1].block.page:
            if has_body:
                sections.append((_path(stack), current))
                current, has_body = [], False
            stack = []
        is_clause = by_clause and article(unit) is not None
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


def _section_groups(
    path: tuple[str, ...], units: Sequence[Unit], by_clause: bool, asked: frozenset[int]
) -> list[Group]:
    found = [Group(path)]
    only_headings = True
    for unit in units:
        label = article(unit) if by_clause else None
        question = unit.start in asked
        if label is not None or question:
            if not only_headings:
                found.append(Group(path))
            found[-1].label = label
            found[-1].question = first_line(unit.block.text) if question else None
        found[-1].units.append(unit)
        only_headings = only_headings and unit.is_heading and label is None
    return found


def first_line(text: str) -> str:
    """The first line of a text with single spaces, at most 80 characters."""
    return " ".join(text.strip().split("\n", 1)[0].split())[:_LONGEST_QUESTION]
