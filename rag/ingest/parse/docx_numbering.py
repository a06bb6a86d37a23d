"""Automatic numbering of Word documents, computed from numbering.xml.

Word stores "第三条" only as "paragraph of list 7, level 0"; the text of the number is the
result of counting. This module counts as Word does: per abstract list and level, a deeper
level restarts when a higher one advances, and an instance may override its start.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"

_DIGITS = "〇一二三四五六七八九"
_LEGAL_DIGITS = "零壹贰叁肆伍陆柒捌玖"
_MAX_LEVELS = 9
_MAX_NUMBER = 1_000_000


@dataclass
class Level:
    """One level of a list definition. `text` holds %1 … %9 for the levels' numbers; `suffix`
    is what stands behind the number: "tab", "space" or "nothing"."""

    format: str = "decimal"
    text: str = ""
    start: int = 1
    restart_after: int | None = None
    legal: bool = False
    style: str | None = None
    suffix: str = "tab"


@dataclass
class _List:
    abstract: str
    starts: dict[int, int] = field(default_factory=dict)
    levels: dict[int, Level] = field(default_factory=dict)


class Numbering:
    """The numbers of one document, asked paragraph by paragraph in document order.

    Args:
        root: the root element of numbering.xml, or None when there is none.
    """

    def __init__(self, root: Any | None) -> None:
        self._abstract: dict[str, dict[int, Level]] = {}
        self._lists: dict[str, _List] = {}
        self._counters: dict[str, list[int | None]] = {}
        self._started: set[str] = set()
        if root is not None:
            self._read(root)

    def number(self, list_id: str, level: int) -> str:
        """Advance the list and return the number's text; empty for bullets and no list."""
        instance = self._lists.get(list_id)
        definition = self.level(list_id, level)
        if instance is None or definition is None:
            return ""
        counters = self._counters.setdefault(instance.abstract, [None] * _MAX_LEVELS)
        if list_id not in self._started:
            self._started.add(list_id)
            for overridden in instance.starts:
                counters[overridden] = None
        current = counters[level]
        start = instance.starts.get(level, definition.start)
        counters[level] = start if current is None else current + 1
        for deeper in range(level + 1, _MAX_LEVELS):
            after = (self.level(list_id, deeper) or Level()).restart_after
            if after != 0 and (after is None or level < after):
                counters[deeper] = None
        return self._text(list_id, definition, counters)

    def is_bullet(self, list_id: str, level: int) -> bool:
        """Whether the level has a mark instead of a number."""
        definition = self.level(list_id, level)
        return definition is not None and definition.format == "bullet"

    def level(self, list_id: str, level: int) -> Level | None:
        """The definition that applies to a level of a list."""
        instance = self._lists.get(list_id)
        if instance is None:
            return None
        own = instance.levels.get(level)
        return own or self._abstract.get(instance.abstract, {}).get(level)

    def level_of_style(self, list_id: str, style: str) -> int | None:
        """The level that a list ties to a paragraph style."""
        for level in range(_MAX_LEVELS):
            definition = self.level(list_id, level)
            if definition is not None and definition.style == style:
                return level
        return None

    def _read(self, root: Any) -> None:
        style_lists: dict[str, str] = {}
        links: dict[str, str] = {}
        for abstract in root.iter(W + "abstractNum"):
            key = abstract.get(W + "abstractNumId")
            self._abstract[key] = {
                _integer(level.get(W + "ilvl"), 0): _read_level(level)
                for level in abstract.findall(W + "lvl")
            }
            defines, uses = _value(abstract, "styleLink"), _value(abstract, "numStyleLink")
            if defines:
                style_lists[defines] = key
            if uses:
                links[key] = uses
        for key, style in links.items():
            if style in style_lists:
                self._abstract[key] = self._abstract[style_lists[style]]
        for number in root.iter(W + "num"):
            instance = _List(_value(number, "abstractNumId") or "")
            for override in number.findall(W + "lvlOverride"):
                level = min(_integer(override.get(W + "ilvl"), 0), _MAX_LEVELS - 1)
                start = _value(override, "startOverride")
                if start is not None:
                    instance.starts[level] = _integer(start, 1)
                own = override.find(W + "lvl")
                if own is not None:
                    instance.levels[level] = _read_level(own)
            self._lists[number.get(W + "numId")] = instance

    def _text(self, list_id: str, definition: Level, counters: list[int | None]) -> str:
        if definition.format in ("bullet", "none"):
            return ""

        def replace(match: re.Match[str]) -> str:
            position = int(match[1]) - 1
            level = self.level(list_id, position) or Level()
            value = counters[position]
            if value is None:
                value = level.start
            return format_number(value, "decimal" if definition.legal else level.format)

        return re.sub(r"%([1-9])", replace, definition.text)


def format_number(value: int, number_format: str) -> str:
    """A number in one of Word's formats; decimal where the format is unknown."""
    if number_format in ("upperRoman", "lowerRoman"):
        roman = _roman(value)
        return roman if number_format == "upperRoman" else roman.lower()
    if number_format in ("upperLetter", "lowerLetter"):
        letter = chr(65 + (value - 1) % 26) * ((value - 1) // 26 + 1) if value > 0 else ""
        return letter if number_format == "upperLetter" else letter.lower()
    if number_format in _COUNTING:
        return chinese_number(value)
    if number_format in ("chineseLegalSimplified", "ideographLegalTraditional"):
        return chinese_number(value, _LEGAL_DIGITS, "拾佰仟")
    if number_format in ("ideographDigital", "japaneseDigitalTenThousand"):
        return "".join(_DIGITS[int(digit)] for digit in str(value))
    if number_format in ("decimalEnclosedCircle", "decimalEnclosedCircleChinese"):
        return _enclosed(value, (0x2460, 1, 20), (0x3251, 21, 35), (0x32B1, 36, 50))
    if number_format == "decimalEnclosedParen":
        return _enclosed(value, (0x2474, 1, 20))
    if number_format == "decimalEnclosedFullstop":
        return _enclosed(value, (0x2488, 1, 20))
    if number_format == "ideographEnclosedCircle":
        return _enclosed(value, (0x3280, 1, 10))
    if number_format in ("aiueo", "aiueoFullWidth"):
        return _KANA[(value - 1) % len(_KANA)]
    if number_format in ("iroha", "irohaFullWidth"):
        return _IROHA[(value - 1) % len(_IROHA)]
    if number_format == "numberInDash":
        return f"- {value} -"
    if number_format == "ideographTraditional":
        return "甲乙丙丁戊己庚辛壬癸"[(value - 1) % 10]
    if number_format == "ideographZodiac":
        return "子丑寅卯辰巳午未申酉戌亥"[(value - 1) % 12]
    if number_format == "decimalZero":
        return f"{value:02d}"
    if number_format in ("decimalFullWidth", "decimalFullWidth2"):
        return "".join(chr(0xFF10 + int(digit)) for digit in str(value))
    return str(value)


_COUNTING = {
    "chineseCounting", "chineseCountingThousand", "taiwaneseCounting", "japaneseCounting",
    "taiwaneseCountingThousand", "koreanCounting",
}  # fmt: skip
_KANA = (
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
)
_IROHA = (
    "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
)


def _enclosed(value: int, *ranges: tuple[int, int, int]) -> str:
    """The number in its own character, from ranges of (first character, first, last)."""
    for code, first, last in ranges:
        if first <= value <= last:
            return chr(code + value - first)
    return str(value)


def chinese_number(value: int, digits: str = "零一二三四五六七八九", units: str = "十百千") -> str:
    """1..9999 as 一 … 九千九百九十九; other values in decimal digits."""
    if not 0 < value < 10_000:
        return str(value)
    text, pending_zero = "", False
    for power in (3, 2, 1, 0):
        digit = value // 10**power % 10
        if digit == 0:
            pending_zero = bool(text)
            continue
        text += digits[0] if pending_zero else ""
        pending_zero = False
        # 10..19 are 十, 十一 …, not 一十 (legal numerals keep the one).
        leading_ten = power == 1 and digit == 1 and not text and units[0] == "十"
        text += ("" if leading_ten else digits[digit]) + (units[power - 1] if power else "")
    return text


def _roman(value: int) -> str:
    text = ""
    for amount, letters in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
        (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        text += letters * (value // amount)
        value %= amount
    return text


def _read_level(element: Any) -> Level:
    restart = _value(element, "lvlRestart")
    legal = element.find(W + "isLgl")
    return Level(
        format=_format(element),
        text=_value(element, "lvlText") or "",
        start=_integer(_value(element, "start"), 1),
        restart_after=None if restart is None else _integer(restart, 0),
        legal=legal is not None and legal.get(W + "val") not in ("0", "false"),
        style=_value(element, "pStyle"),
        suffix=_value(element, "suff") or "tab",
    )


def _format(element: Any) -> str:
    """The number format; for custom ones the alternative for older programs."""
    found = _value(element, "numFmt")
    if found is not None:
        return found
    formats = [f.get(W + "val") for f in element.iter(W + "numFmt")]
    usual = [f for f in formats if f and f != "custom"]
    return usual[-1] if usual else "decimal"


def _integer(value: str | None, default: int) -> int:
    """A number of the file, the default where it is none or nobody could have meant it."""
    try:
        number = int(value or "")
    except ValueError:
        return default
    return number if 0 <= number < _MAX_NUMBER else default


def _value(element: Any, name: str) -> str | None:
    child = element.find(W + name)
    if child is None:
        return None
    value = child.get(W + "val")
    return None if value is None else str(value)
