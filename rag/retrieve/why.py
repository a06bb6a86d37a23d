"""Why a passage stands where it does, in one line for administrators (the retrieval lab)."""

from __future__ import annotations

from collections.abc import Sequence

from rag.retrieve.query import title_path
from rag.retrieve.run import Listing
from rag.text.normalise import normalise
from rag.text.tokenise import query_terms
from rag.types import Hit

_SEARCHES = (("sparse", "关键词"), ("dense", "向量"))


def explained(question: str, listings: Sequence[Listing], hits: Sequence[Hit]) -> list[Hit]:
    """The hits with `why` in full: what matches, its place in each search, and the rerank score.

    "含有：年假；关键词第 1 位，向量第 3 位；标题相符；重排 0.83".

    Args:
        listings: the lists that were fused.
    """
    places = [
        (listing, {id_: place for place, (id_, _) in enumerate(listing.ranked, start=1)})
        for listing in listings
    ]
    terms = [term for term in query_terms(question) if len(term) > 1]
    return [hit.model_copy(update={"why": "；".join(_reasons(hit, places, terms))}) for hit in hits]


def _reasons(
    hit: Hit, places: Sequence[tuple[Listing, dict[str, int]]], terms: Sequence[str]
) -> list[str]:
    reasons = [hit.why] if hit.why else []
    found = [_place(hit.chunk.id, stage, name, places) for stage, name in _SEARCHES]
    reasons += ["，".join(text for text in found if text)]
    title = normalise("\n".join(title_path(hit.chunk)))
    if any(term in title for term in terms):
        reasons.append("标题相符")
    if "rerank" in hit.scores:
        reasons.append(f"重排 {hit.scores['rerank']:.2f}")
    return [reason for reason in reasons if reason]


def _place(
    chunk_id: str, stage: str, name: str, places: Sequence[tuple[Listing, dict[str, int]]]
) -> str:
    """The passage's place in this kind of search; with the query where it is not the first."""
    own = [(listing, ranks) for listing, ranks in places if listing.stage == stage]
    for number, (listing, ranks) in enumerate(own):
        if chunk_id in ranks:
            query = f"（{listing.note or listing.query}）" if number else ""
            return f"{name}第 {ranks[chunk_id]} 位{query}"
    return f"{name}未列入" if own else ""
