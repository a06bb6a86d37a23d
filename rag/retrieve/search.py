"""Search: from a query plan to ranked passages (retrieve, fuse and rerank of DESIGN §2)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from rag.errors import ModelError, StoreError
from rag.retrieve.cache import RecentResults
from rag.retrieve.compress import compress
from rag.retrieve.currency import IN_FORCE, current_first
from rag.retrieve.exact import ExactTerms, exact_terms
from rag.retrieve.fuse import Ranked, rrf, weighted
from rag.retrieve.order import ordered
from rag.retrieve.parents import with_parents
from rag.retrieve.parts import PART_HITS, with_parts
from rag.retrieve.query import query_text, search_tokens
from rag.types import Evidence, Hit, QueryPlan, Retrieval, SearchFilter, Slots

if TYPE_CHECKING:
    import numpy as np

    from rag.models.embedder import Embedder
    from rag.models.reranker import Reranker
    from rag.settings import Settings
    from rag.store.catalog import Catalog
    from rag.store.lexical import LexicalStats
    from rag.store.vectors import VectorStore

PART_WEIGHT = 0.7
"""Weight of each further query beside the completed question's 1; chosen by us."""
PROBE_HITS = 12
"""Hits of a probe: enough to see two regions or years compete; chosen by us."""
_EXACT_CANDIDATES = 30
_ARTICLE_TIMES = 3
"""How often an article's number counts among the question's words when articles are sought;
chosen by us."""
_SWAPS = 2
_SWAP_SECONDS = 1.0
"""Searches that are begun again during an exchange of the embedder, and how long each waits
for its end; it takes milliseconds. Chosen by us."""
_RECENT_RESULTS = 256
_RECENT_VECTORS = 1024

Lists = list[tuple[Ranked, float]]

_CONDITIONS: tuple[tuple[str, str, object], ...] = (
    ("文档类型", "document_types", ()),
    ("机构", "organisations", ()),
    ("产品", "products", ()),
    ("年份", "years", None),
    ("地区", "regions", ()),
)
"""Filter conditions in the order in which they are given up: name for people, field, value of
"no condition". Never given up: knowledge bases and documents, which say what may be read."""


class _Swapped(Exception):
    """The embedder or the vectors were exchanged during a search."""


@dataclass
class _Run:
    """One search: what is looked for, under which settings, and the time that it took."""

    queries: tuple[str, ...]
    question: str
    exact: ExactTerms
    settings: Settings
    embedder: Embedder
    space: tuple[str, str]
    key: Hashable
    day: date
    timings_ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            elapsed = (time.perf_counter() - began) * 1000
            self.timings_ms[stage] = self.timings_ms.get(stage, 0.0) + elapsed


class Retriever:
    """Finds passages. Thread-safe.

    Args:
        catalog: resolves chunk ids; what is not in it is not part of any answer.
        vectors: the vector store, opened.
        lexical: BM25 statistics.
        embedder, reranker, settings: called once per search, so that a change takes effect.
    """

    def __init__(
        self,
        catalog: Catalog,
        vectors: VectorStore,
        lexical: LexicalStats,
        embedder: Callable[[], Embedder],
        reranker: Callable[[], Reranker],
        settings: Callable[[], Settings],
    ) -> None:
        self._catalog = catalog
        self._vectors = vectors
        self._lexical = lexical
        self._embedder = embedder
        self._reranker = reranker
        self._settings = settings
        self._results: RecentResults[Retrieval] = RecentResults(_RECENT_RESULTS)
        self._query_vectors: RecentResults[np.ndarray] = RecentResults(_RECENT_VECTORS)
        self._fallback_lock = threading.Lock()
        self._fallback: Reranker | None = None

    def search(
        self,
        plan: QueryPlan,
        *,
        question: str | None = None,
        top_k: int | None = None,
        rerank: bool = True,
    ) -> Retrieval:
        """The best passages for a plan, best first.

        Conditions of the filter under which nothing at all is found are dropped one after
        another and named in `widened`. Exact matches of codes and quoted titles come first.
        Of a comparison, each part is searched by itself, too, and keeps a place.

        Args:
            question: what the reranker judges by; `plan.queries[0]` when left out.
            top_k: passages returned; the setting when left out.
            rerank: False keeps the order of the fusion.

        Raises:
            ModelError: the question cannot be embedded.
            StoreError: the vector store or the catalog cannot be used.
        """
        queries = tuple(query for query in plan.queries if query.strip())
        if not queries or not plan.filter.kb_ids:
            return Retrieval()

        def found(run: _Run) -> Retrieval:
            count = top_k or run.settings.retrieval.top_k
            return self._results.get(
                (run.key, plan.filter, count, rerank, "search"),
                lambda: self._search(run, plan.filter, count, rerank=rerank, widen=True),
            )

        whole = self._in_one_space(queries, question or queries[0], plan.filter, found)
        if plan.strategy != "decompose" or len(queries) == 1 or not rerank:
            return whole
        single = plan.model_copy(update={"strategy": "direct"})
        parts = [
            self.search(single.model_copy(update={"queries": (part,)}), top_k=PART_HITS)
            for part in queries[1:]
        ]
        return with_parts(whole, parts, top_k or self._settings().retrieval.top_k)

    def probe(self, question: str, kb_ids: Sequence[str], slots: Slots) -> tuple[Hit, ...]:
        """A first look for the ambiguity judge: what is found under the known slots, reranked.

        Nothing is widened; empty when nothing is found.
        """
        if not question.strip() or not kb_ids:
            return ()
        dates = [d for r in slots.time for d in (r.start, r.end) if d is not None]
        years = (min(d.year for d in dates), max(d.year for d in dates)) if dates else None
        condition = SearchFilter(kb_ids=tuple(kb_ids), regions=slots.region, years=years)

        def found(run: _Run) -> Retrieval:
            return self._results.get(
                (run.key, condition, "probe"),
                lambda: self._search(run, condition, PROBE_HITS, rerank=True, widen=False),
            )

        return self._in_one_space((question,), question, condition, found).hits

    def evidence(self, question: str, hits: Sequence[Hit]) -> tuple[Evidence, ...]:
        """What of these hits the answer step gets: near-duplicates out, within the budget."""
        settings = self._settings().retrieval
        return compress(
            question,
            hits,
            settings.context_tokens,
            self._embedder().count_tokens,
            near_duplicate=settings.near_duplicate,
        )

    # --- The stages -------------------------------------------------------------------

    def _in_one_space(
        self,
        queries: tuple[str, ...],
        question: str,
        condition: SearchFilter,
        found: Callable[[_Run], Retrieval],
    ) -> Retrieval:
        """What is found with an embedder and its own vectors: again when both were exchanged
        for others in the middle of the search."""
        for _ in range(_SWAPS):
            self._settle()
            run = self._run(queries, question, condition)
            try:
                return found(run)
            except _Swapped:
                continue
            except (ValueError, StoreError):
                if self._space() == run.space and run.space[0] == run.space[1]:
                    raise
        self._settle()
        return found(self._run(queries, question, condition))

    def _space(self) -> tuple[str, str]:
        """Fingerprints of the embedder in use and of the vectors in use."""
        return self._embedder().fingerprint, self._vectors.fingerprint

    def _settle(self) -> None:
        """Wait for the moment between the exchange of the vectors and that of the embedder."""
        until = time.monotonic() + _SWAP_SECONDS
        while len(set(self._space())) > 1 and time.monotonic() < until:
            time.sleep(0.01)

    def _run(self, queries: tuple[str, ...], question: str, condition: SearchFilter) -> _Run:
        settings, embedder = self._settings(), self._embedder()
        space = (embedder.fingerprint, self._vectors.fingerprint)
        today = date.today()
        key = (
            queries,
            question,
            settings.retrieval,
            settings.reranker,
            space,
            self._catalog.documents.generation(condition.kb_ids),
            today,
        )
        exact = exact_terms(question, self._shares)
        return _Run(queries, question, exact, settings, embedder, space, key, today)

    def _shares(self, terms: Iterable[str]) -> dict[str, tuple[int, float]]:
        """How many passages hold each term, and which share of all."""
        total = max(self._lexical.chunks, 1)
        found = self._lexical.document_frequencies(terms)
        return {term: (count, count / total) for term, count in found.items()}

    def _search(
        self, run: _Run, condition: SearchFilter, count: int, *, rerank: bool, widen: bool
    ) -> Retrieval:
        widened: list[str] = []
        hits = self._candidates(run, condition, count)
        for name, field_name, nothing in _CONDITIONS if widen else ():
            if hits:
                break
            if getattr(condition, field_name):
                condition = condition.model_copy(update={field_name: nothing})
                widened.append(name)
                hits = self._candidates(run, condition, count)
        candidates = len(hits)
        if rerank and hits:
            with run.timed("rerank"):
                hits = self._rerank(run.question, hits, quick=not widen)
        with run.timed("order"):
            hits = ordered(run.question, run.exact, hits)
            hits = self._current_first(run, condition, hits, widen)
            hits = with_parents(hits, self._catalog.chunks.get)[:count]
        if self._space() != run.space:
            raise _Swapped
        return Retrieval(
            hits=tuple(hits),
            widened=tuple(widened) if hits else (),
            timings_ms=run.timings_ms,
            candidates=candidates,
        )

    def _candidates(self, run: _Run, condition: SearchFilter, count: int) -> list[Hit]:
        """Fused and resolved candidates under one filter, as many as will be reranked."""
        lists = self._gather(run, condition)
        retrieval = run.settings.retrieval
        with run.timed("fuse"):
            ranked, weights = [each for each, _ in lists], [weight for _, weight in lists]
            if retrieval.fusion == "rrf":
                fused = rrf(ranked, weights, retrieval.rrf_k)
            else:
                fused = weighted(ranked, weights)
        wanted = max(run.settings.reranker.candidates, count)
        with run.timed("resolve"):
            # A few more than wanted: ids of replaced versions may still be among them.
            chunks = self._catalog.chunks.get([id_ for id_, _ in fused[: wanted + wanted // 4 + 8]])
            kept = [(id_, score) for id_, score in fused if id_ in chunks][:wanted]
        dense, sparse = _best_scores(run, lists)
        with run.timed("vectors"):
            self._fill_dense(run, [id_ for id_, _ in kept], condition, dense)
        hits: list[Hit] = []
        for id_, score in kept:
            scores = {"fused": score}
            scores |= {"dense": dense[id_]} if id_ in dense else {}
            scores |= {"sparse": sparse[id_]} if id_ in sparse else {}
            hits.append(Hit(chunk=chunks[id_], scores=scores))
        return hits

    def _gather(self, run: _Run, condition: SearchFilter) -> Lists:
        """Ranked lists with weights: dense then sparse for each query, then exact codes."""
        settings = run.settings.retrieval
        lists: Lists = []
        for number, query in enumerate(run.queries):
            weight = 1.0 if number == 0 else PART_WEIGHT
            with run.timed("embed"):
                vector = self._embed(run, query)
            with run.timed("dense"):
                near = self._vectors.search_dense(vector, condition, settings.dense_candidates)
            with run.timed("sparse"):
                terms = self._lexical.query_weights(search_tokens(query))
                words = self._vectors.search_sparse(terms, condition, settings.sparse_candidates)
            lists.append((near, weight * settings.dense_weight))
            lists.append((words, weight * (1 - settings.dense_weight)))
        if run.exact.codes:
            with run.timed("sparse"):
                terms = self._lexical.query_weights(run.exact.codes)
                found = self._vectors.search_sparse(terms, condition, _EXACT_CANDIDATES)
            lists.append((found, 1.0))
        if run.exact.articles:
            # Every law has its article 3: the question's other words must tell which is meant.
            with run.timed("sparse"):
                tokens = search_tokens(run.question) + list(run.exact.articles) * _ARTICLE_TIMES
                terms = self._lexical.query_weights(tokens)
                found = self._vectors.search_sparse(terms, condition, _EXACT_CANDIDATES)
            lists.append((found, 1.0))
        return lists

    def _embed(self, run: _Run, query: str) -> np.ndarray:
        text = query_text(query)
        return self._query_vectors.get(
            (run.embedder.fingerprint, text), lambda: run.embedder.embed_queries([text])[0]
        )

    def _fill_dense(
        self, run: _Run, ids: Sequence[str], condition: SearchFilter, dense: dict[str, float]
    ) -> None:
        """Cosines of those candidates that only the keyword search found."""
        missing = [id_ for id_ in ids if id_ not in dense]
        if missing:
            vector = self._embed(run, run.queries[0])
            for id_, other in self._vectors.vectors(missing, condition.kb_ids).items():
                dense[id_] = float(other @ vector)

    def _rerank(self, question: str, hits: list[Hit], *, quick: bool) -> list[Hit]:
        # Whether candidates differ is told by their features as well, in a tenth of the time.
        reranker = self._local() if quick and self._reranker().name == "local" else None
        try:
            scores = (reranker or self._reranker()).score(question, hits)
        except ModelError:
            # A dead endpoint must not end the turn: the local reranker needs nothing.
            scores = self._local().score(question, hits)
        return [
            hit.model_copy(update={"scores": {**hit.scores, "rerank": float(score)}})
            for hit, score in zip(hits, scores, strict=True)
        ]

    def _current_first(
        self, run: _Run, condition: SearchFilter, hits: list[Hit], answering: bool
    ) -> list[Hit]:
        """What is in force first. A probe leaves superseded passages out, so that an old
        version is no reason to ask back; of those that merely expired it judges nothing."""
        older = self._catalog.documents.superseded(condition.kb_ids)
        hits = current_first(hits, run.question, older, run.day, expired=answering)
        return hits if answering else [hit for hit in hits if IN_FORCE not in hit.scores]

    def _local(self) -> Reranker:
        with self._fallback_lock:
            if self._fallback is None:
                from rag.retrieve.rerank import LocalReranker

                self._fallback = LocalReranker()
            return self._fallback


def _best_scores(run: _Run, lists: Lists) -> tuple[dict[str, float], dict[str, float]]:
    """Cosine and BM25 with the completed question; a part's where that one has none."""
    dense: dict[str, float] = {}
    sparse: dict[str, float] = {}
    for number in range(len(run.queries)):
        pair = lists[2 * number : 2 * number + 2]
        for scores, (ranked, _) in zip((dense, sparse), pair, strict=True):
            for id_, score in ranked:
                scores.setdefault(id_, score)
    return dense, sparse
