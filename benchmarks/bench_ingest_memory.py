"""Memory while documents are processed: of this process, and of the child that reads files.

Ingests three PDFs of 1,600 pages, then twenty PDFs of 50 MB one after the other, through the
whole pipeline with a stand-in embedder (models have their own memory), and deletes each again.
Prints resident memory before, at its peak and afterwards. The aim: what is left afterwards
does not grow from one document to the next.

    python -m benchmarks.bench_ingest_memory [--pages 1600] [--times 3] [--uploads 20]
        [--megabytes 50]
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import random
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench_ingest import write_document
from rag.ingest import isolate
from rag.ingest.files import FileStore
from rag.ingest.memory import give_back
from rag.ingest.pipeline import Pipeline
from rag.settings import IngestSettings, Settings
from rag.store.catalog import Catalog
from rag.store.vectors import VectorStore

GROWTH_LIMIT_MB = 60
"""Most that a run of equal documents may leave behind, after the first; chosen by us."""


class StandIn:
    """Vectors from character pairs, at hardly any cost."""

    name = "pairs"
    fingerprint = "pairs_64"
    dimension = 64
    max_tokens = 512

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors."""
        found = np.full((len(texts), self.dimension), 0.01, np.float32)
        for row, text in enumerate(texts):
            for start in range(0, len(text), 8):
                found[row, zlib.crc32(text[start : start + 2].encode()) % self.dimension] += 1
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    def embed_passages(self, texts: Sequence[str], progress: object = None) -> np.ndarray:  # noqa: ARG002
        """Unit vectors."""
        return self.embed_queries(texts)

    def count_tokens(self, text: str) -> int:
        """About what the bundled embedder counts."""
        return int(len(text) * 0.6) + 1


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pages", type=int, default=1600)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--uploads", type=int, default=20)
    parser.add_argument("--megabytes", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "data") as pipeline:
        kb = pipeline.catalog.knowledge_bases.create("memory").id
        room = Path(folder)
        print("document                   s   this process: before  peak  after   child: peak MB")
        run(pipeline, kb, made(write_document, room / "warm-up.pdf", 3))
        after = []
        for number in range(options.times):
            path = room / f"long{number}.pdf"
            after.append(run(pipeline, kb, made(write_document, path, options.pages + number)))
        verdict(f"{options.pages} pages {options.times} times", after)
        after = []
        for number in range(options.uploads):
            path = made(heavy, room / f"heavy{number}.pdf", options.megabytes, number)
            after.append(run(pipeline, kb, path))
            path.unlink()
        verdict(f"{options.uploads} uploads of {options.megabytes} MB", after)


def made(write: Callable[..., Path], *arguments: Any) -> Path:
    """Write a file in a process of its own, so that it costs no memory here."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(write, *arguments).result()


@contextmanager
def opened(data: Path) -> Iterator[Pipeline]:
    """A pipeline over stores of its own."""
    data.mkdir()
    settings = Settings(data=data, ingest=IngestSettings(ocr="off"))
    catalog, vectors, embedder = Catalog(data / "catalog.sqlite"), None, StandIn()
    vectors = VectorStore(str(data / "vectors.db"))
    vectors.open(embedder.fingerprint, embedder.dimension)
    try:
        yield Pipeline(catalog, vectors, lambda: embedder, lambda: settings, FileStore(data))
    finally:
        isolate.close_children()
        vectors.close()
        catalog.close()


def run(pipeline: Pipeline, kb_id: str, path: Path) -> float:
    """Ingest one file and print a line; this process's memory afterwards, in MB."""
    gc.collect()
    before, began = memory_mb(os.getpid()), time.monotonic()
    watch = Watch()
    result = pipeline.ingest(path, kb_id, path.name)
    watch.stop()
    if result.document_id:
        # What documents keep in the stores is theirs; here we look for what stays behind.
        pipeline.delete_document(result.document_id)
    gc.collect()
    give_back()
    after = memory_mb(os.getpid())
    print(
        f"{path.name:20} {time.monotonic() - began:8.1f} {before:22.0f} {watch.peak:5.0f} "
        f"{after:6.0f} {watch.child_peak:13.0f}   {result.status} {result.error or ''}"
        f"{result.pages} pages, {result.chunks} chunks",
        flush=True,
    )
    return after


class Watch:
    """Looks at the memory of this process and of its children ten times a second."""

    def __init__(self) -> None:
        self.peak = self.child_peak = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End looking."""
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.1):
            self.peak = max(self.peak, memory_mb(os.getpid()))
            own = [memory_mb(pid) for pid in children(os.getpid())]
            self.child_peak = max(self.child_peak, *own, 0.0)


def memory_mb(pid: int) -> float:
    """Resident memory in MB; 0 when the process is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def children(pid: int) -> list[int]:
    """Direct children of a process."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                parent = (place / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if int(parent) == pid:
                found.append(int(place.name))
    return found


def heavy(path: Path, megabytes: int, seed: int) -> Path:
    """A PDF of some pages whose pictures make it so heavy."""
    import pymupdf

    noise = random.Random(seed)
    side = 1000
    with pymupdf.open() as document:
        for number in range(max(1, megabytes // 3)):
            page = document.new_page(width=595, height=842)
            for line in range(12):
                text = f"第{line}条 附图{seed}之{number}说明：本图为第{line}项工程的现场照片。"
                page.insert_text((72, 320 + 20 * line), text, fontname="china-s")
            pixels = pymupdf.Pixmap(pymupdf.csRGB, side, side, noise.randbytes(side * side * 3), 0)
            page.insert_image((72, 60, 222, 210), pixmap=pixels)
        document.save(path)
    return path


def verdict(name: str, after: Sequence[float]) -> None:
    """Print what a run of equal documents left behind."""
    grown = after[-1] - after[0]
    met = "flat" if grown <= GROWTH_LIMIT_MB else f"GREW (limit {GROWTH_LIMIT_MB})"
    print(f"{name}: {grown:+.0f} MB from the first to the last, {met}\n", flush=True)


if __name__ == "__main__":
    main()
