"""What the lines say that stand at the edges of pages: part of the parse and clean steps.

A running header is no content where the document says the same elsewhere. What it alone says
(a document's number and version, an account, a client) stays once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")

_ROMAN = r"(?=[ivxlc])(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_NUMBER = rf"(?:\d{{1,4}}|{_ROMAN}|[一二三四五六七八九十百〇○]{{1,5}}(?=\s*[页頁\-—–]))"
_PAGE_NUMBER = re.compile(
    rf"[-—–~·•|\s(（\[【<《]*(?:第\s*)?{_NUMBER}"
    r"\s*(?:页|頁)?\s*(?:[/／|]|共|of|,|，)?\s*(?:共\s*)?"
    r"(?:\d{1,4})?\s*(?:页|頁)?[-—–~·•|\s)）\]】>》]*"
    r"|page\s*:?\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?|(?:P|PP|Pg)\.?\s*\d{1,4}"
    r"|页码\s*[:：]?\s*\d{1,4}(?:\s*[/／]\s*\d{1,4})?"
    r"|共\s*\d{1,4}\s*[页頁]\s*[,，、]?\s*第\s*\d{1,4}\s*[页頁]",
    re.IGNORECASE,
)
_PAGE_PART = re.compile(
    r"[(（\[]?\s*第\s*[\d一二三四五六七八九十百]{1,5}\s*[页頁](?:\s*[/／,，、]?\s*[(（]?共\s*[\d一二三四五六七八九十百]{1,5}\s*[页頁][)）]?)?"
    r"\s*[)）\]]?|共\s*[\d一二三四五六七八九十百]{1,5}\s*[页頁](?:\s*[/／,，、]?\s*第\s*\d{1,5}\s*[页頁])?"
    r"|\bpage\s*:?\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?|页码\s*[:：]?\s*\d{1,4}(?:\s*[/／]\s*\d{1,4})?"
    r"|(?<![\d/／.-])\d{1,4}\s*[/／]\s*\d{1,4}$",
    re.IGNORECASE,
)
"""Page numbers as the whole of a line, and inside one."""

_HAN_NUMBER = re.compile(r"[-—–·\s]*[一二三四五六七八九十百〇○]{1,5}[-—–·\s]*")
_DIGITS = re.compile(r"\d+|[一二三四五六七八九十百]+(?=[页頁])")
_CAPTION = re.compile(
    r"(?:续?(?:图|表)|附图|附表|附件|插图|图表|例|公式|Fig(?:ure)?|Table|Chart|照片|步骤|问题?)"
    r"\s*[.．:]?\s*[A-Z]?[#一二三四五六七八九十]",
    re.IGNORECASE,
)
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−－", "-"))
_PIECES = re.compile(r"[ \t\u00a0\u2000-\u200a　]{2,}|\s*[|｜│•·]\s*|\s+[-—–]\s+|\t")
_LABEL = re.compile(r"[^\s:：,，。;；]{1,12}\s*[:：]\s*\S")
_CODE = re.compile(
    r"[A-Za-z]+[-_./ ]?\d|\d[-_./]?[A-Za-z]|〔\d{4}〕|\[\d{4}\]\d|No\.?\s*\d|\d{6,}", re.I
)
_NEXT_LABEL = re.compile(r"\s+(?=[^\s:：,，。;；]{1,12}[:：])")
_EDGE = "-~·•|()[]<>《》【】"
_PAGE_WORD = re.compile(r"(?:page|pg|p|页码):?\.?$", re.IGNORECASE)
_GOES_ON = re.compile(r"[-./年月日]\d|[年月日号.、]|[A-Za-z]")
_HAS_BEGUN = re.compile(r"(?:\d[-./年月]|[A-Za-z][-./]?)$")
_SHORTEST_NUMBERED = 8
"""Lines of no more characters may be page numbers with a chapter's ("3-12", "A-5")."""

_OUTER = " \t\u00a0　|｜/-—–·,，"

_LEAST_TOLD = 2
"""Characters without a number that say something ("A-12" doesn't beyond its number)."""

_NEAR_LINES = 16
_NEAR_PAGES = 4
_ALIKE = 0.8
"""How many lines before and behind are compared with one; lines on pages no farther apart
than the second are one when this share of them is alike. Chosen by us."""

_SHORT = 4
_LINE_ROOM = 8
_MIN_RUN = 5
_SAID_SHARE = 0.7
_MOST_LOOKS = 200
"""Pieces shorter than the first number of characters are said only by a line that is no
longer than they are by the second; longer ones also by runs of at least the third, which
make up this share of them, which is looked at for so many lines. Chosen by us."""


def is_page_number(text: str) -> bool:
    """Whether a line is a page number and nothing else ("12", "第 3 页", "- 4 -", "2/10")."""
    text = " ".join(text.split())
    return bool(_PAGE_NUMBER.fullmatch(text)) and any(c.isalnum() for c in text)


def is_caption(text: str) -> bool:
    """Whether a line names a numbered figure, table or step ("图2 现场照片")."""
    return bool(_CAPTION.match(line_key(text)))


def flat(text: str) -> str:
    """A text as lines are compared: without blanks, of one width and with one kind of dash."""
    return unicodedata.normalize("NFKC", "".join(text.split())).translate(_DASHES)


def line_key(text: str) -> str:
    """The line without its numbers, which may change from page to page."""
    one = flat(text)
    return "#" if _HAN_NUMBER.fullmatch(one) else _DIGITS.sub("#", one)


@lru_cache(maxsize=4096)
def numbers_of(text: str) -> tuple[int, ...]:
    """The numbers in a line, at most nine digits of each."""
    return tuple(int(digits[:9]) for digits in re.findall(r"\d+", flat(text)))


def stays(a: str, b: str, apart: int) -> bool:
    """Whether two lines with the same key are one but for the page number in them.

    Args:
        apart: how many pages after the line `a` the line `b` stands.
    """
    one, other = numbers_of(a), numbers_of(b)
    if len(one) != len(other):
        return True
    return all(
        y == x or (y - x == apart and may_count)
        for x, y, may_count in zip(one, other, _may_count(a), strict=True)
    )


class Peers:
    """Lines with the same key: which of their numbers count the pages."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._first: dict[int, tuple[int, ...]] = {}
        self._changing: dict[int, list[bool]] = {}
        for numbers in map(numbers_of, texts):
            first = self._first.setdefault(len(numbers), numbers)
            known = self._changing.setdefault(len(numbers), [False] * len(numbers))
            for place, (x, y) in enumerate(zip(first, numbers, strict=True)):
                known[place] = known[place] or x != y

    def lasting(self, text: str) -> tuple[int, ...]:
        """The numbers of one of the lines but for the page numbers in it."""
        counting = self._counting(text)
        return tuple(n for n, c in zip(numbers_of(text), counting, strict=True) if not c)

    def told(self, text: str) -> str:
        """One of the lines without the page numbers in it, "" when there is nothing else."""
        counting = self._counting(text)
        places = [match.span() for match in re.finditer(r"\d+", text)]
        if len(places) == len(counting) and any(counting) and not _PAGE_PART.search(text):
            for (start, end), counts in reversed(list(zip(places, counting, strict=True))):
                text = f"{text[:start]} {text[end:]}" if counts else text
            if text.isascii() and len(flat(text).strip(_EDGE)) < _LEAST_TOLD:
                return ""
        return without_page_number(text)

    def _counting(self, text: str) -> list[bool]:
        changing = self._changing.get(len(numbers_of(text)), [])
        return [c and m for c, m in zip(changing, _may_count(text), strict=True)]


def near_peers(same: Sequence[T], index: int) -> Sequence[T]:
    """The lines with the same key on the pages round one of them; enough to tell whether it
    repeats, however many pages there are."""
    return same[max(index - _NEAR_LINES, 0) : index + _NEAR_LINES + 1]


@lru_cache(maxsize=4096)
def _may_count(text: str) -> tuple[bool, ...]:
    """For each number of a line, whether its place is one of page numbers: beside 页 or
    "page", or first or last in a line, but not part of a date, a code or a labelled value."""
    one = flat(text)
    found: list[bool] = []
    first, last = len(one) - len(one.lstrip(_EDGE)), len(one.rstrip(_EDGE))
    short = len(one) <= _SHORTEST_NUMBERED
    for match in re.finditer(r"\d+", one):
        before, after = one[: match.start()], one[match.end() :]
        if after[:1] in ("页", "頁") or _PAGE_WORD.search(before):
            found.append(True)
        elif ":" in one:
            found.append(False)
        elif match.start() == first:
            found.append(short or not _GOES_ON.match(after))
        else:
            found.append(match.end() == last and (short or not _HAS_BEGUN.search(before)))
    return tuple(found)


def without_page_number(text: str) -> str:
    """A running line without the page number in it ("质量手册　第 3 页" is "质量手册")."""
    return _PAGE_PART.sub(" ", text).strip(_OUTER)


def has_facts(text: str) -> bool:
    """Whether a line gives a value for a label, or a code: "文件编号：QMS-07"."""
    text = without_page_number(text)
    return bool(_LABEL.search(text) or _CODE.search(text))


def labels_of(text: str) -> set[str]:
    """The labels in a line that have a value, but for that of the page's number."""
    if ":" not in text and "：" not in text:
        return set()
    found = re.findall(r"([^\s:：,，。;；]{1,12})\s*[:：]\s*\S", without_page_number(text))
    return {flat(label) for label in found}


def pages_of_records(labels: Iterable[tuple[int, set[str]]]) -> set[int]:
    """The pages with a record of their own at the edge, where what is the same on others
    (`性别：女`) tells something about this one.

    Args:
        labels: the numbers of pages, and the labels of a line there that doesn't repeat. The
            same label on two pages gives two values.
    """
    pages: dict[str, set[int]] = {}
    for page, names in labels:
        for name in names:
            pages.setdefault(name, set()).add(page)
    return {page for found in pages.values() if len(found) > 1 for page in found}


class Keys:
    """The keys of lines, those of lines that were recognised nearly alike made the same."""

    def __init__(self) -> None:
        self._recent: dict[str, int] = {}

    def of(self, text: str, page: int) -> str:
        """The key of a recognised line; lines are given page by page."""
        own = line_key(text)
        if own not in self._recent:
            near = [key for key, last in self._recent.items() if page - last <= _NEAR_PAGES]
            self._recent = {key: self._recent[key] for key in near}
            own = next((key for key in near if _is_misread(key, own)), own)
        self._recent[own] = page
        return own


def _is_misread(key: str, other: str) -> bool:
    if abs(len(key) - len(other)) > 2 or min(len(key), len(other)) < _MIN_RUN:
        return False
    return SequenceMatcher(None, key, other, autojunk=False).ratio() >= _ALIKE


class Said:
    """What a document says in its content, to compare running lines with."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = [line for line in map(flat, lines) if line]
        self._text = "\n".join(self._lines)
        self._added = ""
        self._looks = _MOST_LOOKS

    def add(self, line: str) -> None:
        """Take in one more line."""
        self._lines.append(flat(line))
        self._added += "\n" + self._lines[-1]

    def says(self, text: str) -> bool:
        """Whether all that a running line tells, page numbers aside, is said here too.

        A label with its value must be here as it is; names and titles may stand in two lines
        or lack a small rest without digits.
        """
        text = "" if is_page_number(text) else without_page_number(text)
        if not any(c.isalnum() for c in text) or self._has(flat(text)):
            return True
        pieces = [p for part in _PIECES.split(text) for p in _NEXT_LABEL.split(part)]
        return all(self._has(piece) or self._covers(piece) for piece in map(flat, pieces))

    def _has(self, piece: str) -> bool:
        if not any(c.isalnum() for c in piece):
            return True
        if len(piece) < _SHORT:
            room = len(piece) + _LINE_ROOM
            return any(len(line) <= room and piece in line for line in self._lines)
        return piece in self._text or piece in self._added

    def _covers(self, piece: str) -> bool:
        if self._looks <= 0 or _LABEL.search(piece):
            return False
        self._looks -= 1
        rest = ""
        start = 0
        while start < len(piece):
            end = start + _MIN_RUN
            while end <= len(piece) and piece[start:end] in self._text:
                end += 1
            end -= 1
            if end - start >= _MIN_RUN:
                start = end
            else:
                rest += piece[start]
                start += 1
        letters = sum(c.isalnum() for c in rest)
        plain = not any(c.isdigit() or (c.isascii() and c.isalpha()) for c in rest)
        return plain and letters <= (1 - _SAID_SHARE) * len(piece)
