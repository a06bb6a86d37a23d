"""Index terms of a text, the same for passages and questions (DESIGN §5).

Four kinds of terms make up the list: jieba's search-mode words; codes whole and in parts
("gb/t19001-2016", "abc-123", "〔2016〕306号"); numbers and dates in canonical form beside the
original ("第12条", "2024年"); and pairs of neighbouring Han letters, so that any two-character
query or rare name finds each text in which it stands.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate
from typing import Any

from rag.text.domain_words import DOMAIN_WORDS
from rag.text.normalise import HAN, NORMALISER_VERSION, normalise
from rag.text.numerals import arabic

TOKENISER_VERSION = f"2.{NORMALISER_VERSION}"
"""Changes whenever the same text may give other terms: stored statistics are then void."""

_STOP_WORDS = """
的 了 在 是 我 有 和 就 不 人 都 一 一个 上 也 很 到 说 要 去 你 会 着 没有 看 好 自己 这 那 与
及 或 吗 呢 吧 啊 呀 嘛 哦 么 的话 请 请问 您好 你好 麻烦 谢谢 想 想要 知道 了解 问 问下 问一下
咨询 告诉 帮 帮我 我们 你们 他们 他 她 它 您 咱 咱们 大家 其 该 此 之 以 被 把 将 让 给 对 对于
关于 为 为了 而 但 但是 如果 怎么 怎样 怎么样 如何 什么 什么样 啥 哪 哪些 哪个 哪里 哪儿 哪种 谁
几 多少 多久 多大 多长 何时 何 是否 是不是 有没有 能不能 可不可以 会不会 要不要 可以 能 能够
应该 需要 为什么 为何 还 还是 还有 又 再 才 只 并 并且 等 那么 这么 这个 那个 这些 那些 这样
那样 从 由 向 于 自 里 中 内 下 时 时候 一下 一些 有关 相关 具体 the a an of to in on for and or
is are was were be do does did what how which who when where can i my me you your it its this
that with at by from as
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that ask or connect but name nothing."""

_CJK_RUN = re.compile(f"[{HAN}]+")
_WORD_PIECE = re.compile(r"[^\W_]+")
# Letters and digits with inner connectors: abc-123, v2.1.0, 19001-2016, a@b.com, c++.
_CODE = re.compile(
    r"(?:[a-z]{1,5}(?:/[a-z]{1,3})? ?(?=\d))?"  # GB/T 19001-2016: the prefix may stand apart
    r"[a-z0-9]+(?:[-_./:#@&×~][a-z0-9]+)*(?:\+{1,2}|#|%)?"
)
_DOCUMENT_NUMBER = re.compile(
    rf"(?P<issuer>[{HAN}]{{2,12}})?\s?[〔\[(【「［（{{](?P<year>(?:19|20)\d\d)[〕\])】」］）}}]\s?第?(?P<n>\d{{1,5}})\s?号"
)
_CLAUSE = re.compile(r"第\d+(?:条之\d+|[条款项章节编号期届])")
_DATE = re.compile(
    r"(?P<y>(?:19|20)\d\d)(?:年|[-./])(?P<m>1[0-2]|0?[1-9])(?:月|[-./])(?P<d>3[01]|[12]\d|0?[1-9])?日?"
)
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?:年度?)?(?!\d)")
_COUNT = re.compile(
    r"(?<![\d.])\d+(?:\.\d+)?"
    r"(?:万元|亿元|小时|分钟|季度|[月日号天周岁元万亿个次人名级倍层届期户页步米台件套份笔%])"
)
_LONGEST = 40
"""Characters of the longest code that is kept whole; longer runs are noise or base64."""

_lock = threading.Lock()


def tokenise(text: str) -> list[str]:
    """The index terms of `text`, with repetitions, in no particular order.

    The text is normalised here. Terms are lower case and without spaces; the list is empty
    when the text has neither letters nor digits.
    """
    normal = normalise(text)
    terms = _words(normal)
    for run in _CJK_RUN.finditer(normal):
        letters = run.group()
        terms.extend(letters[i : i + 2] for i in range(len(letters) - 1))
        if len(letters) == 1:
            terms.append(letters)
    terms.extend(_codes_and_numbers(normal))
    return terms


def query_terms(text: str) -> list[str]:
    """The words of a question that name something, in order, each once.

    Whole words of jieba's accurate mode, codes and canonical numbers; no stop words. When
    nothing else is left ("这个呢？") the list is empty.
    """
    normal = normalise(text)
    whole = codes(normal)
    found: dict[str, None] = {}
    for word in _segmenter().lcut(normal):
        stripped = word.strip()
        if not _WORD_PIECE.search(stripped) or stripped in STOP_WORDS:
            continue
        if stripped.isascii() and any(stripped in code for code in whole):
            continue
        found.setdefault(stripped)
    found.update(dict.fromkeys(whole))
    return list(found)


def word_ends(normal: str) -> list[int]:
    """Where the words of a normalised text end, ascending, by jieba's accurate mode."""
    return list(accumulate(len(word) for word in _segmenter().lcut(normal)))


def dictionary_words(normal: str) -> tuple[str, ...]:
    """A normalised text cut into words of the general dictionary, its other letters one by one:
    nothing is guessed."""
    return tuple(_segmenter().lcut(normal, HMM=False)) if normal else ()


def codes(text: str) -> list[str]:
    """The codes that identify one thing: model and standard numbers, document numbers, clauses.

    In canonical form: "gb/t19001-2016", "〔2016〕306号", "第12条". Each once, in order. Plain
    words and plain numbers are no codes.
    """
    normal = arabic(normalise(text))
    found: dict[str, None] = {}
    for match in _DOCUMENT_NUMBER.finditer(normal):
        found.setdefault(f"〔{match['year']}〕{match['n']}号")
    for match in _CLAUSE.finditer(normal):
        found.setdefault(match.group())
    for match in _CODE.finditer(normal):
        code = match.group().replace(" ", "")
        mixed = any(c.isdigit() for c in code) and any(c.isalpha() for c in code)
        if mixed or ("-" in code and len(code) >= 6 and not _DATE.fullmatch(code)):
            found.setdefault(code)
    return [code for code in found if len(code) <= _LONGEST]


def rarity(term: str) -> float:
    """How much a term tells, 0..1, from word counts of general Chinese (jieba's dictionary).

    The scaled logarithm of 1/frequency: about 0.2 for 工作, 0.8 for 租房, 1 for names, codes and
    words that the dictionary does not know.
    """
    segmenter = _segmenter()
    count = segmenter.FREQ.get(term, 0)
    if not count:
        return 1.0
    surprise = math.log(segmenter.total / count)
    return min(max((surprise - 5.0) / 10.0, 0.05), 1.0)


def add_words(words: Iterable[str]) -> None:
    """Teach the segmenter words of the domain (product names, terms), for the whole process."""
    segmenter = _segmenter()
    with _lock:
        for word in words:
            normal = normalise(word)
            if 1 < len(normal) <= _LONGEST:
                segmenter.add_word(normal)


def warm_up() -> None:
    """Load the dictionary now (about a second) instead of at the first text."""
    tokenise("预热")


def _words(normal: str) -> list[str]:
    """jieba's search-mode words of two letters or more."""
    return [
        word
        for word in _segmenter().cut_for_search(normal)
        if len(word) > 1 and _CJK_RUN.fullmatch(word)
    ]


def _codes_and_numbers(normal: str) -> list[str]:
    terms: list[str] = []
    for match in _CODE.finditer(normal):
        code = match.group().replace(" ", "")
        parts = _WORD_PIECE.findall(match.group())
        if len(code) <= _LONGEST:
            terms.append(code)
            if " " in match.group():  # the number is also written without its prefix
                terms.append(match.group().split(" ")[1])
        if len(parts) > 1:
            terms.extend(part for part in parts if 1 < len(part) <= _LONGEST)
    digits = arabic(normal)
    if any(c.isdigit() for c in digits):
        for match in _DOCUMENT_NUMBER.finditer(digits):
            terms.append(f"〔{match['year']}〕{match['n']}号")
            if match["issuer"]:
                terms.append(f"{match['issuer'][-6:]}〔{match['year']}〕{match['n']}号")
        terms.extend(_CLAUSE.findall(digits))
        terms.extend(_dates(digits))
        terms.extend(_COUNT.findall(digits))
    return terms


def _dates(digits: str) -> list[str]:
    terms = [f"{year}年" for year in _YEAR.findall(digits)]
    for match in _DATE.finditer(digits):
        month = f"{match['y']}-{int(match['m']):02d}"
        terms.append(month)
        if match["d"]:
            terms.append(f"{month}-{int(match['d']):02d}")
    return terms


@lru_cache(maxsize=1)
def _segmenter() -> Any:
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    segmenter = jieba.Tokenizer()
    segmenter.initialize()
    for word in DOMAIN_WORDS:
        segmenter.add_word(word)
    return segmenter
