"""One synchronisation: what is new, changed, moved or gone at a source, one thing after the other.

What acts on items and documents is `rag.ingest.sources.sync`.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rag.errors import NotFound, ZhiwenError
from rag.ingest.sources.found import Found, Look
from rag.types import Source, SourceItem, Told

if TYPE_CHECKING:
    from rag.ingest.sources.sync import Synchroniser

log = logging.getLogger(__name__)

GONE = "gone"
"""Stamp of an item whose document is hidden because it is gone from the source."""
MOST_WAITING = 200
"""Things of one source that wait in the queue at a time; later looks go on as they are read.
Chosen by us: a huge folder doesn't fill the queue, and a change in it is queued soon."""
SUSPICIOUS = 10
"""Known things from which "all gone at once" is more likely a disk that isn't mounted than a
folder that was emptied; chosen by us."""


@dataclass(frozen=True)
class SyncReport:
    """What one synchronisation did, in numbers of things at the source. `passed_over` are
    those that we don't take; `unfinished` says that the next one goes on."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: int = 0
    passed_over: int = 0
    unfinished: bool = False


class SyncRun:
    """One synchronisation: compares a look at a source with what is known of it, and acts.

    Args:
        parts: what acts on items and their documents.
        stop: ends it after the present thing.
    """

    def __init__(
        self, parts: Synchroniser, source: Source, look: Look, stop: threading.Event
    ) -> None:
        self._parts = parts
        self._source = source
        self._look = look
        self._stop = stop
        self._known = parts.items(source)
        self._counts: Counter[str] = Counter()
        waiting = [i for i in self._known.values() if i.job_id is not None and i.error is None]
        self._room = MOST_WAITING - len(waiting)
        self._new_failures = 0
        self._moved_from: set[str] = set()

    def report(self) -> SyncReport:
        """Carry it out; what it did.

        Raises:
            ZhiwenError, OSError: the source cannot be looked at; what was done stays.
        """
        seen: set[str] = set()
        listing = self._look.listing
        unfinished = self._act_on_all(seen)
        if not self._stop.is_set() and (listing is not None or not unfinished):
            # Only now: what is gone from one place may have been found at another.
            self._remove_all(seen if listing is None else listing)
        report = SyncReport(**self._counts, unfinished=unfinished)
        found = len(listing) if listing is not None else len(seen)
        if unfinished:
            found = max(found, self._source.found_count)
        self._parts.note_look(self._source, found, report, self._new_failures)
        return report

    def _act_on_all(self, seen: set[str]) -> bool:
        """Act on what exists, as long as the queue has room; whether something is left. `seen`
        gets the keys."""
        vanished = self._vanished()
        if self._look.listing is None:
            if self._room <= 0:
                return True
            for found in self._look.found:
                if self._stop.is_set() or self._room <= 0:
                    return True
                self._act(found, seen, vanished)
            return False
        left = False
        # What is known comes first: its changes don't wait for a long first import.
        for found in sorted(self._look.found, key=lambda each: each.key not in self._known):
            if self._stop.is_set():
                return True
            if self._room <= 0 and self._can_wait(found, vanished):
                left = True
            else:
                self._act(found, seen, vanished)
        return left

    def _act(self, found: Found, seen: set[str], vanished: dict[str, SourceItem]) -> None:
        if not found.passed_over:
            seen.add(found.key)
        self._counts[self._take(found, vanished)] += 1

    def _can_wait(self, found: Found, vanished: dict[str, SourceItem]) -> bool:
        """Whether it would have to be read. What looks like a moved file never waits: its
        document would be taken for gone."""
        if found.passed_over or found.gone or found.error or found.content is None:
            return False
        item = self._known.get(found.key)
        if item is not None:
            return not self._is_as_it_was(item, found)
        return all(gone.stamp != found.stamp for gone in vanished.values())

    # --- What exists ------------------------------------------------------------------

    def _take(self, found: Found, vanished: dict[str, SourceItem]) -> str:
        """Act on one thing; the name of the report's field that counts it."""
        item = self._known.get(found.key)
        if found.passed_over:
            return "passed_over"
        if found.gone:
            return self._gone(item) if item is not None and item.stamp != GONE else "passed_over"
        if found.error:
            self._note(found.key, item, found.error)
            return "failed"
        if found.content is None or (item is not None and self._is_as_it_was(item, found)):
            return self._back(item, found.stamp) if item is not None else "passed_over"
        try:
            return self._read(found, item, vanished)
        except FileNotFoundError:
            return "passed_over"  # deleted since the look began
        except (OSError, ZhiwenError) as error:
            text = (
                Told(error.message, error.message_en)
                if isinstance(error, ZhiwenError)
                else Told("文件无法读取。", "The file cannot be read.")
            )
            log.info("%s of source %s: %s", found.key, self._source.id, error)
            self._note(found.key, item, text)
            return "failed"

    def _is_as_it_was(self, item: SourceItem, found: Found) -> bool:
        """Whether its content was taken and its stamp is the same. What a job failed to read is
        tried again when it changes, or by people."""
        taken = item.document_id is not None or item.job_id is not None
        return bool(found.stamp) and item.stamp == found.stamp and taken

    def _read(self, found: Found, item: SourceItem | None, vanished: dict[str, SourceItem]) -> str:
        assert found.content is not None
        stored = self._parts.put(found.content(), found.name)
        digest = found.digest or stored.sha256
        document = self._parts.document(item)
        on_its_way = item is not None and item.job_id is not None
        if item is not None and item.sha256 == digest and (document or on_its_way):
            if document is not None and document.sha256 != stored.sha256:
                self._parts.release(stored.sha256)
            return self._back(item, found.stamp)
        moved = vanished.pop(digest, None) if item is None else None
        old = moved or item
        if old is not None:
            self._parts.cancel(old)
            self._free_others(old)
        job_id = self._parts.submit(self._source, found, stored, old)
        self._room -= 1
        returned = self._parts.document(old) if old and old.stamp == GONE else None
        if returned is not None:
            self._parts.hide(returned, False)
        if moved is not None:
            self._parts.forget(moved)
            self._moved_from.add(moved.key)
        new = SourceItem(
            source_id=self._source.id,
            key=found.key,
            stamp=found.stamp,
            sha256=digest,
            document_id=old.document_id if old else None,
            job_id=job_id,
            seen_at=datetime.min,
        )
        try:
            self._known[found.key] = self._parts.save(new)
        except NotFound:
            self._parts.cancel(new)  # the source was deleted meanwhile
            raise
        return "moved" if moved else "changed" if item is not None else "added"

    def _back(self, item: SourceItem, stamp: str) -> str:
        """An item whose content is what it was; shown again when it had been gone."""
        returned = item.stamp == GONE
        document = self._parts.document(item) if returned else None
        if document is not None:
            self._parts.hide(document, False)
        error = item.error if item.job_id else None
        if item.stamp != stamp or item.error != error:
            self._parts.save(item.model_copy(update={"stamp": stamp, "error": error}))
        return "changed" if returned else "unchanged"

    def _note(self, key: str, item: SourceItem | None, error: str) -> None:
        """Write down why something cannot be taken at the moment; its document stays."""
        if item is None:
            item = SourceItem(source_id=self._source.id, key=key, seen_at=datetime.min)
        if item.error != error:
            self._new_failures += 1
            self._parts.save(item.model_copy(update={"error": error}))

    def _free_others(self, item: SourceItem) -> None:
        """Let others that had the same content, and so the same document, get one of their
        own at the next look."""
        for other in self._sharing(item):
            freed = {"stamp": "", "sha256": "", "document_id": None, "job_id": None}
            self._known[other.key] = self._parts.save(other.model_copy(update=freed))

    def _sharing(self, item: SourceItem) -> list[SourceItem]:
        return [
            other
            for other in self._known.values()
            if other.key != item.key
            and other.stamp != GONE
            and item.document_id is not None
            and other.document_id == item.document_id
        ]

    # --- What is gone -----------------------------------------------------------------

    def _vanished(self) -> dict[str, SourceItem]:
        """Items that are gone for certain, by their content, to be found again elsewhere."""
        listing = self._look.listing
        if listing is None:
            return {}
        return {
            item.sha256: item
            for item in self._known.values()
            if item.key not in listing
            and item.sha256
            and item.document_id is not None
            and not self._look.unseen(item.key)
            and not self._sharing(item)
        }

    def _remove_all(self, exists: frozenset[str] | set[str]) -> None:
        gone = [
            item
            for key, item in self._known.items()
            if key not in exists and key not in self._moved_from and not self._look.unseen(key)
        ]
        alive = [item for item in self._known.values() if item.stamp != GONE]
        suspicious = not exists and len(alive) >= SUSPICIOUS
        for item in gone:
            if self._stop.is_set():
                return
            if item.stamp != GONE:
                self._counts[self._gone(item, gently=suspicious)] += 1

    def _gone(self, item: SourceItem, gently: bool = False) -> str:
        """Act on something that doesn't exist any more, as the source is configured.

        Args:
            gently: nothing is deleted, only hidden.
        """
        try:
            self._parts.cancel(item)
            document = self._parts.document(item)
            ours = document is not None and document.source_id == self._source.id
            removal = str(self._source.config.get("removal", "hide"))
            if document is None or not ours or self._sharing(item) or removal == "keep":
                self._parts.forget(item)
                return "removed"
            # Nobody needs to confirm what is gone.
            self._parts.drop_new_version(document)
            if document.version == 0 or (removal == "remove" and not gently):
                self._parts.delete(document)
                self._parts.forget(item)
            else:
                self._parts.hide(document, True)
                changed = {"stamp": GONE, "job_id": None, "error": None}
                self._parts.save(item.model_copy(update=changed))
        except ZhiwenError as error:
            self._note(item.key, item, error.message)
            return "failed"
        return "removed"
