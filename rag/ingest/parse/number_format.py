"""Numbers as a spreadsheet's number format shows them: part of the parse step.

Covers what people meet (digits, thousands, percent, currency, leading zeros, scientific,
fractions of a unit, texts around the number); colours and conditions only choose the section.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

_TOKEN = re.compile(r'"([^"]*)"|[\\!](.)|_.|\*.|\[([^\]]*)\]', re.DOTALL)
_CURRENCY = re.compile(r"\$([^\-\]]*)(-[0-9A-Fa-f]+)?")
_PLACE = re.compile(r"[0#?][0#?,]*(?:\.[0#?]*)?|\.[0#?]+")
_SCIENTIFIC = re.compile(r"([0#?]+(?:\.([0#?]+))?)[Ee]([+-])([0#?]+)")
_FRACTION = re.compile(r"[?#0]\s*/\s*[?#\d]")
_MARK = "\x00"
_MAX_DIGITS = 15
"""Significant digits that a spreadsheet keeps."""


def number_text(value: float, number_format: str = "General") -> str:
    """A number as its format shows it.

    Formats that aren't understood, and "General", give the number with up to 15 digits, never
    in scientific notation where it is a whole number (codes, card numbers).
    """
    sections = _sections(number_format)
    section, negative = _choose(sections, value)
    pattern, literals = _strip_literals(section)
    shown = abs(value) if negative else value
    if "general" in pattern.lower():
        text = re.sub("general", lambda _: plain_number(shown), pattern, count=1, flags=re.I)
        return _with_literals(text, literals).strip()
    if not _PLACE.search(pattern) or _FRACTION.search(pattern):
        return plain_number(value)
    try:
        text = _formatted(Decimal(repr(shown)), pattern)
    except (InvalidOperation, ValueError, OverflowError):
        return plain_number(value)
    return _with_literals(text, literals).strip() or plain_number(value)


def plain_number(value: float) -> str:
    """A number without a format: whole ones in full, others without binary noise."""
    if isinstance(value, int):
        return str(value)
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if value.is_integer() and abs(value) < 1e21:
        # Digits beyond what a spreadsheet keeps are noise of its own.
        return format(Decimal(f"{value:.{_MAX_DIGITS}g}"), "f")
    # Repeating 0.1 + 0.2 in binary is noise beyond what a spreadsheet keeps.
    text = f"{value:.12g}" if abs(value) < 1e6 else f"{value:.{_MAX_DIGITS}g}"
    if "e" not in text:
        return text
    return format(Decimal(text), "f") if 1e-10 < abs(value) < 1e21 else text


def _sections(number_format: str) -> list[str]:
    parts, current, quoted, skip = [], "", False, False
    for character in number_format:
        if skip:
            skip = False
        elif character in "\\!":
            skip = True
        elif character == '"':
            quoted = not quoted
        elif character == ";" and not quoted:
            parts.append(current)
            current = ""
            continue
        current += character
    return [*parts, current]


def _choose(sections: list[str], value: float) -> tuple[str, bool]:
    """The section for a value, and whether that section itself shows that it is negative."""
    conditioned = any(re.match(r"\[[<>=]", section) for section in sections)
    if conditioned:
        return sections[-1] if len(sections) > 1 else sections[0], False
    if value < 0 and len(sections) > 1 and sections[1]:
        return sections[1], True
    if value == 0 and len(sections) > 2 and _PLACE.search(_strip_literals(sections[2])[0]):
        return sections[2], False
    return sections[0], False


def _strip_literals(section: str) -> tuple[str, list[str]]:
    """The section with its literal texts replaced by marks, and those texts."""
    literals: list[str] = []

    def replace(match: re.Match[str]) -> str:
        quoted, escaped, bracket = match.groups()
        if bracket is not None:
            money = _CURRENCY.fullmatch(bracket)
            text = money[1] if money else ""
        elif quoted is not None or escaped is not None:
            text = quoted if quoted is not None else escaped
        else:
            text = ""  # blanks as wide as a character, or repeated to fill the cell
        if not text:
            return ""
        literals.append(text)
        return _MARK

    return _TOKEN.sub(replace, section), literals


def _formatted(value: Decimal, pattern: str) -> str:
    science = _SCIENTIFIC.search(pattern)
    if science and value == value.to_integral_value() and abs(value) < 10**_MAX_DIGITS:
        # A code or an amount in a column that became too narrow: its digits matter.
        return pattern[: science.start()] + f"{value:f}" + pattern[science.end() :]
    if science:
        places = len(science[2] or "")
        mantissa, _, exponent = f"{value:.{places}E}".partition("E")
        power = int(exponent)
        sign = "-" if power < 0 else ("+" if science[3] == "+" else "")
        text = f"{mantissa}E{sign}{abs(power):0{len(science[4])}d}"
        return pattern[: science.start()] + text + pattern[science.end() :]
    if "%" in pattern:
        value *= 100 ** pattern.count("%")
    groups = list(_PLACE.finditer(pattern))
    if len(groups) > 1 and "." not in pattern:
        return _spread(value, pattern, groups)
    match = groups[0]
    digits = match[0]
    whole, _, fraction = digits.partition(".")
    while whole.endswith(","):  # each comma behind the digits is a thousand less
        whole, value = whole[:-1], value / 1000
    places = len(fraction)
    rounded = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    text = f"{abs(rounded):,f}" if "," in whole else f"{abs(rounded):f}"
    head, _, tail = text.partition(".")
    least = len(whole.replace(",", "").lstrip("#?")) if whole else 0
    if "," not in whole:
        head = head.zfill(least)
    if head == "0" and least == 0:
        head = ""
    optional = len(fraction) - len(fraction.rstrip("#?"))
    for _ in range(optional):
        tail = tail[:-1] if tail.endswith("0") else tail
    number = head + ("." + tail if tail else "")
    sign = "-" if rounded < 0 else ""
    return sign + pattern[: match.start()] + number + pattern[match.end() :]


def _spread(value: Decimal, pattern: str, groups: list[re.Match[str]]) -> str:
    """Digits over several groups, as in telephone numbers: "000-0000-0000"."""
    for _ in range(len(groups[-1][0]) - len(groups[-1][0].rstrip(","))):
        value /= 1000
    digits = f"{abs(value).quantize(Decimal(1), rounding=ROUND_HALF_UP):f}"
    digits = digits.zfill(sum(group[0].count("0") for group in groups))
    for group in reversed(groups[1:]):
        size = len(group[0].replace(",", ""))
        pattern = pattern[: group.start()] + digits[-size:] + pattern[group.end() :]
        digits = digits[:-size]
    first = groups[0]
    sign = "-" if value < 0 else ""
    return sign + pattern[: first.start()] + digits + pattern[first.end() :]


def _with_literals(text: str, literals: list[str]) -> str:
    parts = text.split(_MARK)
    filled = [parts[0]]
    for part, literal in zip(parts[1:], literals, strict=False):
        filled.extend((literal, part))
    return "".join(filled)
