"""The states of documents and jobs in the same words wherever they are shown."""

from __future__ import annotations

from rag.types import DocumentInfo, JobInfo
from ui.texts import t
from ui.words import escape

ACTIVE = ("queued", "running")
"""States of jobs that are not over."""

_KINDS = {
    "indexed": "ok", "done": "ok", "failed": "bad", "needs_password": "warn",
    "quarantined": "warn",
}  # fmt: skip


def job_state(job: JobInfo, document: DocumentInfo | None) -> str:
    """What a job's line says: where it came to an end that its document tells better, the
    document's word (a locked file needs its password, a doubtful one has to be looked at)."""
    if document is not None:
        if job.status == "failed" and document.status == "needs_password":
            return "needs_password"
        if job.status == "done" and document.status == "quarantined":
            return "quarantined"
    return job.status


def state_tag(status: str) -> str:
    """A status as a small bordered word."""
    kind = _KINDS.get(status, "")
    return f'<span class="zw-tag zw-{kind}">{escape(t("status." + status))}</span>'


def document_tags(document: DocumentInfo, new_version: bool = False) -> str:
    """A document's state and what else people should see at a glance, as bordered words.

    Args:
        new_version: whether a new version of it waits to be accepted.
    """
    waits = new_version or document.new_version_of is not None
    doubtful = document.status == "indexed" and document.quality.status != "passed"
    tags = [
        f'<span class="zw-tag zw-{kind}">{escape(t(f"tag.{name}"))}</span>'
        for name, kind, holds in (
            ("warnings", "warn", doubtful),
            ("new_version", "warn", waits),
            ("hidden", "", document.hidden),
            ("superseded", "", document.superseded_by is not None),
        )
        if holds
    ]
    # A hidden document isn't asked, whatever became of its reading.
    searched = document.status == "indexed"
    state = [] if document.hidden and searched else [state_tag(document.status)]
    return " ".join([*state, *tags])


def verdict_on(document: DocumentInfo) -> str:
    """The gate's verdict in words; an editor's acceptance overrules it."""
    accepted = document.status == "indexed" and document.quality.status == "quarantined"
    return t("quality.accepted" if accepted else f"quality.{document.quality.status}")
