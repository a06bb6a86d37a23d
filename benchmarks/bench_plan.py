"""What the plan's other wording of a question is worth, measured by what is found.

    python -m benchmarks.bench_plan [--cache <folder>] [--distractors 3000] [--questions 400]
        [--weights 0.3 0.7] [--all]

LeCoQA/STARD's held-out fifth (colloquial legal questions) and CMRC 2018 (questions in the
words of the text). Only questions that get another wording are searched: on the others nothing
can differ. Floor: a weight of 0, which is the question alone. Each weight is that of the
wording's lists in the fusion, beside the question's 1.
"""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

from benchmarks.bench_retrieval import DEPTH, KnownVectors, _ids, asked_of, knowledge_base
from benchmarks.embedded import bundled_embedder, passage_vectors, question_vectors
from benchmarks.places import DATA, WORK, absent
from rag.evaluate import datasets
from rag.evaluate.metrics import score_rankings
from rag.retrieve import candidates
from rag.retrieve.query import query_text
from rag.settings_layers import load_settings
from rag.types import QueryPlan, SearchFilter
from rag.understand.plan import plan
from rag.understand.understand import understand

TODAY = date(2026, 11, 30)


def wordings_of(question: str) -> tuple[str, ...]:
    """The other wordings that the plan of a question searches for."""
    made = plan(understand(question, (), None, TODAY), ("bench",), profile=None)
    return () if made.strategy == "decompose" else made.queries[1:]


def main() -> None:
    """Compare the question alone with the plan's queries under each weight."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps vectors")
    parser.add_argument("--distractors", type=int, default=3000, help="articles beside the right")
    parser.add_argument("--questions", type=int, default=400, help="most questions of a set")
    parser.add_argument("--weights", type=float, nargs="*", default=[0.3, 0.7])
    parser.add_argument("--all", action="store_true", help="not the held-out fifth alone")
    options = parser.parse_args()
    if absent("lecoqa_stard", "cmrc2018"):
        return
    real = bundled_embedder(options.cache)
    settings = load_settings(options.cache)
    settings = settings.model_copy(
        update={"retrieval": settings.retrieval.model_copy(update={"top_k": DEPTH})}
    )
    used = candidates.WORDING_WEIGHT
    for data in (datasets.load_lecoqa(DATA, options.distractors), datasets.load_cmrc(DATA)):
        asked = list(data.questions)[: options.questions] if options.all else None
        questions = asked or asked_of(data, options.questions)
        more = {question.text: wordings_of(question.text) for question in questions}
        reworded = [question for question in questions if more[question.text]]
        print(f"{data.name}: {len(questions)} questions, {len(reworded)} reworded", flush=True)
        if not reworded:
            continue
        texts = [text for q in reworded for text in (q.text, *more[q.text])]
        known = KnownVectors(
            real, list(map(query_text, texts)), question_vectors(real, texts, options.cache)
        )
        vectors = passage_vectors(real, data.passages, options.cache)
        with knowledge_base(known, data.passages, vectors, settings) as (found, kb_id, origin):
            for weight in dict.fromkeys((0.0, *options.weights, used)):
                candidates.WORDING_WEIGHT = weight
                found.forget()
                judged = []
                for question in reworded:
                    queries = (question.text, *(more[question.text] if weight else ()))
                    made = QueryPlan(queries=queries, filter=SearchFilter(kb_ids=(kb_id,)))
                    judged.append((_ids(found, made, origin, rerank=True), question.gold))
                mark = "  (used)" if weight == used else ""
                print(f"  weight {weight:.1f}  {score_rankings(judged).line()}{mark}", flush=True)
        candidates.WORDING_WEIGHT = used


if __name__ == "__main__":
    main()
