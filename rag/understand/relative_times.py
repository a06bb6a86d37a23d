"""Times named by their distance from today: 昨天, 上周五, 下个月15号, 上季度末, 年初至今."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from rag.text.numerals import parse_numeral
from rag.understand.words import boundaries

_WHICH = {"上上": -2, "上": -1, "本": 0, "这": 0, "当": 0, "下": 1, "下下": 2}
_STEP = "(?P<which>上上|下下|[上本这当下])"
_WEEK = re.compile(_STEP + "一?个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末])?")
_MONTH = re.compile(
    _STEP + r"一?个?月(?:份)?(?:(?P<day>3[01]|[12]\d|[1-9]|三十一?|二?十[一二三四五六七八九]?"
    "|[一二三四五六七八九])[日号]|(?P<part>月?初|月?底|月?末|上旬|中旬|下旬))?"
)
_QUARTER = re.compile(_STEP + "一?个?季(?:度)?(?P<part>初|末|底)?")
_DAYS = {
    **{"大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "今天": 0, "今日": 0},
    **{"明天": 1, "明日": 1, "后天": 2, "大后天": 3},
}
_DAY = re.compile("|".join(sorted(_DAYS, key=len, reverse=True)) + "|当天(?=的)")
_OF_THIS_YEAR: tuple[tuple[re.Pattern[str], Callable[[date], tuple[date, date]]], ...] = (
    (re.compile("年初至今|今年以来|年初以来"), lambda today: (date(today.year, 1, 1), today)),
    (
        re.compile("年底|年末"),
        lambda today: (date(today.year, 12, 1), date(today.year, 12, 31)),
    ),
    (re.compile("年初"), lambda today: (date(today.year, 1, 1), date(today.year, 3, 31))),
)


def relative_spans(text: str, today: date) -> Iterator[tuple[int, int, date, date]]:
    """Start and end in the text, first and last day; the spans may overlap other times."""
    for match in _DAY.finditer(text):
        day = today + timedelta(_DAYS.get(match.group(), 0))
        yield *match.span(), day, day
    for match in _whole(_WEEK, text):
        yield *match.span(), *_week(today, _WHICH[match["which"]], match["day"])
    for match in _whole(_MONTH, text):
        if bounds := _month(today, _WHICH[match["which"]], match["day"], match["part"]):
            yield *match.span(), *bounds
    for match in _whole(_QUARTER, text):
        yield *match.span(), *_quarter(today, _WHICH[match["which"]], match["part"])
    for pattern, bounds_of in _OF_THIS_YEAR:
        for match in pattern.finditer(text):
            yield *match.span(), *bounds_of(today)


def _whole(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches that cut no word: 晚上周边 holds no 上周, 基本月薪 no 本月."""
    for match in pattern.finditer(text):
        edges = boundaries(text)
        if match.start() in edges and match.end() in edges:
            yield match


def month_of(day: date) -> tuple[date, date]:
    """The first and the last day of the month that `day` lies in."""
    return day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1])


def months_later(day: date, months: int) -> date:
    """The same day of another month, or its last one where it has no such day."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def week_of(today: date, weeks: int) -> tuple[date, date]:
    """Monday and Sunday of the week that lies `weeks` after today's."""
    monday = today - timedelta(today.weekday()) + timedelta(weeks=weeks)
    return monday, monday + timedelta(6)


def part_of_month(first: date, last: date, part: str | None) -> tuple[date, date]:
    """The days of a month that 初, 底 and the like mean: thirds of it."""
    if part in ("初", "月初", "上旬"):
        return first, first.replace(day=10)
    if part == "中旬":
        return first.replace(day=11), first.replace(day=20)
    if part in ("底", "末", "月底", "月末", "下旬"):
        return first.replace(day=21), last
    return first, last


def part_of_quarter(first: date, last: date, part: str | None) -> tuple[date, date]:
    """The first month of a quarter for 初, its last one for 末."""
    if part == "初":
        return month_of(first)
    return month_of(last) if part in ("末", "底") else (first, last)


def _week(today: date, weeks: int, day: str | None) -> tuple[date, date]:
    monday, sunday = week_of(today, weeks)
    if day is None:
        return monday, sunday
    if day == "末":
        return monday + timedelta(5), sunday
    named = monday + timedelta(6 if day in "日天" else "一二三四五六".index(day))
    return named, named


def _month(today: date, months: int, day: str | None, part: str | None) -> tuple[date, date] | None:
    first, last = month_of(months_later(today.replace(day=1), months))
    if day is None:
        return part_of_month(first, last, part)
    number = int(day) if day.isdigit() else parse_numeral(day) or 0
    return (first.replace(day=number),) * 2 if 1 <= number <= last.day else None


def _quarter(today: date, quarters: int, part: str | None) -> tuple[date, date]:
    start = months_later(today.replace(day=1), 3 * quarters)
    first = date(start.year, (start.month - 1) // 3 * 3 + 1, 1)
    return part_of_quarter(first, month_of(months_later(first, 2))[1], part)
