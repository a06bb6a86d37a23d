"""Several values named at once for one question: "上海 硕士" after "租房补贴能领多少"."""

from __future__ import annotations

import re

from rag.types import KnowledgeProfile
from rag.understand.phrases import asks
from rag.understand.regions import find_regions
from rag.understand.substitute import kind_of, put

_MOST = 3
"""Values that one message names; more are a list of something (chosen by us)."""
_GAP = re.compile(r"[\s，,、。；;]+")
_OWN = re.compile(
    r"^(?:我(?:们)?)?(?:现在|目前)?(?:是在|是|在|属于|住|的话)?|(?:的话|的|吧|呢|啊|毕业)+$"
)
_KINDS = ("code", "person", "measure", "region", "time")
"""Kinds of values, those that stand nearest to the topic first."""
_TELLING = ("region", "time", "code")
"""Kinds that alone ask the last question again."""


def with_values(message: str, question: str, profile: KnowledgeProfile | None) -> str | None:
    """`question` with each of the values that `message` names; None where it is no such list.

    Args:
        message: values of different kinds, one of them a region, a time or a model, with
            nothing else between them ("上海 硕士", "上海硕士", "北京，2023年").
        question: complete.
        profile: see `rag.understand.substitute.put`.
    """
    if asks(message):
        return None
    values = [value for piece in _GAP.split(message.strip()) for value in _parted(piece) if value]
    kinds = [kind_of(value) for value in values]
    if not 2 <= len(values) <= _MOST or len(set(kinds)) != len(kinds):
        return None
    if any(kind not in _KINDS for kind in kinds) or not any(kind in _TELLING for kind in kinds):
        return None
    made: str | None = question
    for value in sorted(values, key=lambda v: _KINDS.index(kind_of(v))):
        made = put(value, made, profile) if made else None
    return made


def _parted(piece: str) -> list[str]:
    """上海 and 硕士 of 上海硕士; else the piece alone, without the words around it."""
    bare = _OWN.sub("", _OWN.sub("", piece))
    mentions = [m for m in find_regions(bare) if m.start == 0]
    if not mentions:
        return [bare]
    end = max(m.end for m in mentions)
    rest = bare[end:].lstrip("的市省")
    return [bare[:end], rest] if rest and kind_of(rest) in _KINDS else [bare]
