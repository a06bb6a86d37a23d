"""Codes and places as the documents write them: "ZW200" and "zw 200" are their ZW-200, 帝都 is
北京."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rag.text.normalise import normalise
from rag.types import KnowledgeProfile
from rag.understand.gazetteer import gazetteer
from rag.understand.region_names import NICKNAMES
from rag.understand.regions import find_regions
from rag.understand.slots import codes

_JOINTS = re.compile(r"[-_ ./]")


def spelled(question: str, profile: KnowledgeProfile | None) -> str:
    """The question with its codes in the spelling of the documents' titles and headings.

    Only a code that no title or heading holds is changed, and only where one of the same
    letters and digits is there: ABC-12 never becomes ABC-13.
    """
    if profile is None:
        return question
    names = gazetteer(profile).names
    for code in codes(question):
        if normalise(code) in names:
            continue
        known = _codes_of(names).get(_JOINTS.sub("", normalise(code)))
        if known is not None:
            lower = code == code.lower()
            question = question.replace(code, known if lower else known.upper())
    return question


def named_plainly(question: str, profile: KnowledgeProfile | None) -> str:
    """The question with nicknames of places (帝都) as their names, unless a title says them."""
    known = gazetteer(profile).names if profile else {}
    for mention in reversed(find_regions(question)):
        if mention.text in NICKNAMES and normalise(mention.text) not in known:
            name = mention.path.rsplit("/", 1)[-1]
            question = question[: mention.start] + name + question[mention.end :]
    return question


_SHORT = re.compile(
    r"(?<![A-Za-z0-9.\-_/])(?P<short>\d{2,4}(?P<letters>[A-Za-z]{1,2})?)(?![A-Za-z0-9.\-_/%％])"
)
_ALONE = re.compile(r"(?:那|和|跟|与|比|还有|换成)?$")
_BEHIND = re.compile(
    r"(?:呢|的(?!时候)|也|能|可以|需要|会|有|和|跟|比|是|支持|怎么|贵|便宜|[？?]|$)"
)


def in_full(question: str, said: Sequence[str], profile: KnowledgeProfile | None) -> str:
    """The question with "100s" as the model it means: ZW-100S.

    Args:
        question: as typed.
        said: what was said before; figures without a letter are models only of codes in it.
        profile: codes of the titles and headings are known too.
    """
    spoken = {code.upper() for text in said for code in codes(text)}
    if not spoken:
        return question
    named = {code.upper() for code in codes(gazetteer(profile).names)} if profile else set()
    for match in reversed(list(_SHORT.finditer(question))):
        short = match["short"].upper()
        lettered = bool(match["letters"])
        if not lettered and not (
            _ALONE.fullmatch(question[: match.start()]) and _BEHIND.match(question, match.end())
        ):
            continue
        series = {_SERIES.match(code).group() for code in spoken if _SERIES.match(code)}  # type: ignore[union-attr]
        known = {
            code
            for code in (spoken | named if lettered else spoken)
            if _SERIES.sub("", code) == short and any(code.startswith(name) for name in series)
        }
        if len(known) == 1:
            question = question[: match.start()] + known.pop() + question[match.end() :]
    return question


_SERIES = re.compile(r"[A-Z]{1,8}[-_ ]?(?=\d)")
"""The letters with which the codes of one series begin."""


@lru_cache(maxsize=4)
def _codes_of(names: str) -> dict[str, str]:
    """By its bare letters and digits: each code of the titles; none for two that share them."""
    found: dict[str, set[str]] = {}
    for code in codes(names):
        found.setdefault(_JOINTS.sub("", code), set()).add(code)
    return {bare: next(iter(written)) for bare, written in found.items() if len(written) == 1}
