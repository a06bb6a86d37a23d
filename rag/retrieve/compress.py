"""Evidence within a budget: near-duplicates out, what is new before what repeats, long passages
cut at sentence borders (the compress step of DESIGN §2). A passage's text is never reworded; a
summary, where one is made, stands beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.retrieve.query import title_path
from rag.text.normalise import HAN, normalise
from rag.text.numerals import NUMERAL_LETTERS
from rag.text.sentences import Span, split_sentences
from rag.text.similar import char_ngrams, jaccard
from rag.text.tokenise import codes, query_terms, rarity
from rag.types import Chunk, Evidence, Hit

LEAST_TOKENS = 60
"""No passage is cut to less than this: half a sentence helps nobody. Chosen by us."""
LARGEST_SHARE = 0.5
"""Most of the budget that one passage may take while others wait; chosen by us."""
RELEVANCE = 0.7
"""Share of relevance beside novelty when not all passages fit (Carbonell and Goldstein 1998
call it lambda; chosen by us)."""
SUMMARY_SHARE = 0.25
"""Most of the budget that summaries may take from passages that have room; chosen by us."""
_QUANTITY = re.compile(
    rf"[\d０-９{NUMERAL_LETTERS}][\d０-９{NUMERAL_LETTERS}.,:：/–~～-]*\s?(?:[%％‰℃°]|[A-Za-z²³]+|[{HAN}]{{1,2}})?"
)
"""A number with its unit: a hard cut never goes between them."""
_TABLE_RULE = re.compile(r"^\|?[\s:|-]+\|[\s:|-]*$")

Summarise = Callable[[Sequence[Chunk]], Mapping[str, str]]
"""From passages, those first that are needed most, to summaries of some by chunk id."""


def compress(
    question: str,
    hits: Sequence[Hit],
    budget_tokens: int,
    count_tokens: Callable[[str], int],
    *,
    near_duplicate: float = 0.85,
    summarise: Summarise | None = None,
) -> tuple[Evidence, ...]:
    """The passages that the answer step gets, numbered from 1 in the order of the hits.

    Args:
        hits: ranked; a passage is dropped when it nearly repeats an earlier one of the same
            region and year and holds no word of the question that the earlier one lacks.
        budget_tokens: most tokens of all texts together. Where it is too small for all, those
            go first that hold words of the question that no better one holds, then those that
            repeat least of what is there (maximal marginal relevance).
        count_tokens: the embedder's count.
        near_duplicate: Jaccard overlap of letter pairs from which two passages are one, 0..1.
        summarise: asked once, and only when passages would be left out. Summaries take the place
            of their passages as far as `SUMMARY_SHARE` goes and no other passage is left out
            for them.

    Returns:
        The `text` of a passage with a summary is its whole text, which counts nothing. Else
        `text` is `chunk.text[span]`; of a table that is cut, the header stands before the rows
        and `span` is that of the rows. The first passage is cut to fit rather than left out.
    """
    asked = set(query_terms(question)) | set(codes(question))
    passages = _distinct([_Passage.of(hit, asked) for hit in hits], near_duplicate)
    fitted = _fitted(question, passages, budget_tokens, count_tokens)
    short: dict[int, str] = {}
    dropped = [passage for passage in _by_worth(passages) if id(passage) not in fitted]
    if dropped and summarise is not None:
        made = summarise([passage.hit.chunk for passage in dropped])
        known = [(passage, made.get(passage.hit.chunk.id, "")) for passage in dropped]
        fitted, short = _with_summaries(
            question, fitted, passages, known, budget_tokens, count_tokens
        )
    found: list[Evidence] = []
    for passage in passages:
        chunk, summary = passage.hit.chunk, short.get(id(passage), "")
        whole = (chunk.text, (0, len(chunk.text))) if summary else None
        if taken := whole or fitted.get(id(passage)):
            text, span = taken
            found.append(
                Evidence(
                    n=len(found) + 1,
                    chunk=chunk,
                    text=text,
                    span=span,
                    score=passage.score,
                    summary=summary,
                )
            )
    return tuple(found)


Fitted = dict[int, tuple[str, tuple[int, int]]]
"""Text and span by the identity of a passage."""


def _fitted(
    question: str,
    passages: Sequence[_Passage],
    budget_tokens: int,
    count_tokens: Callable[[str], int],
) -> Fitted:
    """As much of the passages as the budget holds, those first that are needed most."""
    lengths = {id(passage): count_tokens(passage.hit.chunk.text) for passage in passages}
    fits = sum(lengths.values()) <= budget_tokens
    chosen = passages if fits else _by_worth(passages)
    texts: Fitted = {}
    left = budget_tokens
    for position, passage in enumerate(chosen):
        waiting = position + 1 < len(chosen)
        allowance = min(left, int(budget_tokens * LARGEST_SHARE)) if waiting else left
        if texts and allowance < min(LEAST_TOKENS, lengths[id(passage)]):
            continue
        text, span = fit(question, passage.hit.chunk, allowance, count_tokens)
        if text:
            left -= count_tokens(text)
            texts[id(passage)] = text, span
    return texts


def _with_summaries(
    question: str,
    fitted: Fitted,
    passages: Sequence[_Passage],
    known: Sequence[tuple[_Passage, str]],
    budget_tokens: int,
    count_tokens: Callable[[str], int],
) -> tuple[Fitted, dict[int, str]]:
    """The passages that have room beside as many summaries as may be, and those."""
    short: dict[int, tuple[str, int]] = {}
    room = int(budget_tokens * SUMMARY_SHARE)
    for passage, summary in known:
        cost = count_tokens(summary) if summary else 0
        if summary and cost <= room:
            room -= cost
            short[id(passage)] = summary, cost
    others = [passage for passage in passages if id(passage) in fitted]
    while short:
        left = budget_tokens - sum(cost for _, cost in short.values())
        again = _fitted(question, others, left, count_tokens)
        if again.keys() == fitted.keys():
            return again, {key: summary for key, (summary, _) in short.items()}
        short.popitem()
    return fitted, {}


@dataclass(frozen=True, slots=True)
class _Passage:
    """A hit as compression sees it: what it is about, its letter pairs, the question's words."""

    hit: Hit
    score: float
    place: tuple[object, ...]
    pairs: frozenset[str]
    held: frozenset[str]

    @classmethod
    def of(cls, hit: Hit, asked: set[str]) -> _Passage:
        score = hit.scores.get("rerank", hit.scores.get("fused", 0.0))
        pairs = frozenset(char_ngrams(normalise(hit.chunk.text), 2))
        held = frozenset(_held(asked, hit.chunk))
        return cls(hit, score, _place(hit.chunk), pairs, held)

    def likeness(self, other: _Passage) -> float:
        """How much of another passage of the same place this one repeats, 0..1."""
        return jaccard(self.pairs, other.pairs) if self.place == other.place else 0.0


def _distinct(passages: Sequence[_Passage], near_duplicate: float) -> list[_Passage]:
    kept: list[_Passage] = []
    for passage in passages:
        repeated = any(
            other.place == passage.place
            and passage.held <= other.held
            and passage.likeness(other) >= near_duplicate
            for other in kept
        )
        if not repeated:
            kept.append(passage)
    return kept


def _by_worth(passages: Sequence[_Passage]) -> list[_Passage]:
    """All passages, those first that the answer can least do without: the best, the first
    holder of each of the question's words, then by relevance and novelty."""
    told: set[str] = set()
    first: list[_Passage] = []
    rest: list[_Passage] = []
    for passage in passages:
        (rest if first and passage.held <= told else first).append(passage)
        told |= passage.held
    best = max((passage.score for passage in passages), default=0.0) or 1.0
    while rest:
        worth = [
            RELEVANCE * passage.score / best
            - (1 - RELEVANCE) * max(passage.likeness(other) for other in first)
            for passage in rest
        ]
        first.append(rest.pop(max(range(len(rest)), key=lambda index: (worth[index], -index))))
    return first


def fit(
    question: str, chunk: Chunk, tokens: int, count_tokens: Callable[[str], int]
) -> tuple[str, tuple[int, int]]:
    """The part of a passage around what the question asks, in at most `tokens` tokens.

    Whole sentences (rows, list items) in one run. A single sentence that is longer than the
    allowance is cut hard. ("", (0, 0)) when nothing fits.
    """
    if count_tokens(chunk.text) <= tokens:
        return chunk.text, (0, len(chunk.text))
    header, pieces = _pieces(chunk)
    allowance = tokens - (count_tokens(header) if header else 0)
    if not pieces or allowance <= 0:
        return "", (0, 0)
    costs = [max(count_tokens(piece.text), 1) for piece in pieces]
    # What lies between a piece and the one before it is taken along; a header is joined by one.
    gaps = [0] + [
        count_tokens(chunk.text[one.end : other.start]) for one, other in pairwise(pieces)
    ]
    first = last = _best_piece(question, chunk, pieces)
    used = costs[first] + (1 if header else 0)
    if used > allowance:
        return _cut(chunk, pieces[first], allowance, count_tokens, header)
    # Grow backwards and forwards in turn, forwards first: what follows explains.
    grown = True
    while grown:
        grown = False
        if last + 1 < len(pieces):
            more = used + gaps[last + 1] + costs[last + 1]
            if more <= allowance:
                last, used, grown = last + 1, more, True
        if first > 0:
            more = used + costs[first - 1] + gaps[first]
            if more <= allowance:
                first, used, grown = first - 1, more, True
    start, end = pieces[first].start, pieces[last].end
    text = chunk.text[start:end]
    return (f"{header}\n{text}" if header else text), (start, end)


def _place(chunk: Chunk) -> tuple[object, ...]:
    """Passages of two regions, years or titles say different things in the same words."""
    return chunk.metadata.region, chunk.metadata.year, title_path(chunk)[:1]


def _held(asked: set[str], chunk: Chunk) -> set[str]:
    """Which of the question's words and codes a passage holds, its place included."""
    text = normalise("\n".join((*title_path(chunk), chunk.text)))
    return {word for word in asked if word in text}


def _pieces(chunk: Chunk) -> tuple[str, list[Span]]:
    """A table's header and its rows; no header and the sentences of anything else."""
    if chunk.kind != "table":
        return "", split_sentences(chunk.text)
    rows: list[Span] = []
    start = 0
    for line in chunk.text.split("\n"):
        if line.strip():
            rows.append(Span(start, start + len(line), line))
        start += len(line) + 1
    rule = next((i for i, row in enumerate(rows[:4]) if _TABLE_RULE.match(row.text.strip())), None)
    head = 1 if rule is None else rule + 1
    return "\n".join(row.text for row in rows[:head]), rows[head:]


def _best_piece(question: str, chunk: Chunk, pieces: Sequence[Span]) -> int:
    titles = normalise(" ".join(title_path(chunk)))
    weights = {
        term: rarity(term) * (0.3 if term in titles else 1.0) for term in query_terms(question)
    }

    def worth(piece: Span) -> float:
        text = normalise(piece.text)
        return sum(weight for term, weight in weights.items() if term in text)

    return max(range(len(pieces)), key=lambda index: (worth(pieces[index]), -index))


def _cut(
    chunk: Chunk, piece: Span, tokens: int, count_tokens: Callable[[str], int], header: str
) -> tuple[str, tuple[int, int]]:
    low, high = 0, len(piece.text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(piece.text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    if not low:
        return "", (0, 0)
    for quantity in _QUANTITY.finditer(piece.text):
        if 0 < quantity.start() < low < quantity.end():
            low = quantity.start()
    start, end = piece.start, piece.start + low
    text = chunk.text[start:end]
    return (f"{header}\n{text}" if header else text), (start, end)
