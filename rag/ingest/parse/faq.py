"""Questions with their answers in running text as records: "问：… 答：…", "Q: … A: …", and
numbered lines that ask ("一、…？", "2. …？"), and paragraphs of a question alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rag.types import Block

_MARK = r"\s*[\d一二三四五六七八九十]{0,3}\s*[:：.、．]\s*"
_QUESTION = re.compile(
    rf"[【\[(（]?(?:问题?|Q|Question|提问){_MARK}[】\])）]?\s*(.+)", re.IGNORECASE
)
_ANSWER = re.compile(rf"[【\[(（]?(?:答案?|A|Answer|回答|答复){_MARK}[】\])）]?", re.IGNORECASE)

_NUMBER = r"[\d一二三四五六七八九十]{1,3}"
_NUMBERED = re.compile(
    rf"(?:[（(]{_NUMBER}[)）]|{_NUMBER}\s*[、.．)）]|(?:问题?|Q|Question)\s*{_NUMBER}(?![\w]))"
    r"\s*[:：]?\s*(.{2,}[？?])",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[^。；;！!：:\n]{4,}[？?]")
_LONGEST_ASKED = 80
"""Characters of a line that asks without a mark of its own; chosen by us."""

_MIN_PAIRS = 2
_MIN_ASKED = 3
_MAX_RECORD = 1500
"""Fewest pairs that make a text a list of questions, with "问" or "答" and without, and
characters of the longest that is kept whole: records are never cut, and longer ones would not
fit an embedder. Chosen by us."""


@dataclass
class _Pair:
    """A question with what follows it; `blocks` are the ones that it was made of."""

    question: str
    lines: list[str]
    blocks: list[Block] = field(default_factory=list)
    answered: bool = False
    marked: bool = True

    @property
    def is_record(self) -> bool:
        return self.answered and sum(map(len, self.lines)) <= _MAX_RECORD


def with_records(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with each question and its answer as one record, when there are several.

    A record's text is as it was written, its title the question without its number. Pairs with
    tables or code, and very long ones, stay ordinary blocks.
    """
    for plain in (False, True):
        parts = list(_pairs(blocks, plain))
        pairs = [part for part in parts if isinstance(part, _Pair) and part.is_record]
        marked = sum(pair.marked for pair in pairs)
        many = marked >= _MIN_PAIRS or len(pairs) >= _MIN_ASKED
        if many and (not plain or _fill(pairs, blocks)):
            return _recorded(parts)
    return tuple(blocks)


def _fill(pairs: Sequence[_Pair], blocks: Sequence[Block]) -> bool:
    """Whether most of the text is in the pairs: a list of questions rather than rhetoric."""
    held = sum(len(line) for pair in pairs for line in pair.lines)
    return 2 * held >= sum(len(block.text) for block in blocks)


def _recorded(parts: Sequence[_Pair | Block]) -> tuple[Block, ...]:
    found: list[Block] = []
    number = 0
    for part in parts:
        if isinstance(part, Block):
            found.append(part)
        elif part.is_record:
            number += 1
            found.append(
                Block(
                    kind="paragraph",
                    text="\n".join(part.lines),
                    record_id=str(number),
                    metadata={"title": part.question},
                )
            )
        else:
            found.extend(part.blocks)
    return tuple(found)


def _pairs(blocks: Sequence[Block], plain: bool) -> Iterator[_Pair | Block]:
    pair: _Pair | None = None
    for block in _by_line(blocks):
        first = block.text.partition("\n")[0]
        question = question_in(first, plain=plain)
        text = block.kind in ("paragraph", "list") and block.record_id is None
        if question is not None and (text or (block.kind == "heading" and question.marked)):
            if pair is not None:
                yield pair
            pair = _Pair(question.text, block.text.split("\n"), [block])
            said = any(_ANSWER.match(line) for line in pair.lines[1:])
            pair.marked = said or not question.bare
            pair.answered = said or (question.bare and len(pair.lines) > 1)
        elif pair is not None and text:
            said = bool(_ANSWER.match(first))
            # Without an answer right behind it, it was a question of another kind.
            if not pair.answered and not said and pair.marked:
                yield pair
                yield block
                pair = None
                continue
            pair.marked = pair.marked or (said and not pair.answered)
            pair.answered = True
            pair.lines.extend(block.text.split("\n"))
            pair.blocks.append(block)
        else:
            if pair is not None:
                if block.kind in ("table", "code"):
                    pair.answered = False
                yield pair
                pair = None
            yield block
    if pair is not None:
        yield pair


def _by_line(blocks: Sequence[Block]) -> Iterator[Block]:
    """Paragraphs cut before each question in them."""
    for block in blocks:
        lines = block.text.split("\n")
        starts = [n for n, line in enumerate(lines) if n and question_in(line) is not None]
        if block.kind not in ("paragraph", "list") or block.record_id is not None or not starts:
            yield block
            continue
        for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
            yield block.model_copy(update={"text": "\n".join(lines[start:end])})


class Asked(NamedTuple):
    """A question; `marked` by "问：" or "Q1."; a `bare` one may be answered without "答："."""

    text: str
    marked: bool
    bare: bool


def question_in(line: str, *, plain: bool = False) -> Asked | None:
    """The question that a line is, without its mark or number; None when it is none.

    Args:
        plain: whether a question without mark and number counts.
    """
    text = line.strip().lstrip("#-• ").removeprefix("* ").strip("*_ ")
    match = _QUESTION.match(text)
    if match:
        return Asked(match[1].strip(), True, text.endswith(("？", "?")))
    if len(text) > _LONGEST_ASKED:
        return None
    match = _NUMBERED.fullmatch(text)
    if match:
        return Asked(match[1].strip(), False, True)
    return Asked(text, False, True) if plain and _PLAIN.fullmatch(text) else None
