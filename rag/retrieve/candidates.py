"""Candidates of a search: ranked lists from every index, fused into one (DESIGN §2: retrieve,
filter and fuse)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.retrieve.cache import RecentResults
from rag.retrieve.conditions import admits
from rag.retrieve.exact import ExactTerms, exact_matches
from rag.retrieve.fuse import Ranked, rrf, weighted
from rag.retrieve.query import lexical_text, query_text, search_tokens
from rag.retrieve.run import Listing, Run
from rag.text.normalise import normalise
from rag.text.tokenise import query_terms, tokenise
from rag.text.vocabulary import Vocabulary
from rag.types import Chunk, Hit, SearchFilter

if TYPE_CHECKING:
    import numpy as np

    from rag.store.catalog import Catalog
    from rag.store.lexical import LexicalStats
    from rag.store.vectors import VectorStore

PART_WEIGHT = 0.7
"""Weight of each further query beside the completed question's 1; chosen by us."""
WORDING_WEIGHT = 0.3
"""Weight of another wording of the question: it is there to find more, not to lead. Measured on
the 31 questions of LeCoQA's held-out fifth that get one: nDCG@10 and recall@50 are .343 and .629
without it, .353 and .661 with 0.3, .353 and .694 with 0.7, hit@1 is .226 with all
(`benchmarks.bench_plan`)."""
PASSAGE_WEIGHT = 0.7
"""Weight of an imagined answer's vector search beside the question's 1; chosen by us."""
EXACT_CANDIDATES = 30
"""Hits of each search for codes, articles and quoted words; chosen by us."""
_ARTICLE_TIMES = 3
"""How often an article's number counts among the question's words when articles are sought;
chosen by us."""
_RECENT_VECTORS = 1024


class Candidates:
    """Finds candidates. Thread-safe.

    Args:
        catalog: resolves chunk ids; what is not in it is not part of any answer.
        vectors: the vector store, opened.
        lexical: BM25 statistics.
    """

    def __init__(self, catalog: Catalog, vectors: VectorStore, lexical: LexicalStats) -> None:
        self._catalog = catalog
        self._vectors = vectors
        self._lexical = lexical
        self._query_vectors: RecentResults[np.ndarray] = RecentResults(_RECENT_VECTORS)

    def find(self, run: Run, condition: SearchFilter, count: int) -> list[Hit]:
        """Fused and resolved candidates under one filter, as many as will be reranked.

        Raises:
            ModelError: the question cannot be embedded.
            StoreError: the vector store or the catalog cannot be used.
        """
        listings = self._gather(run, condition)
        settings = run.settings
        with run.timed("fuse"):
            ranked, weights = [each.ranked for each in listings], [each.weight for each in listings]
            if settings.fusion == "rrf":
                fused = rrf(ranked, weights, settings.rrf_k)
            else:
                fused = weighted(ranked, weights)
        wanted = max(run.candidates, count)
        with run.timed("resolve"):
            # A few more than wanted: ids of replaced versions may still be among them.
            every = run.plan.breadth or condition.left_out
            looked = len(fused) if every else wanted + wanted // 4 + 8
            chunks = self._catalog.chunks.get([id_ for id_, _ in fused[:looked]])
            kept = [
                (id_, score)
                for id_, score in fused
                if id_ in chunks and chunks[id_].document_id not in condition.left_out
            ]
            if run.plan.breadth:
                kept = _one_each_first(kept, chunks)
            kept = kept[:wanted]
            kept += self._carried(run, condition, kept, chunks)
        dense = _best_scores(run, listings, "dense")
        sparse = _best_scores(run, listings, "sparse")
        with run.timed("vectors"):
            self._fill_dense(run, [id_ for id_, _ in kept], condition, dense)
        hits: list[Hit] = []
        for id_, score in kept:
            scores = {"fused": score}
            scores |= {"dense": dense[id_]} if id_ in dense else {}
            scores |= {"sparse": sparse[id_]} if id_ in sparse else {}
            hits.append(Hit(chunk=chunks[id_], scores=scores))
        run.keep("fused", hits, "fused", run.timings_ms["fuse"], f"{len(fused)} 段中取 {len(hits)}")
        return hits

    def forget(self) -> None:
        """Drop the cached vectors of questions."""
        self._query_vectors.clear()

    def _gather(self, run: Run, condition: SearchFilter) -> list[Listing]:
        """Ranked lists with weights: dense then sparse for each query, then an imagined answer,
        then what is named exactly, then what holds a word of the dictionary by any of its names."""
        settings = run.settings
        listings: list[Listing] = []
        times: list[float] = []

        def add(listing: Listing, began: float) -> None:
            listings.append(listing)
            times.append((time.perf_counter() - began) * 1000)

        for number, query in enumerate(run.queries):
            other = PART_WEIGHT if run.plan.strategy == "decompose" else WORDING_WEIGHT
            weight = 1.0 if number == 0 else other
            began = time.perf_counter()
            with run.timed("embed"):
                vector = self._embed(run, query)
            with run.timed("dense"):
                near = self._vectors.search_dense(vector, condition, settings.dense_candidates)
            add(Listing("dense", query, near, weight * settings.dense_weight), began)
            began = time.perf_counter()
            words = self._by_words(run, search_tokens(query), condition, settings.sparse_candidates)
            add(Listing("sparse", query, words, weight * (1 - settings.dense_weight)), began)
        if run.plan.passage.strip():
            began = time.perf_counter()
            with run.timed("embed"):
                vector = self._embed_passage(run, run.plan.passage)
            with run.timed("dense"):
                near = self._vectors.search_dense(vector, condition, settings.dense_candidates)
            weight = PASSAGE_WEIGHT * settings.dense_weight
            add(Listing("dense", run.plan.passage, near, weight, "设想的答案"), began)
        if run.exact.codes:
            began = time.perf_counter()
            found = self._by_words(run, run.exact.codes, condition, EXACT_CANDIDATES)
            add(Listing("exact", " ".join(run.exact.codes), found, 1.0, "编号"), began)
        if run.exact.articles:
            # Every law has its article 3: the question's other words must tell which is meant.
            began = time.perf_counter()
            tokens = search_tokens(run.question) + list(run.exact.articles) * _ARTICLE_TIMES
            found = self._by_words(run, tokens, condition, EXACT_CANDIDATES)
            add(Listing("exact", " ".join(run.exact.articles), found, 1.0, "条文编号"), began)
        for phrase in run.exact.phrases:
            began = time.perf_counter()
            found = self._by_words(run, tokenise(phrase), condition, EXACT_CANDIDATES)
            wording = ExactTerms(phrases=(phrase,))
            with run.timed("resolve"):
                chunks = self._catalog.chunks.get([id_ for id_, _ in found])
                held = [
                    (id_, score)
                    for id_, score in found
                    if id_ in chunks and exact_matches(wording, chunks[id_])
                ]
            add(Listing("exact", phrase, held, 1.0, "引号里的原文"), began)
        for one in run.plan.names:
            names = (one.word, *one.others)
            if normalise(one.word) not in normalise(run.question) or _is_word_alone(names):
                continue
            began = time.perf_counter()
            tokens = search_tokens(run.question)
            tokens += [token for name in one.others for token in search_tokens(name)]
            wide = self._by_words(run, tokens, condition, settings.sparse_candidates)
            with run.timed("resolve"):
                held = self._holding(Vocabulary([names]), wide)
            weight = 1 - settings.dense_weight
            add(Listing("exact", "、".join(names), held, weight, "词典里的词"), began)
        run.keep_listings(listings, times)
        return listings

    def _holding(self, names: Vocabulary, found: Ranked) -> list[tuple[str, float]]:
        """Those of the found passages that hold one of the names as a whole word."""
        chunks = self._catalog.chunks.get([id_ for id_, _ in found])
        return [
            (id_, score)
            for id_, score in found
            if id_ in chunks and names.stands_in(lexical_text(chunks[id_]))
        ]

    def _carried(
        self,
        run: Run,
        condition: SearchFilter,
        kept: Sequence[tuple[str, float]],
        chunks: dict[str, Chunk],
    ) -> list[tuple[str, float]]:
        """The previous turn's evidence that is not among the candidates and meets the filter;
        its chunks join `chunks`. The fusion says nothing for it."""
        known = {id_ for id_, _ in kept}
        missing = [id_ for id_ in dict.fromkeys(run.plan.carried) if id_ not in known]
        if not missing:
            return []
        found = {
            id_: chunk
            for id_, chunk in self._catalog.chunks.get(missing).items()
            if admits(condition, chunk)
        }
        chunks.update(found)
        return [(id_, 0.0) for id_ in found]

    def _by_words(
        self, run: Run, tokens: Sequence[str], condition: SearchFilter, count: int
    ) -> Ranked:
        with run.timed("sparse"):
            terms = self._lexical.query_weights(tokens)
            return self._vectors.search_sparse(terms, condition, count)

    def _embed(self, run: Run, query: str) -> np.ndarray:
        text = query_text(query)
        return self._query_vectors.get(
            (run.embedder.fingerprint, text), lambda: run.embedder.embed_queries([text])[0]
        )

    def _embed_passage(self, run: Run, passage: str) -> np.ndarray:
        text = normalise(passage)
        return self._query_vectors.get(
            (run.embedder.fingerprint, "passage", text),
            lambda: run.embedder.embed_passages([text])[0],
        )

    def _fill_dense(
        self, run: Run, ids: Sequence[str], condition: SearchFilter, dense: dict[str, float]
    ) -> None:
        """Cosines of those candidates that only the keyword search found."""
        missing = [id_ for id_ in ids if id_ not in dense]
        if missing:
            vector = self._embed(run, run.queries[0])
            for id_, other in self._vectors.vectors(missing, condition.kb_ids).items():
                dense[id_] = float(other @ vector)


def _best_scores(run: Run, listings: Sequence[Listing], stage: str) -> dict[str, float]:
    """Scores with the completed question; a part's where that one has none. In other names it is
    the same question: then the best of both."""
    scores: dict[str, float] = {}
    for listing in listings:
        if listing.stage == stage and listing.query in run.queries:
            for id_, score in listing.ranked:
                known = scores.setdefault(id_, score)
                scores[id_] = max(known, score) if run.plan.names else known
    return scores


def _is_word_alone(names: Sequence[str]) -> bool:
    """Whether there is but one name, and the keyword search knows it as a word already."""
    return len(names) == 1 and len(query_terms(names[0])) == 1


def _one_each_first(
    ranked: Sequence[tuple[str, float]], chunks: dict[str, Chunk]
) -> list[tuple[str, float]]:
    """The best of every document, then the others, each in their order."""
    seen: set[str] = set()
    firsts: list[tuple[str, float]] = []
    others: list[tuple[str, float]] = []
    for id_, score in ranked:
        document_id = chunks[id_].document_id
        (others if document_id in seen else firsts).append((id_, score))
        seen.add(document_id)
    return [*firsts, *others]
