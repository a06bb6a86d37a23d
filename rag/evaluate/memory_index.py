"""A small exact index in memory that fuses as the retriever does, for training and benchmarks.

It uses the product's own tokens, BM25 weights and fusion, without the stores' approximations
and without writing anything.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from rag.retrieve.fuse import Ranked, rrf, weighted
from rag.retrieve.query import lexical_text, search_tokens
from rag.settings import RetrievalSettings
from rag.store.lexical import REFERENCE_LENGTH, bm25_weights, idf, term_id
from rag.text.tokenise import tokenise
from rag.types import Chunk, Hit


class MemoryIndex:
    """Exact dense and keyword search over passages.

    Args:
        passages: in any order.
        vectors: float32 [len(passages), dimension], rows of length 1.
        reference_length: see `rag.store.lexical`.
    """

    def __init__(
        self,
        passages: Sequence[Chunk],
        vectors: np.ndarray,
        reference_length: float = REFERENCE_LENGTH,
    ) -> None:
        self.passages = tuple(passages)
        self._vectors = vectors
        self._place = {chunk.id: place for place, chunk in enumerate(self.passages)}
        places: dict[int, list[int]] = defaultdict(list)
        weights: dict[int, list[float]] = defaultdict(list)
        self.mean_length = 0.0
        for place, chunk in enumerate(self.passages):
            tokens = tokenise(lexical_text(chunk))
            self.mean_length += len(tokens) / len(self.passages)
            for term, weight in bm25_weights(tokens, reference_length).items():
                places[term].append(place)
                weights[term].append(weight)
        self._postings = {
            term: (np.array(places[term]), np.array(weights[term], dtype=np.float32))
            for term in places
        }

    def sparse_scores(self, question: str) -> np.ndarray:
        """BM25 of every passage, float32 [n]."""
        scores = np.zeros(len(self.passages), dtype=np.float32)
        for term, count in Counter(term_id(token) for token in search_tokens(question)).items():
            if term in self._postings:
                places, weights = self._postings[term]
                scores[places] += count * idf(len(self.passages), len(places)) * weights
        return scores

    def dense_scores(self, vector: np.ndarray) -> np.ndarray:
        """Cosine with every passage, float32 [n]."""
        scores: np.ndarray = self._vectors @ vector
        return scores

    def best(self, scores: np.ndarray, k: int) -> Ranked:
        """The `k` best passages by positive scores, best first."""
        order = np.argsort(-scores, kind="stable")[:k]
        return [(self.passages[place].id, float(scores[place])) for place in order]

    def candidates(
        self,
        question: str,
        vector: np.ndarray,
        settings: RetrievalSettings,
        count: int,
        without: frozenset[str] = frozenset(),
    ) -> list[Hit]:
        """The `count` best fused passages with their scores dense, sparse and fused.

        Args:
            without: ids that are treated as if they did not exist.
        """
        dense, sparse = self.dense_scores(vector), self.sparse_scores(question)
        for id_ in without:
            if id_ in self._place:
                dense[self._place[id_]], sparse[self._place[id_]] = -1.0, 0.0
        near = self.best(dense, settings.dense_candidates)
        words = [found for found in self.best(sparse, settings.sparse_candidates) if found[1] > 0]
        shares = [settings.dense_weight, 1 - settings.dense_weight]
        if settings.fusion == "rrf":
            fused = rrf([near, words], shares, settings.rrf_k)
        else:
            fused = weighted([near, words], shares)
        hits: list[Hit] = []
        for id_, score in fused[:count]:
            place = self._place[id_]
            scores = {"fused": score, "dense": float(dense[place]), "sparse": float(sparse[place])}
            hits.append(Hit(chunk=self.passages[place], scores=scores))
        return hits
