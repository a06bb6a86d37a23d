"""What the plan's other wording of a question is worth, measured by what is found.

    python -m benchmarks.bench_plan [--cache <folder>] [--distractors 3000] [--questions 400]

LeCoQA/STARD's held-out fifth (colloquial legal questions) and CMRC 2018 (questions in the
words of the text), each beside its floor: the question alone, through the same retriever.
Only questions that get another wording are told apart from the whole.
"""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

from benchmarks.bench_retrieval import DEPTH, _ids, asked_of, knowledge_base
from benchmarks.embedded import bundled_embedder, passage_vectors
from benchmarks.places import DATA, WORK, absent
from rag.evaluate import datasets
from rag.evaluate.metrics import score_rankings
from rag.settings import load_settings
from rag.types import QueryPlan, SearchFilter
from rag.understand.plan import plan
from rag.understand.understand import understand

TODAY = date(2026, 11, 30)


def main() -> None:
    """Compare the question alone with the plan's queries."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cache", type=Path, default=WORK / "vectors")
    parser.add_argument("--distractors", type=int, default=3000)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--all", action="store_true", help="not the held-out fifth alone")
    options = parser.parse_args()
    if absent("lecoqa_stard", "cmrc2018"):
        return
    embedder = bundled_embedder(options.cache)
    settings = load_settings(options.cache)
    settings = settings.model_copy(
        update={"retrieval": settings.retrieval.model_copy(update={"top_k": DEPTH})}
    )
    for data in (datasets.load_lecoqa(DATA, options.distractors), datasets.load_cmrc(DATA)):
        vectors = passage_vectors(embedder, data.passages, options.cache)
        asked = list(data.questions)[: options.questions] if options.all else None
        questions = asked or asked_of(data, options.questions)
        with knowledge_base(embedder, data.passages, vectors, settings) as (found, kb_id, origin):
            rows: dict[str, list[tuple[list[str], frozenset[str]]]] = {}
            reworded = 0
            for question in questions:
                alone = QueryPlan(queries=(question.text,), filter=SearchFilter(kb_ids=(kb_id,)))
                meaning = understand(question.text, (), None, TODAY)
                planned = plan(meaning, (kb_id,), profile=None)
                more = alone.model_copy(update={"queries": (question.text, *planned.queries[1:])})
                touched = len(more.queries) > 1 and planned.strategy != "decompose"
                reworded += touched
                before = _ids(found, alone, origin, rerank=True), question.gold
                after = (
                    (_ids(found, more, origin, rerank=True), question.gold) if touched else before
                )
                rows.setdefault("question alone", []).append(before)
                rows.setdefault("with another wording", []).append(after)
                if touched:
                    rows.setdefault("  reworded: alone", []).append(before)
                    rows.setdefault("  reworded: both", []).append(after)
            print(f"{data.name}: {len(questions)} questions, {reworded} reworded")
            for name, ranked in rows.items():
                print(f"  {name:22} {score_rankings(ranked).line()}")


if __name__ == "__main__":
    main()
