"""Times of day in a text: 8:30-17:00, 上午9点, 晚上八点半以后, 9点到17点."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.text.numerals import parse_numeral

_PART = "(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|晚)"
_HOUR = r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"


def _point(n: int) -> str:
    return (
        rf"(?P<part{n}>{_PART})?\s*(?P<hour{n}>{_HOUR})(?:[:：](?P<minute{n}>[0-5]\d)"
        rf"|点(?![击评赞心名餐单])(?:钟|整)?(?P<rest{n}>半|一刻|三刻|[0-5]?\d分?)?)"
    )


_CLOCK = re.compile(
    rf"(?<![\d.:：一二三四五六七八九十几有]){_point(1)}(?:\s*(?:-|—|–|~|～|至|到)\s*{_point(2)})?"
    r"(?P<after>以?之?(?:前|后)|以前|以后)?(?![\d:：]|[要建意][求议见])"
)
_LATE = re.compile("下午|傍晚|晚|夜里")
_REST = {"半": 30, "一刻": 15, "三刻": 45}


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day or a span of them: `text` is text[start:end], `value` is "08:30-17:00",
    "20:30以后" or "09:00"."""

    text: str
    start: int
    end: int
    value: str


def find_clock_times(text: str) -> list[ClockTime]:
    """The times of day named in a text, in order."""
    found = []
    for match in _CLOCK.finditer(text):
        first = _minutes(match, 1)
        last = _minutes(match, 2) if match["hour2"] else None
        if first is None or (match["hour2"] and last is None):
            continue
        if last is not None and match["part2"] is None and last < first <= 12 * 60:
            last += 12 * 60
        value = _shown(first) if last is None else f"{_shown(first)}-{_shown(last)}"
        if match["after"] and last is None:
            value += "以前" if "前" in match["after"] else "以后"
        found.append(ClockTime(match.group().strip(), match.start(), match.end(), value))
    return found


def _minutes(match: re.Match[str], n: int) -> int | None:
    hour = match[f"hour{n}"]
    number = int(hour) if hour.isdigit() else parse_numeral(hour)
    if number is None or number > 24:
        return None
    if number < 12 and _LATE.search(match[f"part{n}"] or ""):
        number += 12
    rest = match[f"rest{n}"] or ""
    minute = int(match[f"minute{n}"] or 0) or _REST.get(rest, 0)
    return number * 60 + (minute or int(re.sub(r"\D", "", rest) or 0))


def _shown(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
