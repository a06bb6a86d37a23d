"""One search while it runs: what is looked for, and the time and rankings of each stage."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from rag.retrieve.exact import ExactTerms
from rag.retrieve.fuse import Ranked
from rag.types import Hit, QueryPlan, SearchStage
from rag.types.retrieval import StageName

if TYPE_CHECKING:
    from rag.models.embedder import Embedder
    from rag.settings import RetrievalSettings


@dataclass(frozen=True)
class Listing:
    """One ranked list that a search found, and its weight in the fusion.

    Attributes:
        stage: which search made it.
        query: what was searched for.
        ranked: chunk ids with scores, best first.
        weight: 0 or more.
        note: what it is, in the user's language.
    """

    stage: StageName
    query: str
    ranked: Ranked
    weight: float
    note: str = ""


@dataclass
class Run:
    """One search: what is looked for, under which settings, and what it did.

    Attributes:
        queries: the plan's queries that are not blank; the first is the completed question.
        question: what the reranker judges by.
        candidates: passages that are reranked.
        space: fingerprints of the embedder and of the vectors in use.
        key: all that the result depends on, but for the filter and the number of hits.
        day: today, by which it is judged what is in force.
        stages: what each stage did, where it is wanted, else None.
        listings: the lists that were fused last.
        notes: what went wrong without ending the search, in Chinese.
    """

    plan: QueryPlan
    queries: tuple[str, ...]
    question: str
    exact: ExactTerms
    settings: RetrievalSettings
    candidates: int
    embedder: Embedder
    space: tuple[str, str]
    key: Hashable
    day: date
    stages: list[SearchStage] | None = None
    timings_ms: dict[str, float] = field(default_factory=dict)
    listings: tuple[Listing, ...] = ()
    notes: list[str] = field(default_factory=list)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the time of what is done within to that of the stage."""
        began = time.perf_counter()
        try:
            yield
        finally:
            elapsed = (time.perf_counter() - began) * 1000
            self.timings_ms[stage] = self.timings_ms.get(stage, 0.0) + elapsed

    def keep_listings(self, listings: Sequence[Listing], ms: Sequence[float]) -> None:
        """Take these lists for the stages before the fusion, instead of earlier ones.

        Args:
            ms: the time of each.
        """
        self.listings = tuple(listings)
        if self.stages is not None:
            self.stages[:] = [
                SearchStage(
                    name=found.stage,
                    query=found.query,
                    ranked=tuple(found.ranked),
                    ms=time_ms,
                    note=found.note,
                )
                for found, time_ms in zip(listings, ms, strict=True)
            ]

    def keep(self, name: StageName, hits: Sequence[Hit], score: str, ms: float, note: str) -> None:
        """Record a ranking of hits by one of their scores, where stages are wanted."""
        if self.stages is not None:
            ranked = tuple((hit.chunk.id, hit.scores.get(score, 0.0)) for hit in hits)
            self.stages.append(
                SearchStage(name=name, query=self.question, ranked=ranked, ms=ms, note=note)
            )
