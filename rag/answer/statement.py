"""What a sentence must state for a question of its kind: a value of the subject itself, who
approves, the case that is asked about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.asks import Asked
from rag.answer.pieces import Piece
from rag.answer.predicate import only_conditions, said_of
from rag.answer.terms import Term, content_terms, coverage, presence

SAID_OF = 0.2
ONLY_CONDITIONS = 0.3
NO_APPROVAL = 0.5
DOING_MISSING = 0.2
OF_THE_CASE = 0.25
"""These weigh against coverage (0..1); chosen by us on texts of our own and checked with
`benchmarks/bench_answers.py`."""
CASE_HELD = 0.7
"""Share of the question's weight that a sentence's own case (发票遗失的，) holds; chosen by us."""
FEW_KINDS = 3
_OF_CASES = ("yes_no", "text", "steps")

_ASKS_APPROVER = re.compile(
    r"(?:谁|哪一?[个位级]|什么人|哪些人|几个人|领导|上级)[^，。？?]{0,6}?(?:批|审|签|同意|点头)|"
    r"(?:批|审批|批准|审核|签字|同意)(?:的?人)?(?:是|找|归|由)?(?:谁|哪)|(?:找|要|需|经|由|得)(?:谁|哪)[^，。]{0,8}(?:批|审|签|同意)"
)
_APPROVES = re.compile("批准|审批|同意|审核|签字|核准|签批|审定|签发|审签")
_VERB = re.compile(r"谁(?:来|在)?([\u4e00-\u9fff]{2,4})|([\u4e00-\u9fff]{2,4})(?:是|为)谁")
_CASE = re.compile(r"^(?:如|若|如果)?((?:(?!是)[^，,。；;：:]){2,24}?)(?:的|时|后|的话)[，,]")


def statement(
    asked: Asked, focus: str, terms: Sequence[Term], subject: Sequence[Term], piece: Piece
) -> float:
    """What to add to a piece's score for what it states, about -0.8 to 0.3.

    Args:
        asked: the kind of answer wanted.
        focus: the part of the question that is being answered.
        terms: the question's terms.
        subject: those of them that name what is asked.
        piece: the piece that may answer.
    """
    total = 0.0
    if asked.wanted == "value" and 0 < len(asked.kinds) <= FEW_KINDS and not piece.cells:
        total += SAID_OF * said_of(subject or terms, asked, piece.body)
        total -= ONLY_CONDITIONS * only_conditions(asked, focus, piece.body)
    if asks_approver(focus):
        total -= NO_APPROVAL * (not _APPROVES.search(_said(piece)))
    elif asked.wanted == "person":
        total -= DOING_MISSING * (not _does(focus, piece))
    if asked.wanted in _OF_CASES and not piece.key and not piece.cells:
        total += OF_THE_CASE * of_the_case(terms, piece.body, piece.about)
    return total


def asks_approver(focus: str) -> bool:
    """Whether a question asks who approves something (找谁批, 谁审批)."""
    return bool(_ASKS_APPROVER.search(focus))


def of_the_case(terms: Sequence[Term], body: str, about: str = "") -> bool:
    """Whether a sentence begins with the case that is asked about: 发票遗失的，… of 发票丢了; what
    its headings (`about`) name already need not stand in it."""
    case = _CASE.match(body)
    if case is None:
        return False
    left = [term for term in terms if not about or presence(term.text, about) < 1.0]
    return bool(left) and coverage(left, case[1]) >= CASE_HELD and coverage(terms, case[1]) > 0.3


def _does(focus: str, piece: Piece) -> bool:
    """Whether the piece holds the verb next to 谁: 谁主持 is not answered by another's task."""
    near = _VERB.search(focus)
    words = content_terms(near[1] or near[2]) if near else ()
    return not words or coverage(words, _said(piece)) >= 0.5


def _said(piece: Piece) -> str:
    """The piece with its key, title and columns; of a row also the headings above it."""
    around = piece.about if piece.cells or piece.key else ""
    return " ".join((piece.body, piece.key, piece.label, *piece.header, around))
