"""Chinese numerals and dates in one canonical form: 二〇二四年 = 2024年, 第十二条 = 第12条."""

from __future__ import annotations

import re

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")}
_DIGITS |= {"〇": 0, "○": 0, "两": 2}
_DIGITS |= {c: i for i, c in enumerate("壹贰叁肆伍陆柒捌玖", start=1)}
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_LARGE = {"万": 10_000, "亿": 100_000_000}
NUMERAL_LETTERS = "".join((*_DIGITS, *_UNITS, *_LARGE))
"""All letters that may stand in a Chinese numeral."""


def parse_numeral(text: str) -> int | None:
    """The value of a Chinese numeral ("三千二百", "二〇二四", "十二"); None if it is none.

    Spoken short forms count too: 三千二 is 3200, 一万五 is 15000.
    """
    if not text or any(c not in NUMERAL_LETTERS for c in text):
        return None
    if all(c in _DIGITS for c in text):
        return int("".join(str(_DIGITS[c]) for c in text))
    total = section = digit = 0
    last_unit = 1
    seen_digit = False
    for character in text:
        if character in _DIGITS:
            if seen_digit and digit:
                return None
            digit, seen_digit = _DIGITS[character], True
            if digit == 0:
                last_unit = 1
        elif character in _UNITS:
            last_unit = _UNITS[character]
            section += (digit if seen_digit and digit else 1) * last_unit
            digit, seen_digit = 0, False
        else:
            last_unit = _LARGE[character]
            section += digit
            if section == 0 and total == 0:
                return None
            if last_unit == 100_000_000:
                total = (total + section) * last_unit
            else:
                total += section * last_unit
            section, digit, seen_digit = 0, 0, False
    if digit and last_unit >= 100:
        digit *= last_unit // 10
    return total + section + digit


_NUMERAL = re.compile(f"[{NUMERAL_LETTERS}]+")
# A numeral is rewritten only before a unit or after 第, and never glued to a code (c3一小时).
_COUNTED = re.compile(
    f"(?<![A-Za-z0-9])(?P<ordinal>第)?(?P<number>[{NUMERAL_LETTERS}]+)"
    "(?P<unit>年|月|日|号|天|周|岁|条|款|项|章|节|编|元|万元|亿元|个|次|人|名|级|小时|分钟|倍|层|届|期|季度|户|页|步)?"
)


def arabic(text: str) -> str:
    """`text` with its Chinese numerals in digits, where they count something.

    "第十二条" → "第12条", "二〇二四年三月" → "2024年3月", "三千元" → "3000元". Words that only
    contain a numeral letter ("一般", "万一", "千方百计") stay as they are.
    """
    return _COUNTED.sub(_replace, text) if _NUMERAL.search(text) else text


def _replace(match: re.Match[str]) -> str:
    number, unit, ordinal = match["number"], match["unit"] or "", match["ordinal"] or ""
    if not (unit or ordinal):
        return match.group()
    if unit == "年" and len(number) == 2 and all(c in _DIGITS for c in number):
        return match.group()
    value = parse_numeral(number)
    return match.group() if value is None else f"{ordinal}{value}{unit}"
