"""Comparisons without an LLM: one part for each thing, with what the documents say of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from rag.answer.agreement import agreement
from rag.answer.layout import quote, row_words, sentence, shown_table
from rag.answer.markup import escape
from rag.answer.pieces import Piece, about
from rag.answer.rank import Question, rank
from rag.answer.terms import content_terms, presence
from rag.text.normalise import normalise
from rag.types import Evidence, Slots, Understanding

PER_THING = 2
"""Sentences for each thing compared; chosen by us."""
MOST_DOCUMENTS = 4
"""Documents set side by side when the question names nothing to compare; chosen by us."""
MOST_ROWS = 6
"""Rows of one table that answer a comparison; twice as many where all of them do."""
NOTHING_FOUND = "没有找到这方面的内容。"


def names_several(understanding: Understanding) -> bool:
    """Whether the question names several regions, times or products, however it is put."""
    slots = understanding.slots
    return max(len(slots.region), len(slots.time), len(slots.product)) > 1


def compare(understanding: Understanding, question: Question, evidence: Sequence[Evidence]) -> str:
    """A list with one entry per region, year, product or document; empty when there is one."""
    things = _things(understanding, evidence)
    if len(things) < 2:
        return ""
    shared = _one_row(question, evidence, things)
    if shared:
        return shared
    entries: list[str] = []
    for thing in things:
        lines = _best_of(question, thing.evidence, thing.words) if thing.evidence else []
        said = "".join(_said(piece) for piece in lines) or NOTHING_FOUND
        entries.append(f"- {escape(thing.label)}：{said}")
    return "\n".join(["对比如下：", "", *entries])


def _said(piece: Piece) -> str:
    return sentence(row_words(piece), piece.n) if piece.cells else quote(piece)


def _one_row(question: Question, evidence: Sequence[Evidence], things: Sequence[_Thing]) -> str:
    """The rows of one table whose columns are the things compared, under their header."""
    names = {normalise(thing.label) for thing in things}
    ranked = rank(question, evidence)
    aspects = [t for t in question.terms if t.text not in names and t.weight > 0.3]
    if not aspects:  # 两者有什么区别: all that is set side by side
        ranked = [one for one in ranked if names <= {normalise(h) for h in one.piece.header}]
    best = ranked[0] if ranked else None
    if best is None or not names <= {normalise(head) for head in best.piece.header}:
        return ""
    rows = [
        one.piece
        for one in ranked
        if one.piece.header == best.piece.header and one.piece.n == best.piece.n
    ]
    lowest = best.score - 0.1 * abs(best.score)
    fitting = [one.piece for one in ranked if one.piece in rows and one.score >= lowest]
    whole = not aspects or len(fitting) > MOST_ROWS
    chosen = rows if whole else fitting
    return shown_table(sorted(chosen, key=lambda piece: piece.order)[: 2 * MOST_ROWS])


class _Thing(NamedTuple):
    """One thing that is compared: `words` name it in the question."""

    label: str
    evidence: list[Evidence]
    words: tuple[str, ...] = ()


def _things(understanding: Understanding, evidence: Sequence[Evidence]) -> list[_Thing]:
    slots = understanding.slots
    if len(slots.region) > 1:
        shorts = {path: path.rsplit("/", 1)[-1] for path in slots.region}
        return [
            _Thing(short, _fitting(understanding, evidence, region=(path,)), (short,))
            for path, short in shorts.items()
        ]
    if len(slots.time) > 1:
        return [
            _Thing(one.text, _fitting(understanding, evidence, time=(one,)), (one.text,))
            for one in slots.time
        ]
    if len(slots.product) > 1:
        return [
            _Thing(name, _fitting(understanding, evidence, product=(name,)), (name,))
            for name in slots.product
        ]
    kinds = ("term", "code", "document", "product")
    named = dict.fromkeys(one.text for one in understanding.entities if one.kind in kinds)
    things = [_Thing(text, _speaking_of(text, evidence), (text,)) for text in named]
    things = [thing for thing in things if thing.evidence]
    if len(things) > 1:
        return things
    documents = dict.fromkeys(item.chunk.document_id for item in evidence)
    groups = ([item for item in evidence if item.chunk.document_id == d] for d in documents)
    return [_Thing(_title(group[0]), group) for group in groups][:MOST_DOCUMENTS]


def _fitting(
    understanding: Understanding, evidence: Sequence[Evidence], **slot: tuple[object, ...]
) -> list[Evidence]:
    one = understanding.slots.model_copy(update=slot)
    narrowed = understanding.model_copy(update={"slots": Slots.model_validate(one.model_dump())})
    judged = [(item, agreement(narrowed, item.chunk)) for item in evidence]
    name = next(iter(slot))
    return [item for item, fit in judged if fit.fits.get(name) == "match"]


def _speaking_of(text: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    return [item for item in evidence if text in item.text or text in about(item.chunk)]


def _best_of(question: Question, group: Sequence[Evidence], words: Sequence[str]) -> list[Piece]:
    """The best sentences about one thing; the other things' names don't count against it."""
    narrowed = question
    if words:
        names = {term.text for word in words for term in content_terms(word)}
        kept = tuple(t for t in question.terms if t.text in names or _everywhere(t.text, group))
        narrowed = question._replace(terms=kept or question.terms)
    ranked = rank(narrowed, group)
    chosen: list[Piece] = []
    most = 1 if question.asked.wanted == "value" else PER_THING
    for one in ranked[:12]:
        if one.piece.kind == "lead" or (chosen and one.score < 0.75 * ranked[0].score):
            continue
        if one.piece.body not in (piece.body for piece in chosen):
            chosen.append(one.piece)
        if len(chosen) == most:
            break
    return sorted(chosen, key=lambda piece: piece.order)


def _everywhere(term: str, group: Sequence[Evidence]) -> bool:
    return any(presence(term, item.text) > 0 for item in group)


def _title(item: Evidence) -> str:
    return item.chunk.metadata.title or PurePath(item.chunk.document_name).stem
