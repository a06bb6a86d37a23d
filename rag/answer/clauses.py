"""Binds values to what they are values of: "在职600元，退休400元" are two statements.

A run is a clause that holds a value, together with the clauses before it that say when or of
whom; several runs of one sentence stand side by side and share what only the first one says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.answer.asks import values_of_kind
from rag.answer.ranges import position
from rag.answer.rank import Question
from rag.answer.terms import Term, content_terms, presence
from rag.answer.values import find_values

CLEARLY_BETTER = 0.1
"""Lead (share of the question's weight) of the run that is meant over the next one."""
CARRIED = 0.9
"""Credit for a term that an earlier run says for those after it (门诊起付线在职…，退休…)."""
FRONT = 5
"""Letters at the beginning of a run that name whose value it is."""

_CLAUSE = re.compile(r"(?:[^，,；;。：:！？!?]|(?<=\d)[:,](?=\d))+")
_TURNED = re.compile(
    r"改[到为至]|推迟|延[期后至到]|提前[到至]|调整?[到为至]|变更|增加到|提高到|降[到为至]"
)
_BEFORE = re.compile(r"^原[定本来为]?|原定|原来|原先|此前|之前|旧")
_GOES_ON = re.compile(r"\s*(?:并|且|同时|还须|但|除)")
_HEADING = re.compile(r"^([^，,；;。：:！？!?]{2,16})[：:](?!\d)")
_LINKS = re.compile(r"^(?:并且?|且|而|但|其中|另外|同时|也|还|又)(?=[\u4e00-\u9fff])")


class Run(NamedTuple):
    """One statement of a sentence: `text` is `body[start:end]`; `front` names its subject."""

    text: str
    start: int
    end: int
    front: str


def runs(question: Question, body: str) -> list[Run]:
    """The runs of `body` for the kind of value asked for; empty when it holds no such value."""
    spans = values_of_kind(question.asked, body)
    found: list[Run] = []
    start: int | None = None
    heading = _HEADING.match(body)
    for match in _CLAUSE.finditer(body, heading.end() if heading else 0):
        if found and start is None and _GOES_ON.match(match.group()):
            text = body[found[-1].start : match.end()]
            if not any(match.start() <= low < match.end() for low, _ in spans):
                found[-1] = found[-1]._replace(text=text.strip(), end=match.end())
                continue
        if start is None or body[: match.start()].rstrip().endswith(("；", ";", "。")):
            start = match.start()
        if any(match.start() <= low and high <= match.end() for low, high in spans):
            text = body[start : match.end()]
            found.append(Run(text.strip(), start, match.end(), _front(text)))
            start = None
    return found


def meant(question: Question, body: str) -> Run | None:
    """The run that the question means, or None when several fit alike."""
    found = runs(question, body)
    if not found:
        return None
    turned = _turned(question, found)
    if turned is not None:
        return turned
    if len(found) == 1:
        return found[0]
    terms = content_terms(question.focus) or question.terms
    fits = sorted(
        ((_fit(terms, found, index), -index) for index in range(len(found))), reverse=True
    )
    if fits[0][0] - fits[1][0] < CLEARLY_BETTER:
        return None
    return found[-fits[0][1]]


def holds_all(question: Question, said: str, body: str) -> bool:
    """Whether the words say as much of the question's terms as the whole sentence does."""
    asked = content_terms(question.focus) or question.terms
    terms = [term for term in asked if presence(term.text, body) > 0.5]
    return all(presence(term.text, said) > 0.5 for term in terms if term.weight >= 0.3)


def standing_alone(run: Run, body: str) -> str:
    """The run's words without a linking word, after the sentence's own heading (三级机构：…)."""
    said = _LINKS.sub("", run.text)
    heading = _HEADING.match(body)
    if heading and run.start >= heading.end():
        return f"{heading[1]}：{said}"
    return said


def part_meant(question: Question, body: str) -> str:
    """The one part between semicolons that says all of the question's terms that the whole
    says, or whose condition alone holds the question's number; else the whole."""
    parts = [part.strip() for part in re.split("[；;]", body) if part.strip()]
    if len(parts) < 2:
        return body
    places = [position(question.text, part) for part in parts]
    inside = [part for part, place in zip(parts, places, strict=True) if place == "inside"]
    if len(inside) == 1:
        return inside[0]
    if "outside" in places:
        return body
    found = [Run(part, 0, 0, _front(part)) for part in parts]
    fits = sorted(((_fit(question.terms, found, i), -i) for i in range(len(found))), reverse=True)
    best = found[-fits[0][1]]
    clear = fits[0][0] - fits[1][0] >= CLEARLY_BETTER
    return best.text if clear and holds_all(question, best.text, body) else body


def _fit(terms: Sequence[Term], found: Sequence[Run], index: int) -> float:
    total = sum(term.weight for term in terms) or 1.0
    own = 0.0
    for term in terms:
        here = presence(term.text, found[index].text)
        earlier = max(
            (presence(term.text, run.text[len(run.front) :]) for run in found[:index]), default=0.0
        )
        credit = max(here, CARRIED * earlier)
        in_front = presence(term.text, found[index].front)
        own += term.weight * max(credit, in_front)
    return own / total


def _turned(question: Question, found: Sequence[Run]) -> Run | None:
    """原定 and 改到: the run of the old value where it is asked for, else that of the new."""
    old = [run for run in found if _BEFORE.search(run.text)]
    new = [run for run in found if _TURNED.search(run.text) and run not in old]
    if not new or not (old or _TURNED.search(question.focus)):
        return None
    if old and _BEFORE.search(question.focus):
        return old[0]
    return new[-1]


def _front(text: str) -> str:
    """The first letters of a run, up to its value: 退休人员 of 退休人员为400元."""
    text = text.strip()
    values = find_values(text)
    stop = min([value.start for value in values], default=len(text))
    return re.split(r"[，,：:为是]", text[: min(FRONT, stop)])[0]
