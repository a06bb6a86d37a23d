"""What a question in its conversation is taken to mean."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field

from rag.types.base import Value
from rag.types.documents import DocumentMetadata

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
    "direct",
    "rewrite",
    "expand",
    "hyde",
    "decompose",
    "metadata_filter",
    "broad",
    "web",
    "clarify",
    "no_retrieval",
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
    is set on an assistant turn that asked back; `status` is that of the Answer; `evidence`
    holds the chunk ids that an assistant turn cites, in the order of citation.
    """

    role: Role
    content: str
    standalone: str | None = None
    clarification: Clarification | None = None
    status: str | None = None
    evidence: tuple[str, ...] = ()


class Understanding(Value):
    """What the system takes a question to mean."""

    question: str
    standalone_question: str
    intent: Intent = "fact"
    entities: tuple[Entity, ...] = ()
    slots: Slots = Slots()
    held: Slots = Slots()
    """The region and the year that the conversation is about, where the question names none."""
    missing_slots: tuple[SlotName, ...] = ()
    needs_clarification: bool = False
    clarification: Clarification | None = None
    route: Route = "knowledge"
    strategy: Strategy = "direct"
    sub_questions: tuple[str, ...] = ()
    passage: str = ""
    """A model's imagined answer for the search (HyDE); "" without a model."""
    confidence: float = Field(default=1.0, ge=0, le=1)
    source: Literal["rules", "llm", "user"] = "rules"
    """Who completed the question; "user" where the user put the completion right."""
    notes: tuple[str, ...] = ()
    """Short reasons in the user's language: what was completed, why the LLM was overruled."""

    @property
    def rewritten(self) -> bool:
        """Whether the completed question differs from what was typed."""
        return self.standalone_question.strip() != self.question.strip()


class DocumentProfile(Value):
    """A document's name and metadata as understanding sees it."""

    document_id: str
    name: str
    title: str
    metadata: DocumentMetadata = DocumentMetadata()
    headings: tuple[str, ...] = ()


class KnowledgeProfile(Value):
    """What the selected knowledge bases are about: the source of clarification options.

    One entry per indexed document; cheap to build and cached until a document changes.
    """

    kb_ids: tuple[str, ...] = ()
    documents: tuple[DocumentProfile, ...] = ()
