"""Finds dates, amounts, durations and other values in a text, in one comparable form.

Used by extract (the value asked for comes first), confidence (does the evidence hold a value
of the kind asked for?) and verify (values must agree exactly, however they are written:
五千元, 5,000元 and 0.5万元 are one value).
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol

from rag.text.numerals import parse_numeral

ValueKind = Literal[
    "date", "time", "duration", "money", "percent", "count", "ordinal", "number", "phone", "email",
    "url",
]  # fmt: skip


class Found(NamedTuple):
    """One value: `value` and `unit` are canonical, `text[start:end]` is how it was written.

    Dates are "2021-05-01", "2021-05", "2021" or "--05-01"; times "08:30"; all others plain
    decimals. `bare_one` marks a 一 that mostly says "a" (一名, 一个) and proves nothing.
    """

    kind: ValueKind
    value: str
    unit: str
    text: str
    start: int
    end: int
    bare_one: bool = False


_DIGITS = "零〇一二三四五六七八九"
_HAN_NUMBER = "零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟"

_NUMBER = rf"(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|[{_HAN_NUMBER}]+|半)"
_SCALES = {"百万": 10**6, "千万": 10**7, "万亿": 10**12, "十万": 10**5, "万": 10**4, "亿": 10**8}
_SCALES |= {"千": 1000, "百": 100}
_SCALE = "(?:" + "|".join(_SCALES) + ")"

_DURATION_UNITS = {
    "工作日": "工作日", "自然日": "天", "日历天": "天", "天": "天", "日": "天",
    "小时": "小时", "钟头": "小时", "时": "小时", "分钟": "分钟", "分": "分钟",
    "秒钟": "秒", "秒": "秒", "星期": "周", "礼拜": "周", "周": "周", "月": "月",
    "周年": "年", "学年": "年", "年度": "年", "年": "年",
}  # fmt: skip
_MONEY_UNITS = {
    "元人民币": "元", "元": "元", "块钱": "元", "块": "元", "圆": "元", "人民币": "元", "角": "角",
    "美元": "美元", "美金": "美元", "欧元": "欧元", "英镑": "英镑", "日元": "日元", "港元": "港元",
    "港币": "港元", "卢布": "卢布", "韩元": "韩元",
}  # fmt: skip
_COUNT_UNITS = (
    "平方米|平方公里|平方千米|立方米|公里|千米|厘米|毫米|纳米|英里|海里|公顷|公斤|千克|毫克|克|吨|毫升|升|"
    "摄氏度|度|℃|°C|千瓦时|千瓦|瓦|伏|安|赫兹|毫安时|mAh|kWh|kW|W|V|Hz|MHz|GHz|dB|GB|MB|KB|TB|kg|km|"
    "片|cm|mm|nm|ml|mg|m|周岁|岁|人次|人|名|位|户|家|个|件|份|条|项|款|种|类|级|层|楼|次|遍|倍|台|套|辆|"
    "架|艘|张|本|册|部|场|届|期|篇|幅|首|座|间|栋|亩|米|英寸|寸|斤|页|字|步|分制|股|只|头|匹|颗|株|枚|"
    "所|支|队|轮|局|盘|集|季|章|节|点|代|组|段|排|号|路|线|站"
)
_NEED_DIGITS = frozenset("安伏瓦路线站点代排局盘头段只字步")
"""Units that after a Han numeral are mostly the rest of a word (统一安排, 三点要求)."""
_IDIOMS = frozenset(
    ("十分", "万分", "千分", "一时", "一日", "一天", "一分", "百般", "一点", "一度")
)
_ORDINAL_UNITS = "条|款|项|章|节|编|届|期|次|名|位|个|批|轮|季|集|代|版|号|步|级|类|天|年|页"

_DATE = re.compile(
    rf"(?P<y>\d{{4}}|[{_DIGITS}]{{4}})\s*(?:年|[-/.])\s*"
    rf"(?P<m>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s*(?:月份?|[-/.])\s*"
    rf"(?P<d>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])(?:\s*[日号]|(?![\d.]))"
    rf"|(?P<y2>\d{{4}}|[{_DIGITS}]{{4}})\s*年\s*(?P<m2>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s*月"
    rf"|(?<![\d.])(?P<y3>1[0-9]\d\d|20\d\d|[一二][{_DIGITS}]{{3}})\s*年(?!以[上下]|[之]?[内后]|期)"
    rf"|(?<![\d.])(?P<m4>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s*月\s*"
    rf"(?P<d4>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])\s*[日号]"
)
_TIME = re.compile(r"(?<!\d)(?<!\d[:：])(?P<h>[01]?\d|2[0-4])\s*[:：]\s*(?P<mi>[0-5]\d)(?![\d:：])")
_TIME_HAN = re.compile(
    rf"(?P<part>上午|下午|早上|晚上|中午|凌晨|晚|早)?\s*(?P<h>\d{{1,2}}|[{_HAN_NUMBER}]{{1,3}})\s*[点时]"
    r"(?:(?P<half>半)|(?P<mi>[0-5]?\d)\s*分?|整)?(?![钟]?[以之]?[内])"
)
_PERCENT = re.compile(
    rf"百分之(?P<a>{_NUMBER})|(?P<b>{_NUMBER})\s*(?P<sign>[%％]|个百分点)|(?P<c>{_NUMBER})\s*(?P<mille>‰)|(?P<part>[千万])分之(?P<e>{_NUMBER})"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_URL = re.compile(r"(?:https?://|www\.)[^\s，。；）)】》]+", re.ASCII)
_PHONE = re.compile(
    r"(?<![\d.-])(?:\+?86[- ]?)?(?:1[3-9]\d{9}|0\d{2,3}[- ]?\d{7,8}(?:-\d{1,5})?"
    r"|0\d{2,3}[- ]\d{3,4}[- ]\d{4}"
    r"|400[- ]?\d{3}[- ]?\d{4}|800[- ]?\d{3}[- ]?\d{4}|1\d{2}|12\d{3}|9[56]\d{3})"
    r"(?![\d.,年月日元%号])"
)
_MEASURED = re.compile(
    rf"(?P<ordinal>第)?(?P<n>{_NUMBER})\s*(?P<more>多|余|几)?(?P<scale>{_SCALE})?(?P<few>多|余)?\s*(?:个\s*)?(?P<unit>"
    + "|".join(sorted([*_DURATION_UNITS, *_MONEY_UNITS], key=len, reverse=True))
    + rf"|{_COUNT_UNITS})?(?P<half>半)?"
)
_RANGE_JOIN = re.compile(r"\s*(?:-|–|—|~|～|至|到|、|或者?|/)\s*(?:第)?$")
_WORKDAYS = re.compile(r"(?:个)?工作日")


def number(text: str) -> Decimal | None:
    """The value of a written number (1,200.5, 一千二百, 二〇二一, 两万, 半), or None."""
    text = text.replace(",", "").strip()
    if text == "半":
        return Decimal("0.5")
    try:
        return Decimal(text)
    except InvalidOperation:
        value = parse_numeral(text)
        return None if value is None else Decimal(value)


@lru_cache(maxsize=4096)
def find_values(text: str) -> tuple[Found, ...]:
    """All values of `text` in order, without overlaps; the most specific reading wins."""
    taken = [False] * len(text)
    found: list[Found] = []

    def add(
        kind: ValueKind, value: str, unit: str, start: int, end: int, one: bool = False
    ) -> None:
        while end > start and text[end - 1].isspace():
            end -= 1
        if end > start and not any(taken[start:end]):
            taken[start:end] = [True] * (end - start)
            found.append(Found(kind, value, unit, text[start:end], start, end, one))

    for match in _EMAIL.finditer(text):
        add("email", match.group().lower(), "", *match.span())
    for match in _URL.finditer(text):
        add("url", match.group().rstrip(".,").lower(), "", *match.span())
    for match in _DATE.finditer(text):
        add("date", _date(match), "", *match.span())
    for match in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if len(digits) >= 7 or re.search(r"电话|热线|拨打|致电|客服", text[: match.start()][-12:]):
            add(
                "phone",
                digits.removeprefix("86") if len(digits) > 12 else digits,
                "",
                *match.span(),
            )
    for pattern in (_TIME, _TIME_HAN):
        for match in pattern.finditer(text):
            clock = _time(match)
            if clock and not _is_duration(text, match):
                add("time", clock, "", *match.span())
    for match in _PERCENT.finditer(text):
        value = number(match["a"] or match["b"] or match["c"] or match["e"])
        if value is not None:
            scale = 100 if match["part"] == "万" else 10 if match["mille"] or match["e"] else 1
            add("percent", _plain(value / scale), "%", *match.span())
    for match in _MEASURED.finditer(text):
        _add_measured(text, match, add)
    found.sort(key=lambda value: value.start)
    return tuple(_with_range_units(text, found))


class _Add(Protocol):
    def __call__(
        self, kind: ValueKind, value: str, unit: str, start: int, end: int, one: bool = False
    ) -> None: ...


def _add_measured(text: str, match: re.Match[str], add: _Add) -> None:
    written, unit = match["n"], match["unit"] or ""
    value = number(written)
    if value is None:
        return
    han = not written[0].isdigit()
    if match["ordinal"]:
        follow = re.compile(_ORDINAL_UNITS).match(text, match.end("n"))
        end = follow.end() if follow else match.end("n")
        add("ordinal", _plain(value), follow.group() if follow else "", match.start(), end)
        return
    if match["scale"]:
        value *= _SCALES[match["scale"]]
    if han and not unit:
        return  # 一般, 统一, 十分: a numeral without a unit is mostly part of a word
    start, end = match.span()
    if han and (written + unit in _IDIOMS or unit in _NEED_DIGITS):
        return
    workdays = _WORKDAYS.match(text, match.end("n"))
    if workdays:
        add("duration", _plain(value), "工作日", start, workdays.end())
    elif unit in _MONEY_UNITS:
        add("money", _plain(value), _MONEY_UNITS[unit], start, end)
    elif unit in _DURATION_UNITS:
        if match["half"]:
            value += Decimal("0.5")
        add("duration", _plain(value), _DURATION_UNITS[unit], start, end, False)
    elif unit:
        if match["half"]:
            end -= 1
        add("count", _plain(value), _count_unit(unit), start, end, han and value == 1)
    else:
        add("number", _plain(value), "", start, end)


def _count_unit(unit: str) -> str:
    return {"周岁": "岁", "千米": "公里", "km": "公里", "千克": "公斤", "kg": "公斤", "℃": "度",
            "°C": "度", "摄氏度": "度", "名": "人", "位": "人"}.get(unit, unit)  # fmt: skip


def _with_range_units(text: str, found: list[Found]) -> list[Found]:
    """In 3-5天 and 3至5个工作日 the first number has the second one's unit."""
    result = list(found)
    for index in range(len(result) - 2, -1, -1):
        left, right = result[index], result[index + 1]
        between = text[left.end : right.start]
        measured = right.kind in ("duration", "money", "count", "percent")
        if left.kind == "number" and measured and _RANGE_JOIN.fullmatch(between):
            result[index] = left._replace(kind=right.kind, unit=right.unit)
    return result


def _date(match: re.Match[str]) -> str:
    year = match["y"] or match["y2"] or match["y3"]
    month = match["m"] or match["m2"] or match["m4"]
    day = match["d"] or match["d4"]
    parts = [f"{_int(year):04d}" if year else "-"]
    parts += [f"{_int(part):02d}" for part in (month, day) if part]
    return "-".join(parts)


def _int(text: str) -> int:
    value = number(text)
    return int(value) if value is not None else 0


def _time(match: re.Match[str]) -> str:
    hour = number(match["h"])
    if hour is None or hour > 24:
        return ""
    groups = match.groupdict()
    minute = 30 if groups.get("half") else int(groups.get("mi") or 0)
    part = groups.get("part") or ""
    if part in ("下午", "晚上", "晚") and hour < 12:
        hour += 12
    return f"{int(hour):02d}:{minute:02d}"


def _is_duration(text: str, match: re.Match[str]) -> bool:
    """Whether 8点/8时 here counts (8小时制, 三点要求) rather than tells the clock."""
    groups = match.groupdict()
    if "half" not in groups:
        return False
    if groups.get("part") or groups.get("mi"):
        return False
    before, after = text[: match.start()][-1:], text[match.end() :][:2]
    if not match["h"][0].isdigit():
        return True
    return (before in "第.．" and before != "") or after[:1] in tuple("要意建")


def _plain(value: Decimal) -> str:
    text = format(value.normalize(), "f")
    return "0" if text in ("-0", "") else text
