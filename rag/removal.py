"""Removes many documents at once, with what their vectors and files take.

One document is `Pipeline.delete_document`'s; this does the same for thousands in one
transaction, one pass over the index and one look at which files are still needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.ingest.files import FileStore
from rag.ingest.jobs import JobQueue
from rag.ingest.originals import Originals
from rag.ingest.supersede import superseded
from rag.store.catalog import Catalog
from rag.store.vectors import VectorStore
from rag.types import DocumentInfo


def cancel_jobs_of(catalog: Catalog, jobs: JobQueue, documents: Sequence[DocumentInfo]) -> None:
    """Cancel what waits to be done to documents that are about to go: it could only fail."""
    ids = {info.id for info in documents}
    for kb_id in dict.fromkeys(info.kb_id for info in documents):
        for job in catalog.jobs.list(active_only=True, kb_id=kb_id):
            if job.document_id in ids:
                jobs.cancel(job.id)


def remove_documents(
    catalog: Catalog, vectors: VectorStore, files: FileStore, ids: Sequence[str]
) -> list[DocumentInfo]:
    """Remove documents: their rows first, so that they are gone at once, then vectors, files.

    Args:
        ids: unknown ones are ignored.

    Returns:
        What was removed.

    Raises:
        StoreError: their rows are gone; the doctor clears up what is left of vectors and files.
    """
    originals = Originals(files, catalog)
    known = catalog.documents.get_many(ids)
    hashes = {info.sha256 for info in known} | catalog.documents.hashes_of(
        info.id for info in known
    )
    removed = catalog.documents.delete_many(ids)
    of_base: dict[str, list[str]] = {}
    for info in removed:
        of_base.setdefault(info.kb_id, []).append(info.id)
    for kb_id, gone in of_base.items():
        vectors.delete_documents(gone, kb_id)
        catalog.documents.set_superseded(kb_id, superseded(catalog.documents.list([kb_id])))
    originals.release(hashes)
    return removed
