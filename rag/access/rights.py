"""Lets people pass who may, and writes down whom it turned away."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rag.access.audit import Audit
from rag.access.policy import can_chat, can_edit, can_read, require_admin
from rag.errors import NotAllowed
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.types import DocumentInfo, JobInfo, KnowledgeBase, Person


class Rights:
    """The checks that services make before they read or change documents. Thread-safe."""

    def __init__(self, catalog: Catalog, audit: Audit, settings: Callable[[], Settings]) -> None:
        self._catalog = catalog
        self._audit = audit
        self._settings = settings

    def may_read(self, person: Person, kb: KnowledgeBase) -> bool:
        """Whether the person may ask a knowledge base and see its documents."""
        return can_chat(person, self._settings()) and can_read(person, kb)

    def may_edit(self, person: Person, kb: KnowledgeBase | None) -> bool:
        """Whether the person may change its documents; None asks about creating a new one."""
        return can_edit(person, kb, self._settings())

    def readable_bases(self, person: Person) -> list[KnowledgeBase]:
        """The knowledge bases that the person may ask."""
        return [kb for kb in self._catalog.knowledge_bases.list() if self.may_read(person, kb)]

    def readable(self, person: Person, kb_id: str) -> KnowledgeBase:
        """The knowledge base, for one who may see it.

        Raises:
            NotAllowed: the person may not; it is in the audit log.
            NotFound: it does not exist.
        """
        kb = self._catalog.knowledge_bases.get(kb_id)
        if not self.may_read(person, kb):
            self._audit.record(person, "refused.read", kb_id)
            raise not_allowed()
        return kb

    def editable(self, person: Person, kb_id: str) -> KnowledgeBase:
        """The knowledge base, for one who may change it. Errors as for `readable`."""
        kb = self.readable(person, kb_id)
        if not self.may_edit(person, kb):
            self._audit.record(person, "refused.edit", kb_id)
            raise not_allowed()
        return kb

    def readable_document(self, person: Person, document_id: str) -> DocumentInfo:
        """The document, for one who may see it. Errors as for `readable`."""
        info = self._catalog.documents.get(document_id)
        self.readable(person, info.kb_id)
        return info

    def editable_document(self, person: Person, document_id: str) -> DocumentInfo:
        """The document, for one who may change it. Errors as for `readable`."""
        info = self._catalog.documents.get(document_id)
        self.editable(person, info.kb_id)
        return info

    def editable_documents(self, person: Person, ids: Iterable[str]) -> list[DocumentInfo]:
        """Those of the documents that exist, in the order given, for one who may change all of
        them.

        Raises:
            NotAllowed: the person may not change one of them; it is in the audit log.
        """
        found = self._catalog.documents.get_many(ids)
        for kb_id in dict.fromkeys(info.kb_id for info in found):
            self.editable(person, kb_id)
        return found

    def editable_job(self, person: Person, job_id: str) -> JobInfo:
        """The job, for one who may change what it works on; those that concern the whole
        installation are the administrators'.

        Raises:
            NotAllowed: the person may not.
            NotFound: it does not exist.
        """
        job = self._catalog.jobs.get(job_id)
        if job.kb_id:
            self.editable(person, job.kb_id)
        else:
            require_admin(person)
        return job


def not_allowed() -> NotAllowed:
    """The error for one who may not."""
    return NotAllowed(
        "您没有这项权限。",
        "请用有权限的账号登录，或联系管理员。",
        message_en="You may not do this.",
        remedy_en="Sign in with an account that may, or ask an administrator.",
    )
