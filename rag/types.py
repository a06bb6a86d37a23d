"""The typed values that pass between all parts (DESIGN: contracts).

Everything here is a frozen pydantic model without behaviour beyond small derived
properties, so that each step of both chains is a function of values to values and
every value can be written down as JSON, shown in the interface and read back.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Value(BaseModel):
    """Base of all values: immutable, and closed to unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# --- Documents -----------------------------------------------------------------------

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


# --- Understanding -------------------------------------------------------------------

Role = Literal["user", "assistant"]
Intent = Literal[
    "fact",
    "definition",
    "procedure",
    "comparison",
    "summary",
    "policy",
    "troubleshooting",
    "calculation",
    "chitchat",
    "meta",
    "out_of_scope",
]
Strategy = Literal[
    "direct", "rewrite", "expand", "hyde", "decompose", "metadata_filter", "clarify", "no_retrieval"
]
Route = Literal["knowledge", "conversation", "chitchat", "clarify"]
SlotName = Literal[
    "region", "time", "organisation", "document_type", "product", "person", "number", "reference"
]


class TimeRange(Value):
    """A span of dates, both ends included; `text` is how the user wrote it."""

    text: str
    start: date | None = None
    end: date | None = None


class Slots(Value):
    """Values found in the question; several where the user named several."""

    region: tuple[str, ...] = ()
    time: tuple[TimeRange, ...] = ()
    organisation: tuple[str, ...] = ()
    document_type: tuple[str, ...] = ()
    product: tuple[str, ...] = ()
    person: tuple[str, ...] = ()
    number: tuple[str, ...] = ()


class Entity(Value):
    """A named thing in the question. `kind` is a slot name or "code", "document", "term"."""

    text: str
    kind: str
    value: str = ""


class ClarificationOption(Value):
    """A clickable reply. `reply` is sent as the user's next message when it is chosen."""

    label: str
    reply: str


class Clarification(Value):
    """One question back to the user, with two to five options taken from the data."""

    slot: SlotName
    question: str
    options: tuple[ClarificationOption, ...] = ()


class Turn(Value):
    """One message of the conversation as understanding sees it.

    `standalone` is the completed question of a user turn where it is known; `clarification`
    is set on an assistant turn that asked back; `status` is that of the Answer.
    """

    role: Role
    content: str
    standalone: str | None = None
    clarification: Clarification | None = None
    status: str | None = None


class Understanding(Value):
    """What the system takes a question to mean."""

    question: str
    standalone_question: str
    intent: Intent = "fact"
    entities: tuple[Entity, ...] = ()
    slots: Slots = Slots()
    missing_slots: tuple[SlotName, ...] = ()
    needs_clarification: bool = False
    clarification: Clarification | None = None
    route: Route = "knowledge"
    strategy: Strategy = "direct"
    sub_questions: tuple[str, ...] = ()
    confidence: float = Field(default=1.0, ge=0, le=1)
    source: Literal["rules", "llm"] = "rules"
    notes: tuple[str, ...] = ()
    """Short reasons in the user's language: what was completed, why the LLM was overruled."""

    @property
    def rewritten(self) -> bool:
        """Whether the completed question differs from what was typed."""
        return self.standalone_question.strip() != self.question.strip()


class KnowledgeProfile(Value):
    """What the selected knowledge bases are about: the source of clarification options.

    One entry per indexed document; cheap to build and cached until a document changes.
    """

    kb_ids: tuple[str, ...] = ()
    documents: tuple[DocumentProfile, ...] = ()


class DocumentProfile(Value):
    """A document's name and metadata as understanding sees it."""

    document_id: str
    name: str
    title: str
    metadata: DocumentMetadata = DocumentMetadata()
    headings: tuple[str, ...] = ()


# --- Retrieval -----------------------------------------------------------------------


class SearchFilter(Value):
    """Typed conditions of a search; the vector store alone turns them into an expression.

    Empty means "no condition". A document without a region or year passes a region or year
    condition when `include_unspecified` is set (national rules apply in each province).
    `years` is an inclusive range.
    """

    kb_ids: tuple[str, ...]
    document_ids: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    years: tuple[int, int] | None = None
    document_types: tuple[str, ...] = ()
    organisations: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    include_unspecified: bool = True


class QueryPlan(Value):
    """What will be searched and how. `queries[0]` is the completed question."""

    queries: tuple[str, ...]
    filter: SearchFilter
    strategy: Strategy = "direct"
    intent: Intent = "fact"


class Hit(Value):
    """A retrieved chunk. Scores by stage: dense, sparse, fused, rerank (those that ran)."""

    chunk: Chunk
    scores: dict[str, float] = Field(default_factory=dict)
    rank: int = 0
    why: str = ""


class Retrieval(Value):
    """The outcome of a search: ranked hits and what each stage did.

    `widened` names the conditions that were dropped because nothing was found with them.
    """

    hits: tuple[Hit, ...] = ()
    widened: tuple[str, ...] = ()
    timings_ms: dict[str, float] = Field(default_factory=dict)
    candidates: int = 0


class Evidence(Value):
    """A passage given to the answer step. `n` counts from 1; `span` is `text` in the chunk."""

    n: int
    chunk: Chunk
    text: str
    span: tuple[int, int]
    score: float = 0.0


# --- Answers -------------------------------------------------------------------------

AnswerStatus = Literal["answered", "hedged", "refused", "clarify", "chitchat", "error", "stopped"]


class Citation(Value):
    """Where an `[n]` in the answer comes from. `char_span` is `quote` in the chunk's text."""

    n: int
    chunk_id: str
    document_id: str
    document: str
    page: int
    pages: tuple[int, ...] = ()
    heading_path: tuple[str, ...] = ()
    quote: str
    char_span: tuple[int, int]
    bboxes: tuple[tuple[int, BBox], ...] = ()
    record_id: str | None = None
    text: str = ""
    """The chunk's whole text, so that a card survives a later edit or deletion."""


class Claim(Value):
    """One checkable statement of the answer. `span` is its place in the answer text."""

    text: str
    verdict: Literal["supported", "contradicted", "unsupported"]
    evidence: tuple[int, ...] = ()
    score: float = 0.0
    span: tuple[int, int] = (0, 0)
    reason: str = ""


class StepRecord(Value):
    """A finished step of the trace."""

    step: str
    ms: float
    summary: str = ""
    details: dict[str, Any] = Field(default_factory=dict)


class Answer(Value):
    """The result of one turn. `attempt` counts up from 0 with each regeneration."""

    status: AnswerStatus
    text: str
    citations: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    confidence: float = Field(default=0.0, ge=0, le=1)
    reason: str = ""
    understanding: Understanding | None = None
    suggestions: tuple[str, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    timings_ms: dict[str, float] = Field(default_factory=dict)
    tokens: dict[str, int] = Field(default_factory=dict)
    model: str = "extractive"
    attempt: int = 0


# --- Events of a running turn --------------------------------------------------------

Step = Literal[
    "understand",
    "clarify",
    "plan",
    "retrieve",
    "rerank",
    "compress",
    "generate",
    "verify",
    "refuse",
]


class StepStarted(Value):
    """A step has begun."""

    type: Literal["step_started"] = "step_started"
    step: Step


class StepFinished(Value):
    """A step has ended; `summary` is one line for people, `details` what it found."""

    type: Literal["step_finished"] = "step_finished"
    step: Step
    ms: float
    summary: str = ""
    details: dict[str, Any] = Field(default_factory=dict)


class Token(Value):
    """A piece of the answer's text as it is written."""

    type: Literal["token"] = "token"
    text: str


class ClaimChecked(Value):
    """A claim's verdict."""

    type: Literal["claim_checked"] = "claim_checked"
    claim: Claim


class Final(Value):
    """The whole answer; the last event of a turn that did not fail."""

    type: Literal["final"] = "final"
    answer: Answer


class Failed(Value):
    """The turn failed; the last event of its stream. `message` and `remedy` are for people."""

    type: Literal["failed"] = "failed"
    message: str
    remedy: str = ""
    trace_id: str = ""


Event = Annotated[
    StepStarted | StepFinished | Token | ClaimChecked | Final | Failed, Field(discriminator="type")
]

# --- Conversations -------------------------------------------------------------------

MessageStatus = Literal["running", "done", "stopped", "error"]


class Conversation(Value):
    """A conversation; only its owner sees it."""

    id: str
    owner: str
    title: str
    kb_ids: tuple[str, ...] = ()
    created_at: datetime
    updated_at: datetime


class Message(Value):
    """A stored message. `answer` is set on finished assistant messages."""

    id: str
    conversation_id: str
    role: Role
    content: str
    status: MessageStatus = "done"
    answer: Answer | None = None
    feedback: Literal["up", "down"] | None = None
    feedback_reason: str = ""
    created_at: datetime


class Person(Value):
    """Who is asking: a visitor without an account (`role="guest"`) or a signed-in user."""

    id: str
    name: str = ""
    role: Literal["guest", "member", "editor", "admin"] = "guest"


KnowledgeProfile.model_rebuild()
