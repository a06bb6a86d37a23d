"""Does a passage speak of the region, year, product or title that the question names?

A fact of another region or year is worse than no answer, so this is judged per passage and
per slot before anything is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal

from rag.answer.ranges import range_of
from rag.answer.terms import presence, quoted, searchable
from rag.text.normalise import normalise
from rag.text.similar import containment
from rag.text.tokenise import codes
from rag.types import Chunk, Evidence, Hit, TimeRange, Understanding, Value

Fit = Literal["match", "silent", "conflict"]
"""The passage says so, says nothing about it, or says something else."""

TITLE_MATCH = 0.75
"""Share of a quoted title's letter pairs that a passage or its title must hold; chosen on
laws that differ only in the province's name (0.6 to 0.7) and on shortened titles (1.0)."""

_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_NAMES_A_YEAR = re.compile(r"\d{4}|[一二][零〇○九][零〇○一二三四五六七八九]{2}|年")
"""第三季度 and 5月 name no year: the year that was assumed for them proves nothing."""
_CODE_SHAPE = re.compile(r"\d+|[a-z]+")


class Agreement(Value):
    """How well one passage fits each named slot; slots that were not named are absent."""

    fits: dict[str, Fit]

    @property
    def conflict(self) -> bool:
        """Whether the passage is about something else in at least one slot."""
        return "conflict" in self.fits.values()


def agreement(understanding: Understanding, chunk: Chunk) -> Agreement:
    """Judge a passage against the slots, codes and titles of the question."""
    slots = understanding.slots
    question = understanding.standalone_question
    surroundings = _surroundings(chunk)
    fits: dict[str, Fit] = {}
    if slots.region:
        fits["region"] = _best([_region(path, chunk, surroundings) for path in slots.region])
    if slots.time:
        fits["time"] = _best([_time(period, chunk, surroundings) for period in slots.time])
    if slots.product:
        fits["product"] = _best([_product(name, chunk, surroundings) for name in slots.product])
    named_codes = [code for code in codes(question) if not code.startswith("第")]
    if named_codes:
        fits["code"] = _best([_code(code, surroundings) for code in named_codes])
    titles = quoted_titles(question)
    if titles:
        fits["title"] = _best([_title(title, chunk, surroundings) for title in titles])
    return Agreement(fits=fits)


def agreeing(understanding: Understanding, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The evidence that is not about another region, year, product or code.

    When some passages match a slot outright, those that are silent about the region, code or
    title step back as well. Empty when everything conflicts.
    """
    judged = [(item, agreement(understanding, item.chunk)) for item in evidence]
    kept = [(item, fit) for item, fit in judged if not fit.conflict]
    for slot in ("code", "title", "region", "product", "time"):
        matching = [(item, fit) for item, fit in kept if fit.fits.get(slot) == "match"]
        if matching:
            own = _wholly(slot, understanding, matching)
            kept = [
                (item, fit)
                for item, fit in kept
                if fit.fits.get(slot) == "match" or item.chunk.document_id in own
            ]
    return tuple(item for item, _ in kept)


def only_code(code: str, text: str) -> bool:
    """Whether a text names this code and no other of its shape: it is its own number."""
    shape = code_shape(_compact(code))
    return {_compact(c) for c in codes(text) if code_shape(_compact(c)) == shape} == {
        _compact(code)
    }


def _wholly(
    slot: str, understanding: Understanding, matching: Sequence[tuple[Evidence, Agreement]]
) -> set[str]:
    """The documents whose silent passages count with the matching ones: those that a code of
    the question is the number of, and those that name the region (a party's address)."""
    if slot == "region":
        return {item.chunk.document_id for item, _ in matching}
    if slot != "code":
        return set()
    named = [c for c in codes(understanding.standalone_question) if not c.startswith("第")]
    texts: dict[str, str] = {}
    for item, _ in matching:
        id_ = item.chunk.document_id
        texts[id_] = f"{texts.get(id_, '')}\n{_surroundings(item.chunk)}"
    return {id_ for id_, text in texts.items() if any(only_code(code, text) for code in named)}


def slot_fits(understanding: Understanding, hits: Sequence[Hit | Evidence]) -> dict[str, Fit]:
    """The best fit of each slot over all passages: `conflict` where every passage conflicts."""
    best: dict[str, list[Fit]] = {}
    for hit in hits:
        for slot, fit in agreement(understanding, hit.chunk).fits.items():
            best.setdefault(slot, []).append(fit)
    return {slot: _best(fits) for slot, fits in best.items()}


def quoted_titles(question: str) -> tuple[str, ...]:
    """Titles in 《》 that the question names, normalised."""
    marked = set(re.findall(r"《([^《》]{2,60})》", question))
    return tuple(normalise(title) for title in quoted(question) if title in marked)


def _best(fits: Sequence[Fit]) -> Fit:
    if "match" in fits:
        return "match"
    return "silent" if "silent" in fits else "conflict"


def _surroundings(chunk: Chunk) -> str:
    """Everything that the passage and its place say, normalised."""
    title = chunk.metadata.title or ""
    name = PurePath(chunk.document_name).stem
    number = chunk.metadata.document_number or ""
    return searchable("\n".join((title, name, number, *chunk.heading_path, chunk.text)))


def _region(path: str, chunk: Chunk, surroundings: str) -> Fit:
    own = chunk.metadata.region
    if own and (own == path or own.startswith(path + "/")):
        return "match"
    if normalise(path.rsplit("/", 1)[-1]) in surroundings:
        return "match"
    if own and path.startswith(own + "/"):
        return "silent"  # a provincial rule covers its cities
    return "conflict" if own else "silent"


def _time(period: TimeRange, chunk: Chunk, surroundings: str) -> Fit:
    first = period.start.year if period.start else None
    last = period.end.year if period.end else None
    if first is None and last is None:
        return "silent"
    if not _NAMES_A_YEAR.search(period.text):
        return "match" if normalise(period.text) in surroundings else "silent"
    low, high = first or 1, last or 9999
    facts = chunk.metadata
    titles = normalise(" ".join((facts.title or "", chunk.document_name, *chunk.heading_path)))
    title_years = {int(year) for year in _YEAR.findall(titles)}
    if any(low <= year <= high for year in title_years):
        return "match"
    if title_years:
        # Minutes and reports of one year speak of another; its own edition is left out before.
        return "match" if _mentions(low, high, normalise(chunk.text)) else "conflict"
    if facts.year and low <= facts.year <= high:
        return "match"
    if _mentions(low, high, surroundings):
        return "match"
    begins = facts.effective_date.year if facts.effective_date else facts.year
    if begins and high < begins:
        return "conflict"  # not yet in force at the time that was asked about
    if facts.expiry_date and facts.expiry_date.year < low:
        return "conflict"
    return "silent"


def _mentions(low: int, high: int, text: str) -> bool:
    return any(low <= int(year) <= high for year in _YEAR.findall(text))


def _product(name: str, chunk: Chunk, surroundings: str) -> Fit:
    wanted = _compact(normalise(name))
    if wanted in _compact(surroundings):
        return "match"
    own = chunk.metadata.product
    if own and wanted != _compact(normalise(own)):
        return "conflict"
    return "silent"


def _code(code: str, surroundings: str) -> Fit:
    text = _compact(surroundings)
    bare = _compact(code)
    if re.search(rf"(?<![a-z0-9]){re.escape(bare)}(?![a-z0-9])", text) or code in surroundings:
        return "match"
    if range_of(normalise(code), surroundings):
        return "match"
    shape = code_shape(bare)
    others = (_compact(other) for other in codes(surroundings))
    return "conflict" if any(code_shape(other) == shape for other in others) else "silent"


def _compact(text: str) -> str:
    return re.sub(r"[\s\-_‐–—]+", "", text)


def code_shape(code: str) -> str:
    """A code with its digits as 9: codes of one shape name things of one series."""
    return _CODE_SHAPE.sub(lambda part: "9" if part.group().isdigit() else part.group(), code)


def _title(title: str, chunk: Chunk, surroundings: str) -> Fit:
    if title in surroundings:
        return "match"
    own = normalise(chunk.metadata.title or PurePath(chunk.document_name).stem)
    if own and len(own) >= 4 and own in title:
        return "match"
    share = max(containment(title, own), presence(title, surroundings))
    return "match" if share >= TITLE_MATCH else "conflict"
