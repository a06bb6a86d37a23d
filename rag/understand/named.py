"""Documents and records that a question names without the marks 《》.

The titles of the selected knowledge bases are the dictionary. A title is also known without
its region and year ("租房补贴办法" for "北京市租房补贴办法（2024年）") and without what stands in
brackets at its end ("砂锅居" for "砂锅居（西四店）").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rag.text.normalise import normalise
from rag.understand.lexicon import words_of
from rag.understand.words import boundaries

SHORTEST, LONGEST = 2, 60
"""Characters of a name; longer titles are sentences, shorter ones letters (chosen by us)."""
_SURE_LENGTH = 4
"""Characters from which a name needs no borders of words around it (chosen by us)."""
_KINDS = words_of("""
公告 通知 通告 附件 目录 封面 说明 前言 概述 简介 正文 其他 备注 文件 文档 资料 表格 模板 报告 纪要
合同 协议 制度 办法 规定 条例 标准 规范 手册 指南 方案 清单 数据 信息 内容 问题 faq readme
""")
"""Titles that name a kind of text, so that the word in a question means no document."""
_INSTITUTION = re.compile(
    r"(?:酒店|宾馆|饭店|旅馆|旅店|客栈|公寓|餐厅|公司|集团|大学|学院|学校|中学|小学|银行|医院|协会"
    r"|中心|大厦|大楼|民宿|书院|景区|乐园|公园|广场|[店馆园厅楼城寺庙宫街村镇站院所厂社])$"
)
"""Ends of names of houses and bodies."""
_RULE = re.compile(
    "[法例]$|办法|条例|规定|细则|通知|公告|政策|标准|制度|规范|规程|意见|决定|方案|指南|手册|补贴|津贴|待遇"
    "|计划|规划|报告|公报|纪要|清单|目录|合同|协议|章程|流程|价格|价目"
)
"""What titles of rules and reports hold: their region is where they apply."""
_TAIL = re.compile(r"\([^()]*\)$")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a text: text[start:end] stands for one of `titles`, as documents write them."""

    text: str
    start: int
    end: int
    titles: tuple[str, ...]
    placed: bool = False

    @property
    def institution(self) -> bool:
        """Whether it names a house or a body: a region in it is part of its name.

        A title that is no rule's, of a document that is said to be for no region, is one too.
        """
        if not self.placed and not any(_RULE.search(title) for title in self.titles):
            return True
        return all(
            _INSTITUTION.search(form.rstrip(")")) or _INSTITUTION.search(_TAIL.sub("", form))
            for form in map(_form, self.titles)
        )


class Names:
    """The titles of a knowledge base, by their first two characters."""

    def __init__(self, titles: Iterable[tuple[str, str, bool]]) -> None:
        """Index titles.

        Args:
            titles: each as written, its bare form (see `bare_title`), and whether its
                document is said to be for a region.
        """
        forms: dict[str, dict[str, bool]] = {}
        self._placed: set[str] = set()
        for title, bare, placed in titles:
            if placed:
                self._placed.add(title)
            whole, short = _form(title), _form(bare)
            shorter = short if len(short) >= _SURE_LENGTH else ""
            for form, exact in ((whole, True), (_TAIL.sub("", whole), False), (shorter, False)):
                if SHORTEST <= len(form) <= LONGEST and form not in _KINDS and not form.isdigit():
                    forms.setdefault(form, {}).setdefault(title, exact)
        self._titles: dict[str, tuple[str, ...]] = {}
        self._starts: dict[str, list[str]] = {}
        for form, known in forms.items():
            exact_ones = tuple(title for title, exact in known.items() if exact)
            self._titles[form] = exact_ones or tuple(known)
            self._starts.setdefault(form[:2], []).append(form)
        for starting in self._starts.values():
            starting.sort(key=len, reverse=True)

    def find(self, text: str) -> list[Named]:
        """The names in a normalised text, the longest ones, in order, without overlaps."""
        found: list[Named] = []
        compact, at = _compact(text)
        position = 0
        while position < len(compact) - 1:
            form = self._at(compact, position)
            if form is None:
                position += 1
                continue
            end = position + len(form)
            start, stop = at[position], at[end - 1] + 1
            titles = self._titles[form]
            placed = any(title in self._placed for title in titles)
            found.append(Named(text[start:stop], start, stop, titles, placed))
            position = end
        return found

    def _at(self, text: str, position: int) -> str | None:
        for form in self._starts.get(text[position : position + 2], ()):
            if text.startswith(form, position) and _stands_alone(text, position, form):
                return form
        return None


def _form(title: str) -> str:
    return _SPACES.sub("", normalise(title)).strip("《》")


def _compact(text: str) -> tuple[str, list[int]]:
    """The text in lower case without spaces, and where each character stood."""
    at = [i for i, letter in enumerate(text) if not letter.isspace()]
    return "".join(text[i].lower() for i in at), at


def _stands_alone(text: str, start: int, form: str) -> bool:
    """Whether a form is a name there: no part of a longer word or code."""
    end = start + len(form)
    before, after = text[:start][-1:], text[end:][:1]
    if _same_run(before, form[0]) or _same_run(form[-1], after):
        return False
    if len(form) >= _SURE_LENGTH:
        return True
    edges = boundaries(text)
    return start in edges and end in edges


def _same_run(a: str, b: str) -> bool:
    """Whether two letters or digits that touch belong to one code or number."""
    return bool(a and b) and a.isascii() and b.isascii() and a.isalnum() and b.isalnum()
