"""What is searched for, and what is found."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from rag.types.base import Value
from rag.types.documents import Chunk
from rag.types.understanding import Intent, Strategy


class SearchFilter(Value):
    """Typed conditions of a search; the vector store alone turns them into an expression.

    Empty means "no condition". A document without a region or year passes a region or year
    condition when `include_unspecified` is set (national rules apply in each province).
    `years` is an inclusive range. `left_out` names documents to pass over: other years'
    editions of one that the question names the year of.
    """

    kb_ids: tuple[str, ...]
    document_ids: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    years: tuple[int, int] | None = None
    document_types: tuple[str, ...] = ()
    organisations: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    include_unspecified: bool = True


class OtherNames(Value):
    """A word that the asked knowledge bases' dictionary knows, as the question writes it, and
    what else the same thing is called; `others` may be empty."""

    word: str
    others: tuple[str, ...] = ()


class QueryPlan(Value):
    """What will be searched and how. `queries[0]` is the completed question.

    Attributes:
        queries: each is searched by itself; those after the first are sub-questions or other
            wordings of the first.
        passage: a passage that a model imagined as the answer (HyDE); it joins the dense
            search beside the question and is never shown as evidence.
        breadth: one hit per document before the cut, for questions about many documents.
        web: ask the configured web search as well.
        carried: chunk ids of the previous turn's evidence, where the topic continues.
        behind: what was typed, after the question before it; it is searched by itself, too, and
            both take turns among the passages, it first where `behind_first`.
        shares: of several knowledge bases, all of which are searched, those that hold evidence
            with their share of it (0..1), the largest first, as a first look told.
        names: words of the dictionary in the question; a passage that holds another name of
            one of them says the same.
        reasons: why this plan, in the user's language.
    """

    queries: tuple[str, ...]
    filter: SearchFilter
    strategy: Strategy = "direct"
    intent: Intent = "fact"
    passage: str = ""
    breadth: bool = False
    web: bool = False
    carried: tuple[str, ...] = ()
    behind: str = ""
    behind_first: bool = False
    shares: tuple[tuple[str, float], ...] = ()
    names: tuple[OtherNames, ...] = ()
    reasons: tuple[str, ...] = ()


class Hit(Value):
    """A retrieved chunk. Scores by stage: dense, sparse, fused, rerank (those that ran)."""

    chunk: Chunk
    scores: dict[str, float] = Field(default_factory=dict)
    rank: int = 0
    why: str = ""


StageName = Literal["dense", "sparse", "exact", "web", "fused", "reranked", "ordered", "final"]


class SearchStage(Value):
    """One ranking that a search made: chunk ids with scores, best first, and its time.

    `query` is what was searched for; `note` says in the user's language what the stage did.
    """

    name: StageName
    query: str = ""
    ranked: tuple[tuple[str, float], ...] = ()
    ms: float = 0.0
    note: str = ""


class Retrieval(Value):
    """The outcome of a search: ranked hits and what each stage did.

    `widened` names the conditions that were dropped because nothing was found with them;
    `stages` is filled only where the search was asked to keep them; `notes` says in Chinese
    what went wrong without ending the search.
    """

    hits: tuple[Hit, ...] = ()
    widened: tuple[str, ...] = ()
    timings_ms: dict[str, float] = Field(default_factory=dict)
    candidates: int = 0
    stages: tuple[SearchStage, ...] = ()
    notes: tuple[str, ...] = ()


class Evidence(Value):
    """A passage given to the answer step. `n` counts from 1; `span` is `text` in the chunk.
    A model that writes the answer gets `summary` in its place where there is one. `fits` are the
    probabilities 0..1 that each of its lines (`rag.answer.pieces`, in their order) answers the
    question, -1 for those that were not read; empty where no model has read them. `fits_alone`
    are those for the completed question alone, where it was read behind another one, too."""

    n: int
    chunk: Chunk
    text: str
    span: tuple[int, int]
    score: float = 0.0
    summary: str = ""
    fits: tuple[float, ...] = ()
    fits_alone: tuple[float, ...] = ()


class Term(Value):
    """A word of the trade that administrators enter: kept whole, with its other names.

    `kb_id` None stands for all knowledge bases. Synonyms hold in both directions.
    """

    id: str
    kb_id: str | None = None
    text: str
    synonyms: tuple[str, ...] = ()
    created_at: datetime


class ExpectedPassage(Value):
    """A right passage of a saved question: the document, and the words that tell it."""

    document_id: str
    document: str
    quote: str


class RetrievalCase(Value):
    """A question with its right passages, saved from the retrieval lab as a test."""

    id: str
    kb_ids: tuple[str, ...]
    question: str
    expected: tuple[ExpectedPassage, ...] = ()
    note: str = ""
    created_by: str = ""
    created_at: datetime
