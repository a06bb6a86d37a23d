"""The order of passages after reranking, and why each was found."""

from __future__ import annotations

from collections.abc import Sequence

from rag.retrieve.exact import ExactTerms, exact_matches, has_entry
from rag.text.tokenise import query_terms
from rag.types import Hit

QUOTATION = 6
"""Characters from which words in quotation marks are a quotation, which is put first wherever it
stands; shorter ones are words that the question only sets apart. Chosen by us."""
QUOTED_ODDS = 10.0
"""How much likelier a passage is to be the answer for each word set apart that it holds: factor
of its rerank score's odds. Measured on the 28 questions of LeCoQA and the 57 of CMRC 2018 that
have such words: nDCG@10 .479/.970 without, .490/.977 for 3, .489/.987 for 10, .482/.987 for 30,
.462/.987 when such passages always come first (`benchmarks.bench_quoted`)."""
ENTRY_ODDS = 5.0
"""The same for a passage with the record or row of a code that the question names: its price
stands there, not where the code is mentioned. Chosen by us."""


def ordered(question: str, exact: ExactTerms, hits: Sequence[Hit]) -> list[Hit]:
    """Exact matches first, then by the last stage's score, in which words in quotation marks
    count; ranks and reasons set."""
    found = {hit.chunk.id: exact_matches(exact, hit.chunk) for hit in hits}
    apart = {f"“{phrase}”" for phrase in exact.phrases if len(phrase) < QUOTATION}
    terms = query_terms(question)

    def place(hit: Hit) -> tuple[float, float, float]:
        matches = found[hit.chunk.id]
        words = sum(match in apart for match in matches)
        score = hit.scores.get("rerank", 0.0)
        odds = QUOTED_ODDS**words * score / max(1.0 - score, 1e-9)
        odds *= ENTRY_ODDS ** has_entry(exact, hit.chunk)
        return words - float(len(matches)), -odds, -hit.scores.get("fused", 0.0)

    return [
        hit.model_copy(update={"rank": rank, "why": _why(hit, found[hit.chunk.id], terms)})
        for rank, hit in enumerate(sorted(hits, key=place), start=1)
    ]


def one_each_first(hits: Sequence[Hit]) -> list[Hit]:
    """The best hit of every document, then the others, each in their order; ranks set."""
    seen: set[str] = set()
    firsts: list[Hit] = []
    others: list[Hit] = []
    for hit in hits:
        (others if hit.chunk.document_id in seen else firsts).append(hit)
        seen.add(hit.chunk.document_id)
    return [
        hit.model_copy(update={"rank": rank})
        for rank, hit in enumerate([*firsts, *others], start=1)
    ]


def _why(hit: Hit, exact: Sequence[str], terms: Sequence[str]) -> str:
    """One line for people: what speaks for this passage."""
    if exact:
        return f"准确匹配：{'、'.join(exact)}"
    place = (
        f"{hit.chunk.document_name}\n{' '.join(hit.chunk.heading_path)}\n{hit.chunk.text}".lower()
    )
    words = [term for term in terms if term in place][:5]
    if words:
        return f"含有：{'、'.join(words)}"
    return "语义相近"
