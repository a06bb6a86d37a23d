"""What was set going on a document: its progress and then its result, in view of the tab where
it was decided."""

from __future__ import annotations

import streamlit as st

from rag.types import DocumentInfo, JobInfo
from ui.documents import jobs
from ui.documents.states import ACTIVE, verdict_on
from ui.errors import shown
from ui.frame import Here
from ui.places import counted
from ui.texts import language, t
from ui.words import escape, said


def begin(document: DocumentInfo, job: JobInfo) -> None:
    """Follow a job that was just queued for a document; this page shows what comes of it."""
    st.session_state[_key(document.id)] = (job.id, document.chunk_count)


def move(old_id: str, new_id: str) -> None:
    """Follow with another document what was begun on one that became its new version."""
    if _key(old_id) in st.session_state:
        st.session_state[_key(new_id)] = st.session_state.pop(_key(old_id))


def job_of(here: Here, document: DocumentInfo) -> JobInfo | None:
    """The job that `render` shows: the one begun here, else one at work on the document."""
    begun, _ = st.session_state.get(_key(document.id), ("", 0))
    found = here.application.knowledge.jobs(here.person)
    own = next((job for job in found if job.id == begun), None)
    if own is not None:
        return own
    of_it = (job for job in found if job.document_id == document.id and job.status in ACTIVE)
    at_work = next(of_it, None)
    if at_work is not None:
        begin(document, at_work)
    return at_work


def render(here: Here, document: DocumentInfo, job: JobInfo | None, *, result: bool = True) -> None:
    """The progress of `job_of`, followed until it ends; then, where `result`, what came of it."""
    if job is None or (job.status not in ACTIVE and not result):
        return
    with st.container(border=True, gap="xxsmall", key="deed"):
        if job.status in ACTIVE:
            _progress(here, job)
        else:
            _result(here, document, job)


def _progress(here: Here, job: JobInfo) -> None:
    @st.fragment(run_every=jobs.POLL_S)
    def progress() -> None:
        found = here.application.knowledge.jobs(here.person)
        now = next((other for other in found if other.id == job.id), None)
        if now is None or now.status not in ACTIVE:
            st.rerun(scope="app")
            return
        st.html(
            f'<div class="zw-live" role="status"><span class="zw-pulse"></span>'
            f"{escape(t('deed.' + now.status))}</div>{jobs.bars(now)}"
        )
        jobs.cancel(here, now)

    progress()


def _result(here: Here, document: DocumentInfo, job: JobInfo) -> None:
    kind = {"done": "info", "cancelled": "info"}.get(job.status, "bad")
    if job.status == "done" and document.status == "quarantined":
        kind = "warn"
    role = "alert" if kind == "bad" else "status"
    st.html(
        f'<div class="zw-box zw-{kind}" role="{role}"><p>{escape(_words(document, job))}</p></div>'
    )
    if job.status == "failed":
        jobs.again(here, job, jobs.document_of(here, job), "deed")
    elif st.button(
        t("jobs.dismiss"), key="quiet-deed-seen", icon=":material/done:", type="tertiary"
    ):
        with shown():
            here.application.knowledge.dismiss(here.person, job.id)
            st.session_state.pop(_key(document.id), None)
            st.rerun()


def _words(document: DocumentInfo, job: JobInfo) -> str:
    if job.status != "done":
        colon = ": " if language() == "en" else "："
        reason = f"{colon}{said(job.error, 400)}" if job.error else ""
        return t(f"deed.{job.status}") + reason
    _, before = st.session_state.get(_key(document.id), ("", document.chunk_count))
    chunks = t("documents.chunks", n=document.chunk_count)
    if before != document.chunk_count:
        chunks += t("deed.before", n=before)
    state = "hidden" if document.hidden and document.status == "indexed" else ""
    parts = (
        t("deed.done"),
        t("tag.hidden") if state else t(f"status.{document.status}"),
        verdict_on(document),
        counted(document.name, document.page_count),
        chunks,
    )
    return " · ".join(part for part in parts if part)


def _key(document_id: str) -> str:
    return f"deed-of-{document_id}"
