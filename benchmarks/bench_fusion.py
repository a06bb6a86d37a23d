"""Which fusion of vectors and keywords finds most: ways and weights beside each other.

    python -m benchmarks.bench_fusion [--cache <folder>] [--distractors 3000]
        [--questions 200] [--reranked]

LeCoQA/STARD's held-out fifth, CMRC 2018 and CrossWOZ's held-out fifth over one knowledge base,
as in `benchmarks.bench_retrieval`. Both searches run once through the real stores; each fusion
then merges their lists. Ways: weighted reciprocal ranks, scores scaled between each list's
worst and best, standard scores, and the scaled scores with every candidate's true cosine.
Floors: each search alone. `--reranked` prints the whole retriever under each way that the
settings offer.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.bench_retrieval import KnownVectors, asked_of, knowledge_base
from benchmarks.embedded import bundled_embedder, passage_vectors, question_vectors
from benchmarks.places import DATA, WORK, absent
from rag.evaluate import datasets
from rag.evaluate.metrics import score_rankings
from rag.retrieve.fuse import Ranked, rrf, weighted
from rag.retrieve.query import query_text
from rag.settings_layers import load_settings
from rag.types import QueryPlan, SearchFilter

WEIGHTS = (0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8)
"""Shares of the vector search that are tried."""
RERANKED = (("weighted", 0.45), ("weighted", 0.55), ("weighted", 0.65), ("rrf", 0.5), ("rrf", 0.6))
"""Settings whose whole result is printed by `--reranked`."""
CANDIDATES = 30
"""Candidates that a reranker gets by default: recall is that of so many."""

Judged = list[tuple[list[str], frozenset[str]]]


def standard(lists: Sequence[Ranked], weights: Sequence[float]) -> list[tuple[str, float]]:
    """Weighted sum of scores in standard deviations from their list's mean; what a list lacks
    counts as its worst."""
    scores: dict[str, float] = {}
    everything = {id_ for ranked in lists for id_, _ in ranked}
    for ranked, weight in zip(lists, weights, strict=True):
        own = dict(ranked)
        values = np.array(list(own.values()) or [0.0])
        mean, spread = float(values.mean()), float(values.std()) or 1.0
        worst = float(values.min())
        for id_ in everything:
            value = (own.get(id_, worst) - mean) / spread
            scores[id_] = scores.get(id_, 0.0) + weight * value
    return sorted(scores.items(), key=lambda item: -item[1])


class Lists:
    """What both searches found for each question, with all cosines."""

    def __init__(self) -> None:
        self.found: dict[str, list[tuple[Ranked, Ranked, Ranked, frozenset[str]]]] = {}

    def rankings(
        self, name: str, fuse: Callable[[Sequence[Ranked], Sequence[float]], list], weight: float,
        *, filled: bool = False,
    ) -> Judged:  # fmt: skip
        """Rankings of a set's questions with their right passages."""
        judged: Judged = []
        for dense, sparse, cosines, gold in self.found[name]:
            lists = [cosines if filled else dense, sparse]
            judged.append(([id_ for id_, _ in fuse(lists, [weight, 1 - weight])], gold))
        return judged


def line(judged: Judged) -> str:
    """nDCG@10, hit@1 and recall among the candidates of a reranker."""
    scores = score_rankings(judged)
    recall = sum(len(gold & set(ranking[:CANDIDATES])) / len(gold) for ranking, gold in judged)
    return f"{scores.line()}  recall@{CANDIDATES} {recall / len(judged):.3f}"


def run(cache: Path, distractors: int, limit: int, reranked: bool) -> None:
    """Print one table per data set."""
    real = bundled_embedder(cache)
    sets = [
        datasets.load_lecoqa(DATA, distractors),
        datasets.load_cmrc(DATA),
        datasets.load_crosswoz(DATA),
    ]
    passages = [chunk for found in sets for chunk in found.passages]
    vectors = passage_vectors(real, passages, cache)
    places = {chunk.id: place for place, chunk in enumerate(passages)}
    asked = {found.name: asked_of(found, limit) for found in sets}
    texts = [question.text for questions in asked.values() for question in questions]
    known = KnownVectors(
        real, [query_text(text) for text in texts], question_vectors(real, texts, cache)
    )
    settings = load_settings(cache)
    base = settings.retrieval.model_copy(update={"top_k": CANDIDATES})
    with knowledge_base(known, passages, vectors, settings) as (retriever, kb_id, origin):
        for name, questions in asked.items():
            print(f"{name}: {len(questions)} questions over {len(passages)} passages", flush=True)
            lists = Lists()
            for question in questions:
                plan = QueryPlan(queries=(question.text,), filter=SearchFilter(kb_ids=(kb_id,)))
                found = retriever.search(plan, rerank=False, stages=True, settings=base)
                dense, sparse = (
                    [(origin[id_], score) for id_, score in stage.ranked if id_ in origin]
                    for stage in found.stages[:2]
                )
                vector = known.embed_queries([query_text(question.text)])[0]
                ids = list(dict.fromkeys(id_ for id_, _ in (*dense, *sparse)))
                cosines = [(id_, float(vectors[places[id_]] @ vector)) for id_ in ids]
                cosines.sort(key=lambda item: -item[1])
                lists.found.setdefault(name, []).append((dense, sparse, cosines, question.gold))
            for label, weight in (("vectors alone", 1.0), ("keywords alone", 0.0)):
                print(f"  {label:24} {line(lists.rankings(name, weighted, weight))}")
            for weight in WEIGHTS:
                for label, fuse, filled in (
                    ("reciprocal ranks", rrf, False),
                    ("scaled", weighted, False),
                    ("scaled, all cosines", weighted, True),
                    ("standard scores", standard, False),
                ):
                    judged = lists.rankings(name, fuse, weight, filled=filled)
                    print(f"  {label:19} {weight:.2f} {line(judged)}", flush=True)
            for fusion, weight in RERANKED if reranked else ():
                tried = base.model_copy(update={"fusion": fusion, "dense_weight": weight})
                judged = [
                    (
                        [
                            origin[hit.chunk.id]
                            for hit in retriever.search(
                                QueryPlan(
                                    queries=(question.text,), filter=SearchFilter(kb_ids=(kb_id,))
                                ),
                                settings=tried,
                            ).hits
                        ],
                        question.gold,
                    )
                    for question in questions
                ]
                print(f"  reranked, {fusion:8} {weight:.2f} {line(judged)}", flush=True)


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps vectors")
    parser.add_argument("--distractors", type=int, default=3000, help="articles beside the right")
    parser.add_argument("--questions", type=int, default=200, help="most questions of a set")
    parser.add_argument("--reranked", action="store_true", help="also the whole retriever")
    args = parser.parse_args()
    if not absent("lecoqa_stard", "cmrc2018", "crosswoz"):
        run(args.cache, args.distractors, args.questions, args.reranked)


if __name__ == "__main__":
    main()
