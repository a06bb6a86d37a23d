"""What a cross-encoder reads of a passage: the stretch that says most of the question's words.

Used by the rerank step and by the training of its model, so that both see the same texts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rag.retrieve.query import title_path
from rag.text.formal_words import formal_words
from rag.text.normalise import HAN, normalise
from rag.text.similar import char_ngrams
from rag.text.tokenise import STOP_WORDS, query_terms, rarity
from rag.types import Chunk

PASSAGE_LETTERS = 120
"""Letters of the stretch, about 70 tokens: what 30 candidates allow within 400 ms on two cores
(`benchmarks.bench_rerank`)."""
TITLE_LETTERS = 44
"""Letters of the title path that are read; from the middle of a longer one some are left out."""
_PAIR_SHARE = 0.15
"""What a pair of letters counts beside a word: names that no dictionary has are still found."""
_HAN_RUN = re.compile(f"[{HAN}]+")
_START = re.compile(r"[。!?;\n]\s*|(?<=.{40})[,、:]\s*")


def excerpt(question: str, text: str, letters: int = PASSAGE_LETTERS) -> str:
    """The stretch of a passage that begins with a sentence or clause and says most of the
    question; the middle one among equals; the whole passage when it is no longer.

    Args:
        question: as asked.
        text: the passage, normalised.
        letters: most characters of the stretch.
    """
    if len(text) <= letters:
        return text
    wanted = _wanted(question)
    starts = [0, *(found.end() for found in _START.finditer(text))]
    last = len(text) - letters
    best, places = -1.0, [0]
    for start in [*(start for start in starts if start < last), last]:
        stretch = text[start : start + letters]
        said = sum(weight for forms, weight in wanted if any(form in stretch for form in forms))
        if said > best + 1e-6:
            best, places = said, [start]
        elif said > best - 1e-6:
            places.append(start)
    place = places[len(places) // 2]
    return text[place : place + letters]


def passage_text(question: str, chunk: Chunk) -> str:
    """Title path and excerpt of a passage, normalised, on two lines."""
    return f"{title_line(chunk)}\n{excerpt(question, _normal(chunk.text))}"


def title_line(chunk: Chunk) -> str:
    """The title path in one line, normalised, at most `TITLE_LETTERS` long."""
    title = normalise(" ".join(title_path(chunk)))
    if len(title) > TITLE_LETTERS:
        title = f"{title[: TITLE_LETTERS // 2]}…{title[-TITLE_LETTERS // 2 :]}"
    return title


@lru_cache(maxsize=4096)
def _normal(text: str) -> str:
    return normalise(text)


@lru_cache(maxsize=256)
def _wanted(question: str) -> tuple[tuple[tuple[str, ...], float], ...]:
    """Words of a question, each with its formal words, and its letter pairs, with weights."""
    text = normalise(question)
    terms = query_terms(text)
    formal = formal_words(text, terms)
    words = {term: ((term, *formal.get(term, ())), rarity(term) + 0.05) for term in terms}
    words |= {term: ((term, *found), 0.5) for term, found in formal.items() if term not in words}
    pairs = dict.fromkeys(
        pair
        for run in _HAN_RUN.findall(text)
        for pair in char_ngrams(run, 2)
        if len(pair) == 2 and pair not in STOP_WORDS
    )
    return (*words.values(), *(((pair,), _PAIR_SHARE) for pair in pairs))
