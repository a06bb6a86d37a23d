"""Jobs that came to nothing after all their attempts: why, try all again, forget."""

from __future__ import annotations

import streamlit as st

from rag.types import JobInfo, KnowledgeBase
from ui.documents.jobs import again, document_of
from ui.documents.states import job_state, state_tag
from ui.errors import shown
from ui.frame import Here
from ui.texts import t
from ui.words import day, escape, plain, said

LISTED = 50


def render(here: Here, base: KnowledgeBase, may_edit: bool) -> None:
    """The failed jobs of a knowledge base, newest first."""
    jobs = [
        job for job in here.application.curation.failed_jobs(here.person) if job.kb_id == base.id
    ]
    st.html(f'<div class="zw-note">{escape(t("failed.about"))}</div>')
    if not jobs:
        st.html(f'<div class="zw-note">{escape(t("failed.none"))}</div>')
        return
    states = {job.id: job_state(job, document_of(here, job)) for job in jobs}
    if may_edit:
        with st.container(horizontal=True, gap="small"):
            # Without its password, a locked file would only fail again.
            ready = [job for job in jobs if states[job.id] != "needs_password"]
            if ready and st.button(
                t("failed.retry_all", n=len(ready)), key="retry-all", icon=":material/refresh:"
            ):
                _each(here, ready, retry=True)
            dismiss = t("failed.dismiss_all", n=len(jobs))
            if st.button(dismiss, key="dismiss-all", icon=":material/done_all:"):
                _each(here, jobs, retry=False)
    for job in jobs[:LISTED]:
        with st.container(key=f"row-failed-{job.id}", gap="xxsmall"):
            document = document_of(here, job)
            line = t("failed.attempts", n=max(job.attempts, 1), day=day(job.updated_at))
            st.html(
                f"<div><b>{escape(plain(job.name, 90))}</b> "
                f"{state_tag(states[job.id])}</div>"
                f'<div class="zw-note zw-bad">{escape(said(job.error, 400))}</div>'
                f'<div class="zw-row">{escape(line)}</div>'
            )
            if may_edit:
                again(here, job, document, "failed")
    if len(jobs) > LISTED:
        st.html(f'<div class="zw-note">{escape(t("jobs.more", n=len(jobs) - LISTED))}</div>')


def _each(here: Here, jobs: list[JobInfo], retry: bool) -> None:
    """Retry or forget the jobs; one that cannot be tried again says so and stays."""
    for job in jobs:
        with shown():
            if retry:
                here.application.knowledge.retry(here.person, job.id)
            else:
                here.application.knowledge.dismiss(here.person, job.id)
    st.rerun()
