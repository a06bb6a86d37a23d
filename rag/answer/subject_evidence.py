"""The evidence that speaks of what is asked about.

需要交什么材料 stands in every rule; asked about the 婚假, only a document that knows the 婚假 may
answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rag.answer.rank import documents
from rag.answer.terms import Term, content_terms, coverage, presence
from rag.types import Evidence, Understanding

SUBJECT_FROM = 0.7
"""Weight (`rag.answer.terms`) from which a word is what a question is about; chosen by us."""
HELD_FROM = 0.8
"""How far a document must hold it (a synonym counts); chosen by us."""


def of_the_subject_asked(
    understanding: Understanding, evidence: Sequence[Evidence]
) -> tuple[Evidence, ...]:
    """The evidence without documents that say nothing of the subject that another one names.

    A document that says more of the rest of the question than those with the subject stays: an
    answer may need both. Questions about several things keep all. What is kept is numbered anew.
    """
    several = understanding.sub_questions or understanding.intent in ("comparison", "summary")
    whole = documents(evidence)
    if several or len(whole) < 2:
        return tuple(evidence)
    terms = content_terms(understanding.standalone_question)
    subject = _subject(terms, list(whole.values()))
    if subject is None:
        return tuple(evidence)
    shares = {id_: presence(subject.text, text) for id_, text in whole.items()}
    covered = {id_: coverage(terms, text) for id_, text in whole.items()}
    best = max(covered[id_] for id_, share in shares.items() if share >= HELD_FROM)
    return numbered(
        item
        for item in evidence
        if shares[item.chunk.document_id] or covered[item.chunk.document_id] > best
    )


def numbered(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The evidence numbered from 1 in its order, as it will be cited."""
    return tuple(item.model_copy(update={"n": n}) for n, item in enumerate(evidence, start=1))


def _subject(terms: Sequence[Term], texts: Sequence[str]) -> Term | None:
    """The rarest word of the question that any of the documents holds; what may be no word at
    all (婚假, which the dictionary lacks) in its own letters."""
    telling = [t for t in terms if t.weight >= SUBJECT_FROM and not t.name]
    for term in sorted(telling, key=lambda term: -term.weight):
        if any(presence(term.text, text) >= (1.0 if term.soft else HELD_FROM) for text in texts):
            return term
    return None
