"""Times in a question as ranges of days: absolute, relative to today, half-years, since, until.

Durations ("满3年", "15个工作日") are no times. Fiscal periods are calendar periods, as in
China's budget law. Numerals may be Chinese: "二〇二三年", "第三季度".
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from rag.text.numerals import parse_numeral
from rag.types import TimeRange
from rag.understand.relative_times import (
    month_of,
    months_later,
    part_of_month,
    part_of_quarter,
    relative_spans,
    week_of,
)

EARLIEST_YEAR, LATEST_YEAR = 1900, 2099
"""Numbers outside are not taken for years."""


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A time named in a text: `text` is text[start:end]; `range` has both ends included."""

    text: str
    start: int
    end: int
    range: TimeRange


def find_times(text: str, today: date) -> list[TimeMention]:
    """The times named in `text`, in order, without overlaps.

    An open end is None ("2023年以来", "2020年以前"). Times relative to the day of asking
    ("去年", "近三年") are counted from `today`; a month or a half-year without a year lies in
    the year named before it in the text, else in today's.
    """
    spans = _spans(text, today)
    spans = _joined_ranges(text, spans)
    return [_mention(text, *_with_direction(text, span)) for span in spans]


def years_of(ranges: tuple[TimeRange, ...]) -> tuple[int, int] | None:
    """The first and last year that the ranges touch; None when open or empty."""
    bounded = [r for r in ranges if r.start is not None and r.end is not None]
    if not bounded or len(bounded) != len(ranges):
        return None
    return min(r.start.year for r in bounded if r.start), max(r.end.year for r in bounded if r.end)


Span = tuple[int, int, date | None, date | None]

_N = r"(?:\d{1,4}|[零〇○一二两三四五六七八九十百]{1,5})"
_YEAR = r"(?P<y>(?:19|20)\d{2}|[一二][零〇○九][零〇○一二三四五六七八九]{2})"
_BEFORE_DURATION = "满近过去最前后达足超逾未共约需交限工龄司龄连续累计第每"
_RELATIVE_YEARS = {
    **{"大前年": -3, "前年": -2, "去年": -1, "上一年": -1, "上年": -1, "今年": 0, "本年": 0},
    **{"当年": 0, "这一年": 0, "明年": 1, "来年": 1, "后年": 2, "次年": 1},
    **{"上一财年": -1, "上个财年": -1, "上财年": -1, "本财年": 0, "这个财年": 0, "当前财年": 0},
    **{"下一财年": 1, "下个财年": 1, "下财年": 1, "上一年度": -1, "上一个年度": -1, "去年度": -1},
}
_RY = "(?P<ry>" + "|".join(sorted(_RELATIVE_YEARS, key=len, reverse=True)) + ")"
_HALF = r"(?P<half>[上下]半年|H[12]|h[12])"
_QUARTER = r"(?:(?:第?(?P<q>[一二三四1-4])个?季度?|[Qq](?P<q2>[1-4])(?!\d))(?P<qpart>初|末|底)?)"
_MONTH = r"(?P<m>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?:份)?"
_DAY = r"(?P<d>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])[日号]"


def _number(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) if text.isdigit() else parse_numeral(text)


def _year(year: int) -> tuple[date, date]:
    return date(year, 1, 1), date(year, 12, 31)


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _quarter(year: int, quarter: int) -> tuple[date, date]:
    return date(year, quarter * 3 - 2, 1), _month(year, quarter * 3)[1]


def _half(year: int, half: int) -> tuple[date, date]:
    return (
        (date(year, 1, 1), date(year, 6, 30))
        if half == 1
        else (date(year, 7, 1), date(year, 12, 31))
    )


# One pattern for a year with what may follow it, and for the parts that stand alone.
_AFTER_YEAR = (
    rf"(?:\s*(?:{_MONTH}(?:\s*{_DAY}|\s*(?P<mpart>初|底|末|上旬|中旬|下旬))?"
    rf"|{_HALF}|{_QUARTER}|年?(?P<part>初|底|末|中(?=[旬的，。？?]|$))))?"
)
_ISO = re.compile(
    r"(?<![\d.\-/])(?P<y>(?:19|20)\d{2})[-/.](?P<m>1[0-2]|0?[1-9])(?:[-/.](?P<d>3[01]"
    r"|[12]\d|0?[1-9]))?(?![\d\-/]|\.\d)"
)
_WITH_YEAR = re.compile(
    rf"(?<!\d)(?:{_YEAR}(?:\s*(?:财政|会计|学)?年度?)|(?P<fy>[Ff][Yy]\s?\d{{2,4}})|{_RY}度?){_AFTER_YEAR}"
)
_FISCAL = re.compile(rf"(?<!\d){_YEAR}\s*(?:财年|{_HALF}|{_QUARTER})")
_SHORT_YEAR = re.compile(
    r"(?:^|(?<=[那么是查的按在到至和与及、，。,：从 呢吗跟比]))(?P<y2>\d{2})年(?=度|版|的?政策"
    r"|的?标准|的?规定|的?补贴|底|初|末|[上下]半年|第?[一二三四]季度|(?:1[0-2]|[1-9])月|的?呢"
    r"|[?？]|$)(?:度)?" + _AFTER_YEAR
)
# 24年云南…: two digits that can be no length of time.
_LOOSE_YEAR = re.compile(
    r"(?:^|(?<=[，,。：:；;（( 那按在到和与及比是查问]))(?P<y2>[12]\d)年(?=[\u4e00-\u9fffA-Za-z])"
    r"(?!以[上下内后前]|之[内后前]|[内后前间来多半才都没就了过不满要能可的]|会(?![费员议计])|工龄|司龄|教龄|党龄|军龄|房龄|车龄|"
    r"保修|质保|经验|工作|期限|左右|前后|年限|老|有效)" + _AFTER_YEAR
)
_BARE_YEAR = re.compile(
    r"(?<![\dA-Za-z\-/.〔\[(（第#])(?P<y>(?:19|20)\d{2})(?=\s*(?:版|的"
    r"|呢|[?？，,。、至到~～]|和|与|跟|比|有|是|$))(?![\d])"
)
_DASHED = re.compile(
    r"(?<![\d\w.\-/])(?P<a>(?:19|20)\d{2})\s*(?:年度?)?\s*[-—–~～至到]\s*(?P<b>(?:19"
    r"|20)\d{2})\s*(?:年度?|财年)?(?![\d\-/])"
)
_BARE_PART = re.compile(
    rf"(?<![\d一二三四五六七八九十个])(?:{_MONTH}(?:\s*{_DAY}|\s*(?P<mpart>初"
    rf"|底|末|上旬|中旬|下旬))?|{_HALF}|{_QUARTER})"
)
_PLAN = re.compile(r"[“\"「]?十(?P<n>[一二三四五六])五[”\"」]?(?:期间|规划|时期)?")
_DECADE = re.compile(
    r"(?:(?P<century>20|二十|21|二十一)世纪)?(?P<tens>[0-9]0|[一二三四五六七八九]十)年代"
)
_LAST_N = re.compile(
    rf"(?:最近|近|过去|过往|之前)(?:的)?(?P<n>{_N}|半)个?(?P<unit>年|月|周|星期|天|日|季度)(?:内|来|以来|间)?"
)
_AGO = re.compile(rf"(?<![满近过去])(?P<n>{_N})个?(?P<unit>年|月|周|星期|天)(?:以前|之前|前)(?!后)")


def _spans(text: str, today: date) -> list[Span]:
    found: list[Span] = []

    def add(match: re.Match[str], bounds: tuple[date | None, date | None] | None) -> None:
        if bounds is None:
            return
        start, end = match.span()
        if not any(s < end and start < e for s, e, *_ in found):
            found.append((start, end, *bounds))

    for match in _DASHED.finditer(text):
        first, last = int(match["a"]), int(match["b"])
        add(match, (date(first, 1, 1), date(last, 12, 31)) if first <= last else None)
    for pattern in (_ISO, _FISCAL, _WITH_YEAR, _SHORT_YEAR, _LOOSE_YEAR, _BARE_YEAR):
        for match in pattern.finditer(text):
            year = _year_in(match, today)
            if pattern is _LOOSE_YEAR and year and not _near(year, today):
                continue
            add(match, _within_year(match, year) if year else None)
    for match in _PLAN.finditer(text):
        start_year = 1951 + 5 * (10 + (parse_numeral(match["n"]) or 0))
        add(match, (date(start_year, 1, 1), date(start_year + 4, 12, 31)))
    for match in _DECADE.finditer(text):
        add(match, _decade(match))
    for match in _LAST_N.finditer(text):
        add(match, _last(match, today))
    for match in _AGO.finditer(text):
        add(match, _ago(match, today))
    for span in relative_spans(text, today):
        if not any(other[0] < span[1] and span[0] < other[1] for other in found):
            found.append(span)
    for match in _BARE_PART.finditer(text):
        named = [s for s in found if s[1] <= match.start() and s[2]]
        year = max(named)[2].year if named else today.year  # type: ignore[union-attr]
        if not _is_duration(text, match):
            add(match, _within_year(match, year))
    return sorted(found)


def _near(year: int, today: date) -> bool:
    """Whether a year of two digits is one that people shorten (chosen by us)."""
    return today.year - 8 <= year <= today.year + 1


def _is_duration(text: str, match: re.Match[str]) -> bool:
    """12月 after 满 is a length of time, a month's number is not."""
    before = text[: match.start()][-1:]
    return bool(before) and before in _BEFORE_DURATION and before not in "去前后"


def _year_in(match: re.Match[str], today: date) -> int | None:
    groups = match.groupdict()
    if groups.get("ry"):
        return today.year + _RELATIVE_YEARS[groups["ry"]]
    if groups.get("fy"):
        digits = re.sub(r"\D", "", groups["fy"])
        return int(digits) if len(digits) == 4 else 2000 + int(digits)
    if groups.get("y2"):
        year = 2000 + int(groups["y2"])
        return year if 2000 <= year <= today.year + 5 else None
    year = _number(groups.get("y")) or 0
    return year if EARLIEST_YEAR <= year <= LATEST_YEAR else None


def _within_year(match: re.Match[str], year: int) -> tuple[date, date] | None:
    groups = match.groupdict()
    month, day = _number(groups.get("m")), _number(groups.get("d"))
    quarter = _number(groups.get("q") or groups.get("q2"))
    if month:
        first, last = _month(year, month)
        if day:
            return (date(year, month, day),) * 2 if day <= last.day else None
        return part_of_month(first, last, groups.get("mpart"))
    if groups.get("half"):
        return _half(year, 1 if groups["half"] in ("上半年", "H1", "h1") else 2)
    if quarter:
        return part_of_quarter(*_quarter(year, quarter), groups.get("qpart"))
    part = groups.get("part")
    if part == "初":
        return date(year, 1, 1), date(year, 3, 31)
    if part in ("底", "末"):
        return _month(year, 12)
    if part == "中":
        return date(year, 5, 1), date(year, 8, 31)
    return _year(year)


def _decade(match: re.Match[str]) -> tuple[date, date]:
    tens = _number(match["tens"]) or 0
    century = 2000 if match["century"] in ("21", "二十一") or tens <= 20 else 1900
    return date(century + tens, 1, 1), date(century + tens + 9, 12, 31)


def _last(match: re.Match[str], today: date) -> tuple[date, date] | None:
    unit = match["unit"]
    if match["n"] == "半":
        return (months_later(today, -6), today) if unit == "年" else (today - timedelta(15), today)
    return None if (n := _number(match["n"])) is None or n > 200 else (_back(today, n, unit), today)


def _back(today: date, n: int, unit: str) -> date:
    if unit == "年":
        return months_later(today, -12 * n)
    if unit == "季度":
        return months_later(today, -3 * n)
    if unit == "月":
        return months_later(today, -n)
    return today - timedelta(weeks=n) if unit in ("周", "星期") else today - timedelta(n)


def _ago(match: re.Match[str], today: date) -> tuple[date, date] | None:
    n, unit = _number(match["n"]), match["unit"]
    if n is None or n > 200:
        return None
    day = _back(today, n, unit)
    if unit == "年":
        return _year(day.year)
    if unit == "月":
        return month_of(day)
    return week_of(day, 0) if unit in ("周", "星期") else (day, day)


_BETWEEN = re.compile(r"\s*(?:[-—–~～至到]|以?来?到|一直到)\s*")
_SINCE = re.compile(
    r"\s*(?:以来|至今|到现在|到今天|以后|之后|过后|起|开始|后(?!面|者|台|天|勤|续))"
)
_UNTIL = re.compile(r"\s*(?:以前|之前|前(?!者|台|往|提(?!交|出|供)|[面头边]|后|年|天|景)|为止|止)")


def _joined_ranges(text: str, spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if (
            last
            and last[2]
            and span[3]
            and _BETWEEN.fullmatch(text, last[1], span[0])
            and last[2] <= span[3]
        ):
            joined[-1] = (last[0], span[1], last[2], span[3])
        else:
            joined.append(span)
    return joined


def _with_direction(text: str, span: Span) -> Span:
    start, end, first, last = span
    if match := _SINCE.match(text, end):
        return start, match.end(), first, None
    if (match := _UNTIL.match(text, end)) and last:
        return start, match.end(), None, (first or last) - timedelta(1)
    return span


def _mention(text: str, start: int, end: int, first: date | None, last: date | None) -> TimeMention:
    words = text[start:end].strip()
    return TimeMention(text[start:end], start, end, TimeRange(text=words, start=first, end=last))
