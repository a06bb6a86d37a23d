"""The content terms of a question with weights, and how much of them a text covers.

Weights come from word frequencies of general Chinese (jieba's dictionary), not from the
knowledge base, so that they mean the same in a knowledge base of three lines and in one of
three hundred laws: a rare name weighs about ten times as much as 工作.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rag.answer.asks import without_asking
from rag.text.normalise import is_han, normalise
from rag.text.numerals import arabic
from rag.text.tokenise import codes, query_terms, rarity

PARTIAL_CREDIT = 0.6
"""Most that a term can earn when only pairs of its letters occur; chosen by us."""

_GENERIC = frozenset(
    [
        "规定",
        "要求",
        "内容",
        "情况",
        "问题",
        "方面",
        "方式",
        "标准",
        "相关",
        "办法",
        "事项",
        "介绍",
        "说明",
        "信息",
        "资料",
        "时候",
        "时间",
        "开始",
        "起",
        "钱",
        "进行",
        "属于",
        "存在",
        "主要",
        "一般",
        "通常",
        "目前",
        "现在",
        "最新",
        "今年",
        "去年",
        "明年",
        "新",
        "区别",
        "不同",
        "差别",
        "差异",
        "比较",
        "对比",
        "分别",
        "日期",
        "金额",
        "数量",
        "步骤",
        "流程",
        "具体",
        "中",
        "后",
        "前",
        "等",
        "两个",
        "两",
        "三个",
        "个",
        "年",
        "月",
        "日",
        "天",
        "元",
        "人",
        "含义",
        "意思",
        "定义",
        "原因",
        "包括",
        "多少",
        "地址",
        "电话",
        "名称",
        "名字",
        "叫",
        "有",
        "成为",
        "使用",
        "发生",
        "作为",
        "当时",
        "之后",
        "之前",
        "其中",
        "以后",
        "以前",
        "一种",
        "那里",
        "这里",
    ]
)


class Term(NamedTuple):
    """A content term in normalised form. `weight` is 0..1; `name` marks codes and names."""

    text: str
    weight: float
    name: bool = False


@lru_cache(maxsize=1024)
def content_terms(question: str) -> tuple[Term, ...]:
    """The question's terms that an answer should be about, each once, in order."""
    stripped = without_asking(question)
    names = set(codes(stripped))
    names |= {normalise(text) for text in quoted(question)}
    terms: dict[str, Term] = {}
    words = query_terms(stripped)
    for text in (*_joined(words, normalise(stripped)), *names):
        weight = 1.0 if text in names else _weight(text)
        if weight > 0:
            terms.setdefault(text, Term(text, weight, text in names))
    return tuple(terms.values())


def _joined(words: Sequence[str], question: str) -> list[str]:
    """Neighbouring single letters as one word: the segmenter takes 年假 apart."""
    result: list[str] = []
    for word in words:
        last = result[-1] if result else ""
        singles = len(last) == len(word) == 1 and is_han(last) and is_han(word)
        if singles and last + word in question:
            result[-1] = last + word
        else:
            result.append(word)
    return result


@lru_cache(maxsize=1024)
def quoted(question: str) -> tuple[str, ...]:
    """What the question puts into 《》 or quotation marks: titles and literal names."""
    found = re.findall(
        r"《([^《》]{1,60})》|“([^“”]{1,40})”|「([^「」]{1,40})」|\"([^\"]{2,40})\"", question
    )
    return tuple(next(part for part in parts if part) for parts in found)


def coverage(terms: Sequence[Term], text: str) -> float:
    """Share (by weight) of the terms that `text` holds, 0..1; 0 when there are no terms."""
    total = sum(term.weight for term in terms)
    if not total:
        return 0.0
    return sum(term.weight * presence(term.text, text) for term in terms) / total


def presence(term: str, text: str) -> float:
    """1 when the term stands in the text, less when only pairs of its letters do, else 0."""
    searched = searchable(text)
    if term in searched:
        return 1.0
    canonical = arabic(term)
    if canonical != term and canonical in searched:
        return 1.0
    if len(term) < 3 or not all(map(is_han, term)):
        return 0.0
    pairs = [term[i : i + 2] for i in range(len(term) - 1)]
    return PARTIAL_CREDIT * sum(pair in searched for pair in pairs) / len(pairs)


@lru_cache(maxsize=4096)
def searchable(text: str) -> str:
    """`text` normalised, followed by its form with arabic numerals where that differs."""
    normal = normalise(text)
    digits = arabic(normal)
    return normal if digits == normal else f"{normal}\n{digits}"


def _weight(term: str) -> float:
    if term in _GENERIC:
        return 0.12
    if term.isdigit() and len(term) < 4:
        return 0.3
    weight = rarity(term)
    # A single letter is mostly the left-over of a word that the segmenter did not know.
    return weight * 0.5 if len(term) == 1 else weight
