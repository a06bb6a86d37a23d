"""What comes after: 更换后还要做什么 asks for the step behind the one it names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.pieces import Piece, pieces
from rag.answer.rank import Question, own_words
from rag.answer.terms import Term, content_terms, coverage, presence
from rag.types import Evidence

ABOUT = 0.5
"""Share of the question's words that the place of the step must hold; chosen by us."""
LITTLE = 0.15
_ASKS = re.compile(
    r"(?:完(?:成|毕)?|好|之?后|以后|结束)(?:了)?.{0,6}?(?:还|再|接着|接下来|下一步|然后)?"
    r"(?:要|需要?|得|该|应该?|必须)?(?:再)?(?:做|干|办|弄|怎么)(?:些|点)?(?:什么|啥|哪些|做|办)"
)
_DONE = re.compile("完成|完毕|完|之后|以后|后|结束|请问")
_NEXT = re.compile(r"还|再|接着|接下来|下一步|然后")
_AND_THEN = re.compile(
    r"(?P<done>[^，。；：]{1,12}?)(?:完成|完毕)?(?:之?后|以后)[，,]?(?:还|再)?"
    r"(?:必须|须|应当?|要|需要?|还|再|请|方可|才能|立即)"
)


def step_after(question: Question, evidence: Sequence[Evidence]) -> list[Piece]:
    """The sentence that says what must follow, or the items behind the one that is named; empty
    where the question asks for no next step or nothing tells it."""
    asks = _ASKS.search(question.text)
    then = _NEXT.search(question.text)
    if not asks or not then:
        return []
    named = _DONE.sub("，", question.text[: then.start()])
    done = [_bare(term) for term in content_terms(named) if term.weight > LITTLE]
    rated = [
        (coverage(done, own_words(piece)), -index, piece)
        for index, piece in enumerate(_all(evidence))
        if piece.kind in ("sentence", "item", "pair") and _follows(done, piece)
    ]
    share, _, best = max(rated, key=lambda one: one[:2], default=(0.0, 0, None))
    if best is not None and share >= ABOUT:
        return [best]
    return _behind(done, evidence)


def _bare(term: Term) -> Term:
    """A word without 完 (换完): what was done."""
    return term._replace(text=term.text.rstrip("完好后了") or term.text)


def _all(evidence: Sequence[Evidence]) -> list[Piece]:
    return [piece for item in evidence for piece in pieces(item)]


def _follows(done: Sequence[Term], piece: Piece) -> bool:
    """Whether a sentence says what must be done after that which the question names."""
    said = _AND_THEN.search(piece.body)
    before = said["done"] if said else ""
    return any(
        presence(term.text, before) >= 0.5 or bool(set(term.text) & set(before)) for term in done
    )


def _behind(done: Sequence[Term], evidence: Sequence[Evidence]) -> list[Piece]:
    """The items of a numbered list behind the last one that names what was done."""
    for item in evidence:
        items = [piece for piece in pieces(item) if piece.kind == "item"]
        if len(items) < 2:
            continue
        own = [i for i, piece in enumerate(items) if coverage(done, piece.body) >= ABOUT]
        share = coverage(done, " ".join(own_words(piece) for piece in items))
        if own and own[-1] + 1 < len(items) and share >= ABOUT:
            return items[own[-1] + 1 :][:3]
    return []
