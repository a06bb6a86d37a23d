"""Documents as the offline chain makes them, and the rows of the catalog that people see."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

from pydantic import Field

from rag.types.base import Value

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
    """A page, numbered from 1. Formats without pages have exactly one."""

    number: int = Field(ge=1)
    route: PageRoute = "native"
    rotation: int = 0
    width: float | None = None
    height: float | None = None
    blocks: tuple[Block, ...] = ()
    flags: tuple[str, ...] = ()


class DocumentMetadata(Value):
    """What a document says about itself; every field may be unknown.

    `region` is a path of short names from the province down ("浙江", "浙江/杭州");
    `year` is the year that the content applies to; `document_type` is one of the words
    that `rag.ingest.describe` lists (办法, 条例, 通知, 手册, FAQ, …).
    """

    title: str | None = None
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

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of all pages in reading order."""
        return tuple(block for page in self.pages for block in page.blocks)


ChunkKind = Literal["text", "table", "list", "code", "record", "clause"]


class Chunk(Value):
    """What is embedded, searched and cited.

    `text` is shown to people. `pages` are numbers from 1. `char_span` is the half-open
    range of `text` in the document's plain text (its blocks joined by blank lines).
    `record_id` is the id that the source's own record carried, else None. `access` is the
    tag that the permission filter compares (the knowledge base's id in this release).
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


DocumentStatus = Literal["queued", "processing", "indexed", "failed", "cancelled", "needs_password"]


class DocumentInfo(Value):
    """One document as the catalog lists it. `size` is in bytes."""

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
    error: str | None = None
    title: str | None = None
    metadata: DocumentMetadata = DocumentMetadata()
    uploaded_by: str | None = None
    created_at: datetime
    updated_at: datetime


JobStatus = Literal["queued", "running", "done", "failed", "cancelled"]
JobStage = Literal["inspect", "parse", "clean", "chunk", "describe", "embed", "store"]


class JobInfo(Value):
    """One background job. `progress` is 0..1 within `stage`."""

    id: str
    kb_id: str
    document_id: str | None
    name: str
    status: JobStatus
    stage: JobStage | None = None
    progress: float = 0.0
    attempts: int = 0
    error: str | None = None
    created_at: datetime
    updated_at: datetime


IngestStatus = Literal["indexed", "duplicate", "replaced", "failed", "cancelled"]


class IngestResult(Value):
    """What became of one submitted file."""

    document_id: str | None
    name: str
    status: IngestStatus
    pages: int = 0
    chunks: int = 0
    flags: tuple[str, ...] = ()
    error: str | None = None
