"""Documents as the offline chain makes them, and the rows of the catalog that people see."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

from pydantic import Field

from rag.types.base import Value
from rag.types.told import Told

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "image", "formula"]
PageRoute = Literal["native", "scanned", "mixed", "complex", "abnormal"]
BBox = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points from the page's top left corner."""


class Block(Value):
    """One piece of a page in reading order.

    `level` is the heading level from 1 (only for headings). `rows` holds the cells of a
    table, header row first; `text` is then the same table in Markdown. `record_id` is set
    where the source says that this block is one record (JSONL, FAQ).
    """

    kind: BlockKind
    text: str
    page: int = 1
    bbox: BBox | None = None
    level: int | None = None
    rows: tuple[tuple[str, ...], ...] | None = None
    record_id: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class Page(Value):
    """A page, numbered from 1. Formats without pages have exactly one.

    `route` says how it was read; `confidence` is the mean confidence (0..1) of its recognised
    characters, None where nothing was recognised.
    """

    number: int = Field(ge=1)
    route: PageRoute = "native"
    rotation: int = 0
    width: float | None = None
    height: float | None = None
    blocks: tuple[Block, ...] = ()
    flags: tuple[str, ...] = ()
    confidence: float | None = Field(default=None, ge=0, le=1)


class DocumentMetadata(Value):
    """What a document says about itself; every field may be unknown.

    `region` is a path of short names from the province down ("浙江", "浙江/杭州");
    `year` is the year that the content applies to; `document_type` is one of the words
    that `rag.ingest.describe` lists (办法, 条例, 通知, 手册, FAQ, …). `organisation` is the body
    that issued or published it; `source` is where it was taken from (an address, a path in a
    watched folder).
    """

    title: str | None = None
    author: str | None = None
    source: str | None = None
    summary: str | None = None
    region: str | None = None
    year: int | None = None
    publish_date: date | None = None
    effective_date: date | None = None
    expiry_date: date | None = None
    document_type: str | None = None
    document_number: str | None = None
    organisation: str | None = None
    product: str | None = None
    language: str | None = None
    keywords: tuple[str, ...] = ()
    extra: dict[str, str] = Field(default_factory=dict)


QualityStatus = Literal["passed", "warnings", "quarantined"]
Severity = Literal["info", "warning", "error"]


class QualityIssue(Value):
    """Something that an editor should look at. `page` is None when it is about the whole
    document; `code` is one that `rag.ingest.flags` puts into words, `detail` what was found."""

    code: str
    severity: Severity = "warning"
    page: int | None = None
    detail: str = ""


class Quality(Value):
    """The verdict of the quality gate. A quarantined document is not searchable.

    `score` is the share of pages without an issue, 0..1; `measures` are the figures behind
    the verdict (garbled_ratio, ocr_confidence, duplicate_ratio, missing_pages, …).
    """

    status: QualityStatus = "passed"
    score: float = Field(default=1.0, ge=0, le=1)
    issues: tuple[QualityIssue, ...] = ()
    measures: dict[str, float] = Field(default_factory=dict)


class Document(Value):
    """A parsed document: the result of inspect, parse and clean."""

    id: str = ""
    kb_id: str = ""
    version: int = 1
    name: str
    media_type: str
    sha256: str = ""
    pages: tuple[Page, ...] = ()
    title: str | None = None
    metadata: DocumentMetadata = DocumentMetadata()
    flags: tuple[str, ...] = ()
    quality: Quality = Quality()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of all pages in reading order."""
        return tuple(block for page in self.pages for block in page.blocks)


ChunkKind = Literal["text", "table", "list", "code", "record", "clause"]
ChunkStrategy = Literal[
    "auto",
    "fixed",
    "recursive",
    "structural",
    "semantic",
    "record",
    "sentence_window",
    "parent_child",
    "proposition",
]


class Chunk(Value):
    """What is embedded, searched and cited.

    `text` is shown to people. `pages` are numbers from 1. `char_span` is the half-open
    range of `text` in the document's plain text (its blocks joined by blank lines).
    `record_id` is the id that the source's own record carried, else None. `access` is the
    tag that the permission filter compares (the knowledge base's id in this release).

    A chunk with a `parent_id` is found by its own text and read as its parent, a row that is
    not `indexed` itself. `enabled` is False for what an editor switched off. `origin` holds
    the keys (`rag.ingest.edits.chunk_key`) of the automatic chunks that it was cut from;
    `edited` says that a person changed it. `questions` are ones that it answers; they are
    searched with it and never shown as its text.
    """

    id: str
    document_id: str
    kb_id: str
    ordinal: int
    text: str
    parent_id: str | None = None
    heading_path: tuple[str, ...] = ()
    pages: tuple[int, ...] = (1,)
    bboxes: tuple[tuple[int, BBox], ...] = ()
    char_span: tuple[int, int] = (0, 0)
    kind: ChunkKind = "text"
    record_id: str | None = None
    document_name: str = ""
    metadata: DocumentMetadata = DocumentMetadata()
    access: str = ""
    indexed: bool = True
    enabled: bool = True
    edited: bool = False
    origin: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


# --- What editors decide about one document; it survives re-parsing -------------------

PageAction = Literal["accept", "exclude", "reparse", "correct"]


class PageDecision(Value):
    """What an editor decided about a page.

    `route` is the one to take for "reparse"; `text` the Markdown that replaces the page for
    "correct"; `page_key` a hash of the page's parsed text at that time, so that a later
    parse that reads something else can be pointed out.
    """

    page: int = Field(ge=1)
    action: PageAction
    route: PageRoute | None = None
    text: str = ""
    page_key: str = ""
    by: str = ""
    at: datetime | None = None


class ChunkDraft(Value):
    """A chunk as an editor left it."""

    text: str
    enabled: bool = True


class ChunkEdit(Value):
    """The automatic chunks with the keys `sources` (neighbours, in order) become `results`.

    One form for all edits: a new text is 1 → 1, a split 1 → n, a merge n → 1, switching off
    1 → 1 with `enabled` False. An edit of chunks that were edited before takes those edits
    over: they are in `before`, and `changed` holds the indexes of the `results` that this one
    made, so that it can be undone alone.
    """

    sources: tuple[str, ...]
    results: tuple[ChunkDraft, ...]
    by: str = ""
    at: datetime | None = None
    changed: tuple[int, ...] = ()
    before: tuple[ChunkEdit, ...] = ()


class DocumentOptions(Value):
    """All that editors decided about a document. None means "as the settings say".

    `metadata` holds the fields that were edited; they win over what is found in the text.
    `accepted` lets a document out of quarantine.
    """

    strategy: ChunkStrategy | None = None
    chunk_tokens: int | None = Field(default=None, ge=20, le=2000)
    chunk_overlap: float | None = Field(default=None, ge=0, le=0.5)
    metadata: dict[str, Any] = Field(default_factory=dict)
    decisions: tuple[PageDecision, ...] = ()
    edits: tuple[ChunkEdit, ...] = ()
    accepted: bool = False


class ChunkPreview(Value):
    """How a document would be cut. `reason` says in Chinese why `strategy` was chosen."""

    strategy: ChunkStrategy
    reason: str
    chunks: tuple[Chunk, ...]
    lost_edits: int = 0


class DocumentVersion(Value):
    """An earlier or current content of a document. `kept` says whether its original can be
    restored."""

    document_id: str
    version: int
    sha256: str
    page_count: int
    chunk_count: int
    published_at: datetime
    kept: bool = False


# --- Where documents come from --------------------------------------------------------

SourceKind = Literal["folder", "web", "sql"]


class SourceChanges(Value):
    """What the last synchronisation that changed anything did, in numbers of things at the
    source, and when it ended. Those of one that went on in several steps are added up."""

    at: datetime
    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    failed: int = 0


class Source(Value):
    """A place that a knowledge base follows. `config` is checked by its kind's module
    (`rag.ingest.sources`); secrets are not in it. `every_s` is the time between two
    synchronisations in seconds.

    `found_count` things were there at the last look (0 before it), `item_count` of them are
    known so far, and `waiting_count` of those wait to be read or are being read; `unfinished`
    says that more are to be queued. `last_changes` is None until anything changed.
    """

    id: str
    kb_id: str
    kind: SourceKind
    name: str
    config: dict[str, Any] = Field(default_factory=dict)
    every_s: float = Field(default=3600.0, ge=1)
    enabled: bool = True
    status: Literal["new", "running", "ok", "failed"] = "new"
    error: Told | None = None
    last_run_at: datetime | None = None
    next_run_at: datetime | None = None
    item_count: int = 0
    waiting_count: int = 0
    found_count: int = 0
    unfinished: bool = False
    last_changes: SourceChanges | None = None
    created_at: datetime


class SourceItem(Value):
    """One thing found at a source (a file, a page, a query's result) and what became of it.

    `stamp` changes when the content may have (modification time and size, ETag, row hash)."""

    source_id: str
    key: str
    stamp: str = ""
    sha256: str = ""
    document_id: str | None = None
    job_id: str | None = None
    error: Told | None = None
    seen_at: datetime


# --- Catalog rows that people see ----------------------------------------------------


class KnowledgeBase(Value):
    """A named set of documents that is asked as one."""

    id: str
    name: str
    description: str = ""
    public: bool = True
    document_count: int = 0
    chunk_count: int = 0
    created_at: datetime


DocumentStatus = Literal[
    "queued", "processing", "indexed", "quarantined", "failed", "cancelled", "needs_password"
]


class DocumentInfo(Value):
    """One document as the catalog lists it. `size` is in bytes.

    `hidden` documents are kept but not searched. `superseded_by` is the id of the current
    version of the same rule where this one is an older one. `strategy` is how it was cut and
    `strategy_reason` why; `orphan_edits` counts edits that no longer match any chunk.

    A new version that is quarantined stands beside the document that it would replace, whose
    id is its `new_version_of`: searches use that one until the new version is accepted or
    mended, and deleting the new version leaves it as it is.
    """

    id: str
    kb_id: str
    name: str
    status: DocumentStatus
    version: int = 1
    media_type: str = ""
    sha256: str = ""
    size: int = 0
    page_count: int = 0
    chunk_count: int = 0
    flags: tuple[str, ...] = ()
    error: Told | None = None
    title: str | None = None
    metadata: DocumentMetadata = DocumentMetadata()
    quality: Quality = Quality()
    hidden: bool = False
    superseded_by: str | None = None
    new_version_of: str | None = None
    source_id: str | None = None
    strategy: ChunkStrategy = "auto"
    strategy_reason: str = ""
    orphan_edits: int = 0
    uploaded_by: str | None = None
    created_at: datetime
    updated_at: datetime


JobStatus = Literal["queued", "running", "done", "failed", "cancelled"]
JobStage = Literal["inspect", "parse", "clean", "quality", "chunk", "describe", "embed", "store"]


class JobInfo(Value):
    """One background job. `progress` is 0..1 within `stage`; `detail` says more about it
    ("第 3/12 页"); `next_attempt_at` is set while it waits for a retry."""

    id: str
    kb_id: str
    document_id: str | None
    name: str
    status: JobStatus
    stage: JobStage | None = None
    progress: float = 0.0
    attempts: int = 0
    error: Told | None = None
    detail: Told = Told("")
    next_attempt_at: datetime | None = None
    created_at: datetime
    updated_at: datetime


IngestStatus = Literal["indexed", "duplicate", "replaced", "quarantined", "failed", "cancelled"]


class IngestResult(Value):
    """What became of one submitted file. `waits_behind` is the version that searches still use
    while a quarantined new one waits to be accepted."""

    document_id: str | None
    name: str
    status: IngestStatus
    pages: int = 0
    chunks: int = 0
    flags: tuple[str, ...] = ()
    error: Told | None = None
    waits_behind: int | None = None
