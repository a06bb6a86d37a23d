"""Evidence within a budget: near-duplicates out, long passages cut at sentence borders (the
compress step of DESIGN §2). The text of a passage is never reworded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag.retrieve.query import title_path
from rag.text.normalise import normalise
from rag.text.sentences import Span, split_sentences
from rag.text.similar import char_ngrams, jaccard
from rag.text.tokenise import codes, query_terms, rarity
from rag.types import Chunk, Evidence, Hit

LEAST_TOKENS = 60
"""A remainder of the budget below this is left unused: half a sentence helps nobody."""
LARGEST_SHARE = 0.5
"""Most of the budget that one passage may take while others wait; chosen by us."""
_TABLE_RULE = re.compile(r"^\|?[\s:|-]+\|[\s:|-]*$")


def compress(
    question: str,
    hits: Sequence[Hit],
    budget_tokens: int,
    count_tokens: Callable[[str], int],
    *,
    near_duplicate: float = 0.85,
) -> tuple[Evidence, ...]:
    """The passages that the answer step gets, numbered from 1 in the order of the hits.

    Args:
        hits: ranked; a passage is dropped when it nearly repeats an earlier one of the same
            region and year and holds no word of the question that the earlier one lacks.
        budget_tokens: most tokens of all texts together.
        count_tokens: the embedder's count.
        near_duplicate: Jaccard overlap of letter pairs from which two passages are one, 0..1.

    Returns:
        `text` is `chunk.text[span]`; of a table that is cut, the header stands before the rows
        and `span` is that of the rows. The first passage is cut to fit rather than left out.
    """
    evidence: list[Evidence] = []
    kept: list[tuple[tuple[object, ...], set[str], set[str]]] = []
    asked = set(query_terms(question)) | set(codes(question))
    left = budget_tokens
    for position, hit in enumerate(hits):
        pairs = set(char_ngrams(normalise(hit.chunk.text), 2))
        place = _place(hit.chunk)
        held = _held(asked, hit.chunk)
        if any(
            other == place and held <= told and jaccard(pairs, known) >= near_duplicate
            for other, known, told in kept
        ):
            continue
        waiting = position + 1 < len(hits)
        allowance = min(left, int(budget_tokens * LARGEST_SHARE)) if waiting else left
        if allowance < LEAST_TOKENS and evidence:
            break
        text, span = fit(question, hit.chunk, allowance, count_tokens)
        if not text:
            continue
        left -= count_tokens(text)
        kept.append((place, pairs, held))
        score = hit.scores.get("rerank", hit.scores.get("fused", 0.0))
        evidence.append(
            Evidence(n=len(evidence) + 1, chunk=hit.chunk, text=text, span=span, score=score)
        )
    return tuple(evidence)


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
    # One more for the line break that joins rows.
    costs = [max(count_tokens(piece.text), 1) + (1 if header else 0) for piece in pieces]
    first = last = _best_piece(question, chunk, pieces)
    used = costs[first]
    if used > allowance:
        return _cut(chunk, pieces[first], allowance, count_tokens, header)
    # Grow backwards and forwards in turn, forwards first: what follows explains.
    grown = True
    while grown:
        grown = False
        if last + 1 < len(pieces) and used + costs[last + 1] <= allowance:
            last, used, grown = last + 1, used + costs[last + 1], True
        if first > 0 and used + costs[first - 1] <= allowance:
            first, used, grown = first - 1, used + costs[first - 1], True
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
    start, end = piece.start, piece.start + low
    text = chunk.text[start:end]
    return (f"{header}\n{text}" if header else text), (start, end)
