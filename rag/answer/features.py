"""What speaks for and against an answer: the features of the calibrated confidence.

All are 0..1 and mean the same in a small and in a large knowledge base; the weights in
`confidence_weights.json` are fitted by `benchmarks/fit_confidence.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from rag.answer.agreement import agreeing, slot_fits
from rag.answer.pieces import Piece, about
from rag.answer.rank import Question, holds_kind, rank, read_question, speaks_of_code
from rag.answer.terms import Term, coverage, held, presence, rare_names, searchable, stretches
from rag.text.normalise import normalise
from rag.text.similar import containment
from rag.types import Evidence, Hit, Understanding

NAMES: tuple[str, ...] = (
    "rerank",
    "rerank_gap",
    "passage",
    "sentence",
    "everywhere",
    "rare_missing",
    "rare_lost",
    "name_missing",
    "likeness",
    "subject",
    "run",
    "titled",
    "kind",
    "dense",
    "dense_gap",
    "agreed",
    "few_terms",
    "slot_silent",
)
"""Names of the features in the order of the weights."""

RARE_FROM = 0.6
"""Weight (`rag.answer.terms`) from which a term is rare enough for its absence to tell."""
DENSE_LOW, DENSE_HIGH = 0.75, 0.95
"""Cosines between which the bundled embedder's similarities lie (measured: an
unrelated question still reaches 0.8). Others are clipped to the same range."""


FOREIGN_BELOW = 0.7
"""Best cosine below which another kind of embedder is at work, whose scale is not known: the
dense features then stay 0 and the model without them decides."""


_ASIDE = re.compile(r"[（(][^（）()]*[）)]|[《》]")


def features(
    understanding: Understanding, hits: Sequence[Hit], evidence: Sequence[Evidence]
) -> dict[str, float]:
    """The features of one question with what was found for it; all 0 without evidence.

    Beside `NAMES` there is "exact": 1 when a record or cell of the very code asked about holds
    what is asked for. It is too rare in the data to be fitted and works as a floor instead.
    """
    if not evidence:
        return dict.fromkeys((*NAMES, "exact"), 0.0)
    question = read_question(understanding.standalone_question)
    usable = agreeing(understanding, evidence) or tuple(evidence)
    texts = [_whole(item) for item in usable]
    everything = "\n".join(texts)
    best_text = max(texts, key=lambda text: coverage(question.terms, text))
    ranked = rank(question, usable)
    found = {
        "passage": coverage(question.terms, best_text),
        "sentence": max((one.covered for one in ranked[:20]), default=0.0),
        "everywhere": coverage(question.terms, everything),
        "rare_missing": _rare_missing(question.terms, everything),
        "rare_lost": max(
            (1.0 - held(name, everything) for name in rare_names(question.text)), default=0.0
        ),
        "name_missing": _name_missing(question.terms, everything),
        "subject": max(_runs(question.text, text)[0] for text in texts),
        "run": max(_runs(question.text, text)[1] for text in texts),
        "titled": max(_titled(question.text, item) for item in usable),
        "likeness": max(containment(normalise(question.text), searchable(t)) for t in texts),
        "kind": _kind(question, [one.piece for one in ranked]),
        "exact": float(any(speaks_of_code(question, one.piece) for one in ranked)),
        "few_terms": 1.0 / (1.0 + sum(term.weight for term in question.terms)),
        "slot_silent": float("silent" in slot_fits(understanding, usable).values()),
    }
    return dict.fromkeys(NAMES, 0.0) | found | _from_scores(hits, usable)


def _whole(item: Evidence) -> str:
    return f"{about(item.chunk)}\n{item.chunk.text}"


def _runs(question: str, text: str) -> tuple[float, float]:
    """How much of the question's names stands in one piece in a passage: the first, and all.

    张舒雅 is either there or not, while its letters are everywhere.
    """
    names = stretches(question)
    if not names:
        return 0.0, 0.0
    shares = [held(name, text) for name in names]
    total = sum(share * len(name) for share, name in zip(shares, names, strict=True))
    return shares[0], total / sum(map(len, names))


def _titled(question: str, item: Evidence) -> float:
    """1 when the question names the passage's document or innermost heading in full, 0.5 when
    it leaves out what the title has in brackets (a branch, a year, a disambiguation).

    The end of a longer name is not the name: 高氏前肛鳗 is not 前肛鳗.
    """
    chunk = item.chunk
    title = chunk.metadata.title or PurePath(chunk.document_name).stem
    asked, longer = normalise(question), rare_names(question)

    def named(name: str) -> bool:
        inside = any(name in other and not other.startswith(name) for other in longer)
        return len(name) > 1 and name in asked and not inside

    if any(named(normalise(name)) for name in (title, *chunk.heading_path[-1:])):
        return 1.0
    return 0.5 if named(normalise(_ASIDE.sub("", title))) else 0.0


def _rare_missing(terms: Sequence[Term], text: str) -> float:
    """Weight of the rarest term of which the evidence holds nothing."""
    lost = [t.weight * (1.0 - presence(t.text, text)) for t in terms if t.weight >= RARE_FROM]
    return max(lost, default=0.0)


def _name_missing(terms: Sequence[Term], text: str) -> float:
    return max((1.0 - presence(t.text, text) for t in terms if t.name), default=0.0)


def _kind(question: Question, best_first: Sequence[Piece]) -> float:
    """1 when the best piece holds the kind asked for, 0.6 one of the next two, 0.3 any other.

    0.5 when the question asks for no kind in particular.
    """
    if question.asked.wanted in ("text", "steps", "yes_no"):
        return 0.5
    place = next(
        (i for i, p in enumerate(best_first) if holds_kind(question.asked, p, question.text)), None
    )
    if place is None:
        return 0.0
    return 1.0 if place == 0 else 0.6 if place < 3 else 0.3


def _from_scores(hits: Sequence[Hit], usable: Sequence[Evidence]) -> dict[str, float]:
    """Features of the retrieval's own scores; 0 where a stage did not run."""
    kept = {item.chunk.id for item in usable}
    rerank = [hit.scores.get("rerank", 0.0) for hit in hits if hit.chunk.id in kept]
    dense = [hit.scores["dense"] for hit in hits if "dense" in hit.scores]
    own = [h.scores["dense"] for h in hits if "dense" in h.scores and h.chunk.id in kept]
    top = max(rerank, default=0.0)
    others = sorted(rerank, reverse=True)[1:]
    gap = top - sum(others) / len(others) if others else 0.0
    span = DENSE_HIGH - DENSE_LOW
    best = max(own, default=0.0)
    if best < FOREIGN_BELOW:
        best, dense = 0.0, []
    return {
        "rerank": _unit(top),
        "rerank_gap": _unit(gap),
        "dense": _unit((best - DENSE_LOW) / span),
        "dense_gap": _unit((best - sum(dense) / len(dense)) / span) if len(dense) > 2 else 0.0,
        "agreed": _agreed(hits),
    }


def _agreed(hits: Sequence[Hit]) -> float:
    """1 when vector and keyword search put the same passage first, 0.5 the same document."""
    by_dense = max(hits, key=lambda hit: hit.scores.get("dense", -1.0), default=None)
    by_sparse = max(hits, key=lambda hit: hit.scores.get("sparse", -1.0), default=None)
    if by_dense is None or by_sparse is None or "sparse" not in by_sparse.scores:
        return 0.0
    if by_dense.chunk.id == by_sparse.chunk.id:
        return 1.0
    return 0.5 if by_dense.chunk.document_id == by_sparse.chunk.document_id else 0.0


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
