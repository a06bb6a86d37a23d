"""From `[n]` in a text to citations that point at exact characters (step "generate").

Works alike on extracted and on generated answers: numbers that name no evidence go, sentences
without a number get one where a passage clearly says the same, and the rest stays without, for
`verify` to flag. Numbers then count from 1 in the order in which a reader meets them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.answer.locate import Place, locate, plain
from rag.answer.marks import Statement, find_marks, statements, without_marks
from rag.answer.markup import defuse
from rag.answer.refuse import HEDGE_PREFIX, REFUSAL_PREFIX
from rag.ingest.places import shown_name
from rag.retrieve.web_search import web_address
from rag.types import Citation, Evidence

ALIGNED = 0.62
"""Likeness (0..1, `locate`) from which a sentence without a number gets one; chosen on made-up
paraphrases: rewordings of one sentence score above 0.65, other sentences of the same topic
below 0.55."""
LONGEST_QUOTE = 400
"""Characters of one quote that joins several cited sentences of a passage."""
SHORTEST_STATEMENT = 6
"""Characters below which a sentence (好的。) is no statement to align."""


class _Edit(NamedTuple):
    start: int
    end: int
    numbers: tuple[int, ...]


def cite(text: str, evidence: Sequence[Evidence]) -> tuple[str, tuple[Citation, ...]]:
    """Clean up, align and renumber citations; locate their quotes.

    Args:
        text: an answer in Markdown whose `[n]` are numbers of `evidence`.
        evidence: the passages that the answer was made from.

    Returns:
        The text with numbers 1..k in order of appearance, each of them the number of exactly
        one returned citation, whose `quote` is `citation.text[slice(*citation.char_span)]`.
    """
    text = defuse(text)
    known = {item.n: item for item in evidence}
    edits = [
        _Edit(mark.start, mark.end, tuple(n for n in mark.numbers if n in known))
        for mark in find_marks(text)
    ]
    places: dict[int, list[Place]] = {}
    for statement in statements(text):
        edits += _align(text, statement, edits, evidence, places)
    return _renumber(text, edits, known, places)


def _align(
    text: str,
    statement: Statement,
    edits: Sequence[_Edit],
    evidence: Sequence[Evidence],
    places: dict[int, list[Place]],
) -> list[_Edit]:
    """Locate one statement in what it cites; cite what it says where it cites nothing."""
    own = [e for e in edits if statement.start <= e.start < statement.end]
    cited = {n for edit in own for n in edit.numbers}
    words = without_marks(text[statement.start : statement.end])
    if statement.kind in ("lead", "heading") and not cited:
        return []
    rated: list[tuple[float, int, Place]] = []
    for item in evidence:
        if cited and item.n not in cited:
            continue
        place = locate(words, item.chunk.text, item.span)
        if place is not None:
            rated.append((place.score, -item.n, place))
    if cited:
        for _, negative, place in rated:
            places.setdefault(-negative, []).append(place)
        return []
    if not rated or not _states_something(words):
        return []
    score, negative, place = max(rated)
    if score < ALIGNED:
        return []
    places.setdefault(-negative, []).append(place)
    at = _end_of_words(text, statement)
    return [_Edit(at, at, (-negative,))]


def _states_something(words: str) -> bool:
    said = plain(words)
    if said.startswith((REFUSAL_PREFIX, HEDGE_PREFIX)) and len(said) < 40:
        return False
    return len(re.sub(r"[\W_]+", "", said)) >= SHORTEST_STATEMENT


def _end_of_words(text: str, statement: Statement) -> int:
    """Where a mark goes: behind the sentence, inside the last cell of a table row."""
    end = statement.end
    while end > statement.start and text[end - 1].isspace():
        end -= 1
    if statement.kind == "row" and end > statement.start and text[end - 1] == "|":
        end -= 1
        while end > statement.start and text[end - 1] == " ":
            end -= 1
    return end


def _renumber(
    text: str,
    edits: Sequence[_Edit],
    known: dict[int, Evidence],
    places: dict[int, list[Place]],
) -> tuple[str, tuple[Citation, ...]]:
    order: dict[int, int] = {}
    parts: list[str] = []
    position = 0
    recent: set[int] = set()
    for edit in sorted(edits):
        between = text[position : edit.start]
        parts.append(between if edit.numbers else between.rstrip(" "))
        position = edit.end
        if between.strip():
            recent = set()
        for n in edit.numbers:
            if n in recent:
                continue  # [1][1] says no more than [1]
            recent.add(n)
            parts.append(f"[{order.setdefault(n, len(order) + 1)}]")
    parts.append(text[position:])
    citations = tuple(_citation(number, known[n], places.get(n, [])) for n, number in order.items())
    return "".join(parts), citations


def _citation(number: int, item: Evidence, places: Sequence[Place]) -> Citation:
    chunk = item.chunk
    start, end = _quote_span(chunk.text, item.span, places)
    return Citation(
        n=number,
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        document=shown_name(chunk.document_name, chunk.metadata.title, chunk.metadata.source),
        page=chunk.pages[0] if chunk.pages else 1,
        pages=chunk.pages,
        heading_path=chunk.heading_path,
        quote=chunk.text[start:end],
        char_span=(start, end),
        bboxes=chunk.bboxes,
        record_id=chunk.record_id,
        text=chunk.text,
        url=web_address(chunk),
    )


def _quote_span(text: str, fallback: tuple[int, int], places: Sequence[Place]) -> tuple[int, int]:
    """All cited places in one stretch where that is short, else the best of them."""
    if not places:
        return _clipped(fallback, text)
    start = min(place.start for place in places)
    end = max(place.end for place in places)
    if end - start <= LONGEST_QUOTE:
        return start, end
    best = max(places, key=lambda place: (place.score, place.end - place.start))
    return best.start, best.end


def _clipped(span: tuple[int, int], text: str) -> tuple[int, int]:
    start = max(0, min(span[0], len(text)))
    end = max(start, min(span[1], len(text), start + LONGEST_QUOTE))
    return start, end
