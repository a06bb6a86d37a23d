"""Web pages as candidates: looked up beside the search of the knowledge bases, never instead."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rag.errors import ZhiwenError
from rag.retrieve.query import embedding_text, query_text
from rag.retrieve.run import Run
from rag.retrieve.web_search import WebPage, WebSearch, web_hits
from rag.types import Hit

GRACE_S = 1.0
"""Seconds beyond the service's own limit after which it is no longer waited for."""


def begin_web(web: WebSearch, run: Run) -> Callable[[], list[Hit]]:
    """Ask the web for a run's first query, in a thread of its own.

    Returns:
        A function that waits for the results and returns them as hits with a "dense" score and
        a "fused" one of 0. What goes wrong is written to `run.notes`; then there are none.
    """
    began = time.monotonic()
    pages: list[WebPage] = []
    notes: list[str] = []

    def ask() -> None:
        try:
            pages.extend(web.search(run.queries[0]))
        except ZhiwenError as error:
            notes.append(error.message.rstrip("。"))

    thread = threading.Thread(target=ask, name="web-search", daemon=True)
    thread.start()

    def wait() -> list[Hit]:
        with run.timed("web"):
            left = began + web.timeout_s + GRACE_S - time.monotonic()
            thread.join(max(left, 0.0))
            if thread.is_alive():
                notes.append("网上搜索服务没有按时回答")
            hits = [] if notes else _compared(run, web_hits(pages))
        run.notes.extend(notes)
        note = notes[0] if notes else f"{len(hits)} 个网页"
        run.keep("web", hits, "dense", run.timings_ms["web"], note)
        return hits

    return wait


def _compared(run: Run, hits: list[Hit]) -> list[Hit]:
    """With cosines to the question, so that a reranker can compare them with passages."""
    if not hits:
        return []
    question = run.embedder.embed_queries([query_text(run.queries[0])])[0]
    vectors = run.embedder.embed_passages([embedding_text(hit.chunk) for hit in hits])
    return [
        hit.model_copy(update={"scores": {"fused": 0.0, "dense": float(vector @ question)}})
        for hit, vector in zip(hits, vectors, strict=True)
    ]
