"""What a question is about in full: "P5去上海出差住宿" of "P5去上海出差住宿能报多少".

Its topic alone ("P5") would lose what is asked about; what narrows only that question
("工作6年") would be taken along for nothing.
"""

from __future__ import annotations

import re

from rag.understand import lexicon
from rag.understand.phrases import parse, topic_phrase
from rag.understand.tokens import Token

_WAY = lexicon.words_of("去 到 在 往 回 从 来 赴 至")
"""Words for where or whereto: with them the nouns on both sides are one subject."""

_CONDITION = lexicon.words_of("""
工作 工龄 司龄 教龄 连续 累计 参保 缴费 入职 入学 在职 服务 年龄 体重 身高 面积 距离 行驶 使用
""")
"""Nouns whose measure is a condition of one question (工作6年), no part of its subject."""
_MEASURED = re.compile(
    r"满?[\d.一二两三四五六七八九十百千半]+(?:年|个月|月|天|周|岁|公斤|斤|平米?|公里|小时|次)?(?:以上|以下|以内)?$"
)


def whole_subject(question: str) -> str:
    """The nouns before the predicate with the way or place between them; "" without one."""
    parsed = parse(question)
    head = topic_phrase(parsed)
    tokens = parsed.tokens
    ways, end = 0, 0
    for at, token in enumerate(tokens):
        if at and token.text in _WAY and tokens[at - 1].role in ("noun", "rel"):
            ways += 1
        elif token.role in ("noun", "rel", "of") and not _counts(token):
            end = at + 1
        else:
            break
    if not ways or head is None or not end or end == len(tokens):
        return ""
    last = tokens[end - 1]
    if tokens[end - 2].text in _WAY or last.role == "of" or head.start >= last.end:
        return ""
    return question[parsed.lead : last.end]


def _counts(token: Token) -> bool:
    return token.tag[0] == "m" and len(token.text) > 1


def without_condition(about: str) -> str:
    """A topic without the measure that only narrowed its question: 年假 of 年假工作6年."""
    tokens = list(parse(about).tokens)
    end = len(about)
    match = _MEASURED.search(about)
    if match is None or not match.start():
        return about
    before = [t for t in tokens if t.end <= match.start()]
    if len(before) < 2 or before[-1].text not in _CONDITION or before[-1].end != match.start():
        return about
    end = before[-1].start
    return about[:end].rstrip("的")
