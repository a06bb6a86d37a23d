"""Whether a passage meets a search filter: what the vector store checks, for passages that
come by their id (those of the previous turn)."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Chunk, SearchFilter


def admits(condition: SearchFilter, chunk: Chunk) -> bool:
    """Whether the chunk is one that a search under this filter could return.

    The rules are those of `rag.store.expression.search_expression`; knowledge bases count, too.
    """
    about = chunk.metadata
    return (
        chunk.kb_id in condition.kb_ids
        and _one_of(chunk.document_id, condition.document_ids)
        and chunk.document_id not in condition.left_out
        and _in_region(about.region or "", condition)
        and _in_years(about.year, condition)
        and _one_of(about.document_type or "", condition.document_types)
        and _one_of(about.organisation or "", condition.organisations)
        and _one_of(about.product or "", condition.products)
    )


def _one_of(value: str, wanted: Sequence[str]) -> bool:
    return not wanted or value in wanted


def _in_region(region: str, condition: SearchFilter) -> bool:
    """A region, the places inside it, and those that it lies in."""
    if not condition.regions:
        return True
    if not region:
        return condition.include_unspecified
    return any(
        f"{region}/".startswith(f"{asked}/") or f"{asked}/".startswith(f"{region}/")
        for asked in condition.regions
    )


def _in_years(year: int | None, condition: SearchFilter) -> bool:
    if condition.years is None:
        return True
    if not year:
        return condition.include_unspecified
    return condition.years[0] <= year <= condition.years[1]
