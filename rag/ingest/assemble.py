"""From a cleaned document to its chunks: the steps quality, chunk and describe of the chain.

Everything here is a function of the document, the settings and what editors decided; reading
files and writing to the stores is the pipeline's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rag.foreground import FOREGROUND
from rag.ingest.chunk import choose, chunk
from rag.ingest.chunk_ids import with_content_ids
from rag.ingest.describe import describe, for_passages
from rag.ingest.edits import apply_edits, chunk_key
from rag.ingest.embed import embed_texts
from rag.ingest.metadata import merge, overridden
from rag.ingest.quality import assess, require_text
from rag.settings import IngestSettings
from rag.types import (
    Chunk,
    ChunkEdit,
    ChunkStrategy,
    Document,
    DocumentInfo,
    DocumentMetadata,
    DocumentOptions,
    JobStage,
    Page,
)

if TYPE_CHECKING:
    import numpy as np

    from rag.models.embedder import Embedder

Report = Callable[[JobStage, float], None]
"""Called with the stage and 0..1 within it; may raise to stop."""

MODEL_FAILED = "model_failed"
"""Flag of a document about which a language model did not answer."""

_FOUND = "found"
"""Key in the first block's metadata under which the description is kept as it was found, while
editors have other values: taking theirs back needs no second reading of the file."""


@dataclass(frozen=True)
class Assembled:
    """A document that is ready for the stores. `lost` are edits that fit no chunk any more."""

    document: Document
    chunks: list[Chunk]
    strategy: ChunkStrategy
    reason: str
    lost: tuple[ChunkEdit, ...]

    @property
    def orphan_edits(self) -> int:
        """How many edits fit no chunk any more."""
        return len(self.lost)


@dataclass(frozen=True)
class Cut:
    """How a document was cut: its chunks with editors' changes, why so, and lost changes."""

    chunks: list[Chunk]
    strategy: ChunkStrategy
    reason: str
    lost: tuple[ChunkEdit, ...]


@dataclass(frozen=True)
class Language:
    """What chunking and describing may ask of language models; None where there is none.

    Attributes:
        propositions: a passage to the statements that it makes.
        describe: a document, what rules found and what editors set, to what a model makes
            of it.
        questions: passages to the questions that each answers.
        failures: what they say went wrong, filled while they work.
    """

    propositions: Callable[[str], list[str]] | None = None
    describe: Callable[[Document, DocumentMetadata, Mapping[str, Any]], DocumentMetadata] | None = (
        None
    )
    questions: Callable[[Sequence[Chunk], Callable[[float], None]], list[Chunk]] | None = None
    failures: Sequence[str] = ()


def assemble(
    document: Document,
    options: DocumentOptions,
    settings: IngestSettings,
    embedder: Embedder,
    report: Report,
    language: Language = Language(),
    *,
    found: DocumentMetadata | None = None,
    rules: DocumentMetadata | None = None,
    earlier: Sequence[Chunk] = (),
) -> Assembled:
    """Judge, cut and describe a document that editors' page decisions were applied to.

    Args:
        options: strategy, edits, metadata and decisions of its editors.
        found: its whole description when that is known already.
        rules: what rules found, when its quality is judged already, too; else both are done.
        earlier: chunks whose questions the same passages keep.

    Returns:
        The document with its quality, title and metadata, and its chunks with content ids.

    Raises:
        DocumentError: there is no text in it.
        ModelError: a strategy needs vectors, and the embedder does not answer.
    """
    report("quality", 0.0)
    require_text(document)
    if rules is None:
        quality = assess(document, options.decisions)
        document = document.model_copy(update={"quality": quality})
    report("chunk", 0.0)
    cut = cut_document(document, options, settings, embedder, language)
    report("describe", 0.0)
    if found is None:
        found = describe(document) if rules is None else rules
        if language.describe is not None:
            found = language.describe(document, found, options.metadata)
    metadata = overridden(found, options.metadata)
    pages = with_found(document.pages, found if options.metadata else None)
    chunks = [_described(piece, document.metadata, metadata) for piece in cut.chunks]
    chunks = _with_questions_of(earlier, chunks)
    if language.questions is not None:
        chunks = language.questions(chunks, lambda share: report("describe", share))
    flags = tuple(flag for flag in document.flags if flag != MODEL_FAILED)
    document = document.model_copy(
        update={
            "metadata": metadata,
            "title": metadata.title,
            "pages": pages,
            "flags": (*flags, MODEL_FAILED) if language.failures else flags,
        }
    )
    chunks = with_content_ids(chunks, document.id)
    return Assembled(document, chunks, cut.strategy, cut.reason, cut.lost)


def cut_document(
    document: Document,
    options: DocumentOptions,
    settings: IngestSettings,
    embedder: Embedder,
    language: Language = Language(),
) -> Cut:
    """The chunks of a document, editors' changes included. Chats go first meanwhile.

    Raises:
        ModelError: a strategy needs vectors, and the embedder does not answer.
    """

    def count_tokens(text: str) -> int:
        FOREGROUND.give_way()
        return embedder.count_tokens(text)

    def embed(texts: Sequence[str]) -> np.ndarray:
        return embed_texts(texts, embedder)

    strategy, reason = choose(document, settings, options)
    chunks = chunk(
        document,
        settings,
        count_tokens,
        options=options,
        embed=embed,
        propositions=language.propositions,
    )
    chunks, lost = apply_edits(chunks, options.edits)
    return Cut(chunks, strategy, reason, lost)


def status_of(document: Document, options: DocumentOptions) -> Literal["indexed", "quarantined"]:
    """Whether a document may be searched: it passed, or an editor accepted it as it is."""
    doubtful = document.quality.status == "quarantined" and not options.accepted
    return "quarantined" if doubtful else "indexed"


def from_catalog(info: DocumentInfo, pages: Sequence[Page]) -> tuple[Document, DocumentMetadata]:
    """A published document as it was before it was cut, and its description as it was found."""
    found = found_in(pages) or info.metadata
    document = Document(
        id=info.id,
        kb_id=info.kb_id,
        version=info.version,
        name=info.name,
        media_type=info.media_type,
        sha256=info.sha256,
        pages=tuple(pages),
        title=info.title,
        metadata=found,
        flags=info.flags,
        quality=info.quality,
    )
    return document, found


def found_in(pages: Sequence[Page]) -> DocumentMetadata | None:
    """The description that `with_found` put down; None when there is none."""
    for page in pages:
        for block in page.blocks:
            kept = block.metadata.get(_FOUND)
            return DocumentMetadata.model_validate(kept) if isinstance(kept, dict) else None
    return None


def with_found(pages: Sequence[Page], found: DocumentMetadata | None) -> tuple[Page, ...]:
    """The pages with a description put down in the first block, or without one for None."""
    result = list(pages)
    for index, page in enumerate(result):
        if not page.blocks:
            continue
        first = page.blocks[0]
        kept = {name: value for name, value in first.metadata.items() if name != _FOUND}
        if found is not None:
            kept[_FOUND] = found.model_dump(mode="json", exclude_defaults=True)
        if kept != first.metadata:
            block = first.model_copy(update={"metadata": kept})
            result[index] = page.model_copy(update={"blocks": (block, *page.blocks[1:])})
        break
    return tuple(result)


def _with_questions_of(earlier: Sequence[Chunk], chunks: list[Chunk]) -> list[Chunk]:
    asked = {chunk_key(chunk): chunk.questions for chunk in earlier if chunk.questions}
    if not asked:
        return chunks
    return [
        chunk.model_copy(update={"questions": asked.get(chunk_key(chunk), chunk.questions)})
        for chunk in chunks
    ]


def _described(piece: Chunk, stated: DocumentMetadata, metadata: DocumentMetadata) -> Chunk:
    """A chunk with what it carries of the document's description; a record's own facts stay
    before it."""
    own, carried = piece.metadata, for_passages(metadata)
    whole = carried if own == stated else merge(own, carried)
    return piece.model_copy(update={"metadata": whole})
