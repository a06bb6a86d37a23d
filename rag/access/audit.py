"""The audit log: administrative acts and refused access, written once, never changed."""

from __future__ import annotations

from collections.abc import Iterable

from rag.store.catalog import Catalog
from rag.store.people import AuditEntry
from rag.types import Person

DETAIL_LENGTH = 2000
"""Longest detail that is kept, in characters. Chosen by us."""


class Audit:
    """Writes and lists the audit log. Thread-safe."""

    def __init__(self, catalog: Catalog) -> None:
        self._rows = catalog.audit

    def record(self, person: Person, action: str, target: str = "", detail: str = "") -> None:
        """Write down one act.

        Args:
            action: a dotted word, such as "document.delete" or "refused.read".
            target: id of what it was done to.
            detail: what a reader of the log wants to know; never a secret.
        """
        self.record_all(person, action, [(target, detail)])

    def record_all(self, person: Person, action: str, done_to: Iterable[tuple[str, str]]) -> None:
        """Write down one act on several targets, as (target, detail) each."""
        self._rows.append_all(
            [(target, detail[:DETAIL_LENGTH]) for target, detail in done_to],
            person_id=person.id,
            person_name=person.name,
            role=person.role,
            action=action,
        )

    def entries(self, limit: int = 200, before: int | None = None) -> list[AuditEntry]:
        """The newest entries first; `before` is the id to go on from."""
        return self._rows.list(limit, before)
