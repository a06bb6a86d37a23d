"""Codes as the documents write them: "ZW200" and "zw 200" are their ZW-200."""

from __future__ import annotations

import re
from functools import lru_cache

from rag.text.normalise import normalise
from rag.types import KnowledgeProfile
from rag.understand.gazetteer import gazetteer
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


@lru_cache(maxsize=4)
def _codes_of(names: str) -> dict[str, str]:
    """By its bare letters and digits: each code of the titles; none for two that share them."""
    found: dict[str, set[str]] = {}
    for code in codes(names):
        found.setdefault(_JOINTS.sub("", code), set()).add(code)
    return {bare: next(iter(written)) for bare, written in found.items() if len(written) == 1}
