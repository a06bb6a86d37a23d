"""Whether a value is said of what is asked (试用期为3个月) or only a condition (已满1年的员工)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.asks import Asked, values_of_kind
from rag.answer.terms import Term
from rag.text.normalise import normalise

_REACHED = re.compile(r"(?:满|未满|不满|不足|未达到?)\s*$")
_ABOVE = re.compile(r"(?:(?<!不)(?<!不得)超过|(?<!未)(?<!不)达到?|大于|高于|少于|低于|逾)\s*$")
_BORDER = re.compile(r"^\s*(?:及?以[上下内]|之?内|起)")
_ATTRIBUTE = re.compile(r"^[^，,；;。：:]{0,8}?(?:的|者|时|后)")
_ASKS_CONDITION = re.compile(
    r"满|才|条件|要求|资格|门槛|(?:多久|多长时间|[几多少]+个?[天日月年])(?:以?后|之后|可以?|能|就)|超过|逾期"
)
"""Questions for which the condition itself is the answer (入职多久可以休年假)."""
_LINK = re.compile(
    r"[^，,；;。：:]{0,6}?(?:[一二三]?般|原则上|均|统一|合计|累计|全年)?"
    r"(?:为|是|：|:|不(?:得)?(?:超过|少于|低于|高于)|最[长多高短少低]|至[多少]|约|共|达|按|有)"
    r"[^，,；;。：:]{0,6}"
)
"""What may stand between a subject and the value that is said of it."""


def only_conditions(asked: Asked, question: str, body: str) -> bool:
    """Whether every value of the kind asked for is a condition there (已满1年的员工, 超过3天的由…),
    while the question asks for none."""
    if _ASKS_CONDITION.search(question):
        return False
    spans = values_of_kind(asked, body)
    return bool(spans) and all(is_condition(body, start, end) for start, end in spans)


def is_condition(body: str, start: int, end: int) -> bool:
    """Whether the value at `body[start:end]` says when or for whom something holds."""
    before, after = body[:start], body[end:]
    if _REACHED.search(before):
        return True
    border = _BORDER.match(after)
    if not border and not _ABOVE.search(before):
        return False
    return bool(_ATTRIBUTE.match(after[border.end() :] if border else after))


def said_of(terms: Sequence[Term], asked: Asked, body: str) -> bool:
    """Whether one of the terms is the subject of a value of the kind asked for: 试用期为3个月."""
    text = normalise(body)
    spans = values_of_kind(asked, text)
    for term in terms:
        if len(term.text) < 2:
            continue
        at = text.find(term.text)
        while at >= 0:
            stop = at + len(term.text)
            if any(_LINK.fullmatch(text, stop, start) for start, _ in spans if start > stop):
                return True
            at = text.find(term.text, stop)
    return False
