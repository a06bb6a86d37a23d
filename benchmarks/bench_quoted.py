"""What words in quotation marks in a question are worth: their factor on the odds of a passage.

    python -m benchmarks.bench_quoted [--cache <folder>] [--distractors 3000]

All questions of LeCoQA/STARD and CMRC 2018 that put something in quotation marks, over the
passages of both and of CrossWOZ. The retriever runs once; its hits are then ordered under each
factor. Floor: a factor of 1, where quotation marks mean nothing.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.bench_retrieval import KnownVectors, knowledge_base
from benchmarks.embedded import bundled_embedder, passage_vectors, question_vectors
from benchmarks.places import DATA, WORK, absent
from rag.evaluate import datasets
from rag.evaluate.metrics import score_rankings
from rag.retrieve import order
from rag.retrieve.exact import exact_terms, quoted_phrases
from rag.retrieve.query import query_text
from rag.settings_layers import load_settings
from rag.types import QueryPlan, SearchFilter

FACTORS = (1.0, 3.0, 10.0, 30.0, 100.0, 1e9)


def run(cache: Path, distractors: int) -> None:
    """Print one line per data set and factor."""
    real = bundled_embedder(cache)
    sets = [
        datasets.load_lecoqa(DATA, distractors),
        datasets.load_cmrc(DATA),
        datasets.load_crosswoz(DATA),
    ]
    passages = [chunk for found in sets for chunk in found.passages]
    vectors = passage_vectors(real, passages, cache)
    asked = {found.name: [q for q in found.questions if quoted_phrases(q.text)] for found in sets}
    texts = [question.text for questions in asked.values() for question in questions]
    known = KnownVectors(
        real, [query_text(text) for text in texts], question_vectors(real, texts, cache)
    )
    settings = load_settings(cache)
    deep = settings.retrieval.model_copy(update={"top_k": settings.reranker.candidates})
    used = order.QUOTED_ODDS
    with knowledge_base(known, passages, vectors, settings) as (retriever, kb_id, origin):
        for name, questions in asked.items():
            found = []
            for question in questions:
                plan = QueryPlan(queries=(question.text,), filter=SearchFilter(kb_ids=(kb_id,)))
                found.append((question, retriever.search(plan, settings=deep).hits))
            for factor in FACTORS if questions else ():
                order.QUOTED_ODDS = factor
                judged = [
                    (
                        [
                            origin[hit.chunk.id]
                            for hit in order.ordered(q.text, exact_terms(q.text), hits)
                        ],
                        q.gold,
                    )
                    for q, hits in found
                ]
                mark = "  (used)" if factor == used else ""
                print(f"{name:8} factor {factor:<12g} {score_rankings(judged).line()}{mark}")


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps vectors")
    parser.add_argument("--distractors", type=int, default=3000, help="articles beside the right")
    args = parser.parse_args()
    if not absent("lecoqa_stard", "cmrc2018", "crosswoz"):
        run(args.cache, args.distractors)


if __name__ == "__main__":
    main()
