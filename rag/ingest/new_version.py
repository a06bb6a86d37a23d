"""New versions that are quarantined stand beside the document that they would replace.

Searches use the document as it was until an editor accepts or mends its new version, which
then becomes its content in one transaction. Deleting the new version leaves it as it is.
"""

from __future__ import annotations

from dataclasses import replace

from rag.ingest.assemble import Assembled
from rag.ingest.chunk_ids import with_content_ids
from rag.types import DocumentInfo, DocumentOptions, Told


def belongs_beside(made: Assembled, status: str, current: DocumentInfo) -> bool:
    """Whether content must not replace a document: it is that of another file, doubtful, and
    the document can be searched."""
    searched = current.version > 0 and current.status == "indexed"
    return status == "quarantined" and searched and made.document.sha256 != current.sha256


def as_content_of(made: Assembled, info: DocumentInfo, version: int) -> Assembled:
    """The same content as this version of another document."""
    document = made.document.model_copy(update={"id": info.id, "version": version})
    chunks = [chunk.model_copy(update={"document_id": info.id}) for chunk in made.chunks]
    return replace(made, document=document, chunks=with_content_ids(chunks, info.id))


def joined(own: DocumentOptions, current: DocumentOptions, new: DocumentInfo) -> DocumentOptions:
    """The options of a new version with what editors decided about the document meanwhile.

    Args:
        own: those of the new version, which began with the document's at `new.created_at`.
        current: those of the document that it would replace.
    """
    later = tuple(
        edit
        for edit in current.edits
        if edit not in own.edits and edit.at is not None and edit.at > new.created_at
    )
    return own.model_copy(
        update={
            "metadata": {**current.metadata, **own.metadata},
            "edits": (*later, *own.edits),
        }
    )


def note_on_new_version(current: DocumentInfo) -> Told:
    """What people are told about a new version that waits."""
    return Told(
        f"新版本待确认，检索仍用第 {current.version} 版。核对后请接受或改正；不需要时请删除它。",
        f"This new version is doubtful; searches still use version {current.version}. Accept or "
        "correct it, or delete it if it isn't needed.",
    )
