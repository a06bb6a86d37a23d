"""When a document was published, comes into force and ends: part of `describe`."""

from __future__ import annotations

import re
from datetime import date

_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d{2})\s?(?:年|[-/.])\s?(\d{1,2})\s?(?:月|[-/.])\s?(\d{1,2})(?!\d)\s?日?"
)
_CHINESE_DATE = re.compile(
    r"([一二][〇○零ＯO一二三四五六七八九]{3})年([一二三四五六七八九十]{1,2})月([一二三四五六七八九十]{1,3})日"
)
_PUBLISHED = re.compile(
    r"(?:发布|公布|印发|颁布|成文|制定|签发|修订|编制|更新)\s*(?:日期|时间)?\s*[:：]?\s*$"
)
_AFTER_PUBLISHED = re.compile(r"^\s*(?:发布|公布|印发|颁布)")
_EFFECTIVE = re.compile(
    r"(?:自|从|于|由)?\s*(?P<date>(?:19|20)\d{2}\s?[年\-/.]\s?\d{1,2}\s?[月\-/.]\s?\d{1,2}\s?日?)"
    r"\s*(?:起|开始)?\s*(?:正式)?\s*(?:施行|实施|生效|执行|起施行)"
)
_EFFECTIVE_STATED = re.compile(
    r"(?:施行|实施|生效|执行)(?:日期|时间)\s*[:：]?\s*(?P<date>(?:19|20)\d{2}\s?[年\-/.]\s?\d{1,2}"
    r"\s?[月\-/.]\s?\d{1,2})"
)
_ON_PUBLICATION = re.compile(r"自(?:公布|发布|印发|颁布)之日起(?:施行|实施|执行|生效)")
_EXPIRY = re.compile(
    r"(?:有效期(?:至|到|截至|截止)|失效日期\s*[:：]?|废止日期\s*[:：]?|有效期限?至|有效期[^。；\n]{0,25}?[至到])\s*"
    r"(?P<date>(?:19|20)\d{2}\s?[年\-/.]\s?\d{1,2}\s?[月\-/.]\s?\d{1,2})"
)
_VALID_YEARS = re.compile(r"有效期(?:为|是)?\s*([一二三四五六七八九十两\d]{1,2})\s*年")
_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"○": 0, "零": 0, "O": 0, "两": 2}
_PASSED = re.compile(r"通过|公布|发布|修正|修订|批准|印发")


def text_dates(head: str) -> list[date]:
    """Dates of the adoption and changes of the document, from lines of its head that speak
    of nothing else ("2014年7月31日 …会议通过")."""
    found: list[date] = []
    for line in head.split("\n")[:30]:
        line = line.strip(" ()（）")
        match = _DATE.match(line)
        if match and len(line) < 200 and _PASSED.search(line) and (day := _as_date(match)):
            found.append(day)
            # A second change in the same line; what it changed stands in 《》.
            rest = re.sub(r"《[^》]*》", "", line[match.end() :])
            found.extend(d for m in _DATE.finditer(rest) if (d := _as_date(m)))
    return found


def publish_date(head: str, tail: str, dates: list[date]) -> date | None:
    """The date that the document gives as its publication, last change or signature."""
    for match in _DATE.finditer(head):
        before, after = head[max(0, match.start() - 12) : match.start()], head[match.end() :][:6]
        line = head[head.rfind("\n", 0, match.start()) + 1 :].split("\n", 1)[0]
        stated = _PUBLISHED.search(before) or (_AFTER_PUBLISHED.match(after) and len(line) < 60)
        if stated and (day := _as_date(match)):
            return max([day, *dates])
    if dates:
        return max(dates)
    lines = [line.strip() for line in (*head.split("\n")[:12], *tail.split("\n")[-8:])]
    for line in reversed(lines):
        # A signature or a cover: a date alone in its line.
        whole = _DATE.fullmatch(line) or _CHINESE_DATE.fullmatch(line)
        if whole and (day := _as_date(whole)):
            return day
    return None


def effective_date(text: str, dates: list[date], published: date | None) -> date | None:
    """The date from which the document applies; the last one that the text states for
    itself, because a quoted rule comes before the closing clause."""
    stated = _EFFECTIVE_STATED.search(text[:3000])
    if stated and (day := _parsed(stated["date"])):
        return day
    own = [
        day
        for match in _EFFECTIVE.finditer(text)
        if not _about_others(text, match.start()) and (day := _parsed(match["date"]))
    ]
    if own:
        return own[-1]
    return published if _ON_PUBLICATION.search(text[-1500:]) and not dates[1:] else None


def expiry_date(text: str, start: date | None) -> date | None:
    """The date until which the document applies, stated or by its years of validity."""
    match = _EXPIRY.search(text)
    if match and (day := _parsed(match["date"])):
        return day
    match = _VALID_YEARS.search(text)
    if match is None or start is None:
        return None
    years = int(match[1]) if match[1].isdecimal() else _DIGITS.get(match[1], 10)
    try:
        return start.replace(year=start.year + years)
    except ValueError:
        return date(start.year + years, 3, 1)


def _about_others(text: str, position: int) -> bool:
    """Whether the sentence up to here names another document or only a part."""
    sentence = re.split(r"[。；\n]", text[max(0, position - 120) : position])[-1]
    return "《" in sentence or "废止" in sentence


def _parsed(text: str) -> date | None:
    match = _DATE.match(text)
    return _as_date(match) if match else None


def _as_date(match: re.Match[str]) -> date | None:
    try:
        return date(*(_number(part) for part in match.groups()))
    except ValueError:
        return None


def _number(text: str) -> int:
    if text.isdecimal() and text.isascii():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
    return int("".join(str(_DIGITS.get(c, 0)) for c in text))
