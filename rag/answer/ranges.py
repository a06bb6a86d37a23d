"""Ranges that documents write for conditions (满1年不满10年, 5000元以上1万元以下, 3-5人) and
whether a value of the question lies in them."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from rag.answer.values import Found, find_values, number
from rag.text.normalise import normalise

Inside = Literal["inside", "outside", "unknown"]

_MEASURED = ("duration", "money", "count", "percent")
_FROM_WORDS = "已?满 达到? 超过 高于 多于 大于 不低于 不少于 不小于 ≥ >= > 自 从 至少"
_BELOW_WORDS = "不满 未满 不足 低于 少于 小于 不超过 不高于 至多 最多 ≤ <= < 未达到? 不到"
_FROM_BEFORE = re.compile(f"(?:{'|'.join(_FROM_WORDS.split())})\\s*$")
_BELOW_BEFORE = re.compile(f"(?:{'|'.join(_BELOW_WORDS.split())})\\s*$")
_FROM_AFTER = re.compile(r"\s*(?:\(含\)|（含[^）]*）)?\s*(?:以上|及以上|起)")
_BELOW_AFTER = re.compile(r"\s*(?:\(含\)|（含[^）]*）)?\s*(?:以下|以内|及以下|之内|内)")
_EXCLUSIVE_LOW = re.compile(r"(?:超过|高于|多于|大于|>)\s*$")
_EXCLUSIVE_HIGH = re.compile(r"(?:不满|未满|不足|低于|少于|小于|<|未达到?|不到)\s*$")
_CODE_RANGE = re.compile(
    r"([a-z]{0,4})-?(\d{1,4})[级档类等期楼层号]?\s*(?:至|到|-|~|–|—)\s*([a-z]{0,4})-?(\d{1,4})([级档类等期楼层号]?)"
)
_WRITTEN_RANGE = re.compile(
    r"(?<![a-z0-9])[a-z]{1,4}-?\d{1,4}\s*(?:至|到|-|~|–|—)\s*[a-z]{0,4}-?\d{1,4}(?![a-z0-9])"
)
_EACH = re.compile(r"[^，。,；;]{0,4}?(?:几|多少|啥)")
"""What follows a unit that the answer is counted by (一年 in 一年能休几天)."""
_TO = re.compile(r"\s*(?:-|–|—|~|～|至|到)\s*")


def position(question: str, text: str) -> Inside:
    """Whether the question's measured values lie in the ranges of `text`.

    "inside" when every value that meets a range of its unit lies in one; "outside" when one
    lies in none; "unknown" when nothing meets.
    """
    met = False
    for value in find_values(question):
        if value.kind not in _MEASURED or value.bare_one or _counted_by(question, value):
            continue
        mine = number(value.value)
        bounds = [b for b in _ranges(text) if b[0] == value.kind and b[1] == value.unit]
        if mine is None or not bounds:
            continue
        met = True
        if _same_words(question, value, text):
            continue  # 超过12天 is asked, 超过12天 is said: the border itself is meant
        if not any(_holds(low, high, mine) for _, _, low, high in bounds):
            return "outside"
    return "inside" if met else "unknown"


def in_named_range(text: str, name: str) -> bool:
    """Whether a range of codes or grades (P1至P3, 1–5级) holds one that is named (P2, 3级)."""
    found = _CODE_RANGE.fullmatch(normalise(name))
    if found is None:
        return False
    before, low, again, high, after = (found[i] or "" for i in range(1, 6))
    if not (before or after) or (again and again != before):
        return False
    number = rf"(?<![a-z0-9.]){re.escape(before)}-?(\d{{1,4}}){re.escape(after)}(?![a-z0-9.])"
    return any(int(low) <= int(one) <= int(high) for one in re.findall(number, normalise(text)))


def range_of(code: str, text: str) -> str:
    """The range of codes written in a normalised text (p1至p3) that holds a code (p2), or ""."""
    if not re.fullmatch(r"[a-z]{1,4}-?\d{1,4}", code):
        return ""
    written = (m.group() for m in _WRITTEN_RANGE.finditer(text))
    return next((one for one in written if in_named_range(code, one)), "")


def _counted_by(question: str, value: Found) -> bool:
    """Whether the value is no measure of anything but what the answer is given for (一年几天)."""
    one = value.kind == "duration" and value.text.startswith("一")
    alone = not question[: value.start].rstrip() or question[value.start - 1] in "，。,；; 每"
    return one and alone and bool(_EACH.match(question, value.end))


def _same_words(question: str, value: Found, text: str) -> bool:
    """Whether the text repeats the question's value with the two letters before it."""
    return value.start >= 2 and question[value.start - 2 : value.end] in text


Bound = tuple[Decimal, bool]
"""A border and whether it belongs to the range."""


def _holds(low: Bound | None, high: Bound | None, value: Decimal) -> bool:
    above = low is None or value > low[0] or (low[1] and value == low[0])
    below = high is None or value < high[0] or (high[1] and value == high[0])
    return above and below


@lru_cache(maxsize=1024)
def _ranges(text: str) -> tuple[tuple[str, str, Bound | None, Bound | None], ...]:
    """Ranges as (kind, unit, low, high) in order."""
    values = [v for v in find_values(text) if v.kind in _MEASURED]
    found: list[tuple[str, str, Bound | None, Bound | None]] = []
    index = 0
    while index < len(values):
        left = values[index]
        right = values[index + 1] if index + 1 < len(values) else None
        low, high = _low(text, left), _high(text, left)
        if right is not None and (right.kind, right.unit) == (left.kind, left.unit):
            between = text[left.end : right.start]
            close = len(between) <= 6
            plain = bool(_TO.fullmatch(between))
            upper = _high(text, right)
            if plain or (close and low is not None and upper is not None):
                low = low or (Decimal(left.value), True)
                found.append((left.kind, left.unit, low, upper or (Decimal(right.value), True)))
                index += 2
                continue
        if low is not None or high is not None:
            found.append((left.kind, left.unit, low, high))
        index += 1
    return tuple(found)


def _low(text: str, value: Found) -> Bound | None:
    before = text[: value.start]
    if _BELOW_BEFORE.search(before):
        return None
    if _FROM_BEFORE.search(before):
        return Decimal(value.value), not _EXCLUSIVE_LOW.search(before)
    return (Decimal(value.value), True) if _FROM_AFTER.match(text, value.end) else None


def _high(text: str, value: Found) -> Bound | None:
    before = text[: value.start]
    if _BELOW_BEFORE.search(before):
        return Decimal(value.value), not _EXCLUSIVE_HIGH.search(before)
    return (Decimal(value.value), True) if _BELOW_AFTER.match(text, value.end) else None
