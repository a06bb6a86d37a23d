"""What is searched for, and what is found."""

from __future__ import annotations

from pydantic import Field

from rag.types.base import Value
from rag.types.documents import Chunk
from rag.types.understanding import Intent, Strategy


class SearchFilter(Value):
    """Typed conditions of a search; the vector store alone turns them into an expression.

    Empty means "no condition". A document without a region or year passes a region or year
    condition when `include_unspecified` is set (national rules apply in each province).
    `years` is an inclusive range.
    """

    kb_ids: tuple[str, ...]
    document_ids: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    years: tuple[int, int] | None = None
    document_types: tuple[str, ...] = ()
    organisations: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    include_unspecified: bool = True


class QueryPlan(Value):
    """What will be searched and how. `queries[0]` is the completed question."""

    queries: tuple[str, ...]
    filter: SearchFilter
    strategy: Strategy = "direct"
    intent: Intent = "fact"


class Hit(Value):
    """A retrieved chunk. Scores by stage: dense, sparse, fused, rerank (those that ran)."""

    chunk: Chunk
    scores: dict[str, float] = Field(default_factory=dict)
    rank: int = 0
    why: str = ""


class Retrieval(Value):
    """The outcome of a search: ranked hits and what each stage did.

    `widened` names the conditions that were dropped because nothing was found with them.
    """

    hits: tuple[Hit, ...] = ()
    widened: tuple[str, ...] = ()
    timings_ms: dict[str, float] = Field(default_factory=dict)
    candidates: int = 0


class Evidence(Value):
    """A passage given to the answer step. `n` counts from 1; `span` is `text` in the chunk."""

    n: int
    chunk: Chunk
    text: str
    span: tuple[int, int]
    score: float = 0.0
