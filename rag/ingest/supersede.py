"""Finds which documents are older versions of the same rule: part of keeping knowledge current.

Two documents are versions of one another when they have the same title without its version
marks ("（2018修正）", "V2.0", "试行") and nothing else sets them apart. A year that the content
is about ("2023年度…", "…办法（2023年）") is no version mark: annual documents stand side by
side, because last year's rule still holds for last year.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from pathlib import PurePath
from typing import NamedTuple

from rag.types import DocumentInfo, DocumentMetadata

_YEAR = r"(?:19|20)\d{2}"
_ORDINAL = r"第\s*[一二三四五六七八九十\d]+\s*"
_DRAFT = r"(?:修[订正])?(?:草案|讨论稿|送审稿|征求意见稿|公开征求意见稿|初稿|草稿)"
_REVISED = r"(?:最新)?(?:修[订正改]|修编|新修[订正]|更新)(?:文?本|版本?|稿|案)?"
_MARK = re.compile(
    rf"(?:{_YEAR}\s*年?\s*(?:{_ORDINAL}次)?(?:{_REVISED}|[新]?版本?)"
    rf"|{_YEAR}\s*(?:[-./年]\s*\d{{1,2}}\s*[-./月]\s*\d{{1,2}}\s*日?|[01]\d[0-3]\d(?!\d))"
    rf"\s*(?:{_REVISED}|起?施行|发布|公布|版)?"
    rf"|{_ORDINAL}(?:次{_REVISED}|[版稿])"
    r"|(?:版本号?|[Vv]er(?:sion)?\.?|[Rr]ev\.?)\s*[:：]?\s*(?:\d+(?:\.\d+)*|[A-Z])版?"
    # "手册v3" has a version, "电动车V5" is a name.
    r"|[Vv]\d+(?:\.\d+)+版?|(?:^|(?<=[\s_(\-册书表法度定范程南引版]))[Vv]\d+版?"
    rf"|{_DRAFT}|{_REVISED}|试行|暂行|最新版?|现行有效|已被修改|终稿|定稿|正式版?|公开版|全文|副本"
    r"|原[文版]|[新旧]版)"
)
_COPY = re.compile(r"\s*\(\d{1,2}\)$")
"""What browsers and file managers add to a second copy's name."""
_STANDARD = re.compile(
    rf"\b([A-Z]{{1,4}}\d{{0,2}}(?:/[A-Z]{{1,2}})?\s?\d{{2,6}}(?:\.\d+)?)\s?[-—–]\s?({_YEAR})(?!\d)"
)
_BRACKETS = re.compile(r"[(\[【][^()\[\]【】]{1,40}[)\]】]")
_PROVISIONAL = re.compile(r"(?:暂行|试行)(?=办法|规定|条例|规则|细则|标准|规程|制度|意见|方案)")
_PROMULGATION = re.compile(
    r"^.{0,40}?(?:关于)?(?:印发|发布|公布|颁布|修订印发|重新印发)(?:修订后的)?《(.+)》的(?:通知|公告|通告|决定|令)$"
)
_EDITION_YEAR = re.compile(
    rf"({_YEAR})\s*年?\s*(?:{_ORDINAL}次)?(?:\d{{1,2}}月\d{{1,2}}日)?(?:{_REVISED}|新?版)"
    rf"|[_\s(（-]({_YEAR})(?:[01]\d[0-3]\d)(?!\d)"
)
_EDITION_NUMBER = re.compile(
    r"(?:版本号?|ver(?:sion)?\.?|v|rev\.?)\s*[:：]?\s*(\d+(?:\.\d+)*)"
    r"|第\s*([一二三四五六七八九十\d]+)\s*(?:版|次修)",
    re.IGNORECASE,
)
_NOT_WORDS = re.compile(r"[\s《》〈〉“”\"'‘’·•,，、.。:：;；_/\\|—–\-()\[\]【】]+")
_HAN_NUMBERS = {c: n for n, c in enumerate("一二三四五六七八九十", start=1)}
_SINGLE_EVENTS = frozenset(
    {"纪要", "报告", "公报", "简历", "合同", "协议", "函", "批复", "决定", "决议"}
)
"""Kinds of documents that each record one event or case; a later one replaces none."""
_SERIAL = re.compile(r"[日周旬月季年]报|简报|通讯|记录|纪要|台账|动态|快讯")
_LEAST_TITLE = 4
"""Characters of a title from which it names a document rather than a part ("附件", "说明");
chosen by us: 员工手册 and 公司章程 have four."""


def superseded(infos: Iterable[DocumentInfo]) -> dict[str, str]:
    """Which documents are older versions, and of which current one.

    Args:
        infos: documents of any knowledge bases; only those of one base are compared. Hidden
            and unpublished ones neither replace others nor are they replaced.

    Returns:
        id of each older version → id of the newest version of the same rule. Documents whose
        order in time isn't certain are left out.
    """
    groups: dict[tuple[str, str], list[DocumentInfo]] = defaultdict(list)
    for info in infos:
        if info.version > 0 and info.status == "indexed" and not info.hidden:
            key = title_key(title_of(info))
            named = len(key) >= _LEAST_TITLE or key.endswith("法")
            if named and not _is_event(key, info.metadata.document_type):
                groups[info.kb_id, key].append(info)
    found: dict[str, str] = {}
    for group in groups.values():
        if len(group) > 1:
            found |= _older_ones(group)
    return found


def title_of(info: DocumentInfo) -> str:
    """The title that documents are compared by: the stated one, else the file's name."""
    return info.metadata.title or info.title or PurePath(info.name.replace("\\", "/")).stem


def title_key(title: str) -> str:
    """A title without version marks, brackets, punctuation and case: equal for the versions
    of one rule. The year that an annual document is about stays in it."""
    text = _COPY.sub("", unicodedata.normalize("NFKC", title).strip())
    promulgated = _PROMULGATION.match(text)
    if promulgated:
        text = promulgated[1]
    # Marks stand in brackets or at the end; the same words elsewhere are part of the name.
    text = _STANDARD.sub(r"\1", text)
    text = _BRACKETS.sub(lambda match: "" if _only_marks(match[0][1:-1]) else match[0], text)
    text = _without_final_marks(text)
    return _NOT_WORDS.sub("", _PROVISIONAL.sub("", text)).lower()


def edition(title: str) -> tuple[int | None, tuple[int, ...]]:
    """Year and number of the edition that a title is marked with: (2023, ()) for
    "（2023年修订）", (None, (2, 1)) for "V2.1"."""
    text = unicodedata.normalize("NFKC", title)
    year, standard = _EDITION_YEAR.search(text), _STANDARD.search(text)
    number = _EDITION_NUMBER.search(text)
    shown = (number[1] or number[2]).split(".") if number else []
    parts = tuple(_HAN_NUMBERS.get(part) or _whole(part) for part in shown)
    marked = (year[1] or year[2]) if year else standard[2] if standard else None
    return (int(marked) if marked else None), parts


def begins(about: DocumentMetadata) -> date | None:
    """The day from which this text of a rule holds. An amended one still states the day on
    which its first text came into force; what was changed holds since the change."""
    return max((day for day in (about.effective_date, about.publish_date) if day), default=None)


class _Order(NamedTuple):
    """What tells which of two versions is the later one; unknown parts are None or empty."""

    began: date | None
    year: int | None
    number: tuple[int, ...]
    draft: bool


def _older_ones(group: list[DocumentInfo]) -> dict[str, str]:
    orders = {info.id: _order(info) for info in group}
    newest: dict[str, str] = {}
    for old in group:
        later = [
            new
            for new in group
            if new.id != old.id
            and _comparable(old, new)
            and _is_later(orders[new.id], orders[old.id])
        ]
        for candidate in later:
            if not any(_is_later(orders[other.id], orders[candidate.id]) for other in later):
                newest[old.id] = candidate.id
                break
    return newest


def _order(info: DocumentInfo) -> _Order:
    title = title_of(info)
    marked, number = edition(title)
    about = info.metadata
    return _Order(
        began=begins(about),
        year=marked or about.year,
        number=number,
        draft=re.search(_DRAFT, title) is not None,
    )


def _comparable(one: DocumentInfo, other: DocumentInfo) -> bool:
    """Whether nothing says that they are rules of different places, bodies or products."""
    for field in ("region", "organisation", "product", "language"):
        mine, theirs = getattr(one.metadata, field), getattr(other.metadata, field)
        # A body's short name lies in its full one; a district's path in no city's.
        alike = field == "organisation" and mine and theirs and (mine in theirs or theirs in mine)
        if mine and theirs and mine != theirs and not alike:
            return False
    return True


def _is_later(new: _Order, old: _Order) -> bool:
    """Whether `new` certainly came after `old`; a draft never comes after what is in force."""
    if new.draft and not old.draft:
        return False
    pairs = (
        (new.began, old.began),
        (new.year, old.year),
        (new.number or None, old.number or None),
    )
    for later, earlier in pairs:
        if later is not None and earlier is not None and later != earlier:
            return bool(later > earlier)  # type: ignore[operator]
    # A final text without another date follows its draft.
    return old.draft and not new.draft


def _is_event(key: str, document_type: str | None) -> bool:
    return document_type in _SINGLE_EVENTS or _SERIAL.search(key) is not None


def _only_marks(text: str) -> bool:
    return not _NOT_WORDS.sub("", _MARK.sub("", text)).strip("及和并年")


def _without_final_marks(text: str) -> str:
    while True:
        stripped = text.rstrip(" _-—–·.,，、")
        for match in _MARK.finditer(stripped):
            if match.end() == len(stripped) and match.start() > 0:
                stripped = stripped[: match.start()]
                break
        if stripped == text:
            return text
        text = stripped


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() else 0
