"""Knowledge bases and their documents, as the documents page and the command line use them.

Every call checks the person's rights and writes changes to the audit log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from rag.access.audit import Audit
from rag.access.rights import Rights, not_allowed
from rag.errors import NotFound
from rag.ingest.files import FileStore
from rag.ingest.inspect import require_size
from rag.ingest.jobs import JobQueue
from rag.ingest.pipeline import Pipeline
from rag.removal import cancel_jobs_of
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.types import Chunk, DocumentInfo, JobInfo, KnowledgeBase, Page, Person


class Knowledge:
    """Documents for people. Thread-safe."""

    def __init__(
        self,
        catalog: Catalog,
        pipeline: Pipeline,
        jobs: JobQueue,
        files: FileStore,
        audit: Audit,
        settings: Callable[[], Settings],
    ) -> None:
        self._catalog = catalog
        self._pipeline = pipeline
        self._jobs = jobs
        self._files = files
        self._audit = audit
        self._settings = settings
        self._rights = Rights(catalog, audit, settings)

    # --- Knowledge bases --------------------------------------------------------------

    def bases(self, person: Person) -> list[KnowledgeBase]:
        """The knowledge bases that the person may ask, by name."""
        return self._rights.readable_bases(person)

    def may_edit(self, person: Person, kb: KnowledgeBase) -> bool:
        """Whether the person may change the documents of a knowledge base."""
        return self._rights.may_edit(person, kb)

    def may_create(self, person: Person) -> bool:
        """Whether the person may create knowledge bases."""
        return self._rights.may_edit(person, None)

    def create_base(self, person: Person, name: str, description: str = "") -> KnowledgeBase:
        """Create a knowledge base.

        Raises:
            NameTaken: another one has this name.
            NotAllowed: the person may not.
        """
        if not self.may_create(person):
            raise not_allowed()
        kb = self._catalog.knowledge_bases.create(name, description)
        self._audit.record(person, "kb.create", kb.id, kb.name)
        return kb

    def rename_base(self, person: Person, kb_id: str, name: str) -> None:
        """Rename a knowledge base."""
        kb = self._rights.editable(person, kb_id)
        self._catalog.knowledge_bases.rename(kb_id, name)
        self._audit.record(person, "kb.rename", kb_id, f"{kb.name} → {name}")

    def delete_base(self, person: Person, kb_id: str) -> None:
        """Delete a knowledge base with all its documents, files and vectors."""
        kb = self._rights.editable(person, kb_id)
        for job in self._catalog.jobs.list(active_only=True, kb_id=kb_id):
            self._jobs.cancel(job.id)
        self._pipeline.delete_kb(kb_id)
        self._audit.record(person, "kb.delete", kb_id, kb.name)

    # --- Documents --------------------------------------------------------------------

    def documents(self, person: Person, kb_id: str) -> list[DocumentInfo]:
        """All documents of a knowledge base."""
        self._rights.readable(person, kb_id)
        return list(self._catalog.documents.list([kb_id]))

    def document(self, person: Person, document_id: str) -> DocumentInfo:
        """One document."""
        return self._rights.readable_document(person, document_id)

    def pages(self, person: Person, document_id: str) -> Sequence[Page]:
        """A document's parsed pages."""
        self.document(person, document_id)
        return self._catalog.documents.pages(document_id)

    def chunks(
        self, person: Person, document_id: str, offset: int = 0, limit: int = 50
    ) -> list[Chunk]:
        """A document's chunks in order, at most `limit` from `offset`."""
        self.document(person, document_id)
        return list(self._catalog.chunks.list(document_id, offset, limit))

    def upload(
        self, person: Person, kb_id: str, name: str, stream: BinaryIO, password: str | None = None
    ) -> JobInfo:
        """Keep the file and queue it; returns at once.

        Raises:
            DiskFull: it could not be kept.
            NotAllowed: the person may not.
        """
        self._rights.editable(person, kb_id)
        start = stream.tell()
        size = stream.seek(0, os.SEEK_END) - start
        stream.seek(start)
        require_size(size, self._settings().ingest)
        stored = self._files.put(stream, name)
        job = self._jobs.submit(stored.path, kb_id, name, person.name or person.id, password)
        self._audit.record(person, "document.upload", kb_id, name)
        return job

    def delete_documents(self, person: Person, document_ids: Sequence[str]) -> int:
        """Delete documents with their vectors and files; returns how many."""
        found = [self._rights.editable_document(person, each) for each in document_ids]
        cancel_jobs_of(self._catalog, self._jobs, found)
        for document_id in document_ids:
            info = self._catalog.documents.get(document_id)
            self._pipeline.delete_document(document_id)
            self._audit.record(person, "document.delete", document_id, info.name)
        return len(document_ids)

    def original(self, person: Person, document_id: str) -> tuple[str, Path]:
        """The uploaded file: its name and where it lies.

        Raises:
            NotFound: the document or its file is gone.
        """
        info = self.document(person, document_id)
        return info.name, original_path(self._files, info)

    # --- Jobs -------------------------------------------------------------------------

    def jobs(self, person: Person, active_only: bool = False) -> list[JobInfo]:
        """Background jobs of the knowledge bases that the person may read, newest first.

        Administrators also see those that concern the whole installation (no `kb_id`).
        """
        readable = {kb.id for kb in self.bases(person)}
        if person.role == "admin":
            readable.add("")
        return [j for j in self._catalog.jobs.list(active_only=active_only) if j.kb_id in readable]

    def cancel(self, person: Person, job_id: str) -> None:
        """Ask a job to end; what it was replacing stays as it was."""
        job = self._rights.editable_job(person, job_id)
        self._jobs.cancel(job_id)
        self._audit.record(person, "job.cancel", job_id, job.name)

    def retry(self, person: Person, job_id: str, password: str | None = None) -> JobInfo:
        """Run a failed or cancelled job again, with a password where one is needed."""
        self._rights.editable_job(person, job_id)
        job = self._jobs.retry(job_id, password)
        self._audit.record(person, "job.retry", job_id, job.name)
        return job

    def dismiss(self, person: Person, job_id: str) -> None:
        """Take a finished job off the list."""
        job = self._rights.editable_job(person, job_id)
        self._jobs.dismiss(job_id)
        self._audit.record(person, "job.dismiss", job_id, job.name)


def original_path(files: FileStore, info: DocumentInfo) -> Path:
    """Where the original of a document lies.

    Raises:
        NotFound: it is gone.
    """
    if not info.sha256 or not files.has(info.sha256):
        raise NotFound(
            f"《{info.name}》的原文件已不在数据目录里。",
            "分块内容仍可查看；请重新上传原文件。",
            message_en=f"The original file of {info.name} is gone.",
            remedy_en="Its chunks can still be read; upload the file again.",
        )
    return files.path(info.sha256)
