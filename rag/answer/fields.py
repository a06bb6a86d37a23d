"""Fields and columns: whether a name is what was asked for, and whether a value can answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.answer.asks import Asked, answers_kind, key_answers
from rag.answer.pieces import Piece
from rag.answer.terms import content_terms, coverage
from rag.text.normalise import normalise

if TYPE_CHECKING:
    from rag.answer.rank import Question

_DATE_KEY = re.compile(r"(.{2,6})(?:日期|时间|(?<!工作)(?<![假息])日)")
_ONE_PRICE = re.compile(
    r"(?:多少钱|几块钱?|几元|多少元?)一[^\s年月天日晚次]|一[个台件只套支把张本瓶盒箱包条块根米斤吨]"
    r"(?:要|卖|是)?(?:多少|几)|每[个台件只套支把张本瓶盒箱包条块根米斤吨](?:要|卖|是)?(?:多少|几)"
)
_ALL_PRICE = re.compile(r"(?:一共|总共|合计|总计|共)(?:要|花了?|是|付)?(?:多少|几)")
_SUM_KEY = re.compile(r"金额|总价|合计|小计|总额")
_DIMENSIONS = tuple(
    (re.compile(asks), re.compile(holds))
    for asks, holds in (
        ("多[高宽厚长深](?![久时期])|尺寸|长宽高", "尺寸|高|宽|厚|长|深|规格|大小"),
        ("多重|重量|几[公千]?[斤克]重", "重"),
        ("多快", "速|频率"),
    )
)
"""Ways to ask for a measure and the names of fields that hold it."""
_SYMBOL = re.compile(r"(?<=[\u4e00-\u9fff])[^\u4e00-\u9fff]+$")
"""What follows a column's name: ΔE, Pa·s, %."""


def column_names(key: str) -> tuple[str, ...]:
    """How a question may call a field or column, normalised, the fullest first: without unit
    and symbol (色差ΔE, 光泽保持率/%), and of two levels (预算/实际) the inner one."""
    bare = normalise(re.sub(r"[（(].*?[)）]", "", key)).strip()
    levels = [part.strip() for part in re.split(r"[/／]", bare) if part.strip()]
    names = [bare, *reversed(levels)] if len(levels) > 1 else [bare]
    names += [_SYMBOL.sub("", name) for name in names]
    return tuple(dict.fromkeys(name for name in names if len(name) > 1))


def named_columns(question: Question, keys: Sequence[str]) -> frozenset[str]:
    """The keys or columns that the question names itself, without those that it only holds as
    part of a longer one (合计 in 价税合计)."""
    focus = normalise(question.focus)
    named = {key: [n for n in column_names(key) if n in focus] for key in keys}
    fullest = {key: max(names, key=len) for key, names in named.items() if names}
    return frozenset(
        key
        for key, name in fullest.items()
        if not any(name != other and name in other and focus.count(name) <= focus.count(other)
                   for other in fullest.values())
    )  # fmt: skip


def of_unit(question: Question, key: str) -> bool | None:
    """Whether a column is the price of one where such a price is asked for (多少钱一台), or the sum
    where that is; None where it is neither, or the question leaves it open."""
    if "money" not in question.asked.kinds:
        return None
    if _ALL_PRICE.search(question.focus) and _SUM_KEY.search(key):
        return True
    if not _ONE_PRICE.search(question.focus):
        return None
    if "单价" in key:
        return True
    return False if _SUM_KEY.search(key) else None


def key_fit(question: Question, key: str) -> float:
    """Whether a key or column name is what was asked for, 0..1 (价格 in "价格是多少")."""
    name = normalise(re.sub(r"[（(].*?[)）]", "", key))
    for asks, holds in _DIMENSIONS:
        if asks.search(question.focus):
            return 1.0 if holds.search(key) else 0.2 * bool(name and name in question.focus)
    if name and name in normalise(question.focus):
        return 1.0
    one = of_unit(question, key)
    if one is not None:
        return float(one)
    if any(other in normalise(question.focus) for other in column_names(key)):
        return 1.0
    other_date = _DATE_KEY.fullmatch(name)
    if other_date and other_date[1] not in question.text:
        return 0.0  # 发布日期 is no answer to 什么时候截止
    key_terms = content_terms(key)
    shared = coverage(key_terms, question.focus) if key_terms else 0.0
    return 0.5 + 0.3 * shared if key_answers(question.asked, key) else 0.6 * shared


def holds_kind(asked_for: Asked, piece: Piece, question: str) -> bool:
    """Whether a piece holds the kind of thing asked for; a column's name counts for its cells."""
    if piece.key:
        value = piece.body[len(piece.key) + 1 :]
        other_date = _DATE_KEY.fullmatch(piece.key)
        if other_date and other_date[1] not in question:
            return False
        if key_answers(asked_for, piece.key):
            return not asked_for.kinds or any(c.isdigit() for c in value)
        return bool(asked_for.kinds) and answers_kind(asked_for, value)
    if piece.cells and asked_for.wanted == "list":
        return True  # rows are a list by nature
    if piece.cells:
        columns = zip(piece.header, piece.cells, strict=False)
        if any(key_answers(asked_for, head) and _filled(asked_for, c) for head, c in columns):
            return True
    said_why = asked_for.wanted == "reason" and bool(piece.label)
    return answers_kind(asked_for, f"{piece.label} {piece.body}" if said_why else piece.body)


def _filled(asked_for: Asked, cell: str) -> bool:
    return any(c.isdigit() for c in cell) if asked_for.kinds else bool(cell.strip())
