"""The dictionary of each knowledge base, as its page uses it: words of the trade with their
synonyms. A change counts from the next question on; no document is indexed again.

Every call checks the person's rights and writes changes to the audit log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rag.access.audit import Audit
from rag.access.policy import require_admin
from rag.access.rights import Rights
from rag.errors import InvalidInput, NameTaken, NotFound
from rag.settings import Settings
from rag.store.catalog import Catalog
from rag.term_files import MOST_TERMS, BadRow, Entry, entry, read_file, write_file
from rag.text.normalise import normalise
from rag.types import KnowledgeBase, OtherNames, Person, Term
from rag.understand.synonyms import names_in, renamed


@dataclass(frozen=True)
class Change:
    """An entry as a file would leave it, and its synonyms before."""

    entry: Entry
    before: tuple[str, ...]


@dataclass(frozen=True)
class ImportPreview:
    """What a file would do; nothing is changed yet."""

    added: tuple[Entry, ...]
    changed: tuple[Change, ...]
    unchanged: tuple[Entry, ...]
    bad: tuple[BadRow, ...]


@dataclass(frozen=True)
class Trial:
    """What the dictionary makes of a question: the words that it knows, and the questions that
    are searched besides."""

    names: tuple[OtherNames, ...]
    questions: tuple[str, ...]


class Dictionary:
    """The terms of knowledge bases, and those for all (`kb_id` None), which administrators
    alone change. Thread-safe.

    All methods raise `NotFound` for a knowledge base that does not exist and `NotAllowed` for
    people who may not; a refusal is in the audit log.
    """

    def __init__(self, catalog: Catalog, audit: Audit, settings: Callable[[], Settings]) -> None:
        self._catalog = catalog
        self._audit = audit
        self._rights = Rights(catalog, audit, settings)

    def terms(self, person: Person, kb_id: str | None) -> list[Term]:
        """The terms by their text; those for all are everyone's to see who may ask anything."""
        if kb_id is not None:
            self._rights.readable(person, kb_id)
        elif not self._rights.readable_bases(person):
            require_admin(person)
        return self._catalog.terms.list(kb_id)

    def may_edit(self, person: Person, kb: KnowledgeBase | None) -> bool:
        """Whether the person may change these terms."""
        return person.role == "admin" if kb is None else self._rights.may_edit(person, kb)

    def save(
        self,
        person: Person,
        kb_id: str | None,
        text: str,
        synonyms: Iterable[str] = (),
        term_id: str | None = None,
    ) -> Term:
        """Enter a term, or change the one with this id.

        Raises:
            InvalidInput: a word cannot be used (`rag.term_files.checked_word`), there are too
                many synonyms, or the dictionary is full.
            NameTaken: the term is there already.
            NotFound: the one to change is gone.
        """
        self._allow(person, kb_id)
        made = entry(text, synonyms)
        terms = {normalise(term.text): term for term in self._catalog.terms.list(kb_id)}
        before = next((term for term in terms.values() if term.id == term_id), None)
        if term_id is not None and before is None:
            raise _gone()
        known = terms.get(made.key)
        if known is not None and known.id != term_id:
            raise NameTaken(
                f"词典里已有“{known.text}”。",
                "请在已有的词条里修改它的同义词。",
                message_en=f"“{known.text}” is in the dictionary already.",
                remedy_en="Change the synonyms of that entry.",
            )
        if before is None:
            _require_room(len(terms) + 1)
        instead = [before.id] if before is not None else []
        row = (made.text, made.key, made.synonyms)
        term = self._catalog.terms.save_all(kb_id, [row], instead_of=instead)[0]
        action = "term.change" if before else "term.add"
        self._audit.record(person, action, kb_id or "", _told(term.text, term.synonyms))
        return term

    def remove(self, person: Person, term_ids: Sequence[str]) -> list[Term]:
        """Delete terms; ids that do not exist (any more) are ignored. Returns what is gone."""
        found = self._catalog.terms.get(term_ids)
        for kb_id in dict.fromkeys(term.kb_id for term in found):
            self._allow(person, kb_id)
        if found:
            self._catalog.terms.remove([term.id for term in found])
            self._audit.record_all(
                person,
                "term.delete",
                [(term.kb_id or "", _told(term.text, term.synonyms)) for term in found],
            )
        return found

    # --- Files ------------------------------------------------------------------------

    def preview_import(
        self, person: Person, kb_id: str | None, data: bytes, *, replace: bool = False
    ) -> ImportPreview:
        """What a CSV file would add and change; nothing is changed yet.

        Args:
            data: see `rag.term_files.read_file`.
            replace: a term's synonyms become those of the file; otherwise they join those that
                are there. Terms that the file does not name stay in either case.

        Raises:
            TooLarge, InvalidInput: the file cannot be read.
        """
        self._allow(person, kb_id)
        entries, bad = read_file(data)
        known = {normalise(term.text): term for term in self._catalog.terms.list(kb_id)}
        added: list[Entry] = []
        changed: list[Change] = []
        unchanged: list[Entry] = []
        for new in entries:
            term = known.get(new.key)
            if term is None:
                added.append(new)
                continue
            try:
                made = entry(
                    new.text if replace else term.text,
                    new.synonyms if replace else (*term.synonyms, *new.synonyms),
                )
            except InvalidInput as error:
                bad.append(BadRow(0, new.text, error))
                continue
            same = (made.text, set(made.synonyms)) == (term.text, set(term.synonyms))
            if same:
                unchanged.append(made)
            else:
                changed.append(Change(made, term.synonyms))
        return ImportPreview(tuple(added), tuple(changed), tuple(unchanged), tuple(bad))

    def apply_import(self, person: Person, kb_id: str | None, preview: ImportPreview) -> int:
        """Do what was previewed, all or none; returns how many terms are new or changed.

        Raises:
            InvalidInput: the dictionary would have more than `MOST_TERMS` terms.
        """
        self._allow(person, kb_id)
        entries = [*preview.added, *(change.entry for change in preview.changed)]
        if not entries:
            return 0
        _require_room(self._catalog.terms.count(kb_id) + len(preview.added))
        self._catalog.terms.save_all(kb_id, [(e.text, e.key, e.synonyms) for e in entries])
        detail = f"新增 {len(preview.added)}，修改 {len(preview.changed)}"
        self._audit.record(person, "term.import", kb_id or "", detail)
        return len(entries)

    def export(self, person: Person, kb_id: str | None) -> bytes:
        """The terms as a CSV file that `preview_import` reads back unchanged."""
        return write_file(self.terms(person, kb_id))

    # --- Trying it --------------------------------------------------------------------

    def trial(self, person: Person, kb_ids: Sequence[str], question: str) -> Trial:
        """What becomes of a question when these knowledge bases are asked; nothing is searched."""
        for kb_id in kb_ids:
            self._rights.readable(person, kb_id)
        names = names_in(question, self._catalog.terms.vocabulary(kb_ids))
        return Trial(names, renamed(question, names))

    def _allow(self, person: Person, kb_id: str | None) -> None:
        if kb_id is None:
            if person.role != "admin":
                self._audit.record(person, "refused.edit", "terms")
            require_admin(person)
        else:
            self._rights.editable(person, kb_id)


def _told(text: str, synonyms: Sequence[str]) -> str:
    return f"{text}：{'、'.join(synonyms)}" if synonyms else text


def _require_room(count: int) -> None:
    if count > MOST_TERMS:
        raise InvalidInput(
            f"词典最多 {MOST_TERMS} 个词，这样会有 {count} 个。",
            "请先删除不再需要的词。",
            message_en=f"A dictionary holds {MOST_TERMS} terms; there would be {count}.",
            remedy_en="Delete some that are no longer needed.",
        )


def _gone() -> NotFound:
    return NotFound(
        "这个词已被删除。",
        "请刷新页面。",
        message_en="This term has been deleted.",
        remedy_en="Reload the page.",
    )
