"""The order of passages after reranking, and why each was found."""

from __future__ import annotations

from collections.abc import Sequence

from rag.retrieve.exact import ExactTerms, exact_matches
from rag.text.tokenise import query_terms
from rag.types import Hit


def ordered(question: str, exact: ExactTerms, hits: Sequence[Hit]) -> list[Hit]:
    """Exact matches first, then by the last stage's score; ranks and reasons set."""
    found = {hit.chunk.id: exact_matches(exact, hit.chunk) for hit in hits}
    terms = query_terms(question)

    def place(hit: Hit) -> tuple[float, float, float]:
        scores = hit.scores
        matches = float(len(found[hit.chunk.id]))
        return -matches, -scores.get("rerank", 0.0), -scores.get("fused", 0.0)

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
