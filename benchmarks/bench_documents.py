"""Does a prior for whole documents bring the right one first? Two stages beside one.

    python -m benchmarks.bench_documents [--questions 60] [--cache <folder>] [--distractors 3000]

Long documents: `laws_zh` (731 statutes, some thousand passages) with questions that name a region
in four forms: the title quoted, the title plain, the region and topic as people say them, and
the beginning of an article's rule. Short ones: the passages of LeCoQA, CMRC and CrossWOZ. Under
each prior the candidates' rerank scores (log odds) gain weight × what the fusion says of their
document: the sum of its three best passages ("three"), or its best one ("best"). Weight 0 is
the search as it ships: one stage, the floor. Printed: share with the right document first;
for the short ones hit@1 and nDCG@10.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from benchmarks.bench_retrieval import KnownVectors, asked_of, knowledge_base
from benchmarks.bench_turns import fill, read
from benchmarks.embedded import bundled_embedder, passage_vectors, question_vectors
from benchmarks.places import DATA, WORK, absent
from rag.application import opened
from rag.evaluate import datasets
from rag.evaluate.metrics import score_rankings
from rag.retrieve.exact import exact_matches, exact_terms
from rag.retrieve.query import query_text, title_path
from rag.settings_layers import load_settings
from rag.types import Hit, QueryPlan, SearchFilter
from rag.understand.plan import plan
from rag.understand.understand import understand

PRIORS: dict[str, Callable[[Sequence[float]], float]] = {
    "three": lambda fused: sum(sorted(fused, reverse=True)[:3]),
    "best": lambda fused: max(fused),
}
WEIGHTS = (0.25, 0.5, 1.0, 2.0)
SEED = 5
_ARTICLE = re.compile(r"第[一二三四五六七八九十百]+条[　\s]*([^\n]{20,200})")
_ABOUT_ITSELF = re.compile("施行|根据|适用本")


def reordered(question: str, hits: Sequence[Hit], name: str, weight: float) -> list[Hit]:
    """The hits by exact matches, then by rerank log odds with the prior of their document."""
    terms = exact_terms(question)
    fused: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for hit in hits:
        fused[_document(hit)].append(hit.scores.get("fused", 0.0))

    def place(hit: Hit) -> tuple[float, float]:
        chance = min(max(hit.scores.get("rerank", 0.0), 1e-9), 1 - 1e-9)
        prior = weight * PRIORS[name](fused[_document(hit)])
        return -len(exact_matches(terms, hit.chunk)), -(math.log(chance / (1 - chance)) + prior)

    return sorted(hits, key=place)


def _document(hit: Hit) -> tuple[object, ...]:
    """A record's own title counts as a document: a file of records has many."""
    return (hit.chunk.document_id, *title_path(hit.chunk)[:1])


def law_questions(limit: int) -> list[tuple[str, str, str]]:
    """(form, question, the right document's name), up to `limit` of each form."""
    folder = DATA / "laws_zh"
    chance = random.Random(SEED)
    rows = read(folder / "derived/dev/effective_date.jsonl")
    chance.shuffle(rows)
    asked: list[tuple[str, str, str]] = []
    for row in rows[:limit]:
        found = re.search("《(.*)》", row["question"])
        title, name = (found[1] if found else ""), f"{row['doc_id']}.md"
        asked.append(("quoted", row["question"], name))
        asked.append(("plain", f"{title}从什么时候起施行？", name))
        asked.append(("spoken", f"{row['region']}的{row['topic']}啥时候开始实施的", name))
    metas = [m for m in read(folder / "meta.jsonl") if m["region"] and m["is_latest"]]
    chance.shuffle(metas)
    for meta in metas[: 2 * limit]:
        text = (folder / meta["file"]).read_text(encoding="utf-8")
        rules = [rule for rule in _ARTICLE.findall(text) if not _ABOUT_ITSELF.search(rule)]
        begin = re.split("[，。；：]", chance.choice(rules))[0][:30] if rules else ""
        if len(begin) >= 8:
            question = f"{meta['region']}的{meta['topic']}里，{begin}有什么规定？"
            asked.append(("rule", question, f"{meta['id']}.md"))
    return asked


def laws(limit: int) -> None:
    """Print the share of questions about statutes with the right document first."""
    folder = DATA / "laws_zh"
    found: dict[str, list[tuple[str, str, tuple[Hit, ...]]]] = defaultdict(list)
    with opened(WORK / "laws") as application:
        kb_id = fill(application, "laws", [folder / m["file"] for m in read(folder / "meta.jsonl")])
        profile = application.catalog.documents.profile([kb_id])
        settings = application.settings.current
        deep = settings.retrieval.model_copy(update={"top_k": settings.reranker.candidates})
        for form, question, name in law_questions(limit):
            meaning = understand(question, (), profile, date.today())
            made = plan(meaning, [kb_id], profile=profile)
            result = application.retriever.search(
                made, question=meaning.standalone_question, settings=deep
            )
            found[form].append((question, name, result.hits))
    for prior, weight in _tried():
        shares = []
        for form, rows in found.items():
            right = sum(
                bool(hits) and reordered(q, hits, prior, weight)[0].chunk.document_name == name
                for q, name, hits in rows
            )
            shares.append(f"{form} {right}/{len(rows)} {right / len(rows):.3f}")
        print(f"laws     {prior:6} {weight:4}  {'  '.join(shares)}", flush=True)


def records(cache: Path, distractors: int, limit: int) -> None:
    """Print hit@1 and nDCG@10 of the sets of short passages."""
    real = bundled_embedder(cache)
    sets = [
        datasets.load_lecoqa(DATA, distractors),
        datasets.load_cmrc(DATA),
        datasets.load_crosswoz(DATA),
    ]
    passages = [chunk for found in sets for chunk in found.passages]
    vectors = passage_vectors(real, passages, cache)
    asked = {found.name: asked_of(found, limit) for found in sets}
    texts = [question.text for questions in asked.values() for question in questions]
    known = KnownVectors(
        real, [query_text(text) for text in texts], question_vectors(real, texts, cache)
    )
    settings = load_settings(cache)
    deep = settings.retrieval.model_copy(update={"top_k": settings.reranker.candidates})
    with knowledge_base(known, passages, vectors, settings) as (retriever, kb_id, origin):
        condition = SearchFilter(kb_ids=(kb_id,))
        for name, questions in asked.items():
            found = [
                (q, retriever.search(QueryPlan(queries=(q.text,), filter=condition), settings=deep))
                for q in questions
            ]
            for prior, weight in _tried():
                judged = [
                    (
                        [origin[h.chunk.id] for h in reordered(q.text, result.hits, prior, weight)],
                        q.gold,
                    )
                    for q, result in found
                ]
                scores = score_rankings(judged)
                print(
                    f"{name:9}{prior:6} {weight:4}  hit1 {scores.hit1:.3f}  "
                    f"nDCG@10 {scores.ndcg10:.4f}  n {len(questions)}",
                    flush=True,
                )


def _tried() -> list[tuple[str, float]]:
    return [("three", 0.0), *((name, weight) for name in PRIORS for weight in WEIGHTS)]


def main() -> None:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=60, help="of each form or set")
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps vectors")
    parser.add_argument("--distractors", type=int, default=3000, help="articles beside the right")
    args = parser.parse_args()
    if absent("laws_zh", "lecoqa_stard", "cmrc2018", "crosswoz"):
        return
    laws(args.questions)
    records(args.cache, args.distractors, args.questions)


if __name__ == "__main__":
    main()
