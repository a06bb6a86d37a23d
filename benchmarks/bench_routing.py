"""What choosing among several knowledge bases brings: all of them beside the right one alone.

    python -m benchmarks.bench_routing [--cache <folder>] [--distractors 3000] [--questions 100]

Four bases: judges' questions over articles of law (LeCoQA/STARD, held-out fifth), articles of
local law with questions that name the region and the beginning of the rule, records of sights
and restaurants (CrossWOZ, held-out fifth), and encyclopaedia paragraphs (CMRC 2018). Two of
them are alike, two are not. "right base alone" is what a router that is never wrong would bring:
the ceiling of all routing. "all" is the search as it ships, over all four. The others search all
and then keep candidates of those bases only whose best fused score is at least so much of the
best one's. "its base first" counts how often the base with the highest share of the evidence
(`rag.retrieve.shares`) is the right one.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.bench_documents import _ABOUT_ITSELF
from benchmarks.bench_retrieval import DEPTH, KnownVectors, _publish, asked_of, shipped_reranker
from benchmarks.embedded import bundled_embedder, passage_vectors, question_vectors
from benchmarks.places import DATA, WORK, absent
from rag.evaluate import datasets
from rag.evaluate.datasets import Dataset, Question
from rag.evaluate.metrics import score_rankings
from rag.models.embedder import Embedder
from rag.retrieve.query import query_text
from rag.retrieve.search import Retriever
from rag.retrieve.shares import shares
from rag.settings import Settings
from rag.settings_layers import load_settings
from rag.store.catalog import Catalog
from rag.store.vectors import VectorStore
from rag.types import Hit, QueryPlan, SearchFilter

KEPT = (0.5, 0.7, 0.85, 0.95)
"""Shares of the best base's best fused score from which another base is kept."""
_BATCH = 500


def law_questions(laws: Dataset, limit: int) -> list[Question]:
    """Questions about an article by its law's title and the beginning of its rule."""
    found: list[Question] = []
    for chunk in laws.passages:
        rule = re.sub(r"^\S+\s", "", chunk.text)
        begin = re.split("[，。；：]", rule)[0][:30]
        if len(begin) < 8 or _ABOUT_ITSELF.search(rule):
            continue
        topic = re.sub(r"[(（].*", "", chunk.metadata.title or "")
        text = f"{topic}里，{begin}有什么规定？"
        found.append(Question(id=f"q-{chunk.id}", text=text, gold=frozenset((chunk.id,))))
        if len(found) == limit:
            break
    return found


@contextmanager
def bases(
    embedder: Embedder, sets: Sequence[Dataset], cache: Path, settings: Settings
) -> Iterator[tuple[Retriever, dict[str, str], dict[str, str]]]:
    """A knowledge base for each set.

    Yields the retriever, knowledge base id by set, and passage id by chunk id.
    """
    with tempfile.TemporaryDirectory(prefix="zhiwen-bench-") as folder:
        catalog = Catalog(Path(folder) / "catalog.sqlite")
        store = VectorStore(str(Path(folder) / "vectors.db"))
        store.open(embedder.fingerprint, embedder.dimension)
        try:
            ids: dict[str, str] = {}
            origin: dict[str, str] = {}
            for found in sets:
                kb_id = ids[found.name] = catalog.knowledge_bases.create(found.name).id
                vectors = passage_vectors(embedder, found.passages, cache)
                for start in range(0, len(found.passages), _BATCH):
                    part = found.passages[start : start + _BATCH]
                    rows = vectors[start : start + _BATCH]
                    origin |= _publish(catalog, store, kb_id, part, rows, start)
            store.warm_up()
            reranker = shipped_reranker(settings)
            yield (
                Retriever(
                    catalog, store, catalog.lexical,
                    lambda: embedder, lambda: reranker, lambda: settings,
                ),
                ids,
                origin,
            )  # fmt: skip
        finally:
            store.close()
            catalog.close()


def kept(hits: Sequence[Hit], least: float) -> list[Hit]:
    """The hits of those bases whose best fused score is at least so much of the best one's."""
    best: dict[str, float] = {}
    for hit in hits:
        kb_id = hit.chunk.kb_id
        best[kb_id] = max(best.get(kb_id, 0.0), hit.scores.get("fused", 0.0))
    edge = least * max(best.values(), default=0.0)
    return [hit for hit in hits if best[hit.chunk.kb_id] >= edge]


def run(cache: Path, distractors: int, limit: int) -> None:
    """Print one table per set."""
    real = bundled_embedder(cache)
    sets = [
        datasets.load_lecoqa(DATA, distractors),
        datasets.load_laws(DATA),
        datasets.load_crosswoz(DATA),
        datasets.load_cmrc(DATA),
    ]
    asked = {
        found.name: law_questions(found, limit) if found.name == "laws" else asked_of(found, limit)
        for found in sets
    }
    texts = [question.text for questions in asked.values() for question in questions]
    known = KnownVectors(
        real, [query_text(text) for text in texts], question_vectors(real, texts, cache)
    )
    settings = load_settings(cache)
    deep = settings.retrieval.model_copy(update={"top_k": DEPTH})
    with bases(known, sets, cache, settings) as (retriever, ids, origin):
        for name, questions in asked.items():
            ranked: dict[str, list[tuple[list[str], frozenset[str]]]] = {}
            spent: dict[str, float] = {}
            first = 0
            for question in questions:
                for label, kb_ids in (
                    ("right base alone", (ids[name],)),
                    ("all", tuple(ids.values())),
                ):
                    plan = QueryPlan(queries=(question.text,), filter=SearchFilter(kb_ids=kb_ids))
                    began = time.perf_counter()
                    hits = retriever.search(plan, settings=deep).hits
                    spent[label] = spent.get(label, 0.0) + time.perf_counter() - began
                    ranked.setdefault(label, []).append((_named(hits, origin), question.gold))
                for least in KEPT:
                    ranking = _named(kept(hits, least), origin)
                    ranked.setdefault(f"kept from {least:.2f}", []).append((ranking, question.gold))
                first += next(iter(shares(hits)), "") == ids[name]
            print(
                f"{name}: {len(questions)} questions, its base first "
                f"{first / max(len(questions), 1):.3f}",
                flush=True,
            )
            for label, judged in ranked.items():
                took = f"  {spent[label] / len(questions) * 1000:.0f} ms" if label in spent else ""
                print(f"  {label:17} {score_rankings(judged).line()}{took}", flush=True)


def _named(hits: Sequence[Hit], origin: dict[str, str]) -> list[str]:
    return [origin[hit.chunk.id] for hit in hits]


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps vectors")
    parser.add_argument("--distractors", type=int, default=3000, help="articles beside the right")
    parser.add_argument("--questions", type=int, default=100, help="most questions of a set")
    args = parser.parse_args()
    if not absent("lecoqa_stard", "laws_zh", "crosswoz", "cmrc2018"):
        run(args.cache, args.distractors, args.questions)


if __name__ == "__main__":
    main()
