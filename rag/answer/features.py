"""What speaks for and against an answer: the features of the calibrated confidence.

All are 0..1 and mean the same in a small and in a large knowledge base; the weights in
`confidence_weights.json` are fitted by `benchmarks/fit_confidence.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from rag.answer.agreement import agreeing, slot_fits
from rag.answer.fields import holds_kind
from rag.answer.fits import odds
from rag.answer.matter import beside
from rag.answer.pieces import Piece, about
from rag.answer.rank import (
    Question,
    Ranked,
    documents,
    rank,
    read_question,
    speaks_of_code,
    with_words_of,
)
from rag.answer.terms import (
    TELLING,
    Term,
    coverage,
    held,
    presence,
    rare_names,
    searchable,
    stretches,
)
from rag.text.normalise import HAN, is_han, normalise
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
    "both",
    "grounded",
    "fit",
    "fit_best",
)
"""Names of the features in the order of the weights."""

RARE_FROM = 0.6
"""Weight (`rag.answer.terms`) from which a term is rare enough for its absence to tell."""
DENSE_LOW, DENSE_HIGH = 0.75, 0.95
"""Cosines between which the bundled embedder's similarities lie (measured: an
unrelated question still reaches 0.8). Others are clipped to the same range."""


SUBJECT_FROM = 0.6
ENOUGH_WEIGHT = 1.5
"""Coverage from which a place is about the subject, and the weight of terms that make up a
subject (two rare words); chosen by us."""
KIND_WEIGHT = 0.5
"""What a particular kind of value weighs as a part of the subject where the best piece holds it
(停车 and an amount of money); chosen by us."""
NOUN_FROM = 0.45
LOST_NOUN = 1.5
"""Weight from which a word may be the subject, and how much its weight takes from "grounded"
when it is absent; chosen by us."""
FEW_KINDS = 3
"""Kinds of value up to which a question asks for something particular (money; a date or time)."""
SHORTEST_NAME, LONGEST_NAME = 3, 10
"""Letters of the names whose variants are looked for."""
SECOND_KIND = 0.6
"""Value of "kind" when one of the best three pieces holds the kind asked for."""
ELSEWHERE = 0.3
"""The same when only another piece holds it."""
READ = 0.001
"""Least value of the fits where lines were read, so that 0 stands for "not read"."""
FOREIGN_BELOW = 0.7
"""Best cosine below which another kind of embedder is at work, whose scale is not known: the
dense features then stay 0 and the model without them decides."""


EXACT_RECORD = 0.75
"""What a record or cell of the very code earns as "exact", whatever else is asked; ours."""
_CAPITALS = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,5}(?![A-Za-z0-9])")
"""Codes without digits (UB), as they are typed."""
_ASIDE = re.compile(r"[（(][^（）()]*[）)]|[《》]")


def features(
    understanding: Understanding,
    hits: Sequence[Hit],
    evidence: Sequence[Evidence],
    ranked: Sequence[Ranked] | None = None,
) -> dict[str, float]:
    """The features of one question with what was found for it; all 0 without evidence.

    "both" is the smaller of the reranker's word and the coverage. "grounded" is 1 when one place
    holds the whole subject and the kind of thing asked for. Beside `NAMES` there is
    "exact": above 0 when a record, a cell or a line of the very code asked about holds what is
    asked for, then the share of the question's other words there (1 without any). It is too
    rare in the data to be fitted and works as a floor instead. `ranked` are the pieces of the
    evidence that agrees with the question, best first; ranked here when left out.
    """
    if not evidence:
        return dict.fromkeys((*NAMES, "exact"), 0.0)
    question = read_question(understanding.standalone_question)
    question = with_words_of(question, documents(evidence))
    usable = agreeing(understanding, evidence) or tuple(evidence)
    texts = [_whole(item) for item in usable]
    everything = "\n".join(texts)
    best_text = max(texts, key=lambda text: coverage(question.terms, text))
    ranked = rank(question, usable) if ranked is None else ranked
    other = beside(question, usable, documents(usable))
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
        "kind": _kind(question, [one.piece for one in ranked if one.piece.n not in other]),
        "exact": _exact(question, [one.piece for one in ranked], usable),
        "few_terms": 1.0 / (1.0 + sum(term.weight for term in question.terms)),
        "slot_silent": float("silent" in slot_fits(understanding, usable).values()),
    }
    found |= _from_scores(hits, usable, _things(understanding))
    found["both"] = min(found["rerank"], found["passage"])
    found |= _fits(ranked)
    if not any(_altered(name, best_text) for name in stretches(question.text)):
        whole = _whole_subject(question, ranked)
        found["grounded"] = _grounded(found, question, everything, whole)
    return dict.fromkeys(NAMES, 0.0) | found


def _fits(ranked: Sequence[Ranked]) -> dict[str, float]:
    """What the line reader says of the line that fits best and of the one that would be given,
    above 0 to 1; 0 where no model has read them."""
    read = [(1.0 + odds(one.piece.fit)) / 2 for one in ranked if one.piece.fit is not None]
    if not read:
        return {}
    return {"fit": max(*read, READ), "fit_best": max(read[0], READ)}


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


def _whole_subject(question: Question, ranked: Sequence[Ranked]) -> float:
    """What the best piece covers with its document, where it holds the kind asked for."""
    if not ranked or not question.attribute:
        return 0.0
    best = ranked[0]
    if not best.piece.key and not 0 < len(question.asked.kinds) <= FEW_KINDS:
        return 0.0
    return best.within if holds_kind(question.asked, best.piece, question.text) else 0.0


def _grounded(found: dict[str, float], question: Question, text: str, whole: float = 0.0) -> float:
    """How far one place holds the subject, by words that tell enough, with its kind of answer.

    A noun of the question of which nothing is there at all is another subject.
    """
    terms = question.terms
    nouns = [term for term in terms if term.weight >= NOUN_FROM and not term.soft]
    lost = [min(1.0, LOST_NOUN * t.weight) * (1.0 - presence(t.text, text)) for t in nouns]
    particular = 0 < len(question.asked.kinds) <= FEW_KINDS and found["kind"] == 1.0
    weight = sum(term.weight for term in terms) + KIND_WEIGHT * particular
    covered = max(0.0, max(found["sentence"], whole) - SUBJECT_FROM) / (1.0 - SUBJECT_FROM)
    kind = 1.0 if found["kind"] >= 0.5 else 0.7 if found["kind"] else 0.3
    return covered * kind * min(1.0, weight / ENOUGH_WEIGHT) * (1.0 - max(lost, default=0.0))


def _altered(name: str, text: str) -> bool:
    """Whether a text has another name that differs from this one in a single inner letter, and
    not this one: 嘉善南站 for 嘉兴南站."""
    searched = searchable(text)
    if not SHORTEST_NAME <= len(name) <= LONGEST_NAME or not all(map(is_han, name)):
        return False
    if name in searched:
        return False
    forms = [f"{name[:i]}[{HAN}]{name[i + 1 :]}" for i in range(1, len(name) - 1)]
    return bool(re.search("|".join(forms), searched))


def _exact(question: Question, pieces: Sequence[Piece], usable: Sequence[Evidence]) -> float:
    """Whether there is a record, cell or line of the very code, and what else fits there."""
    wanted = [term.text for term in question.terms if term.name]
    wanted += map(normalise, _CAPITALS.findall(question.text))
    others = [term for term in question.terms if term.text not in wanted]
    best = 0.0
    if any(speaks_of_code(question, piece) for piece in pieces):
        best = EXACT_RECORD
    if question.asked.kinds:  # a line explains its code; an amount has to be in it
        pieces = [piece for piece in pieces if holds_kind(question.asked, piece, question.text)]
    telling = [term for term in others if term.weight >= TELLING and not term.soft]
    places = {item.n: _whole(item) for item in usable}
    for n in {p.n for p in pieces if any(_starts_with(code, p.body) for code in wanted)}:
        best = max(best, coverage(telling, places[n]) if telling else 1.0)
    return best


def _starts_with(code: str, line: str) -> bool:
    start = normalise(line)[: len(code) + 1]
    return start[:-1] == code and not (start[-1].isascii() and start[-1].isalnum())


def _rare_missing(terms: Sequence[Term], text: str) -> float:
    """Weight of the rarest term of which the evidence holds nothing."""
    sure = [term for term in terms if term.weight >= RARE_FROM and not term.soft]
    lost = [min(term.weight, 1.0) * (1.0 - presence(term.text, text)) for term in sure]
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
    return 1.0 if place == 0 else SECOND_KIND if place < 3 else ELSEWHERE


def _things(understanding: Understanding) -> int:
    """How many things (regions, years, products) the question asks about at once."""
    slots = understanding.slots
    least = 2 if understanding.intent == "comparison" else 1
    return max(least, len(slots.region), len(slots.time), len(slots.product))


def _from_scores(
    hits: Sequence[Hit], usable: Sequence[Evidence], things: int = 1
) -> dict[str, float]:
    """Features of the retrieval's own scores; 0 where a stage did not run.

    The gaps are those to the best passages of other documents: passages of one document
    confirm each other. Passages that conflict with the question do not compete either, nor do
    the best documents of a question about several `things`.
    """
    kept = {item.chunk.id for item in usable}
    own = [hit for hit in hits if hit.chunk.id in kept]
    rerank = _by_document(own, "rerank")
    dense = _by_document(own, "dense")
    top, best = max(rerank, default=0.0), max(dense, default=0.0)
    span = DENSE_HIGH - DENSE_LOW
    foreign = best < FOREIGN_BELOW
    return {
        "rerank": _unit(top),
        "rerank_gap": _unit(top - _rivals(rerank, things)),
        "dense": 0.0 if foreign else _unit((best - DENSE_LOW) / span),
        "dense_gap": 0.0 if foreign else _unit((best - _rivals(dense, things, best)) / span),
        "agreed": _agreed(own),
    }


def _by_document(hits: Sequence[Hit], score: str) -> list[float]:
    """The best score of each document; copies of one under other names are one."""
    best: dict[object, float] = {}
    for hit in hits:
        if score in hit.scores:
            facts = hit.chunk.metadata
            copy = (facts.title, facts.document_number, facts.region, facts.year)
            key = copy if facts.title and facts.document_number else hit.chunk.document_id
            best[key] = max(best.get(key, 0.0), hit.scores[score])
    return list(best.values())


def _rivals(scores: Sequence[float], things: int, otherwise: float = 0.0) -> float:
    """The mean of all scores but those of the best `things` documents."""
    others = sorted(scores, reverse=True)[things:]
    return sum(others) / len(others) if others else otherwise


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
