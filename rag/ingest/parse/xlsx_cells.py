"""Cells of workbooks as people see them: part of the parse step."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Any

from rag.ingest.parse.number_format import number_text, plain_number

PICTURE_FORMULA = re.compile(r'^=?(?:_xlfn\.)?DISPIMG\("?(\w*)', re.IGNORECASE)
"""A cell that shows a picture (WPS); the group is the picture's id."""

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_DATE_TOKEN = re.compile(
    r'"([^"]*)"|\\(.)|\[[^\]]*\]|_.|\*.|(AM/PM|上午/下午|y+|e+|m+|d+|a{3,4}|h+|s+(?:\.0+)?)|(.)',
    re.IGNORECASE | re.DOTALL,
)
_MONTH, _DAY = 'yyyy"年"m"月"', 'm"月"d"日"'
_CHINESE_DATES = {
    27: _MONTH, 28: _DAY, 29: _DAY, 30: "m-d-yy", 31: 'yyyy"年"m"月"d"日"', 32: 'h"时"mm"分"',
    33: 'h"时"mm"分"ss"秒"', 34: 'h"时"mm"分"', 35: 'h"时"mm"分"ss"秒"', 36: _MONTH, 50: _MONTH,
    51: _DAY, 52: _MONTH, 53: _DAY, 54: _DAY, 55: 'h"时"mm"分"', 56: 'h"时"mm"分"ss"秒"',
    57: _MONTH, 58: _DAY,
}  # fmt: skip
"""Number formats that files refer to by number only; from ECMA-376, part 1, 18.8.30 (zh-cn)."""

_WEEKDAYS = "一二三四五六日"
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def cell_text(value: Any, number_format: str = "General") -> str:
    """A cell's value as people see it: .16 as 16%, 2024-05-01 or 2024年5月 where so formatted.

    Formats that leave out the year or follow the reader's own country give ISO dates.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, datetime | date | time):
        return date_text(value, number_format)
    if isinstance(value, timedelta):
        return _duration(value)
    if isinstance(value, int | float):
        if number_format == "General":
            return plain_number(value)
        return number_text(value, number_format)
    text = str(value)
    if PICTURE_FORMULA.match(text):
        return ""
    if "_x" in text:
        text = _ESCAPED.sub(_unescape, text)
    return text.replace("\r", "").strip()


def know_chinese_dates() -> None:
    """Teach openpyxl the built-in date formats of East Asian Excel, which it leaves out: cells
    with them would come as day numbers (45413 for 1 May 2024)."""
    from openpyxl.styles import numbers

    for place, code in _CHINESE_DATES.items():
        numbers.BUILTIN_FORMATS.setdefault(place, code)


def date_text(value: datetime | date | time, number_format: str) -> str:
    """A date or time in the parts that its format shows, in Chinese where that is."""
    # Quoted texts aside, letters say which parts are shown.
    parts = _date_parts(number_format)
    shown = {part[0].lower() for part, literal in parts if not literal}
    chinese = any(literal and part in "年月日时分秒" for part, literal in parts)
    if isinstance(value, time):
        return value.isoformat("seconds" if value.second else "minutes")
    whole = not isinstance(value, datetime) or value.time() == time(0)
    if chinese and isinstance(value, date) and shown & {"y", "e", "m", "d"}:
        return _in_format(value, parts).strip()
    if "y" in shown and "d" not in shown and "h" not in shown and whole:
        return f"{value:%Y-%m}" if "m" in shown else f"{value:%Y}"
    if isinstance(value, datetime) and not whole:
        return value.isoformat(" ", "seconds" if value.second else "minutes")
    day = value.date() if isinstance(value, datetime) else value
    return day.isoformat()


def _date_parts(number_format: str) -> list[tuple[str, bool]]:
    """The parts of a date format, each with whether it is literal text."""
    found: list[tuple[str, bool]] = []
    for match in _DATE_TOKEN.finditer(number_format.split(";")[0]):
        quoted, escaped, token, other = match.groups()
        if token:
            found.append((token, False))
        elif quoted or escaped or other:
            found.extend((character, True) for character in quoted or escaped or other)
    return found


def _in_format(value: date, parts: list[tuple[str, bool]]) -> str:
    text = ""
    hours = False
    for part, literal in parts:
        if literal:
            text += part
            continue
        kind = part[0].lower()
        moment = (
            value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
        )
        if kind in "ye":
            text += f"{value.year:04d}" if len(part) != 2 else f"{value.year % 100:02d}"
        elif kind == "m" and hours:
            text += f"{moment.minute:0{min(len(part), 2)}d}"
        elif kind == "m":
            names = len(part) > 2
            text += _MONTHS[value.month - 1] if names else f"{value.month:0{len(part)}d}"
        elif kind == "d":
            text += f"{value.day:0{min(len(part), 2)}d}" if len(part) < 3 else f"{value:%a}"
        elif kind == "h":
            hours = True
            text += f"{moment.hour:0{min(len(part), 2)}d}"
        elif kind == "s":
            text += f"{moment.second:02d}"
        elif part.lower().startswith("aaa"):
            text += ("星期" if len(part) > 3 else "") + _WEEKDAYS[value.weekday()]
    return text


def _duration(value: timedelta) -> str:
    """Hours, minutes and seconds: 26:30 for a day and two and a half hours."""
    total = round(value.total_seconds())
    sign, total = ("-", -total) if total < 0 else ("", total)
    hours, rest = divmod(total, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{sign}{hours}:{minutes:02d}" + (f":{seconds:02d}" if seconds else "")


def _unescape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character.isprintable() or character in "\t\n" else ""
