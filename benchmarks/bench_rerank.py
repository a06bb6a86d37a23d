"""Time and memory of the local reranker for 30 candidates, beside the bare runtime.

    python -m benchmarks.bench_rerank [--questions 40]

Questions are CrossWOZ's and LeCoQA's with their fused candidates; nothing is cached between
questions. "bare" runs the same session in the same threads on token vectors that are ready:
what is left above it is our own work. "features" is the reranker without the cross-encoder.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.embedded import bundled_embedder, passage_vectors, question_vectors
from benchmarks.places import DATA, WORK, absent
from rag.evaluate import datasets
from rag.evaluate.datasets import bucket
from rag.evaluate.memory_index import MemoryIndex
from rag.models.bundled import available_cores
from rag.models.cross_encoder import CrossEncoder, pair_ids
from rag.retrieve.excerpt import passage_text
from rag.retrieve.rerank import CROSS_CANDIDATES, LocalReranker
from rag.settings import RetrievalSettings
from rag.text.normalise import normalise

CANDIDATES, GOAL_MS = 30, 400


def resident_mb() -> float:
    """Memory of this process in MB (Linux; 0 elsewhere)."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return 0.0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of wall and of processor time."""
    wall, own = time.perf_counter(), time.process_time()
    work()
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - own)


def _all(pool: ThreadPoolExecutor, session: Any, ready: Sequence[np.ndarray]) -> None:
    list(pool.map(lambda row: session.run(None, {"words": row}), ready))


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=WORK / "vectors", help="keeps vectors")
    parser.add_argument("--questions", type=int, default=40)
    args = parser.parse_args()
    if absent("lecoqa_stard", "crosswoz"):
        return
    sets = [datasets.load_crosswoz(DATA), datasets.load_lecoqa(DATA, distractors=0)]
    passages = [chunk for one in sets for chunk in one.passages]
    embedder = bundled_embedder(args.cache)
    index = MemoryIndex(passages, passage_vectors(embedder, passages, args.cache))
    asked = sorted((q for one in sets for q in one.questions), key=lambda q: bucket(q.id))
    asked = asked[: args.questions]
    vectors = question_vectors(embedder, [q.text for q in asked], args.cache)
    settings = RetrievalSettings()
    embedder.embed_queries(["你好"])
    before = resident_mb()
    cross = CrossEncoder(args.cache)
    loading, _ = timed(cross.load)
    held = resident_mb() - before
    session, words = cross._load()
    rerankers = {"features": LocalReranker(), "whole": LocalReranker(cross)}
    with ThreadPoolExecutor(available_cores()) as pool:
        took: dict[str, list[tuple[float, float]]] = {"features": [], "whole": [], "bare": []}
        tokens: list[int] = []
        for question, vector in zip(asked, vectors, strict=True):
            hits = index.candidates(question.text, vector, settings, CANDIDATES)
            texts = [passage_text(question.text, hit.chunk) for hit in hits[:CROSS_CANDIDATES]]
            start = words.tokenise(normalise(question.text))
            ids = [pair_ids(start, words.tokenise(text)) for text in texts]
            ready = [words.vectors(row)[None] for row in ids]
            tokens += map(len, ids)

            took["bare"].append(timed(partial(_all, pool, session, ready)))
            cross._known.clear()
            for name, reranker in rerankers.items():
                took[name].append(timed(partial(reranker.score, question.text, hits)))
    print(f"{CANDIDATES} candidates, {CROSS_CANDIDATES} read, {np.mean(tokens):.0f} tokens each, "
          f"{available_cores()} cores; loaded in {loading:.0f} ms, {held:.0f} MB")  # fmt: skip
    for name, rows in took.items():
        wall, own = np.percentile(rows, 50, axis=0)
        late, _ = np.percentile(rows, 95, axis=0)
        print(f"  {name:9} p50 {wall:.0f} ms  p95 {late:.0f} ms  processor {own:.0f} ms")
    print(f"  goal {GOAL_MS} ms")


if __name__ == "__main__":
    main()
