"""Which original files are still needed: by documents, kept versions and unfinished jobs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rag.ingest.files import FileStore

if TYPE_CHECKING:
    from rag.store.catalog import Catalog


class Originals:
    """Removes originals that nothing refers to any more. Thread-safe."""

    def __init__(self, files: FileStore, catalog: Catalog) -> None:
        self._files = files
        self._catalog = catalog

    def wanted(self) -> set[str]:
        """SHA-256 of every original that is needed."""
        documents = self._catalog.documents
        waiting = self._catalog.jobs.active_payloads()
        named = {str(payload.get("sha256", "")) for payload in waiting}
        return documents.hashes() | documents.version_hashes() | named

    def of_document(self, document_id: str) -> set[str]:
        """SHA-256 of a document's original and of those of its versions."""
        versions = self._catalog.documents.versions(document_id)
        return {version.sha256 for version in versions} | {
            self._catalog.documents.get(document_id).sha256
        }

    def release(self, hashes: Iterable[str], but: str = "") -> None:
        """Remove these originals unless they are needed, or are the one `but`."""
        unneeded = {sha256 for sha256 in hashes if sha256 and sha256 != but}
        if unneeded:
            for sha256 in unneeded - self.wanted():
                self._files.remove(sha256)

    def trim(self, document_id: str, keep: int) -> None:
        """Remove the originals of a document's versions before the `keep` newest earlier ones."""
        self.release(self._catalog.documents.trim_versions(document_id, keep))
