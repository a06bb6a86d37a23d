"""Typed settings, a section for each part of the product; `rag.settings_layers` loads them.

Each section is one closed pydantic model, so that a typo fails at load and names its path.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rag.types import ChunkStrategy

DEFAULT_DATA_DIRECTORY = "./data"


class Section(BaseModel):
    """Base of all sections: closed to unknown names, immutable once loaded."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ChatProfile(Section):
    """One OpenAI-compatible chat endpoint.

    Attributes:
        name: what administrators call it; unique.
        base_url: address up to and including `/v1`.
        model: the endpoint's model name.
        connect_timeout_s: seconds until a connection stands.
        read_timeout_s: seconds without a new byte before giving up.
        total_timeout_s: seconds for a whole answer.
        temperature: sampling temperature, 0..2.
        max_tokens: upper bound of an answer, in the model's tokens.
        enabled: whether it takes part in the fallback order.
    """

    name: str = Field(min_length=1, max_length=60)
    base_url: str = Field(pattern=r"^https?://")
    model: str = Field(min_length=1, max_length=200)
    connect_timeout_s: float = Field(default=5.0, gt=0, le=60)
    read_timeout_s: float = Field(default=30.0, gt=0, le=600)
    total_timeout_s: float = Field(default=120.0, gt=0, le=3600)
    temperature: float = Field(default=0.2, ge=0, le=2)
    max_tokens: int = Field(default=1024, gt=0, le=32768)
    enabled: bool = True


class ChatSettings(Section):
    """Chat models, tried in the order of the list. An empty list means extractive answers.

    Attributes:
        profiles: the endpoints in fallback order.
        understand_with_llm: let the first working profile understand the question.
        generate_with_llm: let it write the answer.
        summarise_with_llm: where not all passages fit, let it shorten those that would be left
            out; costs one more call before the answer begins (at most 8 s) where that is so.
    """

    profiles: tuple[ChatProfile, ...] = ()
    understand_with_llm: bool = True
    generate_with_llm: bool = True
    summarise_with_llm: bool = False


class EmbedderSettings(Section):
    """The text embedder.

    Attributes:
        kind: `bundled` (no download), `flagembedding` (BGE family by path or hub name),
            `transformers` (any encoder by path: M3E, e5, GTE …) or `openai` (/v1/embeddings).
        path: local folder or hub name for `flagembedding` and `transformers`.
        base_url: address up to `/v1` for `openai`; its key is the secret `embedder`.
        model: the endpoint's model name for `openai`.
        pooling: `mean` or `cls`, for `transformers`.
        query_instruction: text put before each question.
        passage_instruction: text put before each passage.
        batch_size: texts in one forward pass.
        threads: CPU threads of the runtime; 0 leaves it to the runtime.
    """

    kind: Literal["bundled", "flagembedding", "transformers", "openai"] = "bundled"
    path: str = ""
    base_url: str = ""
    model: str = ""
    pooling: Literal["mean", "cls"] = "mean"
    query_instruction: str = ""
    passage_instruction: str = ""
    batch_size: int = Field(default=16, gt=0, le=512)
    threads: int = Field(default=0, ge=0, le=256)


class RerankerSettings(Section):
    """The reranker.

    Attributes:
        kind: `local` (bundled cross-encoder and features, no download), `features` (these
            alone: 0.01 s instead of 0.3), `flagembedding` (bge-reranker), `openai` (a /rerank
            endpoint; its key is the secret `reranker`) or `none`.
        path: local folder or hub name for `flagembedding`.
        base_url: address of the /rerank endpoint's parent for `openai`.
        model: the endpoint's model name.
        candidates: how many fused hits are reranked.
    """

    kind: Literal["local", "features", "flagembedding", "openai", "none"] = "local"
    path: str = ""
    base_url: str = ""
    model: str = ""
    candidates: int = Field(default=30, gt=0, le=200)


class RetrievalSettings(Section):
    """Search.

    Attributes:
        dense_candidates: hits taken from the vector search.
        sparse_candidates: hits taken from the keyword search.
        dense_weight: share of the vector search in the fusion, 0..1.
        fusion: `rrf` (weighted reciprocal ranks) or `weighted` (scaled scores).
        rrf_k: the constant of reciprocal rank fusion (Cormack et al. 2009 use 60).
        top_k: passages given to the answer step.
        context_tokens: budget of all passages together, in the embedder's tokens.
        near_duplicate: word overlap (Jaccard, 0..1) from which two passages count as one.
    """

    dense_candidates: int = Field(default=50, gt=0, le=500)
    sparse_candidates: int = Field(default=50, gt=0, le=500)
    dense_weight: float = Field(default=0.55, ge=0, le=1)
    fusion: Literal["rrf", "weighted"] = "weighted"
    rrf_k: int = Field(default=60, gt=0, le=1000)
    top_k: int = Field(default=6, gt=0, le=50)
    context_tokens: int = Field(default=2400, gt=100, le=100_000)
    near_duplicate: float = Field(default=0.85, gt=0, le=1)


class WebSearchSettings(Section):
    """Web search beside the knowledge bases, through SearXNG's JSON API.

    Attributes:
        enabled: whether questions may be sent to the search service at all.
        url: its address; a private one is fine.
        max_results: most web pages that join the passages.
        timeout_s: seconds that an answer may take; without one the turn goes on.
        engines: names of SearXNG engines; empty leaves the choice to it.
        language: language of the results, a code of SearXNG ("zh-CN", "all").
    """

    enabled: bool = False
    url: str = Field(default="", pattern=r"^(https?://\S+)?$")
    max_results: int = Field(default=5, gt=0, le=20)
    timeout_s: float = Field(default=6.0, gt=0, le=60)
    engines: tuple[str, ...] = ()
    language: str = Field(default="zh-CN", pattern=r"^[A-Za-z-]{2,10}$")


class AnswerSettings(Section):
    """Answers.

    Attributes:
        refuse_below: calibrated confidence under which the answer is a refusal.
        hedge_below: confidence under which the answer says that it is not certain.
        verify: check each statement against its evidence.
    """

    refuse_below: float = Field(default=0.6, ge=0, le=1)
    hedge_below: float = Field(default=0.8, ge=0, le=1)
    verify: bool = True

    @model_validator(mode="after")
    def _in_order(self) -> AnswerSettings:
        if self.refuse_below > self.hedge_below:
            raise ValueError("refuse_below 不能大于 hedge_below")
        return self


class IngestSettings(Section):
    """Documents.

    Attributes:
        max_file_mb: largest file that is accepted, in MiB.
        max_pages: most pages of one document.
        max_unpacked_mb: most MiB that an archive format (DOCX, XLSX …) may unpack to.
        chunk_tokens: aim for the length of a chunk, in the embedder's tokens.
        chunk_overlap: share of a chunk repeated in the next, 0..0.5.
        chunk_strategy: how documents are cut unless an editor chose for one of them.
        questions_per_chunk: questions that the chat model writes for each chunk, 0 for none.
        ocr: `auto` recognises the text of scans and pictures; `off` only flags them.
        ocr_dpi: resolution at which pages are drawn for recognition.
        ocr_threads: CPU threads of the recognition.
        page_timeout_s: seconds without progress after which a page is given up.
        keep_versions: originals of earlier versions kept per document, for restoring.
        workers: documents processed at the same time.
    """

    max_file_mb: int = Field(default=200, gt=0, le=4096)
    max_pages: int = Field(default=5000, gt=0)
    max_unpacked_mb: int = Field(default=1024, gt=0)
    chunk_tokens: int = Field(default=450, ge=50, le=2000)
    chunk_overlap: float = Field(default=0.12, ge=0, le=0.5)
    chunk_strategy: ChunkStrategy = "auto"
    questions_per_chunk: int = Field(default=0, ge=0, le=5)
    ocr: Literal["auto", "off"] = "auto"
    ocr_dpi: int = Field(default=170, ge=72, le=400)
    ocr_threads: int = Field(default=1, gt=0, le=64)
    page_timeout_s: float = Field(default=30.0, gt=0, le=3600)
    keep_versions: int = Field(default=3, ge=0, le=100)
    workers: int = Field(default=1, gt=0, le=16)


class SourceSettings(Section):
    """Folders, web pages and databases that knowledge bases follow.

    Attributes:
        folder_roots: directories on the server below which folders may be followed; empty
            means none.
        folder_every_s: seconds between two looks at a followed folder.
        user_agent: how we introduce ourselves to web servers.
        allow_private: whether web sources may reach private and local addresses.
        max_pages: most pages taken from one site.
        max_rows: most rows taken from one query.
    """

    folder_roots: tuple[str, ...] = ()
    folder_every_s: float = Field(default=5.0, ge=1, le=3600)
    user_agent: str = Field(default="ZhiWen/0.1", min_length=1, max_length=200)
    allow_private: bool = False
    max_pages: int = Field(default=500, gt=0, le=100_000)
    max_rows: int = Field(default=100_000, gt=0, le=10_000_000)


class StoreSettings(Section):
    """Where things are kept.

    Attributes:
        catalog_url: SQLAlchemy URL; empty means SQLite in the data directory.
        milvus_uri: a Milvus server's address; empty means Milvus Lite in the data directory.
            The server's token is the secret `milvus`.
    """

    catalog_url: str = ""
    milvus_uri: str = ""


class InterfaceSettings(Section):
    """The pages.

    Attributes:
        language: language of the interface for new visitors.
        guests: whether visitors without an account may chat with public knowledge bases.
        guest_uploads: whether visitors without an account may manage documents.
    """

    language: Literal["zh", "en"] = "zh"
    guests: bool = True
    guest_uploads: bool = True


class Settings(Section):
    """All settings of one installation. `data` is the data directory."""

    data: Path = Path(DEFAULT_DATA_DIRECTORY)
    chat: ChatSettings = ChatSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    reranker: RerankerSettings = RerankerSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    web_search: WebSearchSettings = WebSearchSettings()
    answer: AnswerSettings = AnswerSettings()
    ingest: IngestSettings = IngestSettings()
    sources: SourceSettings = SourceSettings()
    store: StoreSettings = StoreSettings()
    interface: InterfaceSettings = InterfaceSettings()


SECTIONS: tuple[str, ...] = tuple(name for name in Settings.model_fields if name != "data")
