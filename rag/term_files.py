"""Dictionaries as CSV files: read from what people have, written so that it comes back the same.

A row is a term, then its synonyms, one to a cell or several in a cell with ； 、 | between them.
No term holds one of these marks (`checked_word`), so that a file never says two things.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag.errors import InvalidInput, TooLarge, ZhiwenError
from rag.text.normalise import normalise
from rag.text.readable import readable
from rag.text.tokenise import STOP_WORDS
from rag.types import Term

LONGEST = 40
"""Characters of a term or synonym; the keyword search keeps no longer word whole."""
MOST_SYNONYMS = 20
MOST_TERMS = 10_000
"""Synonyms of a term, terms of a knowledge base; chosen by us."""
LARGEST_BYTES = 4 * 1024 * 1024
"""Largest file; four times what `MOST_TERMS` rows of usual length take. Chosen by us."""

SEPARATORS = ",，;；、|｜"
_BETWEEN = re.compile(f"[{re.escape(SEPARATORS)}\n\t]+")
_BLANK = re.compile(r"\s+")
_LETTER = re.compile(r"[^\W_]")
_HEAD = frozenset(
    ["词", "词语", "术语", "词条", "主词", "标准词", "标准名称", "名称", "term", "word"]
)
_HEAD_OTHERS = ("同义词", "近义词", "别名", "其他说法", "其他名称", "synonym", "alias", "other")
_FORMULA = "=+-@＝＋－＠'"
"""A spreadsheet takes a cell that begins with one of these for a formula or, after ', for text."""


@dataclass(frozen=True)
class Entry:
    """A term with its synonyms, checked; `key` is the normalised term."""

    text: str
    key: str
    synonyms: tuple[str, ...]


@dataclass(frozen=True)
class BadRow:
    """A row that is left out: its line from 1, what it says, and why it cannot be used."""

    line: int
    text: str
    error: ZhiwenError


def checked_word(text: str) -> str:
    """A term or synonym as it is kept: without line breaks and doubled or outer spaces.

    Raises:
        InvalidInput: it is empty, too short or too long, holds control characters or a mark
            that separates synonyms, or only asks or connects.
    """
    word = _BLANK.sub(" ", _seen(readable(text))).strip()
    key = normalise(word)
    if readable(text) != text.replace("\r\n", "\n").replace("\r", "\n"):
        raise _bad(
            word, "含有看不见的控制字符", "请重新输入", "holds control characters", "Retype it"
        )
    if not _LETTER.search(key):
        raise InvalidInput(
            "没有填写词。" if not word else f"“{word}”里没有文字。",
            "请填写一个词。",
            message_en="No word is given." if not word else f"“{word}” has no letters.",
            remedy_en="Enter a word.",
        )
    if max(len(word), len(key)) > LONGEST:
        raise _bad(
            word,
            f"太长了：{len(word)} 个字，最多 {LONGEST} 个字",
            "词典里放词语和名称，不放句子",
            f"has {len(word)} characters; the limit is {LONGEST}",
            "Enter words and names, not sentences",
        )
    if any(mark in word for mark in SEPARATORS):
        raise _bad(
            word,
            "含有逗号、顿号、分号或竖线",
            "这些符号用来分隔同义词，请拆成几个词",
            "holds a comma, semicolon or bar",
            "These separate synonyms; enter several words",
        )
    if len(key) < 2:
        raise _bad(
            word,
            "只有一个字，会碰到太多问题",
            "请填写两个字以上的词",
            "is a single letter and would meet too many questions",
            "Enter two letters or more",
        )
    if key in STOP_WORDS:
        raise _bad(
            word,
            "是提问或连接用的词，不代表具体事物",
            "请换一个词",
            "only asks or connects",
            "Choose another word",
        )
    return word


def _seen(text: str) -> str:
    """Without zero-width and direction marks, which come along with text copied from web pages."""
    return "".join(c for c in text if unicodedata.category(c) != "Cf")


def entry(text: str, synonyms: Iterable[str]) -> Entry:
    """A checked entry; a synonym that repeats the term or another one is left out.

    Raises:
        InvalidInput: a word cannot be used, or there are too many synonyms.
    """
    word = checked_word(text)
    others: dict[str, str] = {}
    for synonym in synonyms:
        if synonym.strip():
            other = checked_word(synonym)
            others.setdefault(normalise(other), other)
    others.pop(normalise(word), None)
    if len(others) > MOST_SYNONYMS:
        raise InvalidInput(
            f"“{word}”的同义词太多：{len(others)} 个，最多 {MOST_SYNONYMS} 个。",
            "请只留常用的说法。",
            message_en=f"“{word}” has {len(others)} synonyms; the limit is {MOST_SYNONYMS}.",
            remedy_en="Keep those in common use.",
        )
    return Entry(word, normalise(word), tuple(others.values()))


def split_synonyms(text: str) -> list[str]:
    """What people type into one field: synonyms with marks or line breaks between them."""
    return [part for part in _BETWEEN.split(text) if part.strip()]


def read_file(data: bytes) -> tuple[list[Entry], list[BadRow]]:
    """The entries of a CSV file, and the rows that cannot be used. Rows of one term are joined.

    Args:
        data: UTF-8, UTF-16 with its mark or GB18030; cells between commas, semicolons or tabs;
            with a line of names on top or without.

    Raises:
        TooLarge: the file is larger than `LARGEST_BYTES`.
        InvalidInput: it is no text, or holds nothing.
    """
    if len(data) > LARGEST_BYTES:
        raise TooLarge(
            f"文件太大了，最大 {LARGEST_BYTES // 1024 // 1024} MB。",
            "请拆成几个文件分别导入。",
            message_en=f"The file is larger than {LARGEST_BYTES // 1024 // 1024} MB.",
            remedy_en="Import it in parts.",
        )
    text = _decoded(data)
    found: dict[str, Entry] = {}
    bad: list[BadRow] = []
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    first, line = True, 1
    try:
        for row in rows:
            begun, line = line, rows.line_num + 1
            cells = [cell for cell in map(_unguarded, row) if cell.strip()]
            if not cells or (first and cells[0].startswith("sep=")):  # Excel's note of its mark.
                continue
            if first:
                first = False
                if _is_head(cells):
                    continue
            _take(cells, begun, found, bad)
    except csv.Error as error:
        bad.append(BadRow(line, "", _unreadable(str(error))))
    if not found and not bad:
        raise InvalidInput(
            "文件里没有词。",
            "每行一个词，后面是它的同义词，用逗号隔开。",
            message_en="The file holds no terms.",
            remedy_en="Write one term to a line, its synonyms behind it with commas between.",
        )
    return list(found.values()), bad


def write_file(terms: Sequence[Term]) -> bytes:
    """The terms as CSV in UTF-8 with its mark, which spreadsheets open without asking. No cell
    is taken for a formula."""
    made = io.StringIO(newline="")
    writer = csv.writer(made)
    most = max((len(term.synonyms) for term in terms), default=0)
    writer.writerow(["词", *(f"同义词{n}" for n in range(1, max(most, 1) + 1))])
    for term in terms:
        writer.writerow([_guarded(cell) for cell in (term.text, *term.synonyms)])
    return codecs.BOM_UTF8 + made.getvalue().encode("utf-8")


def _take(cells: Sequence[str], line: int, found: dict[str, Entry], bad: list[BadRow]) -> None:
    text, others = cells[0], cells[1:]
    if not others:  # One column for all.
        text, *others = split_synonyms(text) or [""]
    try:
        made = entry(text, [part for cell in others for part in split_synonyms(cell)])
        known = found.get(made.key)
        if known is not None:
            made = entry(known.text, (*known.synonyms, made.text, *made.synonyms))
        found[made.key] = made
    except InvalidInput as error:
        bad.append(BadRow(line, "，".join(cells), error))


def _decoded(data: bytes) -> str:
    encodings = ["utf-8-sig", "gb18030"]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings = ["utf-16"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" not in text:
            return text
    raise InvalidInput(
        "这个文件不是文本，读不出来。",
        "请在表格软件里另存为“CSV UTF-8”，再导入。",
        message_en="This file is not text.",
        remedy_en="Save it as “CSV UTF-8” in your spreadsheet program and import that.",
    )


def _delimiter(text: str) -> str:
    """Tabs where the first line that has any mark has one, as pasted cells do; commas else. Other
    marks separate within a cell."""
    first = next((line for line in text.splitlines() if "\t" in line or "," in line), "")
    return "\t" if "\t" in first and "," not in first else ","


def _is_head(cells: Sequence[str]) -> bool:
    if len(cells) == 1:
        cells = split_synonyms(cells[0]) or cells
    first, *others = [normalise(cell) for cell in cells]
    named = all(other.startswith(_HEAD_OTHERS) for other in others)
    return (first in _HEAD and named) or first in ("词和同义词", "词,同义词")


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell[:1] and cell[0] in _FORMULA else cell


def _unguarded(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] and cell[1] in _FORMULA else cell


def _unreadable(detail: str) -> InvalidInput:
    return InvalidInput(
        "这一行及以后的内容读不出来，引号可能没有成对。",
        "请检查引号是否成对。",
        message_en="This line and those behind it cannot be read; a quotation mark may be alone.",
        remedy_en="Check that quotation marks come in pairs.",
        detail=detail,
    )


def _bad(word: str, what: str, remedy: str, what_en: str, remedy_en: str) -> InvalidInput:
    shown = word if len(word) <= LONGEST else f"{word[:LONGEST]}…"
    return InvalidInput(
        f"“{shown}”{what}。",
        f"{remedy}。",
        message_en=f"“{shown}” {what_en}.",
        remedy_en=f"{remedy_en}.",
    )
