"""From what a question means to what will be searched."""

from __future__ import annotations

from collections.abc import Sequence

from rag.text.normalise import normalise
from rag.types import KnowledgeProfile, QueryPlan, SearchFilter, Understanding
from rag.understand.regions import related
from rag.understand.slots import quoted_titles
from rag.understand.times import years_of


def plan(
    understanding: Understanding,
    kb_ids: Sequence[str],
    *,
    profile: KnowledgeProfile | None,
) -> QueryPlan:
    """The queries and the filter of a question.

    `queries[0]` is the completed question; its parts follow when it compares things. The
    filter holds the asked regions always, and the years only where the knowledge base has
    documents of them. Documents without region or year always pass.
    """
    queries = (understanding.standalone_question, *understanding.sub_questions)
    return QueryPlan(
        queries=tuple(dict.fromkeys(query for query in queries if query.strip())),
        filter=SearchFilter(
            kb_ids=tuple(kb_ids),
            document_ids=_named_documents(understanding, profile),
            regions=understanding.slots.region,
            years=_years(understanding, profile),
        ),
        strategy=understanding.strategy,
        intent=understanding.intent,
    )


def _named_documents(
    understanding: Understanding, profile: KnowledgeProfile | None
) -> tuple[str, ...]:
    """The documents whose whole title the question quotes, when it is about one title only."""
    titles = quoted_titles(understanding.standalone_question)
    if profile is None or len(titles) != 1 or understanding.intent == "comparison":
        return ()
    wanted = normalise(titles[0])
    return tuple(d.document_id for d in profile.documents if normalise(d.title) == wanted)


def _years(
    understanding: Understanding, profile: KnowledgeProfile | None
) -> tuple[int, int] | None:
    years = years_of(understanding.slots.time)
    if years is None or profile is None:
        return None
    first, last = years
    regions = understanding.slots.region
    known = {
        d.metadata.year
        for d in profile.documents
        if d.metadata.year is not None
        and (
            not regions
            or d.metadata.region is None
            or any(related(region, d.metadata.region) for region in regions)
        )
    }
    return years if any(first <= year <= last for year in known) else None
