"""Search: from a query plan to ranked passages (retrieve, fuse and rerank of DESIGN §2)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from rag.errors import ModelError, StoreError
from rag.retrieve.cache import RecentResults
from rag.retrieve.candidates import Candidates
from rag.retrieve.compress import Summarise, compress
from rag.retrieve.currency import IN_FORCE, current_first
from rag.retrieve.definitions import with_definitions
from rag.retrieve.exact import exact_terms
from rag.retrieve.neighbours import asks_for_all, with_neighbours
from rag.retrieve.order import one_each_first, ordered
from rag.retrieve.parents import with_parents
from rag.retrieve.parts import (
    MORE_BEHIND,
    PART_HITS,
    taking_turns,
    with_parts,
    with_stages_of,
)
from rag.retrieve.run import Run
from rag.retrieve.web_candidates import begin_web
from rag.retrieve.why import explained
from rag.text.as_asked import hits_as_asked, with_other_names
from rag.types import (
    Evidence,
    Hit,
    OtherNames,
    QueryPlan,
    Retrieval,
    SearchFilter,
    Slots,
)

if TYPE_CHECKING:
    from rag.models.embedder import Embedder
    from rag.models.reranker import Reranker
    from rag.retrieve.web_search import WebSearch
    from rag.settings import RetrievalSettings, Settings
    from rag.store.catalog import Catalog
    from rag.store.lexical import LexicalStats
    from rag.store.vectors import VectorStore

PROBE_HITS = 12
"""Hits of a probe: enough to see two regions or years compete; chosen by us."""
_SWAPS = 2
_SWAP_SECONDS = 1.0
"""Searches that are begun again during an exchange of the embedder, and how long each waits
for its end; it takes milliseconds. Chosen by us."""
_RECENT_RESULTS = 256

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


class Retriever:
    """Finds passages. Thread-safe.

    Args:
        catalog: resolves chunk ids; what is not in it is not part of any answer.
        vectors: the vector store, opened.
        lexical: BM25 statistics.
        embedder, reranker, settings: called once per search, so that a change takes effect.
        web: where plans that want the web are looked up, too.
        read_lines: gives evidence its `fits` (`rag.answer.line_fit`); None leaves them out.
    """

    def __init__(
        self,
        catalog: Catalog,
        vectors: VectorStore,
        lexical: LexicalStats,
        embedder: Callable[[], Embedder],
        reranker: Callable[[], Reranker],
        settings: Callable[[], Settings],
        web: WebSearch | None = None,
        read_lines: Callable[[str, Sequence[Evidence], str], tuple[Evidence, ...]] | None = None,
    ) -> None:
        self._catalog = catalog
        self._vectors = vectors
        self._lexical = lexical
        self._candidates = Candidates(catalog, vectors, lexical)
        self._embedder = embedder
        self._reranker = reranker
        self._settings = settings
        self._web = web
        self.read_lines = read_lines
        self._results: RecentResults[Retrieval] = RecentResults(_RECENT_RESULTS)
        self._fallback_lock = threading.Lock()
        self._fallback: Reranker | None = None

    def search(
        self,
        plan: QueryPlan,
        *,
        question: str | None = None,
        top_k: int | None = None,
        rerank: bool = True,
        stages: bool = False,
        settings: RetrievalSettings | None = None,
    ) -> Retrieval:
        """The best passages for a plan, best first.

        Conditions of the filter under which nothing at all is found are dropped one after
        another and named in `widened`. Exact matches of codes, titles and quoted words come
        first. Web pages join where the plan asks for them and web search is set up; when it
        fails, `notes` says so. Each part of a comparison, and a follow-up behind the question
        before it, is searched by itself, too, and keeps a place. What a list or clause that was
        cut goes on with stands behind its hit, in addition to `top_k`.

        Args:
            question: what the reranker judges by; `plan.queries[0]` when left out.
            top_k: passages returned; the setting when left out.
            rerank: False keeps the order of the fusion.
            stages: also return what each stage did, and in each hit's `why` all that speaks
                for it; the hits are the same.
            settings: search under these instead of the current settings.

        Raises:
            ModelError: the question cannot be embedded.
            StoreError: the vector store or the catalog cannot be used.
        """
        queries = tuple(query for query in plan.queries if query.strip())
        if not queries or not plan.filter.kb_ids:
            return Retrieval()
        settings = settings or self._settings().retrieval
        count = top_k or settings.top_k

        def begin() -> Run:
            run = self._run(plan, queries, question or queries[0], settings)
            run.stages = [] if stages else None
            return run

        def found(run: Run) -> Retrieval:
            def search() -> Retrieval:
                return self._search(run, plan.filter, count, rerank=rerank, widen=True)

            # The web's answers change by themselves; the lab wants to see what each stage takes.
            if stages or self._asks_web(plan):
                return search()
            key = (run.key, plan.filter, count, rerank, stages, "search")
            return self._results.get(key, search, _went_well)

        whole = self._in_one_space(begin, found)
        if not rerank:
            return whole

        def alone(query: str, most: int) -> Retrieval:
            single = {"strategy": "direct", "passage": "", "carried": (), "web": False}
            one = plan.model_copy(update=single | {"queries": (query,), "behind": ""})
            return self.search(one, top_k=most, stages=stages, settings=settings)

        if plan.behind:
            other = alone(plan.behind, count)
            most = count + MORE_BEHIND
            merged = taking_turns(whole, other, most, first=plan.behind_first)
            return with_stages_of(merged, [other])
        if plan.strategy != "decompose" or len(queries) == 1:
            return whole
        parts = [alone(part, PART_HITS) for part in queries[1:]]
        return with_stages_of(with_parts(whole, parts, count), parts)

    def probe(
        self,
        question: str,
        kb_ids: Sequence[str],
        slots: Slots,
        left_out: Sequence[str] = (),
        wordings: Sequence[str] = (),
        names: tuple[OtherNames, ...] = (),
    ) -> tuple[Hit, ...]:
        """A first look for the ambiguity judge: what is found under the known slots, reranked.

        Nothing is widened; empty when nothing is found.

        Args:
            left_out: documents to pass over, as in `SearchFilter`.
            wordings: the question in other words, which is searched as well.
            names: as in `QueryPlan`; what is returned says the question's words for them.
        """
        if not question.strip() or not kb_ids:
            return ()
        condition = SearchFilter(
            kb_ids=tuple(kb_ids), regions=slots.region, left_out=tuple(left_out)
        )
        plan = QueryPlan(queries=(question, *wordings), filter=condition, names=names)

        def found(run: Run) -> Retrieval:
            return self._results.get(
                (run.key, condition, "probe"),
                lambda: self._search(run, condition, PROBE_HITS, rerank=True, widen=False),
                _went_well,
            )

        def begin() -> Run:
            return self._run(plan, plan.queries, question, self._settings().retrieval)

        return tuple(hits_as_asked(self._in_one_space(begin, found).hits, names, titles=False))

    def evidence(
        self,
        question: str,
        hits: Sequence[Hit],
        *,
        settings: RetrievalSettings | None = None,
        summarise: Summarise | None = None,
        said: str = "",
    ) -> tuple[Evidence, ...]:
        """What of these hits the answer step gets, within the budget; `read_lines` has read it.

        Args:
            settings: use these instead of the current settings.
            summarise: shortens passages that would be left out; see `compress`.
            said: the question behind the one before it (`rag.understand.carried.in_context`).
        """
        settings = settings or self._settings().retrieval
        count = self._embedder().count_tokens
        found = compress(
            question, hits, settings.context_tokens, count,
            near_duplicate=settings.near_duplicate, summarise=summarise,
        )  # fmt: skip
        return self.read_lines(question, found, said) if self.read_lines else found

    def forget(self) -> None:
        """Drop all cached results and question vectors, as benchmarks need it."""
        self._results.clear()
        self._candidates.forget()

    # --- The stages -------------------------------------------------------------------

    def _in_one_space(
        self, begin: Callable[[], Run], found: Callable[[Run], Retrieval]
    ) -> Retrieval:
        """What is found with an embedder and its own vectors: again when both were exchanged
        for others in the middle of the search."""
        for _ in range(_SWAPS):
            self._settle()
            run = begin()
            try:
                return found(run)
            except _Swapped:
                continue
            except (ValueError, StoreError):
                if self._space() == run.space and run.space[0] == run.space[1]:
                    raise
        self._settle()
        return found(begin())

    def _space(self) -> tuple[str, str]:
        """Fingerprints of the embedder and of the vectors in use."""
        return self._embedder().fingerprint, self._vectors.fingerprint

    def _settle(self) -> None:
        """Wait for the moment between the exchange of the vectors and that of the embedder."""
        until = time.monotonic() + _SWAP_SECONDS
        while len(set(self._space())) > 1 and time.monotonic() < until:
            time.sleep(0.01)

    def _run(
        self,
        plan: QueryPlan,
        queries: tuple[str, ...],
        question: str,
        settings: RetrievalSettings,
    ) -> Run:
        reranker, embedder = self._settings().reranker, self._embedder()
        space = (embedder.fingerprint, self._vectors.fingerprint)
        today = date.today()
        key = (
            queries,
            question,
            (plan.passage, plan.breadth, plan.carried, plan.intent, plan.names),
            settings,
            reranker,
            space,
            self._catalog.documents.generation(plan.filter.kb_ids),
            self._lexical.chunks,
            today,
        )
        exact = exact_terms(question, self._shares)
        candidates = reranker.candidates
        return Run(
            plan, queries, question, exact, settings, candidates, embedder, space, key, today
        )

    def _asks_web(self, plan: QueryPlan) -> bool:
        return plan.web and self._web is not None and self._web.ready

    def _shares(self, terms: Iterable[str]) -> dict[str, tuple[int, float]]:
        """How many passages hold each term, and which share of all."""
        total = max(self._lexical.chunks, 1)
        found = self._lexical.document_frequencies(terms)
        return {term: (count, count / total) for term, count in found.items()}

    def _search(
        self, run: Run, condition: SearchFilter, count: int, *, rerank: bool, widen: bool
    ) -> Retrieval:
        widened: list[str] = []
        wait = begin_web(self._web, run) if self._web and self._asks_web(run.plan) else None
        hits = self._candidates.find(run, condition, count)
        for name, field_name, nothing in _CONDITIONS if widen else ():
            if hits:
                break
            if getattr(condition, field_name):
                condition = condition.model_copy(update={field_name: nothing})
                widened.append(name)
                hits = self._candidates.find(run, condition, count)
        hits += wait() if wait else []
        candidates = len(hits)
        if rerank and hits:
            with run.timed("rerank"):
                hits = self._rerank(run, hits, quick=not widen)
            by_score = sorted(hits, key=lambda hit: -hit.scores["rerank"])
            note = f"重排 {candidates} 段"
            run.keep("reranked", by_score, "rerank", run.timings_ms["rerank"], note)
        last_score = "rerank" if rerank else "fused"
        with run.timed("order"):
            hits = ordered(with_other_names(run.question, run.plan.names), run.exact, hits)
            hits = self._current_first(run, condition, hits, widen)
            if run.plan.breadth:
                hits = one_each_first(hits)
            if run.stages is not None:
                hits = explained(run.question, run.listings, hits)
        run.keep("ordered", hits, last_score, run.timings_ms["order"], "准确匹配在前，失效的在后")
        with run.timed("read"):
            hits = with_parents(hits, self._catalog.chunks.get)[:count]
            if widen:
                everything = asks_for_all(run.question, run.plan.intent)
                around = self._catalog.chunks.neighbours
                hits = with_neighbours(hits, around, everything=everything)
                hits = with_definitions(hits, run.question, around)
        note = f"放宽了：{'、'.join(widened)}" if widened else ""
        run.keep("final", hits, last_score, run.timings_ms["read"], note)
        if self._space() != run.space:
            raise _Swapped
        return Retrieval(
            hits=tuple(hits),
            widened=tuple(widened) if hits else (),
            timings_ms=run.timings_ms,
            candidates=candidates,
            stages=tuple(run.stages or ()),
            notes=tuple(run.notes),
        )

    def _rerank(self, run: Run, hits: list[Hit], *, quick: bool) -> list[Hit]:
        # Whether candidates differ is told by their features as well, in a tenth of the time.
        reranker = self._local() if quick and self._reranker().name == "local" else None
        judged = hits_as_asked(hits, run.plan.names)
        try:
            scores = (reranker or self._reranker()).score(run.question, judged)
        except ModelError as error:
            # A dead endpoint must not end the turn: the local reranker needs nothing.
            scores = self._local().score(run.question, judged)
            run.notes.append(f"{error.message.rstrip('。')}，已改用内置重排")
        return [
            hit.model_copy(update={"scores": {**hit.scores, "rerank": float(score)}})
            for hit, score in zip(hits, scores, strict=True)
        ]

    def _current_first(
        self, run: Run, condition: SearchFilter, hits: list[Hit], answering: bool
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


def _went_well(found: Retrieval) -> bool:
    """Whether nothing failed on the way, so that the next search need not try again."""
    return not found.notes
