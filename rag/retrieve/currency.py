"""Puts what is in force before what is not: the last word on the order of passages.

A passage of a superseded document goes behind those of its current version, and one of an
expired document behind those of its successor, unless the question names the older date,
edition or number, or asks about the past. Where nothing found replaces it, it stays where it
is: an old answer with its date is better than none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from rag.ingest.supersede import begins, edition, title_key
from rag.text.normalise import normalise
from rag.types import Chunk, DocumentMetadata, Hit

IN_FORCE = "in_force"
"""The score, always 0, of passages that were put back."""
BEHIND = 0.5
"""Share of the current version's best rerank score that an older passage keeps at most, so
that it doesn't compete for the answer; chosen by us."""
_ABOUT_THE_PAST = re.compile(
    r"[旧老]版|原版|旧[办规法制标政条]|[旧老]的?(?:版本|规定|办法|标准|政策|制度|条款)|原(?:来的?|先的?|有的?)?"
    r"(?:规定|办法|标准|政策|制度|条款|版本)|(?:以前|之前|过去|从前|当时|先前)的?(?:规定|办法|标准|政策|制度|条款|版本|是|怎)"
    r"|历史版本|历次|历年|沿革|(?:修订|修改|修正|调整|废止|更新)(?:前|之前|以前)|新旧|哪些版本|各版本"
    r"|(?:修订|修改|修正|调整|更新|改)了(?:哪|什么)|变化|变动"
    r"|old(?:er)? version|previous|former|used to",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d{2})(?!\d)")
_YEAR_OF_TITLE = re.compile(r"(?:19|20)\d{2}(?:年度?)?")

Days = tuple[date, date]


def current_first(
    hits: Sequence[Hit],
    question: str,
    superseded: Mapping[str, str],
    today: date,
    *,
    expired: bool = True,
) -> list[Hit]:
    """The hits, best first, with those that another one replaces at the end.

    Args:
        hits: ranked; their order is kept among equals.
        question: the completed question.
        superseded: id of each older document → id of the current one.
        today: what is in force is judged on this day; a version that comes into force later
            replaces nothing yet.
        expired: False leaves passages that have merely expired where they are.

    Returns:
        All of them with new ranks; those put back have a "rerank" score of at most `BEHIND`
        times their successor's, a score `IN_FORCE` of 0, and say so in `why`.
    """
    behind = {
        position: successor
        for position, hit in enumerate(hits)
        if (successor := _successor(hit, hits, superseded, today, expired)) is not None
    }
    if not behind or _ABOUT_THE_PAST.search(question):
        return list(hits)
    asked = _asked_days(question, today)
    behind = {
        position: successor
        for position, successor in behind.items()
        if not _is_named(question, asked, hits[position].chunk, successor)
    }
    first = [hit for position, hit in enumerate(hits) if position not in behind]
    best = _best_scores(first)
    last = [
        _put_back(hits[position], best.get(successor.document_id), hits[position].chunk, today)
        for position, successor in behind.items()
    ]
    return [hit.model_copy(update={"rank": n}) for n, hit in enumerate([*first, *last], start=1)]


def _successor(
    hit: Hit, hits: Sequence[Hit], superseded: Mapping[str, str], today: date, expired: bool
) -> Chunk | None:
    """The best passage among the hits that holds in place of this one."""
    chunk = hit.chunk
    newer = superseded.get(chunk.document_id)
    ended = expired and _has_ended(chunk.metadata, today)
    if newer is None and not ended:
        return None
    for other in hits:
        candidate = other.chunk
        if not _is_in_force(candidate.metadata, today):
            continue
        if candidate.document_id == newer or (ended and _are_of_one_family(candidate, chunk)):
            return candidate
    return None


def _is_in_force(about: DocumentMetadata, today: date) -> bool:
    begun = about.effective_date is None or about.effective_date <= today
    return begun and not _has_ended(about, today)


def _has_ended(about: DocumentMetadata, today: date) -> bool:
    return about.expiry_date is not None and about.expiry_date < today


def _are_of_one_family(one: Chunk, other: Chunk) -> bool:
    """Whether two passages are of editions of one rule, of whatever years."""
    same = one.kb_id == other.kb_id and one.document_id != other.document_id
    return same and _family(one) == _family(other)


def _family(chunk: Chunk) -> tuple[str, str | None]:
    title = title_key(chunk.metadata.title or chunk.document_name.rpartition(".")[0])
    return _YEAR_OF_TITLE.sub("", title), chunk.metadata.region


def _asked_days(question: str, today: date) -> list[Days]:
    """The times that the question names, as days from and to."""
    from rag.understand.times import find_times

    return [
        (mention.range.start or date.min, mention.range.end or date.max)
        for mention in find_times(question, today)
    ]


def _is_named(question: str, asked: Sequence[Days], old: Chunk, new: Chunk) -> bool:
    """Whether the question means the older document itself: its time, edition or number."""
    began, ended = _span(old.metadata, new.metadata)
    for start, end in asked:
        # A year in which the newer one began means the newer one.
        if start <= ended and began <= end and (end <= ended or start <= began):
            return True
    title, newer = old.metadata.title or "", new.metadata.title or ""
    year, number = edition(title)
    named = {int(found) for found in _YEAR.findall(question)}
    if named & {year, old.metadata.year} - {edition(newer)[0], new.metadata.year, None}:
        return True
    text = normalise(question)
    if number and number != edition(newer)[1] and edition(question)[1] == number:
        return True
    own, others = normalise(title), normalise(newer)
    if own and own in text and own not in others:
        return True
    stated = normalise(old.metadata.document_number or "")
    return len(stated) > 3 and stated in text


def _span(old: DocumentMetadata, new: DocumentMetadata) -> Days:
    """The days on which the older document held: until it expired or the newer one began.
    Without any date it names none."""
    began = begins(old) or _first_day(old.year)
    follows = begins(new) or _first_day(new.year)
    ended = old.expiry_date or (follows - timedelta(days=1) if follows else None)
    if began is None or ended is None or ended < began:
        return date.max, date.min
    return began, ended


def _first_day(year: int | None) -> date | None:
    return date(year, 1, 1) if year else None


def _best_scores(hits: Sequence[Hit]) -> dict[str, float]:
    best: dict[str, float] = {}
    for hit in hits:
        score = hit.scores.get("rerank", 0.0)
        best[hit.chunk.document_id] = max(best.get(hit.chunk.document_id, 0.0), score)
    return best


def _put_back(hit: Hit, best: float | None, chunk: Chunk, today: date) -> Hit:
    scores = {**hit.scores, IN_FORCE: 0.0}
    if "rerank" in scores and best is not None:
        scores["rerank"] = min(scores["rerank"], BEHIND * best)
    reason = "已失效" if _has_ended(chunk.metadata, today) else "已有新版本"
    return hit.model_copy(update={"scores": scores, "why": f"{reason}；{hit.why}".rstrip("；")})
