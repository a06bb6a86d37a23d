"""What editors do to documents that are there: judge, mend, cut, describe, hide, restore, remove.

The documents page and the command line use it. Every call checks the person's rights and
writes changes to the audit log; what was decided is kept in `catalog.options`, so that it
survives each new parse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from rag.chunk_editing import ChunkEditing
from rag.errors import ZhiwenError
from rag.ingest.formats import IMAGES, PDF
from rag.ingest.markdown import to_markdown
from rag.ingest.metadata import checked
from rag.knowledge import original_path
from rag.page_decisions import require_page, require_text_left
from rag.removal import cancel_jobs_of, remove_documents
from rag.text.readable import readable
from rag.types import (
    BBox,
    ChunkPreview,
    ChunkStrategy,
    Document,
    DocumentInfo,
    DocumentOptions,
    DocumentStatus,
    DocumentVersion,
    JobInfo,
    PageDecision,
    Person,
)

ONE_BY_ONE = 10
"""Most documents that are removed one after the other. Chosen by us: a second's work."""


class Curation(ChunkEditing):
    """Documents in the hands of their editors. Thread-safe.

    All methods raise `NotFound` for what does not exist (any more) and `NotAllowed` for people
    who may not; a refusal is in the audit log.
    """

    # --- How a document is read and cut -----------------------------------------------

    def options(self, person: Person, document_id: str) -> DocumentOptions:
        """What was decided about a document, for everyone who may see it."""
        self._rights.readable_document(person, document_id)
        return self._catalog.options.get(document_id)

    def reprocess(self, person: Person, document_id: str, options: DocumentOptions) -> JobInfo:
        """Keep these options and queue the document to be made anew with them.

        Its original is read again, unless the options only change how it is cut.
        """
        info = self._rights.editable_document(person, document_id)
        before = self._catalog.options.get(document_id)
        if options.decisions != before.decisions:
            require_text_left(info, self._catalog.documents.pages(document_id), options.decisions)
        self._catalog.options.save(document_id, options)
        cut = f"{info.name} {options.strategy or 'auto'}"
        self._audit.record(person, "document.reprocess", document_id, cut)
        only_cut = options != before and options.decisions == before.decisions
        return self._jobs.submit_reprocess(document_id, parse=not only_cut or info.version == 0)

    def preview(
        self,
        person: Person,
        document_id: str,
        strategy: ChunkStrategy | None,
        chunk_tokens: int | None = None,
        chunk_overlap: float | None = None,
    ) -> ChunkPreview:
        """How a document would be cut; nothing is changed.

        Args:
            strategy: None, like the others, stands for what the settings say.
            chunk_tokens: the length to aim for, 20..2000 tokens of the embedder.
            chunk_overlap: share repeated in the next chunk, 0..0.5.

        Raises:
            InvalidInput: nothing of the document is indexed yet.
            ModelError: the embedder cannot be used.
            ValueError: a number is out of its range.
        """
        self._rights.editable_document(person, document_id)
        kept = self._catalog.options.get(document_id).model_dump()
        cut = {
            "strategy": strategy,
            "chunk_tokens": chunk_tokens,
            "chunk_overlap": chunk_overlap,
        }
        return self._pipeline.preview(document_id, DocumentOptions.model_validate(kept | cut))

    # --- Quality ----------------------------------------------------------------------

    def decide(
        self, person: Person, document_id: str, decisions: Sequence[PageDecision]
    ) -> JobInfo:
        """Replace what was decided about the pages and queue the document to be read again.

        Args:
            decisions: all that are to hold, at most one per page (the last one counts); those
                without a name and time get this person's and the present.

        Raises:
            InvalidInput: a new one is about a page that the document doesn't have, or no text
                would be left; nothing was changed.
        """
        info = self._rights.editable_document(person, document_id)
        update = {"by": person.name or person.id, "at": self._now()}
        signed: dict[int, PageDecision] = {}
        for decision in decisions:
            if decision.at is None:
                require_page(info, decision.page)
                text = readable(decision.text)
                decision = decision.model_copy(update={**update, "text": text})
            signed[decision.page] = decision
        kept = tuple(signed[page] for page in sorted(signed))
        require_text_left(info, self._catalog.documents.pages(document_id), kept)
        self._catalog.options.change(
            document_id, lambda options: options.model_copy(update={"decisions": kept})
        )
        detail = "、".join(f"{decision.page}:{decision.action}" for decision in kept)
        self._audit.record(person, "document.decide", document_id, f"{info.name} {detail}")
        return self._jobs.submit_reprocess(document_id)

    def accept(self, person: Person, document_id: str) -> JobInfo:
        """Let a document out of quarantine as it is; it is searchable when the job is done."""
        info = self._rights.editable_document(person, document_id)
        self._catalog.options.change(
            document_id, lambda options: options.model_copy(update={"accepted": True})
        )
        self._audit.record(person, "document.accept", document_id, info.name)
        return self._jobs.submit_reprocess(document_id, parse=info.version == 0)

    # --- What it says about itself ----------------------------------------------------

    def edit_metadata(
        self, person: Person, document_id: str, values: Mapping[str, Any]
    ) -> DocumentInfo:
        """Correct what is known about a document; searches and filters follow on return.

        Args:
            values: field of `DocumentMetadata` → what was typed; "" empties the field, None
                takes an earlier correction back. Other fields stay as they are.

        Raises:
            InvalidInput: a value does not fit its field; nothing was changed.
            StoreError: the index could not be written, or is being rebuilt; likewise.
        """
        info = self._rights.editable_document(person, document_id)
        withdrawn = {name for name, value in values.items() if value is None}
        kept = checked({name: value for name, value in values.items() if value is not None})

        def changed(options: DocumentOptions) -> DocumentOptions:
            stated = {n: v for n, v in options.metadata.items() if n not in withdrawn}
            return options.model_copy(update={"metadata": {**stated, **kept}})

        found = self._recut(info, changed)
        fields = "、".join(sorted(values))
        self._audit.record(person, "document.metadata", document_id, f"{info.name} {fields}")
        return found

    # --- Versions ---------------------------------------------------------------------

    def versions(self, person: Person, document_id: str) -> list[DocumentVersion]:
        """The contents that were published, newest first; `kept` ones can be restored."""
        self._rights.readable_document(person, document_id)
        return [
            version.model_copy(update={"kept": version.kept and self._files.has(version.sha256)})
            for version in self._catalog.documents.versions(document_id)
        ]

    def restore(self, person: Person, document_id: str, version: int) -> JobInfo:
        """Queue an earlier version to become the document's content again.

        Raises:
            NotFound: its original was not kept.
        """
        info = self._rights.editable_document(person, document_id)
        job = self._jobs.submit_reprocess(document_id, version=version)
        self._audit.record(person, "document.restore", document_id, f"{info.name} v{version}")
        return job

    # --- Many documents at once -------------------------------------------------------

    def select(
        self,
        person: Person,
        kb_id: str,
        *,
        expired_before: date | None = None,
        source_id: str | None = None,
        document_type: str | None = None,
        region: str | None = None,
        status: DocumentStatus | None = None,
        older_than: date | None = None,
        name_contains: str | None = None,
    ) -> list[DocumentInfo]:
        """The documents that meet all conditions given (`Documents.select`): what hiding or
        removing them would concern."""
        self._rights.readable(person, kb_id)
        return self._catalog.documents.select(
            kb_id,
            expired_before=expired_before,
            source_id=source_id,
            document_type=document_type,
            region=region,
            status=status,
            older_than=older_than,
            name_contains=name_contains,
        )

    def hide(
        self,
        person: Person,
        document_ids: Sequence[str],
        hidden: bool,
        progress: Callable[[float], None] | None = None,
    ) -> int:
        """Keep documents from being searched, or let them be found again; ids that do not
        exist (any more) are ignored.

        Args:
            progress: called with 0..1 about once a second; may raise to stop, and what was
                changed by then stays so.

        Returns:
            How many changed.

        Raises:
            ModelError, StoreError: some may have been changed before; those are in the log.
        """
        found = self._rights.editable_documents(person, document_ids)
        wanted = [info for info in found if info.hidden != hidden]
        if not wanted:
            return 0
        try:
            self._pipeline.set_hidden([info.id for info in wanted], hidden, progress)
        finally:
            now = {
                i.id
                for i in self._catalog.documents.get_many([i.id for i in wanted])
                if i.hidden == hidden
            }
            self._audit.record_all(
                person,
                "document.hide" if hidden else "document.show",
                [(info.id, info.name) for info in wanted if info.id in now],
            )
        return len(now)

    def remove(self, person: Person, document_ids: Sequence[str]) -> int:
        """Delete documents with their vectors and files; ids that do not exist (any more) are
        ignored.

        Returns:
            How many were deleted.

        Raises:
            StoreError: some may have been deleted before; those are in the log.
        """
        found = self._rights.editable_documents(person, document_ids)
        gone: list[DocumentInfo] = []
        cancel_jobs_of(self._catalog, self._jobs, found)
        try:
            if len(found) > ONE_BY_ONE:
                ids = [info.id for info in found]
                vectors = self._pipeline.vectors
                gone = remove_documents(self._catalog, vectors, self._files, ids)
            else:
                for info in found:
                    self._pipeline.delete_document(info.id)
                    gone.append(info)
        finally:
            self._audit.record_all(
                person, "document.delete", [(info.id, info.name) for info in gone]
            )
        return len(gone)

    # --- Looking at it ----------------------------------------------------------------

    def text(self, person: Person, document_id: str) -> str:
        """The whole text as it was read, as one Markdown text with its pages, headings' paths
        and flags in comments; "" before it is indexed."""
        info = self._rights.readable_document(person, document_id)
        if info.version == 0:
            return ""
        return to_markdown(
            Document(
                id=info.id,
                kb_id=info.kb_id,
                version=info.version,
                name=info.name,
                media_type=info.media_type,
                sha256=info.sha256,
                pages=self._catalog.documents.pages(document_id),
                title=info.title,
                metadata=info.metadata,
                flags=info.flags,
                quality=info.quality,
            ),
            places=True,
        )

    def page_image(
        self,
        person: Person,
        document_id: str,
        page: int,
        bboxes: Sequence[BBox] = (),
        *,
        outlined: bool = False,
    ) -> bytes:
        """A page of a PDF or an image file as PNG, with the given boxes marked.

        Args:
            bboxes: as the parser gives them (`Block.bbox`).
            outlined: draw the boxes' borders instead of marking them.

        Raises:
            NotFound: the document has no such page, or its original is gone.
            InvalidInput: documents of its kind have no page images.
            EncryptedDocument, CorruptDocument, TooLarge: it cannot be drawn.
        """
        from rag.ingest.page_image import draw_page, draw_picture, no_page_images

        info = self._rights.readable_document(person, document_id)
        path = original_path(self._files, info)
        if info.media_type == PDF:
            return draw_page(path, page, bboxes, outlined=outlined)
        if info.media_type in IMAGES:
            parsed = self._catalog.documents.page(document_id, page)
            return draw_picture(path, page, bboxes, parsed, outlined=outlined)
        raise no_page_images()

    # --- Jobs that were given up ------------------------------------------------------

    def failed_jobs(self, person: Person) -> list[JobInfo]:
        """The jobs that failed for good, with their reasons, newest first, in the knowledge
        bases that the person may see. Administrators also see those of the installation."""
        kb_ids = {kb.id for kb in self._rights.readable_bases(person)}
        if person.role == "admin":
            kb_ids.add("")
        return self._catalog.jobs.failed(kb_ids)

    def retry_all(self, person: Person) -> list[JobInfo]:
        """Queue again what failed, where the person may; returns those jobs. One that cannot
        be tried again (its file is gone) stays on the list."""
        retried: list[JobInfo] = []
        for job in self._editable_failures(person):
            try:
                retried.append(self._jobs.retry(job.id))
            except ZhiwenError:
                continue
        self._audit.record_all(person, "job.retry", [(job.id, job.name) for job in retried])
        return retried

    def dismiss_all(self, person: Person) -> int:
        """Take what failed off the list, where the person may; returns how many."""
        jobs = self._editable_failures(person)
        for job in jobs:
            self._jobs.dismiss(job.id)
        self._audit.record_all(person, "job.dismiss", [(job.id, job.name) for job in jobs])
        return len(jobs)

    def _editable_failures(self, person: Person) -> list[JobInfo]:
        editable = {
            kb.id for kb in self._rights.readable_bases(person) if self._rights.may_edit(person, kb)
        }
        if person.role == "admin":
            editable.add("")
        return self._catalog.jobs.failed(editable)
