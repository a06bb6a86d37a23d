"""What each word of a question weighs for the sentence that answers it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.asks import asked, asking_spans
from rag.answer.terms import Term, content_terms
from rag.text.normalise import normalise

FOCUS_WEIGHT = 1.5
"""What the terms next to the asking word weigh more."""
FOCUS_REACH = 5
CLASS = 0.3
"""What the class that is asked for weighs where naming its members answers."""
ACT = 0.5
"""Least weight of the one-letter act behind the asking word (什么时候报); all chosen by us."""

_SHOWN = re.compile(
    r"(?:(?:屏幕|显示屏|面板|界面|机器|设备|仪器|系统)[上里]?面?)?(?:一直|总是|老是)?"
    r"(?:显示|提示|跳出|弹出|报错?|出现)了?(?:代?码|错误)?(?=[“\" ]?[A-Za-z]{1,4}-?\d)"
)
"""Words that only say where a code was seen: 屏幕上显示E08."""
_WHY_CALLED = re.compile(
    r"(?:还是|一直|总是|要是|如果)?"
    r"(?:修不好|坏了|坏掉|出(?:了)?问题|有问题|出故障|不会用|解决不了|搞不定)(?:的话)?"
    r"(?=.{0,8}(?:电话|热线|找谁|联系))|打(?=(?:什么|哪个|多少)(?:电话|号码|热线))"
)
"""Why one calls, where a number is asked for."""
_CLASSES = {
    "list": re.compile("(?:材料|资料|证件|东西|物品|单据)$"),
    "phone": re.compile("电话|热线|号码|手机|分机"),
}
"""Classes that their members need not name: 报到时携带身份证…, 热线：400…."""
_ACTS = frozenset("报交退还发付换领办批签取修补缴")


def weighed_terms(text: str, focus: str) -> tuple[Term, ...]:
    """The terms of a question, those of its `focus` next to the asking word weighing more: in
    王永吉的谥号是什么 that is 谥号."""
    terms = content_terms(_SHOWN.sub("，", _WHY_CALLED.sub("，", text)))
    near, acts = _near(focus, terms)
    wanted = asked(text).wanted
    classes = _CLASSES.get(wanted)
    weighed = []
    for term in terms:
        weight = term.weight * (FOCUS_WEIGHT if term in near else 1.0)
        if classes and classes.match(term.text):
            weight *= CLASS
        if term.text in acts:
            weight = max(weight, ACT)
        weighed.append(term._replace(weight=weight))
    return tuple(weighed)


def _near(text: str, terms: Sequence[Term]) -> tuple[set[Term], set[str]]:
    """The terms next to the asking word, and the act that stands alone right behind it."""
    normal = normalise(text)
    near: set[Term] = set()
    acts: set[str] = set()
    for start, end in asking_spans(normal):
        before, after = normal[max(0, start - FOCUS_REACH) : start], normal[end : end + FOCUS_REACH]
        near |= {term for term in terms if term.text in before or term.text in after}
        if after.strip("?。 呢啊呀") in _ACTS:
            acts.add(after[:1])
    return near, acts
