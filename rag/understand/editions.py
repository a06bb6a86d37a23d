"""Editions of one document for different years: which of them a question that names a year
does not mean.

The year a document carries is when it was issued, and its text may be about others: a filter by
it would hide the minutes of 2025 from a question about the contract of 2024. So a year only
passes over what has an edition of the asked year beside it.
"""

from __future__ import annotations

import re
from collections import defaultdict

from rag.text.normalise import normalise
from rag.types import DocumentProfile, KnowledgeProfile, Slots
from rag.understand.times import years_of

_YEAR = re.compile(r"(?:19|20)\d{2}(?:年度?|版)?")
_NOT_WORDS = re.compile(r"[^\w]+|_")


def other_editions(profile: KnowledgeProfile | None, slots: Slots) -> tuple[str, ...]:
    """Ids of the documents of other years that have an edition of an asked year beside them.

    Args:
        profile: what the knowledge bases hold; None without any.
        slots: `time` is what the question asks for; without a bounded time nothing is passed
            over.
    """
    years = years_of(slots.time)
    if years is None or profile is None:
        return ()
    families: dict[str, list[DocumentProfile]] = defaultdict(list)
    for document in profile.documents:
        if document.metadata.year is not None:
            families[_without_year(document.title or document.name)].append(document)
    others: list[str] = []
    for name, family in families.items():
        asked = [d for d in family if _is_within(d, years)]
        if name and asked:
            others += [d.document_id for d in family if not _is_within(d, years)]
    return tuple(others)


def _without_year(title: str) -> str:
    return _NOT_WORDS.sub("", _YEAR.sub("", normalise(title)))


def _is_within(document: DocumentProfile, years: tuple[int, int]) -> bool:
    return years[0] <= (document.metadata.year or 0) <= years[1]
