"""Another amount for the last question: "那1万2的呢" after "会议费4200谁批".

An amount is read whole, with its 万, 千 and what follows them, and takes the place of a whole
one: never of the figures inside another amount, a code, a date or a phone number.
"""

from __future__ import annotations

import re
from datetime import date

from rag.understand.slots import CODE
from rag.understand.times import find_times

_DIGITS = r"\d+(?:,\d{3})*(?:\.\d+)?"
_LETTERS = "一二两三四五六七八九"
_FIGURES = (
    rf"(?:{_DIGITS}\s?[万千百kKwW](?:\d{{1,4}}(?!\d)[千百]?)?|{_DIGITS}"
    rf"|(?:[{_LETTERS}十]+[万千百])+[{_LETTERS}半]?[千百]?[{_LETTERS}]?)"
)
_MONEY = r"(?:元|块钱?|圆)"
_OTHER_UNIT = (
    r"(?:[年月日号天周岁时点分秒度级楼层次条款章页期个台套位人名家间张份件本部辆门种项公斤克吨米升伏瓦]"
    r"|小时|分钟|工作日|星期|%|％|[A-Za-z])"
)
_COUNTED = re.compile(
    rf"(?<![\dA-Za-z.\-_第{_LETTERS}十百千万])(?P<figures>{_FIGURES})(?={_OTHER_UNIT})"
)
_MORE = re.compile(r"(?:不到|超过|不足|超|满|低于|高于)$")
_VALUE = re.compile(
    rf"(?P<more>不到|超过|不足|超|满|低于|高于)?(?P<figures>{_FIGURES})(?P<unit>{_MONEY})?(?P<tail>左右|以上|以下|以内|多)?的?"
)
_IN_QUESTION = re.compile(
    rf"(?<![\dA-Za-z.\-_第{_LETTERS}十百千万])(?P<figures>{_FIGURES})(?P<unit>{_MONEY})?(?!\d|{_OTHER_UNIT})"
)


def other_amount(value: str, question: str) -> str | None:
    """`question` with the amount `value` in place of its own; None where either has none.

    A figure alone takes the unit of the one that it replaces: 20 for 迟到10分钟.

    Args:
        value: what is named before 呢, with or without 元 and 的.
        question: the last question, complete. With several amounts nothing is replaced.
    """
    match = _VALUE.fullmatch(value)
    if match is None or is_year(value):
        return None
    fixed = [(m.start(), m.end()) for m in CODE.finditer(question)]
    fixed += [(t.start, t.end) for t in find_times(question, date.today())]
    for pattern in (_IN_QUESTION, _COUNTED):
        found = [
            m
            for m in pattern.finditer(question)
            if not any(a < m.end() and m.start() < b for a, b in fixed)
        ]
        if len(found) == 1:
            return _replaced(match, found[0], question)
        if found or match["unit"] or not match["figures"].isdigit():
            return None
    return None


def _replaced(new: re.Match[str], old: re.Match[str], question: str) -> str:
    spoken = re.search(rf"[万千百][\d{_LETTERS}]$", new["figures"])  # 2千5 has no 块 behind it
    unit = new["unit"] or ("" if spoken else old.groupdict().get("unit")) or ""
    more = new["more"] or ""
    before = question[: old.start()]
    if more and (said := _MORE.search(before)):
        before = before[: said.start()]
    return before + more + new["figures"] + unit + (new["tail"] or "") + question[old.end() :]


def is_year(figures: str) -> bool:
    """Whether a bare number is more likely a year than an amount."""
    return bool(re.fullmatch(r"(?:19|20)\d{2}", figures))
