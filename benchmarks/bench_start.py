"""Cold start and memory of the served program.

Starts `streamlit run app.py` on a fresh data directory and again on the same one, and prints
the seconds until the server answers, until the first page can be asked (`/health` says
"ready") and the memory after warm-up; beside them a bare Streamlit page in the same run and
the limits of DESIGN §8. Then fills a knowledge base with 10,000 passages (random vectors,
real texts) and prints the memory of a process that has searched it.

    python -m benchmarks.bench_start [--rows 10000]
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import psutil

from benchmarks.places import ROOT

START_LIMIT_S = 5.0
MEMORY_LIMIT_MB = 2048.0
"""DESIGN §8: first usable page, and memory with 100,000 chunks and the bundled models."""

PASSAGE = "第{n}条 本办法所称第{n}类补贴，由{n}号窗口受理，每月{n}日前发放，咨询电话0000-{n:08d}。"


def main() -> None:
    """Measure starts, then memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text("import streamlit as st\nst.write('hello')\n", encoding="utf-8")
        peer = started(bare, Path(folder) / "unused", ready="/_stcore/health")[0]
        print(f"bare Streamlit page: server answers after {peer:.1f} s")
        for name in ("first start (models prepared, samples queued)", "second start"):
            answers, usable, memory = started(ROOT / "app.py", Path(folder) / "data")
            print(
                f"{name}: server {answers:.1f} s ({answers / peer:.1f}× bare), "
                f"ready {usable:.1f} s ({usable / START_LIMIT_S:.2f} of the limit), "
                f"{memory:.0f} MB after warm-up ({memory / MEMORY_LIMIT_MB:.2f} of the limit)"
            )
        memory = filled(Path(folder) / "filled", args.rows)
        share = memory / MEMORY_LIMIT_MB
        print(f"{args.rows} passages, searched: {memory:.0f} MB ({share:.2f} of the limit)")


def started(script: Path, data: Path, ready: str = "/health") -> tuple[float, float, float]:
    """Serve a script; seconds to the first answer and to readiness, and memory in MB."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)],
        cwd=ROOT,
        env={**os.environ, "ZHIWEN_DATA": str(data)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        base = f"http://127.0.0.1:{port}"
        wait(base + "/_stcore/health", process)
        answers = time.perf_counter() - began
        if ready == "/health":
            wait(base + ready, process, until="ready")
        usable = time.perf_counter() - began
        return answers, usable, psutil.Process(process.pid).memory_info().rss / 1e6
    finally:
        process.terminate()
        process.wait(20)


def wait(url: str, process: subprocess.Popen[bytes], until: str = "") -> None:
    """Poll a URL until it answers (with the status `until`)."""
    for _ in range(2400):
        if process.poll() is not None:
            raise SystemExit("the server ended before it was ready")
        with suppress(OSError), urllib.request.urlopen(url, timeout=5) as response:
            body = response.read()
            if not until or json.loads(body).get("status") == until:
                return
        time.sleep(0.05)
    raise SystemExit(f"{url} did not become ready within two minutes")


def filled(data: Path, rows: int) -> float:
    """Memory in MB of a process of its own that holds and has searched `rows` passages."""
    code = (
        "import sys; from pathlib import Path; from benchmarks.bench_start import fill; "
        "print(fill(Path(sys.argv[1]), int(sys.argv[2])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(data), str(rows)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.splitlines()[-1])


def fill(data: Path, rows: int) -> float:
    """Fill a knowledge base, ask it once and return this process's memory in MB."""
    import numpy as np

    from rag.application import opened
    from rag.ingest.embed import token_lists, vector_rows
    from rag.turn import TurnInput
    from rag.types import Block, Chunk, Document, Page

    with opened(data) as application:
        kb = application.catalog.knowledge_bases.create("filled")
        info = application.catalog.documents.create(kb.id, "filled.txt", "0" * 64, 1, "text/plain")
        chunks = [
            Chunk(
                id=f"{info.id}-1-{n}",
                document_id=info.id,
                kb_id=kb.id,
                ordinal=n,
                text=PASSAGE.format(n=n),
                document_name=info.name,
                access=kb.id,
            )
            for n in range(rows)
        ]
        random = np.random.default_rng(0)
        dimension = application.models.embedder().dimension
        dense = random.standard_normal((rows, dimension)).astype(np.float32)
        tokens = token_lists(chunks)
        application.vectors.upsert(vector_rows(chunks, dense, tokens, application.catalog.lexical))
        page = Page(number=1, blocks=(Block(kind="paragraph", text="filled"),))
        document = Document(name=info.name, media_type="text/plain", pages=(page,))
        application.catalog.documents.publish(
            info.id, 1, document, chunks, token_lists=tokens, tokeniser=""
        )
        application.chain.invoke(TurnInput(question="第77类补贴哪天发放？", kb_ids=(kb.id,)))
        return psutil.Process().memory_info().rss / 1e6


if __name__ == "__main__":
    main()
