"""Amounts, ratings and durations in a text, with their ranges and bounds (slots of DESIGN §4).

"50-100元", "不超过两百块", "评分4.5以上", "玩2、3个小时", "免费": each is one value with a lower
and an upper bound. Dates and points in time are the matter of `rag.understand.times`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rag.text.numerals import NUMERAL_LETTERS, parse_numeral

Kind = Literal["amount", "rating", "duration", "share"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity named in a text: `text` is text[start:end].

    `low` and `high` are its bounds in `unit`, both included; None is open. One figure has
    both alike. `unit` is 元, 分, % or the unit of time as written (年, 个月, 天, 小时, …).
    """

    text: str
    start: int
    end: int
    kind: Kind
    low: float | None
    high: float | None
    unit: str

    @property
    def value(self) -> str:
        """Canonical: "50-100元", "20元以下", "4.5分以上", "3天", "免费"."""
        if self.kind == "amount" and self.high == 0:
            return "免费"
        if self.kind == "amount" and self.low == 0 and self.high is None:
            return "不免费"
        if self.low is not None and self.high is not None:
            same = self.low == self.high
            return f"{_plain(self.low)}{'' if same else '-' + _plain(self.high)}{self.unit}"
        if self.low is not None:
            return f"{_plain(self.low)}{self.unit}以上"
        return f"{_plain(self.high or 0)}{self.unit}以下"


def find_quantities(text: str) -> list[Quantity]:
    """The quantities of a text in order, without overlaps.

    The text is taken as it is: normalise it first if it may hold wide digits. A figure
    without a unit counts only behind a word that tells what it is (价格, 评分, …).
    """
    found: list[Quantity] = []
    for match in _FIGURE.finditer(text):
        quantity = _read(text, match)
        if quantity and not any(quantity.start < f.end and f.start < quantity.end for f in found):
            found.append(quantity)
    for pattern, low, high in ((_NOT_FREE, 0.0, None), (_FREE, 0.0, 0.0)):
        for match in pattern.finditer(text):
            if not any(match.start() < f.end and f.start < match.end() for f in found):
                found.append(Quantity(match.group(), *match.span(), "amount", low, high, "元"))
    return sorted(found, key=lambda quantity: quantity.start)


_NUMBER = (
    r"(?:\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
    rf"|[{NUMERAL_LETTERS}]+(?:点[{NUMERAL_LETTERS}]+)?|半)"
)
_SCALE = "(?:万亿|亿|百万|十万|千万|万|千|百)"
_SCALES = {
    **{"百": 1e2, "千": 1e3, "万": 1e4, "十万": 1e5, "百万": 1e6, "千万": 1e7},
    **{"亿": 1e8, "万亿": 1e12},
}
_MONEY = "(?:元(?:人民币)?|块钱?|圆|人民币|rmb|yuan|美元|港元|港币|欧元|日元|英镑)"
_TIME = (
    "(?:个?(?:半)?(?:小时|钟头|月|季度|工作日|星期|礼拜|学期)|分钟|秒钟?|天|日|年|晚|周?岁"
    "|周(?![岁边围末一二三四五六日]))"
)
_POINTS = "分(?!钟|之|公司|[店行局部院米类为期工成别开享配析子数贝段批次])"
_UNIT = rf"(?:{_MONEY}|{_POINTS}|{_TIME}|%|个百分点|折)"
_BEFORE = (
    "(?:不(?:超过|高于|大于|多于|低于|少于|小于|足|到|满)|(?:大|小|高|低|多|少)于|超过|至少|最少|最多|至多|最高|最低"
    "|顶多|未满|满|≥|>=|≤|<=|>|<)"
)
_AFTER = (
    "(?:及|或|含)?(?:以上|以下|之上|之下|以内|之内|以外|(?<=[分元])上|内(?![容部外地])"
    "|起步?(?![来床诉点草义]))"
)
_JOIN = r"\s*(?:-|—|–|~|～|至|到|、)\s*"
_FIGURE = re.compile(
    rf"(?P<before>{_BEFORE})?\s*(?P<share>百分之)?(?:[¥￥]\s*)?(?<![\d.A-Za-z第{NUMERAL_LETTERS}])(?P<a>{_NUMBER})(?P<sa>{_SCALE})?(?P<half>个半(?=小时|月|钟头))?(?P<ua>\s*{_UNIT})?"
    rf"(?:{_JOIN}(?(ua)(?<!、))(?:[¥￥]\s*)?(?P<b>{_NUMBER})(?P<sb>{_SCALE})?"
    rf"(?P<ub>\s*{_UNIT})?)?"
    rf"(?:\s*分)?(?P<after>\s*{_AFTER})?",
    re.I,
)
_PRICED = re.compile(
    "(?:价[格位钱]?|票价|房价|单价|售价|人均|消费|门票|预算|费用|租金|房租|月租|工资|薪资|月薪|年薪|收入|报销|补贴|押金|罚款|金额|额度|上限|标的|合同价|标准)"
    r"(?:标准|水平|金额|价格)?(?:最好|大概|大约|要|得|就)*(?:在|是|为|:|：|有)?(?:最好|大概|大约)*\s*$"
)
_AFTER_AMOUNT = "的，,。？?！!吗呢、；; 和与或要是需可能该"
"""What may follow an amount that has no unit: 50万以上的合同, but not 50万以上人口."""
_RATED = re.compile(
    r"(?:评分|得分|打分|评价|分数|口碑)(?:最好|要|得)*(?:在|是|为|有|达到|达|能到|:|：)?(?:最好)?\s*$"
)
_RATED_AFTER = re.compile(r"(?:左右)?的?(?:评分|得分|打分)")
# Round the clock: a service, no length of time.
_ROUND_THE_CLOCK = re.compile(r"(?:24|二十四)个?小时(?=[\u4e00-\u9fff])(?![内以之后前左的及或])")
_FREE = re.compile(
    "(?<!不要)(?:免费|免票|免门票|白玩|不收费|零元|无需(?:门票|付费|买票)"
    "|不(?:用|要|收|需要?|花)(?:门票|票|钱|费用?|买票)(?:钱|费)?|没有?(?:门票|费用)(?:费|钱)?)"
)
_NOT_FREE = re.compile(
    "(?:不要?|非|没有?)(?:是)?免(?:费|票)的?|(?:要|需要?)(?:收费|付费|门票|买票)的?|收费(?=的|景点)"
)
# 两三百, 七八千: two digits that follow each other.
_PAIR = re.compile(
    "(?P<digits>一两|一二|[两二]三|三四|三五|四五|五六|六七|七八|八九)(?P<rest>[十百千万]{0,2})"
)
_LOWER = ("以上", "之上", "上", "起", "起步", "以外")


def _read(text: str, match: re.Match[str]) -> Quantity | None:
    low, high = _value(match["a"], match["sa"], match["sb"]), None
    pair = _PAIR.fullmatch(match["a"])
    if pair:
        low = _value(pair["digits"][0] + pair["rest"], match["sa"], None)
    if match["half"] and low is not None:
        low += 0.5
    unit = (match["ub"] or match["ua"] or "").strip().lower()
    if low is None:
        return None
    if unit == "折" and low >= 10:  # 八五折
        low /= 10
    if match["b"]:
        high = _value(match["b"], match["sb"], None)
        if high is None or not (kind := _kind(text, match, unit)):
            return None
        first = (match["ua"] or "").strip().lower()
        if first and unit and first != unit and kind == "duration":
            return _made(match, kind, low, high, first, unit)
        return _made(match, kind, min(low, high), max(low, high), _unit(kind, unit))
    kind = _kind(text, match, unit)
    if kind is None:
        return None
    name = _unit(kind, unit)
    if pair:
        ends = [_value(digit + pair["rest"], match["sa"], None) for digit in pair["digits"]]
        if ends[0] is not None and ends[1] is not None and ends[1] - ends[0] > 0:
            return _made(match, kind, ends[0], ends[1], name)
    before, after = match["before"] or "", (match["after"] or "").strip().lstrip("及或含")
    if after in _LOWER or before in _AT_LEAST:
        return _made(match, kind, low, None, name)
    if after or before in _AT_MOST:
        return _made(match, kind, None, low, name)
    return _made(match, kind, low, low, name)


_AT_LEAST = (
    *("不低于", "不少于", "不小于", "大于", "高于", "多于", "超过", "至少", "最少", "满"),
    *("≥", ">=", ">"),
)
_AT_MOST = (
    *("不超过", "不高于", "不大于", "不多于", "不足", "不到", "不满", "未满", "小于", "低于"),
    *("少于", "最多", "至多", "顶多", "≤", "<=", "<"),
)


def _kind(text: str, match: re.Match[str], unit: str) -> Kind | None:
    said = text[: match.start("a")]
    said = said[: match.start("before")] if match["before"] else said
    if unit in ("%", "个百分点", "折") or match["share"]:
        return "share"
    if re.fullmatch(_MONEY, unit) or re.search(r"[¥￥]\s*$", text[: match.start("a")]):
        return "amount"
    if unit == "分":
        return None if match["a"] in ("十", "百", "万") and not match["after"] else "rating"
    if unit:
        return "duration" if _is_duration(text, match, unit) else None
    large = (match["sb"] or match["sa"] or "")[-1:] in ("万", "亿")
    if large and (match["after"] or match["before"] or _PRICED.search(said)):
        rest = text[match.end() :][:1]
        return "amount" if not rest or rest in _AFTER_AMOUNT else None
    if not match["a"][0].isdigit():
        return None
    if _RATED.search(said) or _RATED_AFTER.match(text, match.end()):
        return "rating"
    return "amount" if _PRICED.search(said) else None


def _is_duration(text: str, match: re.Match[str], unit: str) -> bool:
    """3年 is a length of time; 2023年, 5月3日 and 第3天 are none."""
    figure = match["b"] or match["a"]
    if _ROUND_THE_CLOCK.match(text, match.start("a")) or (figure == "四" and unit == "周"):
        return False
    if unit == "日" or (unit == "年" and len(figure) == 4 and figure.isdigit()):
        return False
    if unit == "月":
        return False
    rest = text[match.end() :][:1]
    return not (unit == "年" and rest and rest in "度级代")


def _unit(kind: Kind, unit: str) -> str:
    if kind == "amount":
        return unit if unit in ("美元", "港元", "港币", "欧元", "日元", "英镑") else "元"
    if kind == "rating":
        return "分"
    if kind == "duration":
        if unit in ("个小时", "个星期", "个工作日"):
            return unit.removeprefix("个")
        return "岁" if unit == "周岁" else unit
    return unit or "%"


def _value(figure: str, scale: str | None, behind: str | None) -> float | None:
    """The number; the scale behind a range holds for its first figure too (3-5万元)."""
    if figure == "半":
        number: float | None = 0.5
    elif figure[0].isdigit():
        number = float(figure.replace(",", ""))
    else:
        number = _spoken(figure)
    return None if number is None else number * _SCALES.get(scale or behind or "", 1)


def _spoken(figure: str) -> float | None:
    whole, _, part = figure.partition("点")
    number = parse_numeral(whole)
    if number is None:
        return None
    digits = "".join(str(parse_numeral(c)) for c in part) if part else "0"
    return float(f"{number}.{digits}") if digits.isdigit() else None


def _made(
    match: re.Match[str],
    kind: Kind,
    low: float | None,
    high: float | None,
    unit: str,
    last: str = "",
) -> Quantity:
    """With two units ("12小时到3天") both bounds are counted in the first one's text."""
    start, end = match.span()
    words = match.group()
    start += len(words) - len(words.lstrip())
    if last:
        unit = _unit(kind, unit)
        high = None if high is None else high * _HOURS.get(last, 1) / _HOURS.get(unit, 1)
    return Quantity(words.strip(), start, end, kind, low, high, unit)


_HOURS = {"分钟": 1 / 60, "小时": 1, "天": 24, "周": 168, "星期": 168}


def _plain(number: float) -> str:
    return f"{number:.10g}" if number < 1e15 else f"{number:.0f}"
