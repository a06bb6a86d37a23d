"""What a conversation stays with beside its topic: the region and the year named last.

A follow-up without them means those (申请什么时候截止 after 2024年上海…). They only pass over
documents that have one of that region or year on the same matter beside them, so that a
question about something else loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from rag.types import KnowledgeProfile, Slots, TimeRange, Turn
from rag.understand.candidates import siblings
from rag.understand.editions import other_editions
from rag.understand.every import asks_for_current, wants_all, wants_all_years
from rag.understand.gazetteer import Entry, gazetteer
from rag.understand.regions import region_paths, related
from rag.understand.slots import QUOTED_TITLE
from rag.understand.times import find_times

LOOKED_BACK = 4
"""Questions back to the one that names a region or a year; chosen by us."""


def held(
    question: str,
    slots: Slots,
    history: Sequence[Turn],
    profile: KnowledgeProfile | None,
    today: date,
) -> Slots:
    """The region and the year of the questions before, where this one names none.

    Args:
        question: completed.
        slots: what it names itself.
        history: the turns before it, oldest first.
        profile: what the knowledge bases hold; without documents nothing is held.
        today: the day of asking.

    Asking for what is valid now holds the latest year.

    Returns:
        Slots of which only `region` and `time` are filled, each with one value at most.
    """
    said = [turn.standalone or turn.content for turn in history if turn.role == "user"]
    current = asks_for_current(question)
    if profile is None or not (said or current) or wants_all(question):
        return Slots()
    before = [QUOTED_TITLE.sub("", text) for text in said[: -LOOKED_BACK - 1 : -1]]
    return Slots(
        region=() if slots.region else _region(before, profile),
        time=() if slots.time else _time(question, before, profile, today),
    )


def _region(before: Sequence[str], profile: KnowledgeProfile) -> tuple[str, ...]:
    """The region named last that documents are about, where it was the only one."""
    for text in before:
        paths = [path for path in region_paths(text) if other_regions(profile, (path,))]
        if paths:
            return tuple(paths) if len(paths) == 1 else ()
    return ()


def _time(
    question: str, before: Sequence[str], profile: KnowledgeProfile, today: date
) -> tuple[TimeRange, ...]:
    """The year named last of which there is an edition (10月 of this year shadows none), the
    latest one once somebody asks for what is valid now."""
    if not asks_for_current(question) and wants_all_years(question):
        return ()
    for text in (question, *before):
        if asks_for_current(text):
            return _latest(profile)
        for mention in find_times(text, today):
            if other_editions(profile, Slots(time=(mention.range,))):
                return (mention.range,)
    return ()


def _latest(profile: KnowledgeProfile) -> tuple[TimeRange, ...]:
    """The latest year of which there is an edition beside older ones."""
    years = sorted({d.metadata.year for d in profile.documents if d.metadata.year}, reverse=True)
    for year in years:
        span = TimeRange(text=f"{year}年", start=date(year, 1, 1), end=date(year, 12, 31))
        if other_editions(profile, Slots(time=(span,))):
            return (span,)
    return ()


def other_regions(profile: KnowledgeProfile | None, regions: Sequence[str]) -> tuple[str, ...]:
    """Ids of the documents of other regions that have one of these regions on the same matter
    beside them."""
    if profile is None or not regions:
        return ()
    placed = [entry for entry in gazetteer(profile).by_id.values() if entry.regions]
    mine = [entry for entry in placed if _is_of(entry, regions)]
    return tuple(
        entry.document_id
        for entry in placed
        if not _is_of(entry, regions) and any(siblings(entry, other) for other in mine)
    )


def _is_of(entry: Entry, regions: Sequence[str]) -> bool:
    return any(related(path, region) for path in entry.regions for region in regions)
