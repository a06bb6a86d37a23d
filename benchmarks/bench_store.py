"""Speed of the store: layouts of the vector store, deletion, publishing, ten writers at once.

    python -m benchmarks.bench_store [layout] [catalog] [reference]

`layout` compares the local index with Milvus Lite by itself, one collection per knowledge base
with one for all of them: writing, search in a small knowledge base beside one of 10,000 rows,
and deletion of 5,000 rows.
`catalog` times the catalog against limits. `reference` (needs ZHIWEN_BENCH_DATA=<folder>)
measures how the reference length of keyword weights changes the ranking of LeCoQA/STARD.
Without a name, `layout` and `catalog` run. Vectors are random: exact search takes as long.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from rag.store.catalog import Catalog
from rag.store.lexical import K1, B, idf
from rag.store.vectors import VectorRow, VectorStore
from rag.types import Chunk, Document, Page, SearchFilter, Token

DIMENSION = 384
TERMS = 80
SMALL, LARGE, DELETED = 500, 10_000, 5_000
DELETE_LIMIT_S = 5.0
PUBLISH_LIMIT_S = 5.0
"""Bounds chosen by us from the wish "deleting 5,000 chunks takes seconds"."""
SEARCHES = 30


def rows(kb_id: str, count: int, rng: np.random.Generator) -> list[VectorRow]:
    """Rows with random vectors and about `TERMS` terms of a natural distribution."""
    dense = rng.standard_normal((count, DIMENSION)).astype(np.float32)
    found = []
    for number in range(count):
        terms = np.unique(rng.zipf(1.2, TERMS) % 100_000)
        found.append(
            VectorRow(
                chunk_id=f"{kb_id}-1-{number}",
                kb_id=kb_id,
                document_id=f"{kb_id}-{number // 50}",
                access=kb_id,
                region="浙江" if number % 2 else "",
                year=2020 + number % 5,
                document_type="办法",
                organisation="",
                product="",
                dense=dense[number],
                sparse=dict.fromkeys(terms.tolist(), 1.0),
            )
        )
    return found


def timed(action: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - wall, time.process_time() - cpu


def search_ms(store: VectorStore, kb_id: str, rng: np.random.Generator) -> str:
    """Median CPU and wall milliseconds of a dense and a sparse search."""
    condition = SearchFilter(kb_ids=(kb_id,), regions=("浙江",), years=(2021, 2023))
    parts = []
    for name in ("dense", "sparse"):
        times = []
        for _ in range(SEARCHES):
            vector = rng.standard_normal(DIMENSION).astype(np.float32)
            terms = dict.fromkeys(rng.integers(1, 2000, 12).tolist(), 1.0)
            if name == "dense":
                times.append(timed(partial(store.search_dense, vector, condition, 50)))
            else:
                times.append(timed(partial(store.search_sparse, terms, condition, 50)))
        wall, cpu = (statistics.median(t[i] for t in times) * 1e3 for i in (0, 1))
        parts.append(f"{name} {cpu:5.1f} CPU-ms ({wall:.1f} wall)")
    return ", ".join(parts)


def layout() -> None:
    """The local index and Lite itself; one collection per knowledge base and one for all."""
    for engine in ("local index", "Milvus Lite itself"):
        for per_kb in (True, False):
            print(f"{engine}, one collection {'per knowledge base' if per_kb else 'for all'}")
            with tempfile.TemporaryDirectory(prefix="zhiwen-bench-") as folder:
                path = str(Path(folder) / "vectors.db")
                store = VectorStore(path, per_kb=per_kb, local=engine == "local index")
                store.open("bench", DIMENSION)
                _measure(store, np.random.default_rng(7))
                store.close()


def _measure(store: VectorStore, rng: np.random.Generator) -> None:
    small, large = rows("small", SMALL, rng), rows("large", LARGE, rng)
    doomed = rows("doomed", DELETED, rng)

    def write() -> None:
        for part in (small, large, doomed):
            store.upsert(part)

    wall, cpu = timed(write)
    count = SMALL + LARGE + DELETED
    print(f"  write {count} rows: {wall:.1f} s ({count / wall:.0f} rows/s, CPU {cpu:.1f} s)")
    wall, _ = timed(store.warm_up)
    print(f"  warm-up: {wall:.1f} s")
    print(f"  search {SMALL} rows beside others: {search_ms(store, 'small', rng)}")
    print(f"  search {LARGE} rows: {search_ms(store, 'large', rng)}")
    ids = [row.chunk_id for row in large[:DELETED]]
    wall, _ = timed(partial(store.delete_chunks, ids, "large"))
    print(f"  delete {DELETED} chunks by id: {wall:.2f} s (limit {DELETE_LIMIT_S:.0f})")
    wall, _ = timed(partial(store.delete_kb, "doomed"))
    print(f"  delete a knowledge base of {DELETED}: {wall:.2f} s")
    print(f"  search {SMALL} rows after that: {search_ms(store, 'small', rng)}")


def catalog_speed() -> None:
    """Publishing, reading and deleting 5,000 chunks; ten chats beside an upload."""
    with tempfile.TemporaryDirectory(prefix="zhiwen-bench-") as folder:
        catalog = Catalog(Path(folder) / "catalog.sqlite")
        kb = catalog.knowledge_bases.create("bench")
        info = catalog.documents.create(kb.id, "big.txt", "0" * 64, 1, "text/plain")
        rng = np.random.default_rng(7)
        chunks = [
            Chunk(
                id=f"{info.id}-1-{number}",
                document_id=info.id,
                kb_id=kb.id,
                ordinal=number,
                text="测试文字" * 75,
                heading_path=("第一章", "第一节"),
            )
            for number in range(DELETED)
        ]
        words = rng.zipf(1.2, (DELETED, TERMS)) % 100_000
        tokens = [[f"w{word}" for word in line] for line in words.tolist()]
        document = Document(name="big.txt", media_type="text/plain", pages=(Page(number=1),))

        def publish(version: int) -> None:
            renamed = [
                c.model_copy(update={"id": f"{info.id}-{version}-{c.ordinal}"}) for c in chunks
            ]
            catalog.documents.publish(info.id, version, document, renamed, token_lists=tokens)

        for version, what in ((1, "publish"), (2, "replace")):
            wall, _ = timed(partial(publish, version))
            print(f"{what} {DELETED} chunks: {wall:.2f} s (limit {PUBLISH_LIMIT_S:.0f})")
        ids = [f"{info.id}-2-{number}" for number in range(0, DELETED, 50)]
        times = [timed(lambda: catalog.chunks.get(ids))[0] for _ in range(20)]
        print(f"read {len(ids)} chunks: {statistics.median(times) * 1e3:.1f} ms")
        times = [timed(lambda: catalog.lexical.query_weights(tokens[3][:15]))[0] for _ in range(20)]
        print(f"keyword weights of a question: {statistics.median(times) * 1e3:.2f} ms")
        print(f"ten chats beside an upload: {_ten_chats(catalog, lambda: publish(3))}")
        wall, _ = timed(lambda: catalog.knowledge_bases.delete(kb.id))
        print(f"delete {DELETED} chunks: {wall:.2f} s (limit {DELETE_LIMIT_S:.0f})")
        catalog.close()


def _ten_chats(catalog: Catalog, upload: Callable[[], None]) -> str:
    waits: list[float] = []
    errors: list[BaseException] = []

    def chat(owner: str) -> None:
        append = catalog.conversations.append_event
        conversation = catalog.conversations.create(owner, [])
        message = catalog.conversations.add_message(conversation.id, "assistant", "", "running")
        for seq in range(1, 51):
            try:
                waits.append(timed(partial(append, message.id, seq, Token(text="字")))[0])
            except BaseException as error:
                errors.append(error)

    threads = [threading.Thread(target=chat, args=(f"u{number}",)) for number in range(10)]
    threads.append(threading.Thread(target=upload))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    waits.sort()
    return (
        f"{len(waits)} events, p50 {waits[len(waits) // 2] * 1e3:.1f} ms, "
        f"longest {waits[-1] * 1e3:.0f} ms, {len(errors)} errors"
    )


def reference() -> None:
    """nDCG@10 of keyword search with other reference lengths than the true average."""
    from rag.evaluate.datasets import load_lecoqa
    from rag.evaluate.metrics import ndcg
    from rag.retrieve.query import lexical_text
    from rag.text.tokenise import query_terms, tokenise

    data = load_lecoqa(Path(os.environ["ZHIWEN_BENCH_DATA"]))
    token_lists = [tokenise(lexical_text(chunk)) for chunk in data.passages]
    lengths = np.array([len(tokens) for tokens in token_lists], dtype=float)
    postings: dict[str, dict[int, int]] = defaultdict(dict)
    for number, tokens in enumerate(token_lists):
        for token in tokens:
            postings[token][number] = postings[token].get(number, 0) + 1
    print(f"{len(lengths)} passages, {lengths.mean():.0f} tokens on average")
    for factor in (1 / 5, 1 / 3, 1 / 2, 1, 2, 3, 5):
        norm = K1 * (1 - B + B * lengths / (lengths.mean() * factor))
        scores = []
        for question in data.questions:
            totals = np.zeros(len(lengths))
            for term in set(query_terms(question.text)):
                found = postings.get(term, {})
                at, tf = np.array(list(found), dtype=int), np.array(list(found.values()), float)
                totals[at] += idf(len(lengths), len(at)) * tf * (K1 + 1) / (tf + norm[at])
            best = np.argsort(-totals)[:10]
            scores.append(ndcg([data.passages[n].id for n in best], question.gold))
        print(f"  reference {factor:4.2f} × average: nDCG@10 {statistics.mean(scores):.3f}")


PARTS: dict[str, Callable[[], None]] = {
    "layout": layout,
    "catalog": catalog_speed,
    "reference": reference,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or ("layout", "catalog"):
        PARTS[name]()
