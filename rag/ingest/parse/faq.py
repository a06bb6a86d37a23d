"""Questions with their answers in running text ("问：… 答：…", "Q: … A: …") as records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rag.types import Block

_MARK = r"\s*[\d一二三四五六七八九十]{0,3}\s*[:：.、．]\s*"
_QUESTION = re.compile(
    rf"[【\[(（]?(?:问题?|Q|Question|提问){_MARK}[】\])）]?\s*(.+)", re.IGNORECASE
)
_ANSWER = re.compile(rf"[【\[(（]?(?:答案?|A|Answer|回答|答复){_MARK}[】\])）]?", re.IGNORECASE)

_MIN_PAIRS = 2
_MAX_RECORD = 1500
"""Fewest pairs that make a text a list of questions, and characters of the longest that is
kept whole: records are never cut, and longer ones would not fit an embedder. Chosen by us."""


@dataclass
class _Pair:
    """A question with what follows it; `blocks` are the ones that it was made of."""

    question: str
    lines: list[str]
    blocks: list[Block] = field(default_factory=list)
    answered: bool = False

    @property
    def is_record(self) -> bool:
        return self.answered and sum(map(len, self.lines)) <= _MAX_RECORD


def with_records(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with each question and its answer as one record, when there are several.

    A record's text is as it was written, its title the question. Pairs with tables or code,
    and very long ones, stay ordinary blocks.
    """
    if sum(_question(line) is not None for b in blocks for line in b.text.split("\n")) < _MIN_PAIRS:
        return tuple(blocks)
    parts = list(_pairs(blocks))
    if sum(isinstance(part, _Pair) and part.is_record for part in parts) < _MIN_PAIRS:
        return tuple(blocks)
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


def _pairs(blocks: Sequence[Block]) -> Iterator[_Pair | Block]:
    pair: _Pair | None = None
    for block in _by_line(blocks):
        first = block.text.partition("\n")[0]
        question = _question(first)
        text = block.kind in ("paragraph", "list") and block.record_id is None
        if question is not None and (text or block.kind == "heading"):
            if pair is not None:
                yield pair
            pair = _Pair(question, block.text.split("\n"), [block])
            pair.answered = any(_ANSWER.match(line) for line in pair.lines[1:])
        elif pair is not None and text:
            # Without an answer right behind it, it was a question of another kind.
            if not pair.answered and not _ANSWER.match(first):
                yield pair
                yield block
                pair = None
                continue
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
        starts = [n for n, line in enumerate(lines) if n and _question(line) is not None]
        if block.kind not in ("paragraph", "list") or block.record_id is not None or not starts:
            yield block
            continue
        for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
            yield block.model_copy(update={"text": "\n".join(lines[start:end])})


def _question(line: str) -> str | None:
    match = _QUESTION.match(line.strip().lstrip("-*• "))
    return match[1].strip() if match else None
