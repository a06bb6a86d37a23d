"""What a question sets side by side: regions, years, products, rows, groups of people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from rag.answer.agreement import agreement
from rag.answer.pieces import about
from rag.text.normalise import normalise
from rag.types import Evidence, Slots, TimeRange, Understanding

LONGEST_NAME = 14
"""Letters of one name that is compared."""
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_JOIN = re.compile(r"\s*(?:和|与|跟|同|及|以及|、|vs\.?|VS|还是|相比|比)\s*")
_COMPARES = re.compile(
    r"分别|各是|各自|各为|各多少|区别|差别|差异|不同|不一样|差多少|相差|对比|相比|比较|"
    r"哪个|哪种|哪一个|谁更?[高多贵大长]|[高多贵大长便宜快]一?些|涨了|降了|增加了|减少了|变化|都是多少"
)


class Thing(NamedTuple):
    """One thing that is compared: `words` name it; `evidence` speaks of it."""

    label: str
    evidence: list[Evidence]
    words: tuple[str, ...] = ()
    by_slot: bool = False


def compares(understanding: Understanding) -> bool:
    """Whether the question sets several things side by side, however it is put."""
    slots = understanding.slots
    if understanding.intent == "comparison":
        return True
    question = understanding.standalone_question
    if max(len(slots.region), len(slots.time)) > 1:
        return True
    if len(slots.product) > 1 and _JOIN.search(question):
        return True
    return bool(_COMPARES.search(question) and _JOIN.search(question))


def with_all_years(understanding: Understanding) -> Understanding:
    """The understanding with a time for each year that a comparison names (2023和2024)."""
    years = list(dict.fromkeys(_YEAR.findall(understanding.standalone_question)))
    slots = understanding.slots
    if len(years) < 2 or len(slots.time) >= len(years) or not compares(understanding):
        return understanding
    times = tuple(
        TimeRange(text=f"{year}年", start=date(int(year), 1, 1), end=date(int(year), 12, 31))
        for year in years
    )
    return understanding.model_copy(update={"slots": slots.model_copy(update={"time": times})})


def things(understanding: Understanding, evidence: Sequence[Evidence]) -> list[Thing]:
    """The things compared, in the question's order; fewer than two when it names none."""
    slots = understanding.slots
    if len(slots.region) > 1:
        shorts = {path: path.rsplit("/", 1)[-1] for path in slots.region}
        return [
            Thing(short, _fitting(understanding, evidence, region=(path,)), (short,), True)
            for path, short in shorts.items()
        ]
    if len(slots.time) > 1:
        return [
            Thing(one.text, _fitting(understanding, evidence, time=(one,)), (one.text,), True)
            for one in slots.time
        ]
    if len(slots.product) > 1:
        return [
            Thing(name, _fitting(understanding, evidence, product=(name,)), (name,), True)
            for name in slots.product
        ]
    named = joined_names(understanding.standalone_question, evidence)
    if len(named) < 2:
        kinds = ("term", "code", "document", "product")
        named = tuple(
            dict.fromkeys(one.text for one in understanding.entities if one.kind in kinds)
        )
    found = [Thing(name, _speaking_of(name, evidence), (name,)) for name in named]
    found = [thing for thing in found if thing.evidence]
    shared = [
        document
        for document in dict.fromkeys(item.chunk.document_id for item in evidence)
        if all(any(e.chunk.document_id == document for e in t.evidence) for t in found)
    ]
    if shared and len(found) > 1:  # one document speaks of all: no other may add its own
        found = [
            thing._replace(evidence=[e for e in thing.evidence if e.chunk.document_id == shared[0]])
            for thing in found
        ]
    return found


def joined_names(question: str, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The names around 和, 与, 、 or 还是 that stand in the evidence, longest first."""
    text = question.strip("？?。！! ")
    whole = normalise("\n".join(f"{about(item.chunk)}\n{item.text}" for item in evidence))
    parts = _JOIN.split(text)
    names: list[str] = []
    for index in range(len(parts) - 1):
        left = _suffix(parts[index], whole) if index == 0 else _inner(parts[index], whole)
        right = _prefix(parts[index + 1], whole)
        if left and right:
            names += [left, right]
    return tuple(dict.fromkeys(names))


def _suffix(text: str, whole: str) -> str:
    text = re.split(r"[，,：: ]", text)[-1]
    ends = (text[-n:] for n in range(min(len(text), LONGEST_NAME), 1, -1))
    return next((name for name in ends if normalise(name) in whole), "")


def _prefix(text: str, whole: str) -> str:
    text = re.split(r"[的，,：: ]", text)[0]
    starts = (text[:n] for n in range(min(len(text), LONGEST_NAME), 1, -1))
    return next((name for name in starts if normalise(name) in whole), "")


def _inner(text: str, whole: str) -> str:
    return text if normalise(text) in whole else _prefix(text, whole)


def _fitting(
    understanding: Understanding, evidence: Sequence[Evidence], **slot: tuple[object, ...]
) -> list[Evidence]:
    one = understanding.slots.model_copy(update=slot)
    narrowed = understanding.model_copy(update={"slots": Slots.model_validate(one.model_dump())})
    judged = [(item, agreement(narrowed, item.chunk)) for item in evidence]
    name = next(iter(slot))
    return [item for item, fit in judged if fit.fits.get(name) == "match"]


def _speaking_of(name: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    wanted = normalise(name)
    return [item for item in evidence if wanted in normalise(f"{about(item.chunk)}\n{item.text}")]
