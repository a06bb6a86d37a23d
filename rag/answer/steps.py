"""Procedures and lists: the items that belong together, in their order, with their lead-in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.answer.layout import sentence
from rag.answer.pieces import Piece, about, pieces
from rag.answer.rank import Question, Ranked, covered_by
from rag.answer.terms import coverage, presence
from rag.types import Evidence

SUBJECT_FROM = 0.45
"""Weight from which the heaviest word names the subject, and how far a text must hold it."""
HELD = 0.5
MOST_ITEMS = 20
"""Items of one list; longer ones are cut."""
_ORDER_WORD = re.compile(
    r"^(?:首先|其次|再次|再者|然后|接着|随后|之后|最后|最终|先|再|第[一二三四五六七八九十\d]+[步，,、])"
)
_INLINE_STEP = re.compile(
    r"(?<=[，,；;。])\s*(?=(?:其次|再次|然后|接着|随后|最后|第[二三四五六七八九十]步))"
)
_FORBIDS = re.compile(r"不得|不能|禁止|严禁|不予|不准|不可|不属于|不适用|除外")
_CONDITION = re.compile(r"条件|情形|对象|范围")
_STEP_WORD = re.compile(r"步骤|流程|程序|手续|如下|下列|以下|按照|方法|操作")


class Items(NamedTuple):
    """A list to show: `lead` is escaped Markdown, or empty."""

    lead: str
    items: list[Piece]


def steps(
    question: Question, evidence: Sequence[Evidence], ranked: Sequence[Ranked]
) -> Items | None:
    """The steps that answer a "how" question, or None when no passage has any."""
    best: tuple[float, Items] | None = None
    for group in _groups(evidence):
        run = [piece for piece in group if piece.kind != "lead"]
        if len(run) < 2 or _forbids(question, group) or _of_other(question, group, evidence):
            continue
        score = _group_score(question, group, run)
        if best is None or score > best[0]:
            best = (score, _as_items(group, run, evidence))
    inline = _inline_steps(ranked)
    if best is not None and best[0] >= 0.45 and not (inline and best[0] < ranked[0].covered):
        return best[1]
    return Items("步骤如下：", inline) if inline else None


def list_items(
    question: Question, evidence: Sequence[Evidence], ranked: Sequence[Ranked]
) -> Items | None:
    """The list whose lead-in or heading fits the question, or None."""
    best: tuple[float, Items] | None = None
    for group in _groups(evidence):
        run = [piece for piece in group if piece.kind != "lead"]
        if not run or _of_other(question, group, evidence):
            continue
        score = _group_score(question, group, run)
        if len(run) >= 2 and (best is None or score > best[0]):
            best = (score, _as_items(group, run, evidence))
    # A sentence that names everything itself (包括甲、乙和丙) beats a list that fits less.
    if best is None or best[0] < 0.4:
        return None
    top = ranked[0]
    if top.piece.kind in ("sentence", "pair", "row") and top.covered > best[0] + 0.12:
        return None
    return best[1]


def _groups(evidence: Sequence[Evidence]) -> list[list[Piece]]:
    """Runs of items with their lead-in; a run goes on in the next chunk of the document."""
    groups: list[list[Piece]] = []
    in_order = sorted(evidence, key=lambda item: (item.chunk.document_id, item.chunk.ordinal))
    previous: Evidence | None = None
    for item in in_order:
        follows = (
            previous is not None
            and previous.chunk.document_id == item.chunk.document_id
            and previous.chunk.ordinal + 1 == item.chunk.ordinal
            and previous.chunk.heading_path == item.chunk.heading_path
        )
        current: list[Piece] = groups[-1] if follows and groups and _open(groups[-1]) else []
        for piece in pieces(item):
            if piece.kind == "item" or (_ORDER_WORD.match(piece.body) and piece.kind == "sentence"):
                if not current or current is not (groups[-1] if groups else None):
                    groups.append(current)
                if piece.body not in (other.body for other in current):
                    current.append(piece)
            elif piece.kind == "lead":
                current = [piece]
                groups.append(current)
            else:
                current = []
        previous = item
    return [group for group in groups if group]


def _open(group: list[Piece]) -> bool:
    return group[-1].kind in ("item", "lead")


def _group_score(question: Question, group: Sequence[Piece], run: Sequence[Piece]) -> float:
    """Coverage of the question by the lead-in, headings and items together."""
    whole = "\n".join([run[0].about, *(piece.body for piece in group)])
    named = "\n".join([run[0].about, group[0].body if group[0].kind == "lead" else ""])
    score = 0.6 * coverage(question.terms, whole) + 0.4 * coverage(question.terms, named)
    if _FORBIDS.search(question.text) and _FORBIDS.search(named):
        score += 0.2
    score = max(score, max(covered_by(question.terms, piece) for piece in group))
    if question.asked.wanted == "steps" and _STEP_WORD.search(named):
        score += 0.08
    if question.asked.wanted == "steps" and _CONDITION.search(group[0].body):
        score -= 0.2  # who may apply is not how to
    return score + 0.05 * run[0].prior


def _of_other(question: Question, group: Sequence[Piece], evidence: Sequence[Evidence]) -> bool:
    """Whether a list says nothing of the question's subject, its heaviest word, of which
    another passage speaks: 婚假要交什么材料 is not answered by the papers for a subsidy."""
    subject = max(question.terms, key=lambda term: term.weight, default=None)
    if subject is None or subject.weight < SUBJECT_FROM:
        return False
    own = "\n".join([group[0].about, *(piece.body for piece in group)])
    if presence(subject.text, own) >= HELD:
        return False
    return any(presence(subject.text, f"{about(i.chunk)}\n{i.text}") >= HELD for i in evidence)


def _as_items(group: Sequence[Piece], run: list[Piece], evidence: Sequence[Evidence]) -> Items:
    lead = ""
    if group[0].kind == "lead":
        lead = sentence(group[0].body, 0)
    else:
        heading = next((e.chunk.heading_path for e in evidence if e.n == run[0].n), ())
        if heading:
            lead = sentence(heading[-1] + "：", 0)
    return Items(lead or "具体如下：", run[:MOST_ITEMS])


def _forbids(question: Question, group: Sequence[Piece]) -> bool:
    """Whether the list says what is not allowed while the question asks how to do it."""
    lead = group[0].body if group[0].kind == "lead" else ""
    return bool(_FORBIDS.search(lead)) and not _FORBIDS.search(question.text)


def _inline_steps(ranked: Sequence[Ranked]) -> list[Piece]:
    """首先…，然后…，最后… in the best sentence, taken apart."""
    best = ranked[0].piece
    if not re.search(r"首先|第一步|先", best.body):
        return []
    parts = [part.strip() for part in _INLINE_STEP.split(best.body) if part.strip()]
    if len(parts) < 2:
        return []
    return [best._replace(body=part) for part in parts]
