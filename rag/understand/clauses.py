"""Which clause of a question asks, and so names what the question is about.

People part clauses with a comma or with a blank: "我住大学城那边 班车几点" is about 班车.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Protocol

from rag.understand.frames import belongs
from rag.understand.tokens import Token

_END = re.compile(r"[，,。；;!！：:\n]")
_BLANK = re.compile(r"\s+")


class _Phrase(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def kind(self) -> str: ...


def asking_clause(
    text: str,
    lead: int,
    tokens: Sequence[Token],
    phrases: Sequence[_Phrase],
    asks: Callable[[str], bool],
) -> tuple[int, int]:
    """The range of the last clause that asks and has a topic; text[lead:] when none does.

    A clause about an attribute of what the clause before asks about (试用期几个月 工资打折吗)
    is no question of its own: the one before is taken.

    Args:
        text: the question.
        lead: where it begins behind greetings.
        tokens: its words.
        phrases: its noun phrases.
        asks: whether a clause asks.
    """
    borders = [lead]
    for token in tokens:
        if token.role == "mark" and (_END.match(token.text) or _parts(text, token)):
            borders.append(token.end)
    borders.append(len(text))
    named = []
    for start, end in itertools.pairwise(borders):
        inside = [p for p in phrases if p.kind == "topic" and start <= p.start < end]
        if inside and asks(text[start:end]):
            named.append((start, end, inside[0]))
    while len(named) > 1 and _is_of(tokens, named[-1][2], named[-2][2].text):
        named.pop()
    return named[-1][:2] if named else (lead, len(text))


def _parts(text: str, token: Token) -> bool:
    """Whether a blank stands between Chinese words, not inside a name (Office 365密码)."""
    return bool(
        _BLANK.fullmatch(token.text)
        and re.search(r"[\u4e00-\u9fff]$", text[: token.start])
        and re.match(r"[\u4e00-\u9fff]", text[token.end :])
    )


def _is_of(tokens: Sequence[Token], phrase: _Phrase, about: str) -> bool:
    first = next((t.text for t in tokens if t.start == phrase.start), "")
    return belongs(first, about)


def is_day(core: str, before: str) -> bool:
    """Whether a run is a day of the month (26号以后) or a term that 上 or 下 points at.

    Args:
        core: the run of words.
        before: the text in front of it.
    """
    if re.fullmatch(r"(?:\d{1,2}月)?\d{1,2}[号日]", core):
        return True
    return core in ("季度", "学期", "年度", "财年") and before.endswith(("上", "下", "本", "这"))


_DAY = re.compile(
    r"周[一二三四五六日天末]|星期.|礼拜.|\d{1,2}[号日]|今[天晚早]|明[天晚早]|后天|[早中晚]上|[上下]午"
)


def is_circumstance(when: str, apart: str) -> bool:
    """Whether a day is only when something is done: 周二 in 周二15个人开视频会.

    Args:
        when: a phrase.
        apart: what stands between it and the topic.
    """
    return bool(apart.strip("的 ")) and bool(_DAY.match(when))
