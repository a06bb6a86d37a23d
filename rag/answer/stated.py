"""Whether the best place states what is asked for, in whatever words the question was spoken.

Coverage counts words, and people ask in words that no document repeats (几天能拿到结果). One
place that holds the subject and a value of the kind asked for is enough for an answer with a
caution, unless a word that names a thing is missing there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from rag.answer.asks import Asked, values_of_kind
from rag.answer.faq import faq_question
from rag.answer.fields import holds_kind
from rag.answer.pieces import Piece, about
from rag.answer.rank import Question, Ranked, own_words
from rag.answer.terms import Term, coverage, held, presence, rare_names, stretches
from rag.types import Evidence

PLAIN, CAUTIOUS = 0.82, 0.65
"""Confidence at least where a clause says it of the very subject, and where a place does."""
THING_FROM = 0.4
"""Weight (`rag.answer.terms`) from which a missing word names another thing."""
SUBJECT_FROM = 0.2
"""Weight from which a word may be the subject that the place must hold."""
LONG_NAME = 4
"""Letters from which a run of rare words is a name."""
HELD = 0.3
"""How far a text must hold a word, 0..1."""
FEW_KINDS = 3
COVERED, COVERED_OPEN = 0.4, 0.65
"""Coverage needed where a particular kind of value is asked for and stands there, and where
anything may be the answer."""
ENOUGH_WEIGHT = 0.7
"""Weight that the words held by a clause must have for it to be plain; all chosen by us on
questions of our own."""
_ASKED_ITSELF = frozenset(
    (
        *("电话", "号码", "热线", "分机", "联系方式", "邮箱", "地址", "地点", "位置", "时间"),
        *("日期", "价格", "价钱", "费用", "收费", "金额", "数量", "结果", "情况", "要求", "标准"),
    )
)
"""Names of what an answer is: the value that is found stands for them."""
_CLAUSE = re.compile("[，；。;\n]")
_ADDRESS = frozenset(("phone", "email", "url", "contact", "person", "organisation", "place"))


def stated(
    question: Question,
    ranked: Sequence[Ranked],
    evidence: Sequence[Evidence],
    beside: Collection[int] = (),
) -> float:
    """The lowest confidence that the best piece deserves: `PLAIN`, `CAUTIOUS` or 0.

    Args:
        ranked: the pieces of the evidence, best first.
        beside: numbers of passages on another matter (`rag.answer.matter`).
    """
    if not ranked or ranked[0].piece.n in beside:
        return 0.0
    best = ranked[0]
    place = _place(best.piece, evidence)
    everything = "\n".join(item.chunk.text for item in evidence)
    terms = _told(question, place, everything)
    if any(_missing(term, place) for term in terms) or _renamed(question.text, place):
        return 0.0
    words = own_words(best.piece)
    if not terms:
        names = [name for name in stretches(question.text) if len(name) > 1]
        return CAUTIOUS if names and all(name in best.piece.body for name in names) else 0.0
    telling = [term for term in terms if term.weight >= SUBJECT_FROM]
    if not any(presence(term.text, words) >= HELD for term in telling):
        return 0.0
    covered = max(best.covered, coverage(terms, words))
    particular = 0 < len(question.asked.kinds) <= FEW_KINDS or question.asked.wanted in _ADDRESS
    if not particular:
        whole = all(held(name, place) for name in rare_names(question.text))
        fits = whole and covered >= COVERED_OPEN
        return CAUTIOUS if fits and holds_kind(question.asked, best.piece, question.text) else 0.0
    if not holds_kind(question.asked, best.piece, question.text):
        return 0.0
    if _in_a_clause(question.asked, best.piece, telling):
        return PLAIN
    return CAUTIOUS if covered >= COVERED else 0.0


def _told(question: Question, place: str, everything: str) -> list[Term]:
    """The question's words that the place must know: none that may be no word at all and stand
    nowhere, none that the value itself stands for."""
    return [
        term
        for term in question.terms
        if term.text not in _ASKED_ITSELF
        and (not term.soft or presence(term.text, f"{place}\n{everything}") >= HELD)
    ]


def _renamed(question: str, place: str) -> bool:
    """Whether the place has only a part of a long rare name: 银汉鱼 for 滑银汉鱼 is another one."""
    names = (name for name in rare_names(question) if len(name) >= LONG_NAME)
    return any(held(name, place) < 1.0 for name in names)


def _missing(term: Term, place: str) -> bool:
    return term.weight >= THING_FROM and presence(term.text, place) < HELD


def _place(piece: Piece, evidence: Sequence[Evidence]) -> str:
    """The passage of a piece with its headings and title; of a FAQ the one record."""
    item = next(item for item in evidence if item.n == piece.n)
    return "\n".join((faq_question(item), about(item.chunk), item.chunk.text))


def _in_a_clause(asked: Asked, piece: Piece, telling: Sequence[Term]) -> bool:
    """Whether the clause with the value, or the label before it, holds every telling word."""
    if piece.cells or not asked.kinds:
        return False
    label = re.match("[^，。；：:]{2,10}[：:]", piece.body)
    lead = label.group() if label else ""
    weight = sum(term.weight for term in telling)
    return weight >= ENOUGH_WEIGHT and any(
        values_of_kind(asked, clause)
        and all(presence(term.text, f"{lead}{clause}") >= HELD for term in telling)
        for clause in _CLAUSE.split(piece.body)
    )
