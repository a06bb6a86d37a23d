"""Knowledge bases and their documents, as the documents page and the command line use them.

Every call checks the person's rights and writes changes to the audit log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from rag.access.audit import Audit
from rag.access.policy import can_chat, can_edit, can_read, require_admin
from rag.errors import InvalidInput, NotAllowed, NotFound
from rag.ingest.files import FileStore
from rag.ingest.inspect import require_size
from rag.ingest.jobs import JobQueue
from rag.ingest.page_image import draw_page
from rag.ingest.pipeline import Pipeline
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.types import BBox, Chunk, DocumentInfo, JobInfo, KnowledgeBase, Page, Person


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

    # --- Knowledge bases --------------------------------------------------------------

    def bases(self, person: Person) -> list[KnowledgeBase]:
        """The knowledge bases that the person may ask, by name."""
        return [kb for kb in self._catalog.knowledge_bases.list() if self._may_read(person, kb)]

    def may_edit(self, person: Person, kb: KnowledgeBase) -> bool:
        """Whether the person may change the documents of a knowledge base."""
        return can_edit(person, kb, self._settings())

    def may_create(self, person: Person) -> bool:
        """Whether the person may create knowledge bases."""
        return can_edit(person, None, self._settings())

    def create_base(self, person: Person, name: str, description: str = "") -> KnowledgeBase:
        """Create a knowledge base.

        Raises:
            NameTaken: another one has this name.
            NotAllowed: the person may not.
        """
        if not self.may_create(person):
            raise _not_allowed()
        kb = self._catalog.knowledge_bases.create(name, description)
        self._audit.record(person, "kb.create", kb.id, kb.name)
        return kb

    def rename_base(self, person: Person, kb_id: str, name: str) -> None:
        """Rename a knowledge base."""
        kb = self._editable(person, kb_id)
        self._catalog.knowledge_bases.rename(kb_id, name)
        self._audit.record(person, "kb.rename", kb_id, f"{kb.name} → {name}")

    def delete_base(self, person: Person, kb_id: str) -> None:
        """Delete a knowledge base with all its documents, files and vectors."""
        kb = self._editable(person, kb_id)
        for job in self._catalog.jobs.list(active_only=True, kb_id=kb_id):
            self._jobs.cancel(job.id)
        self._pipeline.delete_kb(kb_id)
        self._audit.record(person, "kb.delete", kb_id, kb.name)

    # --- Documents --------------------------------------------------------------------

    def documents(self, person: Person, kb_id: str) -> list[DocumentInfo]:
        """All documents of a knowledge base."""
        self._readable(person, kb_id)
        return list(self._catalog.documents.list([kb_id]))

    def document(self, person: Person, document_id: str) -> DocumentInfo:
        """One document."""
        info = self._catalog.documents.get(document_id)
        self._readable(person, info.kb_id)
        return info

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
        self._editable(person, kb_id)
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
        for document_id in document_ids:
            info = self._catalog.documents.get(document_id)
            self._editable(person, info.kb_id)
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
        path = self._files.path(info.sha256)
        if not path.is_file():
            raise NotFound(
                f"《{info.name}》的原文件已不在数据目录里。",
                "分块内容仍可查看；请重新上传原文件。",
                message_en=f"The original file of {info.name} is gone.",
                remedy_en="Its chunks can still be read; upload the file again.",
            )
        return info.name, path

    def page_image(
        self, person: Person, document_id: str, page: int, bboxes: Sequence[BBox] = ()
    ) -> bytes:
        """A PDF page as PNG with the given boxes marked.

        Raises:
            NotFound: the document has no such page.
            InvalidInput: the document is not a PDF.
        """
        _, path = self.original(person, document_id)
        info = self.document(person, document_id)
        if info.media_type != "application/pdf":
            raise InvalidInput(
                "这份文档没有页面图像。", message_en="This document has no page images."
            )
        return draw_page(path, page, bboxes)

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
        self._editable_job(person, job_id)
        self._jobs.cancel(job_id)

    def retry(self, person: Person, job_id: str, password: str | None = None) -> JobInfo:
        """Run a failed or cancelled job again, with a password where one is needed."""
        self._editable_job(person, job_id)
        return self._jobs.retry(job_id, password)

    def dismiss(self, person: Person, job_id: str) -> None:
        """Take a finished job off the list."""
        self._editable_job(person, job_id)
        self._jobs.dismiss(job_id)

    def _editable_job(self, person: Person, job_id: str) -> None:
        kb_id = self._catalog.jobs.get(job_id).kb_id
        if kb_id:
            self._editable(person, kb_id)
        else:
            require_admin(person)

    # --- Rights -----------------------------------------------------------------------

    def _may_read(self, person: Person, kb: KnowledgeBase) -> bool:
        return can_chat(person, self._settings()) and can_read(person, kb)

    def _readable(self, person: Person, kb_id: str) -> KnowledgeBase:
        kb = self._catalog.knowledge_bases.get(kb_id)
        if not self._may_read(person, kb):
            self._audit.record(person, "refused.read", kb_id, "")
            raise _not_allowed()
        return kb

    def _editable(self, person: Person, kb_id: str) -> KnowledgeBase:
        kb = self._readable(person, kb_id)
        if not can_edit(person, kb, self._settings()):
            self._audit.record(person, "refused.edit", kb_id, "")
            raise _not_allowed()
        return kb


def _not_allowed() -> NotAllowed:
    return NotAllowed(
        "您没有这项权限。",
        "请用有权限的账号登录，或联系管理员。",
        message_en="You may not do this.",
        remedy_en="Sign in with an account that may, or ask an administrator.",
    )
