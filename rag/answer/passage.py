"""Chooses among passages and reads on inside one: the subject, what came before and after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import PurePath

from rag.answer.fields import holds_kind
from rag.answer.layout import paragraph
from rag.answer.pieces import Piece, about, pieces
from rag.answer.rank import Question, Ranked
from rag.answer.statement import of_the_case
from rag.answer.terms import coverage, presence
from rag.text.normalise import normalise
from rag.types import Evidence, Understanding

SUBJECT_WEIGHT = 0.5
"""Weight of a term from which it can name what a document is about."""
SAYS_LITTLE = 0.5
"""A sentence that says less than this share of the question on its own needs the one before."""
LONGEST_PASSAGE = 260
"""Characters of a passage that is given from its beginning."""
FEW_KINDS = 3
"""Kinds of value up to which a question asks for something particular."""
WITHIN_REACH = 0.45
"""Score that a value of the kind asked for may lack to a piece without one; chosen by us."""
OWN_PART = 0.15
"""Share of the question that a sentence says beyond its heading, from which it stands for itself
(发票遗失的 under 发票要求); chosen by us."""
MOST_LED = 12
_ADDRESSES = ("phone", "email", "url")
MOST_FOLLOWING = 3
"""Sentences after the first one that tell how to do it."""

_DOES = re.compile(
    r"填写|填报|提交|上传|递交|交[到至给]|携带|带上?|出示|拨打|登录|打开|点击|选择|进入|扫码|前往|到.{1,12}[办领取交]|"
    r"审核|审批|签字|领取|预约|清[理洗]|检查|重[新启]|断电|关闭|更换|联系|须|应当?|可以|后"
)
_MARKED = re.compile(r"[^\[\]\n]+?(?:\[\d{1,3}\])+")


def of_the_subject(
    understanding: Understanding, question: Question, evidence: Sequence[Evidence]
) -> tuple[Evidence, ...]:
    """The evidence without passages that lack the subject some document's title names.

    健身退卡 is asked: of two passages on 退卡, only that of the 健身 document may answer; a
    passage that says more of the question stays whatever its title.
    """
    kept = list(evidence)
    slots = understanding.slots
    named = normalise(" ".join((*slots.region, *slots.product, *(t.text for t in slots.time))))
    for term in question.terms:
        if term.weight < SUBJECT_WEIGHT or len(term.text) < 2 or term.text in named:
            continue
        titled = [item for item in kept if presence(term.text, _title(item)) == 1.0]
        if not titled or len(titled) == len(kept):
            continue
        best = max(coverage(question.terms, _whole(item)) for item in titled)
        documents = {item.chunk.document_id for item in titled}
        kept = [
            item
            for item in kept
            if item.chunk.document_id in documents
            or presence(term.text, _whole(item)) >= 0.9
            or coverage(question.terms, _whole(item)) > best
        ]
    return tuple(kept)


def of_kind_first(question: Question, ranked: list[Ranked]) -> list[Ranked]:
    """The pieces with one that holds the kind asked for in front, where the best does not: a
    number to call anywhere, any other value in the best one's own passage.

    复印病历打哪个电话 is asked, and 咨询电话：… stands behind the sentence on copies.
    """
    asked = question.asked
    particular = asked.wanted in _ADDRESSES or 0 < len(asked.kinds) <= FEW_KINDS
    if not ranked or not particular or holds_kind(asked, ranked[0].piece, question.text):
        return ranked
    best = ranked[0]
    near = [one for one in ranked if one.piece.n == best.piece.n]
    place = near if asked.wanted not in _ADDRESSES else [*near, *ranked]
    least = best.score - WITHIN_REACH
    held = (
        one
        for one in place
        if holds_kind(asked, one.piece, question.text)
        and (asked.wanted in _ADDRESSES or one.score >= least)
    )
    first = next(held, None)
    return ranked if first is None else [first, *(one for one in ranked if one is not first)]


def led_by(lead: Piece, evidence: Sequence[Evidence]) -> list[Piece]:
    """What stands under a lead-in in its passage: its items, fields and sentences, or the rows
    of the table right behind it."""
    item = next((item for item in evidence if item.n == lead.n), None)
    own = pieces(item) if item else ()
    at = next((i for i, piece in enumerate(own) if piece.start == lead.start), -1)
    rows = list(takewhile(lambda piece: piece.kind == "row", own[at + 1 :])) if at >= 0 else []
    return (rows or [piece for piece in own if piece.lead == at >= 0])[:MOST_LED]


def with_context(question: Question, ranked: Sequence[Ranked]) -> str:
    """The best sentence after the one it depends on (…禁止吸烟。违反者罚款200元。), if it does."""
    best = ranked[0].piece
    if best.kind != "sentence" or not best.before:
        return ""
    others = {one.piece.start: one.piece for one in ranked if one.piece.n == best.n}
    earlier = [
        piece
        for piece in others.values()
        if piece.kind == "sentence" and piece.end <= best.start and piece.body in best.before
    ]
    if not earlier:
        return ""
    previous = max(earlier, key=lambda piece: piece.start)
    own = coverage(question.terms, best.body)
    gained = coverage(question.terms, f"{previous.body}{best.body}") - own
    if own >= SAYS_LITTLE or gained < 0.15:
        return ""
    return paragraph([previous, best])


def goes_on(best: Piece, evidence: Sequence[Evidence]) -> list[Piece]:
    """The best sentence and those right after it that tell what to do; empty when none does."""
    if best.kind != "sentence":
        return []
    item = next((item for item in evidence if item.n == best.n), None)
    if item is None:
        return []
    chosen = [best]
    for piece in pieces(item):
        if piece.start < best.end or piece.kind != "sentence":
            continue
        between = item.text[chosen[-1].end : piece.start]
        if "\n" in between or not _DOES.search(piece.body) or len(chosen) > MOST_FOLLOWING:
            break
        chosen.append(piece)
    return chosen if len(chosen) > 1 else []


def of_the_heading(question: Question, best: Piece, evidence: Sequence[Evidence]) -> list[Piece]:
    """The sentences of a short passage from its first one, where its heading is what is asked
    how to do (怎么退卡 and a passage 退卡); empty otherwise."""
    item = next((item for item in evidence if item.n == best.n), None)
    if item is None or best.kind != "sentence" or len(item.text) > LONGEST_PASSAGE:
        return []
    heading = item.chunk.heading_path[-1] if item.chunk.heading_path else ""
    own = {term for term in question.terms if presence(term.text, heading) == 1.0}
    heaviest = max(question.terms, key=lambda term: term.weight, default=None)
    if heaviest not in own:
        return []
    sentences = [p for p in pieces(item) if p.kind in ("sentence", "item")]
    if not all(piece.kind == "sentence" for piece in sentences) or len(sentences) < 2:
        return []
    own_part = coverage(question.terms, best.body) - coverage(question.terms, heading)
    if of_the_case(question.terms, best.body, best.about) or own_part >= OWN_PART:
        return []
    return sentences[: MOST_FOLLOWING + 1] if best in sentences[: MOST_FOLLOWING + 1] else []


def without_repeats(answers: Sequence[str]) -> str:
    """Answers of several parts as paragraphs, without what an earlier one already said."""
    said = ""
    kept: list[str] = []
    for answer in answers:
        told = normalise(said)
        rest = answer
        if said and "|" not in answer:
            for match in _MARKED.finditer(answer):
                words = normalise(re.sub(r"\[\d+\]", "", match.group())).strip(" 。.-")
                if words and words in told:
                    rest = rest.replace(match.group(), "", 1)
        rest = re.sub(r"^[-\d.\s]+$", "", rest, flags=re.M).strip()
        if rest:
            kept.append(rest)
            said += rest
    return "\n\n".join(kept)


def _title(item: Evidence) -> str:
    return f"{item.chunk.metadata.title or ''} {PurePath(item.chunk.document_name).stem}"


def _whole(item: Evidence) -> str:
    return f"{about(item.chunk)}\n{item.text}"
