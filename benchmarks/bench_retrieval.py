"""Quality of retrieval through the real stores, beside its peers in the same run.

    python -m benchmarks.bench_retrieval [--cache <folder>]
        [--distractors 3000 | --full] [--questions 300]

`--distractors 12000` or `--full` embeds 9,000 articles more at the first call: 10 to 15 minutes
at the 10 to 15 texts a second of two cores; without, all vectors are those of the other benchmarks.

LeCoQA/STARD's held-out fifth, CMRC 2018 and CrossWOZ's held-out fifth, all passages
in one knowledge base. Peers: BM25 (bm25s over jieba words), vectors alone, reciprocal rank
fusion of both with equal weights. Speed has its own command, `bench_search_speed`.
Settings can be tried by environment (ZHIWEN_RETRIEVAL__FUSION=weighted): with
ZHIWEN_RERANKER__KIND=features the reranker leaves its cross-encoder out, which takes half a minute
for 100 questions.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.embedded import bundled_embedder, passage_vectors, question_vectors
from benchmarks.places import DATA, WORK, absent
from benchmarks.train_reranker import held_out
from rag.evaluate import datasets
from rag.evaluate.datasets import Dataset, Question
from rag.evaluate.metrics import score_rankings
from rag.models.cross_encoder import CrossEncoder
from rag.models.embedder import Embedder
from rag.models.reranker import Reranker
from rag.retrieve.fuse import rrf
from rag.retrieve.query import lexical_text, query_text
from rag.retrieve.rerank import LocalReranker
from rag.retrieve.search import Retriever
from rag.settings import Settings
from rag.settings_layers import load_settings
from rag.store.catalog import Catalog
from rag.store.vectors import VectorRow, VectorStore
from rag.text.tokenise import TOKENISER_VERSION, tokenise
from rag.types import Chunk, Document, QueryPlan, SearchFilter

DEPTH = 50
_BATCH = 500


class KnownVectors:
    """An embedder that looks questions up, so that no model time is in the measured path."""

    def __init__(self, embedder: Embedder, texts: Sequence[str], vectors: np.ndarray) -> None:
        self.name, self.fingerprint = embedder.name, embedder.fingerprint
        self.dimension, self.max_tokens = embedder.dimension, embedder.max_tokens
        self.count_tokens = embedder.count_tokens
        self._known = dict(zip(texts, vectors, strict=True))
        self._embedder = embedder

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        """Known vectors; the real embedder for other texts."""
        if all(text in self._known for text in texts):
            return np.stack([self._known[text] for text in texts])
        return self._embedder.embed_queries(texts)

    def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> np.ndarray:
        """As the real embedder."""
        return self._embedder.embed_passages(texts, progress)


def shipped_reranker(settings: Settings) -> Reranker:
    """The reranker that the settings name; "features" leaves the cross-encoder out."""
    cross = CrossEncoder(settings.data) if settings.reranker.kind == "local" else None
    return LocalReranker(cross)


@contextmanager
def knowledge_base(
    embedder: Embedder, passages: Sequence[Chunk], vectors: np.ndarray, settings: Settings
) -> Iterator[tuple[Retriever, str, dict[str, str]]]:
    """A real catalog and a real Milvus Lite that hold these passages, with the reranker that
    ships (`ZHIWEN_RERANKER__KIND=features` leaves the cross-encoder out).

    Yields the retriever, the knowledge base's id, and chunk id → passage id.
    """
    with tempfile.TemporaryDirectory(prefix="zhiwen-bench-") as folder:
        catalog = Catalog(Path(folder) / "catalog.sqlite")
        store = VectorStore(str(Path(folder) / "vectors.db"))
        store.open(embedder.fingerprint, embedder.dimension)
        try:
            kb_id = catalog.knowledge_bases.create("bench").id
            origin: dict[str, str] = {}
            for start in range(0, len(passages), _BATCH):
                part = passages[start : start + _BATCH]
                origin |= _publish(
                    catalog, store, kb_id, part, vectors[start : start + _BATCH], start
                )
            store.warm_up()
            reranker = shipped_reranker(settings)
            retriever = Retriever(
                catalog,
                store,
                catalog.lexical,
                lambda: embedder,
                lambda: reranker,
                lambda: settings,
            )
            yield retriever, kb_id, origin
        finally:
            store.close()
            catalog.close()


def _publish(
    catalog: Catalog,
    store: VectorStore,
    kb_id: str,
    passages: Sequence[Chunk],
    vectors: np.ndarray,
    start: int,
) -> dict[str, str]:
    name = f"part {start}.jsonl"
    row = catalog.documents.create(kb_id, name, name, 1, "application/jsonl")
    chunks = [
        passage.model_copy(
            update={
                "id": f"{row.id}-1-{number}",
                "document_id": row.id,
                "kb_id": kb_id,
                "ordinal": number,
                "access": kb_id,
            }
        )
        for number, passage in enumerate(passages)
    ]
    tokens = [tokenise(lexical_text(chunk)) for chunk in chunks]
    rows = [
        VectorRow(
            chunk_id=chunk.id,
            kb_id=kb_id,
            document_id=row.id,
            access=kb_id,
            region=chunk.metadata.region or "",
            year=chunk.metadata.year or 0,
            document_type="",
            organisation="",
            product="",
            dense=vector,
            sparse=catalog.lexical.document_weights(terms),
        )
        for chunk, vector, terms in zip(chunks, vectors, tokens, strict=True)
    ]
    store.upsert(rows)
    document = Document(id=row.id, kb_id=kb_id, name=name, media_type="application/jsonl")
    catalog.documents.publish(
        row.id, 1, document, chunks, token_lists=tokens, tokeniser=TOKENISER_VERSION
    )
    return {chunk.id: passage.id for chunk, passage in zip(chunks, passages, strict=True)}


class Bm25Peer:
    """bm25s over jieba words, both as their authors ship them."""

    def __init__(self, passages: Sequence[Chunk]) -> None:
        import bm25s

        self._ids = [chunk.id for chunk in passages]
        self._engine = bm25s.BM25()
        self._engine.index([self._words(lexical_text(c)) for c in passages], show_progress=False)

    @staticmethod
    def _words(text: str) -> list[str]:
        import jieba

        return [word for word in jieba.lcut(text.lower()) if word.strip()]

    def search(self, question: str, k: int) -> list[tuple[str, float]]:
        """The `k` best (id, score)."""
        found, scores = self._engine.retrieve(
            [self._words(question)], k=k, show_progress=False, return_as="tuple"
        )
        return [(self._ids[p], float(s)) for p, s in zip(found[0], scores[0], strict=True)]


class FaissPeer:
    """Exact inner products by faiss."""

    def __init__(self, passages: Sequence[Chunk], vectors: np.ndarray) -> None:
        import faiss

        self._ids = [chunk.id for chunk in passages]
        self._index: Any = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(np.ascontiguousarray(vectors, dtype=np.float32))

    def search(self, vector: np.ndarray, k: int) -> list[tuple[str, float]]:
        """The `k` nearest (id, cosine)."""
        scores, found = self._index.search(vector[None], k)
        return [(self._ids[p], float(s)) for p, s in zip(found[0], scores[0], strict=True)]


def quality(root: Path, cache: Path, distractors: int | None, limit: int) -> None:
    """Print a table per data set: peers, fusion, and the whole retriever."""
    real = bundled_embedder(cache)
    sets = [
        datasets.load_lecoqa(root, distractors),
        datasets.load_cmrc(root),
        datasets.load_crosswoz(root),
    ]
    passages = [chunk for found in sets for chunk in found.passages]
    vectors = passage_vectors(real, passages, cache)
    asked = {found.name: asked_of(found, limit) for found in sets}
    texts = [question.text for questions in asked.values() for question in questions]
    known = KnownVectors(
        real, [query_text(text) for text in texts], question_vectors(real, texts, cache)
    )
    words, near = Bm25Peer(passages), FaissPeer(passages, vectors)
    settings = load_settings(cache)
    settings = settings.model_copy(
        update={"retrieval": settings.retrieval.model_copy(update={"top_k": DEPTH})}
    )
    print(f"one knowledge base of {len(passages)} passages; {settings.retrieval!r}")
    with knowledge_base(known, passages, vectors, settings) as (retriever, kb_id, origin):
        for name, questions in asked.items():
            print(f"{name}: {len(questions)} questions")
            by_system: dict[str, list[tuple[list[str], frozenset[str]]]] = {}
            for question in questions:
                vector = known.embed_queries([query_text(question.text)])[0]
                sparse, dense = words.search(question.text, DEPTH), near.search(vector, DEPTH)
                plan = QueryPlan(queries=(question.text,), filter=SearchFilter(kb_ids=(kb_id,)))
                rankings = {
                    "bm25s + jieba": [id_ for id_, _ in sparse],
                    "vectors alone": [id_ for id_, _ in dense],
                    "equal RRF": [id_ for id_, _ in rrf([dense, sparse], [0.5, 0.5])],
                    "our fusion": _ids(retriever, plan, origin, rerank=False),
                    "our reranking": _ids(retriever, plan, origin, rerank=True),
                }
                for system, ranking in rankings.items():
                    by_system.setdefault(system, []).append((ranking, question.gold))
            for system, found in by_system.items():
                print(f"  {system:14} {score_rankings(found).line()}")


def _ids(
    retriever: Retriever, plan: QueryPlan, origin: dict[str, str], *, rerank: bool
) -> list[str]:
    found = retriever.search(plan, top_k=DEPTH, rerank=rerank)
    return [origin[hit.chunk.id] for hit in found.hits]


def asked_of(found: Dataset, limit: int) -> list[Question]:
    """The questions of a set that are asked: at most `limit`, chosen by their ids."""
    questions = [q for q in found.questions if found.name == "cmrc" or held_out(q)]
    return sorted(questions, key=lambda q: datasets.bucket(q.id))[:limit]


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps vectors")
    parser.add_argument("--distractors", type=int, default=3000, help="articles beside the right")
    parser.add_argument(
        "--full", action="store_true", help="all articles: 9,000 more to embed, once"
    )
    parser.add_argument("--questions", type=int, default=300, help="most questions of a set")
    args = parser.parse_args()
    if absent("lecoqa_stard", "cmrc2018", "crosswoz"):
        return
    quality(DATA, args.cache, None if args.full else args.distractors, args.questions)


if __name__ == "__main__":
    main()
