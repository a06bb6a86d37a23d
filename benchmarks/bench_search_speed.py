"""Speed, start and memory of retrieval at 10,000 and 100,000 passages, beside its peers.

    python -m benchmarks.bench_search_speed [searches] [start] [parts] [milvus]
        [--sizes 10000 100000] [--questions 200]

`searches` times whole searches without model time, by stage, beside raw faiss (exact) and
bm25s on the same vectors and tokens in the same run. `start` opens the stores in a fresh
process whose files are not in memory, asks one question, and prints the process's memory with
the bundled models loaded. `parts` compares ways of searching the same arrays: what the index
uses and what it could use. `milvus` asks Milvus Lite itself, up to 10,000 passages: beyond
that its keyword lists take minutes to build. Bases are built once and kept (see
`benchmarks.search_base`); processor time is printed because wall time depends on neighbours.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.embedded import bundled_embedder, question_vectors
from benchmarks.places import DATA, ROOT, WORK, absent
from benchmarks.search_base import DIMENSION, FINGERPRINT, Base, base
from rag.evaluate import datasets
from rag.retrieve.query import query_text, search_tokens
from rag.retrieve.rerank import LocalReranker
from rag.retrieve.search import Retriever
from rag.settings_layers import load_settings
from rag.start import limit_blas_threads
from rag.store.catalog import Catalog
from rag.store.lexical import term_id
from rag.store.local_segment import merged
from rag.store.vectors import VectorStore
from rag.types import QueryPlan, SearchFilter

LIMITS_MS = {10_000: 30.0, 100_000: 120.0}
"""DESIGN's budget: p50 of retrieval without model time, in milliseconds, by passages."""
START_LIMIT_S = 2.0
"""First question after a start at 100,000 passages, in seconds."""
MEMORY_LIMIT_MB = 2048.0
"""Memory with 100,000 passages and the bundled models."""
MILVUS_MOST = 10_000
DEPTH = 50
REPEATS = 30


class KnownQuestions:
    """An embedder that only looks up: no model time is in what is measured."""

    name, fingerprint, dimension, max_tokens = "known", FINGERPRINT, DIMENSION, 512

    def __init__(self, vectors: dict[str, np.ndarray]) -> None:
        self._vectors = vectors

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        """The known vectors; any one for another text."""
        other = next(iter(self._vectors.values()))
        return np.stack([self._vectors.get(text, other) for text in texts])

    def embed_passages(self, texts: Sequence[str], _: object = None) -> np.ndarray:
        """Not needed here."""
        raise NotImplementedError

    def count_tokens(self, text: str) -> int:
        """About as many as there are letters."""
        return len(text)


class Peers:
    """Raw faiss, exact, and bm25s over the same vectors and tokens, one thread each."""

    def __init__(self, made: Base) -> None:
        import bm25s
        import faiss
        from bm25s.tokenization import Tokenized

        faiss.omp_set_num_threads(1)
        self._near: Any = faiss.IndexFlatIP(DIMENSION)
        self._near.add(made.dense())
        lists = made.tokens()
        distinct, codes = np.unique(np.concatenate(lists), return_inverse=True)
        ends = np.cumsum([len(each) for each in lists])[:-1]
        self._places = {int(term): place for place, term in enumerate(distinct.tolist())}
        self._words = bm25s.BM25()
        self._words.index(
            Tokenized(
                ids=[each.tolist() for each in np.split(codes, ends)],
                vocab={str(place): place for place in range(len(distinct))},
            ),
            show_progress=False,
        )

    def near(self, vector: np.ndarray) -> None:
        """The nearest passages."""
        self._near.search(vector[None], DEPTH)

    def words(self, tokens: Sequence[str]) -> None:
        """The best passages by words."""
        known = [self._places[term] for t in tokens if (term := term_id(t)) in self._places]
        self._words.retrieve(
            [[str(place) for place in known]], k=DEPTH, show_progress=False, return_as="tuple"
        )


class Open:
    """A base's stores and a retriever over them."""

    def __init__(self, made: Base, questions: dict[str, np.ndarray], local: bool = True) -> None:
        self.catalog = Catalog(made.catalog)
        self.store = VectorStore(str(made.vectors), local=local)
        self.store.open(FINGERPRINT, DIMENSION)
        self.kb_id = made.kb_id
        embedder, reranker = KnownQuestions(questions), LocalReranker()
        settings = load_settings(made.folder)
        self.retriever = Retriever(
            self.catalog,
            self.store,
            self.catalog.lexical,
            lambda: embedder,
            lambda: reranker,
            lambda: settings,
        )

    def ask(self, text: str) -> Any:
        """One whole search."""
        condition = SearchFilter(kb_ids=(self.kb_id,))
        return self.retriever.search(QueryPlan(queries=(text,), filter=condition))

    def close(self) -> None:
        """Close both."""
        self.store.close()
        self.catalog.close()


class Times:
    """Wall and processor milliseconds of one kind of work, run by run."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.work: list[float] = []

    def run(self, action: Callable[[], Any]) -> Any:
        """Do it once more and note the time."""
        wall, work = time.perf_counter(), time.process_time()
        result = action()
        self.work.append((time.process_time() - work) * 1000)
        self.wall.append((time.perf_counter() - wall) * 1000)
        return result

    def line(self) -> str:
        """Percentiles."""
        return (
            f"p50 {np.percentile(self.wall, 50):7.1f} ms  p95 {np.percentile(self.wall, 95):7.1f} "
            f"ms  processor p50 {np.percentile(self.work, 50):7.1f} ms"
        )


def searches(made: Base, questions: dict[str, np.ndarray]) -> None:
    """Whole searches by stage, beside the peers."""
    peers, opened = Peers(made), Open(made, questions)
    opened.store.warm_up()
    ours, near, words, both = Times(), Times(), Times(), Times()
    stages: dict[str, list[float]] = {}
    gc.collect()
    gc.freeze()
    for text, vector in list(questions.items())[:5]:
        opened.ask(text + "？")
        peers.near(vector)
    for text, vector in questions.items():
        found = ours.run(lambda text=text: opened.ask(text))
        for stage, ms in found.timings_ms.items():
            stages.setdefault(stage, []).append(ms)
        tokens = search_tokens(text)
        near.run(lambda vector=vector: peers.near(vector))
        words.run(lambda tokens=tokens: peers.words(tokens))
        both.wall.append(near.wall[-1] + words.wall[-1])
        both.work.append(near.work[-1] + words.work[-1])
    opened.close()
    for name, times in (
        ("whole search", ours),
        ("raw faiss + bm25s", both),
        ("  of which faiss", near),
        ("  of which bm25s", words),
    ):
        print(f"  {name:18} {times.line()}")
    index = statistics.median(stages["dense"]) + statistics.median(stages["sparse"])
    peer = statistics.median(both.wall)
    print(f"  dense and sparse stage {index:.1f} ms: {index / peer:.2f} of the peers")
    if limit := LIMITS_MS.get(made.size):
        print(
            f"  limit {limit:.0f} ms: ratio {np.percentile(ours.wall, 50) / limit:.2f}, of "
            f"processor time {np.percentile(ours.work, 50) / limit:.2f}"
        )
    parts = "  ".join(f"{name} {statistics.median(ms):.1f}" for name, ms in stages.items())
    print(f"  median ms by stage: {parts}")


def start(made: Base, questions: dict[str, np.ndarray]) -> None:
    """The first question of a fresh process, with the files out of memory and in memory."""
    known = made.folder / "questions.npz"
    np.savez(known, texts=np.array(list(questions)), vectors=np.stack(list(questions.values())))
    for cold in (True, False):
        if cold:
            for path in made.folder.rglob("*"):
                _forget(path)
        answer = subprocess.run(
            [sys.executable, "-m", "benchmarks.bench_search_speed", "--first", str(made.folder)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(answer.stdout.splitlines()[-1])
        state = "not in memory" if cold else "in memory"
        total = found["open_s"] + found["first_s"]
        print(
            f"  files {state}: open {found['open_s']:.2f} s, first question {found['first_s']:.2f}"
            f" s, together {total / START_LIMIT_S:.2f} of the limit of {START_LIMIT_S:.0f} s"
        )
        print(
            f"    memory {found['models_mb']:.0f} MB with models, {found['asked_mb']:.0f} MB after"
            f" {found['asked']} questions (mapped files {found['mapped_mb']:.0f}), "
            f"{found['written_mb']:.0f} MB after a write: "
            f"{found['written_mb'] / MEMORY_LIMIT_MB:.2f} of the limit; "
            f"first writes {found['write_s']:.1f} s"
        )


def _forget(path: Path) -> None:
    """Let the system drop a file's pages from memory (Linux)."""
    if path.is_file() and hasattr(os, "posix_fadvise"):
        handle = os.open(path, os.O_RDONLY)
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)


def first(folder: Path) -> None:
    """What the fresh process of `start` does; prints its figures."""
    from dataclasses import replace

    from benchmarks.search_base import sample_row

    limit_blas_threads()
    bundled_embedder(WORK / "vectors").embed_queries(["你好"])
    search_tokens("你好")
    with np.load(folder / "questions.npz") as stored:
        questions = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))
    import pymilvus  # noqa: F401  (imported by the program's start before)

    process = psutil.Process()
    models = process.memory_info().rss
    began = time.perf_counter()
    opened = Open(Base(folder, 0), questions)
    ready = time.perf_counter()
    texts = list(questions)
    opened.ask(texts[0])
    done = time.perf_counter()
    for text in texts[1:50]:
        opened.ask(text)
    memory = process.memory_info()
    writing = time.perf_counter()
    row = sample_row(opened.kb_id)
    opened.store.upsert([row])
    opened.store.delete_chunks([row.chunk_id], opened.kb_id)
    opened.store.upsert([replace(row, chunk_id=row.chunk_id + "b")])
    opened.store.delete_chunks([row.chunk_id + "b"], opened.kb_id)
    wrote = time.perf_counter() - writing
    figures = {
        "open_s": ready - began,
        "first_s": done - ready,
        "asked": min(50, len(texts)),
        "models_mb": models / 1e6,
        "asked_mb": memory.rss / 1e6,
        "mapped_mb": getattr(memory, "shared", 0) / 1e6,
        "written_mb": process.memory_info().rss / 1e6,
        "write_s": wrote,
    }
    opened.close()
    print(json.dumps(figures))


def parts(made: Base, questions: dict[str, np.ndarray]) -> None:
    """Ways of searching the same arrays."""
    peers, opened = Peers(made), Open(made, questions)
    local = opened.store._local
    assert local is not None
    (name,) = opened.store._names([opened.kb_id])
    segment = merged([(part.segment, part.dead) for part in local.index(name)._parts])
    texts = list(questions)[:REPEATS]
    half = segment.dense.astype(np.float16)
    some = np.arange(0, len(segment), 8)

    def blocks(vector: np.ndarray) -> np.ndarray:
        step = 4096
        pieces = (half[at : at + step].astype(np.float32) for at in range(0, len(half), step))
        return np.concatenate([piece @ vector for piece in pieces])

    dense: dict[str, Callable[[np.ndarray], Any]] = {
        "float32 (used)": lambda v: segment.dense @ v,
        "float16 in blocks": blocks,
        "one row in 8, picked": lambda v: segment.dense[some] @ v,
        "float32 and the best 50": lambda v: segment.nearest(v, None, DEPTH),
        "raw faiss": peers.near,
    }
    for label, way in dense.items():
        times = Times()
        for text in texts:
            times.run(lambda way=way, text=text: way(questions[text]))
        print(f"  dense   {label:24} {times.line()}")
    weights = {text: opened.catalog.lexical.query_weights(search_tokens(text)) for text in texts}
    words: dict[str, Callable[[str], Any]] = {
        "add.at by term (used)": lambda t: segment.best_by_words(weights[t], None, DEPTH),
        "bincount of all": lambda t: _bincount(segment, weights[t]),
        "raw bm25s": lambda t: peers.words(search_tokens(t)),
    }
    for label, find in words.items():
        times = Times()
        for text in texts:
            times.run(lambda find=find, text=text: find(text))
        print(f"  sparse  {label:24} {times.line()}")
    opened.close()


def _bincount(segment: Any, query: dict[int, float]) -> np.ndarray:
    spans = []
    for term, weight in query.items():
        place = int(np.searchsorted(segment.terms, np.uint32(term)))
        if place < len(segment.terms) and int(segment.terms[place]) == term:
            spans.append((slice(*segment.starts[place : place + 2].tolist()), weight))
    rows = np.concatenate([segment.rows[span] for span, _ in spans])
    added = np.concatenate([segment.weights[span] * weight for span, weight in spans])
    scores = np.bincount(rows, added, minlength=len(segment))
    found = np.flatnonzero(scores)
    return found[np.argsort(-scores[found], kind="stable")[:DEPTH]]


def milvus(made: Base, questions: dict[str, np.ndarray]) -> None:
    """The same searches asked of Milvus Lite itself."""
    if made.size > MILVUS_MOST:
        print(f"  not asked beyond {MILVUS_MOST} passages")
        return
    opened = Open(made, questions, local=False)
    began = time.perf_counter()
    opened.store.warm_up()
    print(f"  warm-up {time.perf_counter() - began:.1f} s")
    times = Times()
    for text in list(questions)[:REPEATS]:
        times.run(lambda text=text: opened.ask(text))
    opened.close()
    print(f"  whole search, Milvus Lite {times.line()}")


PARTS: dict[str, Callable[[Base, dict[str, np.ndarray]], None]] = {
    "searches": searches,
    "start": start,
    "parts": parts,
    "milvus": milvus,
}


def main() -> None:
    """Run the parts that are asked for at each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--sizes", type=int, nargs="+", default=list(LIMITS_MS))
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--first", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.first:
        first(args.first)
        return
    if absent("lecoqa_stard", "laws_zh"):
        return
    limit_blas_threads()
    asked = [q.text for q in datasets.load_lecoqa(DATA, 0).questions[: args.questions]]
    embedder = bundled_embedder(WORK / "vectors")
    vectors = question_vectors(embedder, asked, WORK / "vectors")
    questions = {query_text(text): v for text, v in zip(asked, vectors, strict=True)}
    for size in args.sizes:
        made = base(DATA, WORK, size)
        for name in args.parts:
            print(f"{name} at {size} passages, {len(questions)} questions", flush=True)
            PARTS[name](made, questions)


if __name__ == "__main__":
    main()
