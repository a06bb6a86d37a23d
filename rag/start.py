"""What starting the application does beside building its parts."""

from __future__ import annotations

import gc
import logging
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import ModelUnavailable, ZhiwenError
from rag.types import KnowledgeProfile

if TYPE_CHECKING:
    from rag.ingest.files import FileStore
    from rag.ingest.jobs import JobQueue
    from rag.models.chat import ChatModel
    from rag.store.catalog import Catalog
    from rag.store.vectors import VectorStore
    from rag.understand.learned import Fill

log = logging.getLogger(__name__)

SAMPLE_DIRECTORY = Path(__file__).resolve().parent.parent / "samples" / "documents"
SAMPLE_KNOWLEDGE_BASE = "示例知识库"
KEEP_VECTORS_DAYS = 90.0
"""How long a cached vector is kept after its last use; chosen by us: a hidden document or an
earlier version comes back within a quarter, or hardly ever."""


def add_samples(data: Path, catalog: Catalog, files: FileStore, jobs: JobQueue) -> None:
    """Create the sample knowledge base once, on an installation that is still empty."""
    marker = data / ".samples"
    if marker.exists() or catalog.knowledge_bases.list():
        return
    kb = catalog.knowledge_bases.create(
        SAMPLE_KNOWLEDGE_BASE, "随程序附带的示例：人才住房补贴、员工手册、产品手册、常见问题。"
    )
    for path in sorted(SAMPLE_DIRECTORY.iterdir()):
        stored = files.put(path, path.name)
        jobs.submit(stored.path, kb.id, path.name, "samples")
    marker.touch()


def not_ready(error: Exception) -> ModelUnavailable:
    """The error for a start that failed for a reason that nobody foresaw."""
    return ModelUnavailable(
        "启动时出了意外，模型没有就绪。",
        "请查看运行窗口里的日志，改正后重新启动。",
        message_en="Start-up failed; the models are not ready.",
        remedy_en="See the log in the console and start again.",
        detail=f"{type(error).__name__}: {error}",
    )


def limit_blas_threads() -> None:
    """One thread for numpy's products: a search over 10,000 rows costs a third of the CPU
    time that it costs with two (benchmarks/bench_store.py), and turns run side by side."""
    from threadpoolctl import ThreadpoolController

    ThreadpoolController().select(internal_api="openblas").limit(limits=1)


def settle_memory(chat: ChatModel | None, vectors: VectorStore, fill: Fill) -> None:
    """What only makes later work quicker; questions are answered meanwhile."""
    from rag.text.tokenise import warm_up as load_dictionary
    from rag.understand.understand import understand

    load_dictionary()
    understand("年假有几天？", (), KnowledgeProfile(), date.today())
    fill(("年假有几天？",), "怎么申请")
    if chat is not None:
        chat.load()
    try:
        vectors.warm_up()
    except ZhiwenError as error:
        log.warning("the first search will be slow: %s %s", error.text(), error.detail)
    gc.collect()
    # After each run of a page script a full collection follows; it need not look at these.
    gc.freeze()


def forget_old_vectors(catalog: Catalog) -> None:
    """Drop cached vectors that nothing has used for long; they can be computed again."""
    try:
        catalog.embeddings.prune(KEEP_VECTORS_DAYS)
    except ZhiwenError as error:
        log.warning("old vectors were not dropped: %s %s", error.text(), error.detail)
