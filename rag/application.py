"""The composition root: builds every part once and hands out the services.

The only place that knows all parts. Creating the application opens the data directory and
the catalog, which is quick. Models and the vector store are opened by `prepare`, which
`warm_up` runs in a thread, so that the first page shows before they are ready.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rag.access.accounts import Accounts
from rag.access.audit import Audit
from rag.conversation import Conversations
from rag.curation import Curation
from rag.errors import ModelError, ModelUnavailable, NotFound, ZhiwenError
from rag.ingest.assemble import Language
from rag.ingest.files import FileStore, report_full_disk
from rag.ingest.jobs import JobQueue
from rag.ingest.language import language_of
from rag.ingest.pipeline import Pipeline
from rag.ingest.sources import Sources
from rag.knowledge import Knowledge
from rag.lab import Lab
from rag.models.registry import Models
from rag.observe.health import Doctor
from rag.secrets import Secrets
from rag.settings import EmbedderSettings, Settings
from rag.settings_layers import SettingsService, data_directory
from rag.start import (
    SAMPLE_DIRECTORY,
    SAMPLE_KNOWLEDGE_BASE,
    add_samples,
    forget_old_vectors,
    limit_blas_threads,
    not_ready,
    settle_memory,
)
from rag.store.catalog import Catalog
from rag.store.lock import DirectoryLock
from rag.store.vectors import VectorStore
from rag.terms import Dictionary
from rag.types import KnowledgeBase, Retrieval

if TYPE_CHECKING:
    from rag.chain import Chain
    from rag.models.embedder import Embedder
    from rag.retrieve.search import Retriever

log = logging.getLogger(__name__)

__all__ = [
    "EMBEDDER_FACT",
    "SAMPLE_DIRECTORY",
    "SAMPLE_KNOWLEDGE_BASE",
    "Application",
    "create_application",
    "opened",
]

EMBEDDER_FACT = "embedder"
"""Name of the catalog's note on which embedder's vectors are in use (its settings as JSON)."""
REBUILD_NAME = "更换向量模型"
WARM_UP_LIMIT_S = 300.0
"""How long a question waits for the models after a start before it gives up, in seconds."""
WARM_UP_AGAIN_S = 10.0
"""Least time between two attempts to load models that failed, in seconds. Chosen by us."""
CLOSE_WITHIN_S = 10.0
"""How long closing waits for a warm-up that is still loading models, in seconds."""
_POLL_S = 0.2


class Application:
    """All services of one data directory; one per process.

    Attributes are the services. `retriever` and `chain` exist once `ready` is set.

    Raises:
        StoreLocked: another process has the data directory open.
        StoreError, SettingsError: the directory, the catalog or the settings cannot be used.
    """

    def __init__(self, data: Path) -> None:
        self.data = data
        self._lock = DirectoryLock(data)
        self._lock.acquire()
        try:
            with report_full_disk():
                self._build(data)
        except BaseException:
            self._lock.release()
            raise

    def _build(self, data: Path) -> None:
        bootstrap = SettingsService(data).current
        self.catalog = Catalog(bootstrap.store.catalog_url or data / "catalog.sqlite")
        self.settings = SettingsService(data, self.catalog.settings)
        self.secrets = Secrets(data)
        self.models = Models(data, self.secrets, self._current)
        self.files = FileStore(data)
        self.vectors = VectorStore(
            bootstrap.store.milvus_uri or str(data / "vectors.db"), self.secrets.get("milvus")
        )
        self.audit = Audit(self.catalog)
        self.accounts = Accounts(self.catalog)
        self.pipeline = Pipeline(
            self.catalog,
            self.vectors,
            self.models.embedder,
            self._current,
            self.files,
            self._language,
        )
        self.jobs = JobQueue(data, self.pipeline, self.catalog, self._current)
        self.knowledge = Knowledge(
            self.catalog, self.pipeline, self.jobs, self.files, self.audit, self._current
        )
        self.curation = Curation(
            self.catalog, self.pipeline, self.jobs, self.files, self.audit, self._current
        )
        self.dictionary = Dictionary(self.catalog, self.audit, self._current)
        self.sources = Sources(
            self.catalog, self.pipeline, self.jobs, self.secrets, self.audit, self._current
        )
        self.conversations = Conversations(
            self.catalog, lambda: self.chain, self.wait_ready, self._current
        )
        self.lab = Lab(
            self.catalog, lambda: self.retriever, lambda: self.chain, self.audit, self._current
        )
        self.doctor = Doctor(self.catalog, self.vectors, self.files, self.pipeline, data)
        self.retriever: Retriever
        self.chain: Chain
        self.ready = threading.Event()
        self.stage = "正在启动"
        self.warm_error: ZhiwenError | None = None
        self._warming = threading.Lock()
        self._warmed_at = 0.0
        self._samples = False
        self._closing = threading.Event()
        self.settings.on_change(self.models.settings_changed)
        self.secrets.on_change(self.models.secret_changed)
        self.settings.on_change(self._embedder_changed)

    def _current(self) -> Settings:
        return self.settings.current

    def _language(self) -> Language:
        count = self._current().ingest.questions_per_chunk
        return language_of(self.models.chat(), self.catalog.prompts.load(), count)

    # --- Starting and ending ----------------------------------------------------------

    def prepare(self, report: Callable[[str], None] = lambda _: None) -> None:
        """Load the models, open the vectors and build the chain.

        Args:
            report: told in Chinese what is being done.

        Raises:
            ModelError, StoreError: a model or the vector store cannot be used.
        """
        report("正在加载向量模型")
        embedder = self._embedder_in_use()
        embedder.embed_queries(["你好"])
        limit_blas_threads()
        report("正在打开向量库")
        self.vectors.open(embedder.fingerprint, embedder.dimension)
        report("正在加载词典")
        from rag.answer.line_fit import LineReader
        from rag.chain import Chain
        from rag.retrieve.search import Retriever
        from rag.retrieve.web_search import WebSearch

        self.retriever = Retriever(
            self.catalog,
            self.vectors,
            self.catalog.lexical,
            self.models.embedder,
            self.models.reranker,
            self._current,
            WebSearch(lambda: self._current().web_search),
            LineReader(self.models.line_reader).read,
        )
        self.chain = Chain(
            self.catalog,
            self.retriever,
            self.models.chat,
            self._current,
            self.catalog.prompts.load,
            self.models.complete,
        )

    def warm_up(self, samples: bool = True) -> threading.Thread:
        """Run `prepare` in a thread, start the job queue, then set `ready`.

        Args:
            samples: create the sample knowledge base when there has never been any.
        """
        self._samples = samples
        thread = threading.Thread(target=self._warm_up, daemon=True, name="warm-up")
        thread.start()
        return thread

    def _warm_up(self) -> None:
        with self._warming:
            try:
                self.prepare(self._report)
                if self._closing.is_set():
                    return
                self.jobs.start()
                self.sources.start()
                if self.catalog.facts.get(EMBEDDER_FACT) != self._embedder_settings():
                    self.jobs.submit_rebuild(self.switch_embedder, REBUILD_NAME)
                if self._samples:
                    self.add_samples()
                self._report("就绪")
                self.warm_error = None
            except ZhiwenError as error:
                self.warm_error = error
                log.error("warm-up failed: %s", error.text())
            except Exception as error:
                log.exception("warm-up failed")
                self.warm_error = not_ready(error)
            finally:
                self._warmed_at = time.monotonic()
                self.ready.set()
            if self.warm_error is None:
                settle_memory(self.models.chat(), self.vectors, self.models.complete)
                forget_old_vectors(self.catalog)

    def wait_ready(self, stop: threading.Event | None = None) -> None:
        """Block until the models can be used, or `stop` is set. Models that could not be
        loaded are tried again: an endpoint may be back, or a key been corrected.

        Raises:
            ZhiwenError: they cannot be loaded, or not in time.
        """
        if self.warm_error is not None:
            self._warm_up_again(WARM_UP_AGAIN_S)
        deadline = time.monotonic() + WARM_UP_LIMIT_S
        while not self.ready.wait(_POLL_S):
            if stop is not None and stop.is_set():
                return
            if time.monotonic() > deadline:
                raise ModelUnavailable(
                    "模型还没有加载完。",
                    "请稍后再问；问题已保留。",
                    message_en="The models are still loading.",
                    remedy_en="Ask again in a moment; your question is kept.",
                )
        if self.warm_error is not None:
            raise self.warm_error

    def _warm_up_again(self, pause_s: float) -> None:
        """Start another warm-up unless one is running, or the last failed less than `pause_s`
        seconds ago."""
        if not self._warming.acquire(blocking=False):
            return
        try:
            recent = time.monotonic() - self._warmed_at < pause_s
            if recent or self.warm_error is None:
                return
            self.ready.clear()
            self.warm_error = None
        finally:
            self._warming.release()
        self.warm_up(self._samples)

    def close(self) -> None:
        """Stop running work and release the data directory."""
        self._closing.set()
        self.conversations.close()
        # A warm-up that went on would open the store again after its lock was given back.
        self._warming.acquire(timeout=CLOSE_WITHIN_S)
        self.sources.stop()
        self.jobs.stop()
        self.vectors.close()
        self.catalog.close()
        self._lock.release()

    def _report(self, stage: str) -> None:
        self.stage = stage

    # --- What pages and commands share ------------------------------------------------

    def add_samples(self) -> None:
        """Create the sample knowledge base once, on an installation that is still empty."""
        add_samples(self.data, self.catalog, self.files, self.jobs)

    def kb_named(self, name: str, create: bool = False) -> KnowledgeBase:
        """The knowledge base of this name, created when it is wanted and not there.

        Raises:
            NotFound: there is none.
        """
        try:
            return self.catalog.knowledge_bases.by_name(name)
        except NotFound:
            if not create:
                raise
            return self.catalog.knowledge_bases.create(name)

    def kb_ids(self, names: Sequence[str]) -> tuple[str, ...]:
        """Ids of the named knowledge bases.

        Raises:
            NotFound: one does not exist.
        """
        return tuple(self.kb_named(name).id for name in names)

    def search(self, question: str, kb_ids: Sequence[str], top_k: int) -> Retrieval:
        """Search as the chat does, for a question that stands alone."""
        from rag.turn import TurnInput

        turn = TurnInput(question=question, kb_ids=tuple(kb_ids))
        meaning = self.chain.interpret(turn)
        made = self.chain.plan(turn, meaning)
        return self.retriever.search(made, question=meaning.standalone_question, top_k=top_k)

    # --- Another embedder -------------------------------------------------------------

    def _embedder_in_use(self) -> Embedder:
        """The embedder that the vectors were made with: the settings' own unless a change to
        another one was cut off, which `_warm_up` then takes up again."""
        kept, wanted = self.catalog.facts.get(EMBEDDER_FACT), self._embedder_settings()
        if not kept or not self.catalog.chunks.count():
            self.catalog.facts.set(EMBEDDER_FACT, wanted)
            kept = wanted
        embedder = self._earlier_embedder(kept) if kept != wanted else None
        self.models.use_embedder(embedder or self.models.new_embedder())
        return self.models.embedder()

    def _earlier_embedder(self, kept: str) -> Embedder | None:
        """The embedder of these settings, or None when it cannot be used any more."""
        from rag.models.embedder import create_embedder

        try:
            embedder = create_embedder(
                EmbedderSettings.model_validate_json(kept), self.secrets, self.data
            )
            embedder.embed_queries(["你好"])
        except (ModelError, ValueError) as error:
            # Often the very reason for the change. Nothing is found until the rebuild is done.
            log.warning("the earlier embedder is gone, the index is built anew: %s", error)
            return None
        log.warning("the vectors are those of the earlier embedder until the rebuild is done")
        return embedder

    def _embedder_settings(self) -> str:
        return self._current().embedder.model_dump_json()

    def _embedder_changed(self, old: Settings, new: Settings) -> None:
        if old.embedder == new.embedder:
            return
        if self.warm_error is not None:
            self._warm_up_again(0.0)
        else:
            self.jobs.submit_rebuild(self.switch_embedder, REBUILD_NAME)

    def switch_embedder(self, progress: Callable[[float], None]) -> None:
        """Embed everything anew beside the old vectors, then swap; searches never stop.

        Raises:
            ModelError, StoreError: the old embedder and its vectors stay in use.
        """
        wanted = self._embedder_settings()
        embedder = self.models.new_embedder()
        embedder.embed_queries(["你好"])

        def activate() -> None:
            self.models.use_embedder(embedder)
            self.catalog.facts.set(EMBEDDER_FACT, wanted)

        self.pipeline.change_embedder(embedder, progress, activate)


def create_application(data: str | Path | None = None) -> Application:
    """Build the application on a data directory (argument, else `ZHIWEN_DATA`, else `./data`)."""
    return Application(data_directory(data))


@contextmanager
def opened(data: str | Path | None = None, models: bool = True) -> Iterator[Application]:
    """An application for one command: prepared when `models` is wanted, closed at the end."""
    application = create_application(data)
    try:
        if models:
            application.prepare()
        yield application
    finally:
        application.close()
