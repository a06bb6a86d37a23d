"""The single questions in one about all regions, years or products that the documents know.

"各地的租房补贴是多少" over documents of Beijing and Shanghai is two questions; what the user
gets by choosing "all of them" is answered for each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from rag.text.similar import longest_common_substring
from rag.types import KnowledgeProfile, Slots, TimeRange
from rag.understand.gazetteer import Entry, gazetteer
from rag.understand.phrases import topic
from rag.understand.regions import related, short_name

MOST_EACH = 5
"""More than this are searched as one broad question (chosen by us)."""
_REGIONS = re.compile(
    "(?:各|每个|所有|全部|不同)(?:的)?(?:个)?(?:地区?|地方|省市|省份|城市|区域)(?:的)?"
)
_YEARS = re.compile("(?:各|每|历)(?:个)?年度?(?:的)?")
_PRODUCTS = re.compile("(?:各|每|所有|全部|不同)(?:的)?(?:个|款|种)?(?:产品|型号|机型)(?:的)?")
_SHARED = 4
"""Letters in a row that a title and the topic share to be about the same (chosen by us)."""


def for_each(
    question: str, slots: Slots, profile: KnowledgeProfile | None
) -> tuple[tuple[str, ...], Slots]:
    """One question for each value, in the order of the documents, and the slots with them.

    No questions where it asks for no kind of value as a whole, or where the documents have
    fewer than two values of it.
    """
    if profile is None or (slots.region and slots.time and slots.product):
        return (), slots
    for kind, pattern in (("region", _REGIONS), ("time", _YEARS), ("product", _PRODUCTS)):
        match = pattern.search(question)
        if match is None or getattr(slots, kind):
            continue
        values = _values(kind, _about(question, profile), slots)
        if 2 <= len(values) <= MOST_EACH:
            link = "的" if match.group().endswith("的") else ""
            before, after = question[: match.start()], question[match.end() :]
            filled = slots.model_copy(update={kind: tuple(values.values())})
            return tuple(before + text + link + after for text in values), filled
    return (), slots


def _values(kind: str, entries: Sequence[Entry], slots: Slots) -> dict[str, Any]:
    """By their words: what the slot takes of each value that the documents have."""
    if kind == "region":
        return {short_name(path): path for entry in entries for path in entry.regions}
    if kind == "product":
        return {entry.product: entry.product for entry in entries if entry.product}
    within = [
        entry.year
        for entry in entries
        if entry.dated
        and entry.year
        and (not slots.region or any(related(r, p) for r in slots.region for p in entry.regions))
    ]
    return {
        f"{year}年": TimeRange(text=f"{year}年", start=date(year, 1, 1), end=date(year, 12, 31))
        for year in sorted(set(within), reverse=True)
    }


def _about(question: str, profile: KnowledgeProfile) -> list[Entry]:
    """The documents whose title shares the matter of the question."""
    bare = question
    for pattern in (_REGIONS, _YEARS, _PRODUCTS):
        bare = pattern.sub("", bare)
    about = topic(bare) or bare
    wanted = min(_SHARED, len(about))
    return [
        entry
        for entry in gazetteer(profile).entries
        if len(longest_common_substring(about, entry.bare)) >= wanted > 1
    ]
