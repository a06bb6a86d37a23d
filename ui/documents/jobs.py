"""The job strip: what is being read, how far each stage is, cancel, retry."""

from __future__ import annotations

from datetime import datetime
from typing import get_args

import streamlit as st

from rag.types import JobInfo, JobStage
from ui.errors import shown
from ui.frame import Here
from ui.texts import t
from ui.words import escape, plain

POLL_S = 0.7
"""Seconds between two looks at running jobs."""

SHOWN_JOBS = 8
SHOWN_ENDED = 3
"""Lines of jobs at work, and of jobs that ended with something to tell; chosen by us."""
STAGES: tuple[str, ...] = get_args(JobStage)
ACTIVE = ("queued", "running")


def render(here: Here, kb_id: str, document_id: str | None = None) -> None:
    """Jobs of one knowledge base, or of one document in it; looks again by itself while some
    are running."""
    jobs = _jobs(here, kb_id, document_id)
    waiting = {job.id for job in jobs if job.status in ACTIVE}
    if not jobs:
        return

    @st.fragment(run_every=POLL_S if waiting else None)
    def strip() -> None:
        now = _jobs(here, kb_id, document_id)
        active = sorted((job for job in now if job.status in ACTIVE), key=_turn)
        if {job.id for job in active} != waiting:
            st.rerun(scope="app")  # the document list has changed, too
        ended = [job for job in now if job.status not in ACTIVE]
        if active:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                counted = escape(t("jobs.active", n=len(active)))
                st.html(f'<div class="zw-day">{counted}</div>', width="content")
                if len(active) > 1:
                    _cancel_all(here, active)
        for job in active[:SHOWN_JOBS]:
            _job(here, job)
        if len(active) > SHOWN_JOBS:
            more = t("jobs.more", n=len(active) - SHOWN_JOBS)
            st.html(f'<div class="zw-note">{escape(more)}</div>')
        for job in ended[:SHOWN_ENDED]:
            _job(here, job)
        if len(ended) > 1:
            _dismiss_all(here, ended)
        if len(ended) > SHOWN_ENDED:
            more = t("jobs.more_failed", n=len(ended) - SHOWN_ENDED)
            st.html(f'<div class="zw-note">{escape(more)}</div>')

    strip()


def _turn(job: JobInfo) -> tuple[bool, datetime]:
    """Sorts the running ones first, then those that wait, in the order of their coming."""
    return job.status != "running", job.created_at


def _jobs(here: Here, kb_id: str, document_id: str | None = None) -> list[JobInfo]:
    """Jobs worth a line: running ones, those that ended badly, those with something to tell."""
    return [
        job
        for job in here.application.knowledge.jobs(here.person)
        if job.kb_id == kb_id
        and document_id in (None, job.document_id)
        and (job.status != "done" or job.error)
    ]


def told(here: Here, kb_id: str) -> frozenset[str]:
    """Documents whose failure the strip already tells."""
    return frozenset(job.document_id for job in _jobs(here, kb_id) if job.document_id)


def _cancel_all(here: Here, jobs: list[JobInfo]) -> None:
    if st.button(
        t("jobs.cancel_all"), key="quiet-cancel-all", icon=":material/close:", type="tertiary"
    ):
        for job in jobs:
            with shown():
                here.application.knowledge.cancel(here.person, job.id)
        st.rerun(scope="app")


def _dismiss_all(here: Here, jobs: list[JobInfo]) -> None:
    if st.button(
        t("jobs.dismiss_all", n=len(jobs)),
        key="quiet-dismiss-ended",
        icon=":material/done_all:",
        type="tertiary",
    ):
        for job in jobs:
            with shown():
                here.application.knowledge.dismiss(here.person, job.id)
        st.rerun(scope="app")


def _job(here: Here, job: JobInfo) -> None:
    if job.status == "queued":
        with st.container(
            key=f"row-job-{job.id}", horizontal=True, vertical_alignment="center", gap="small"
        ):
            reason = (
                f'<div class="zw-row">{escape(plain(job.error, 300))}</div>' if job.error else ""
            )
            st.html(f"<div>{escape(plain(job.name, 90))} {state_tag(job.status)}</div>{reason}")
            _cancel(here, job)
        return
    with st.container(key=f"row-job-{job.id}", gap="xxsmall"):
        st.html(
            f"<div><b>{escape(plain(job.name, 90))}</b> {state_tag(job.status)}</div>"
            + (_bars(job) if job.status in ACTIVE else _reason(job))
        )
        with st.container(horizontal=True, gap="xsmall"):
            if job.status in ACTIVE:
                _cancel(here, job)
            else:
                again(here, job)


def _cancel(here: Here, job: JobInfo) -> None:
    if st.button(
        t("jobs.cancel"), key=f"quiet-cancel-{job.id}", icon=":material/close:", type="tertiary"
    ):
        with shown():
            here.application.knowledge.cancel(here.person, job.id)
            st.rerun(scope="app")


def again(here: Here, job: JobInfo, where: str = "strip") -> None:
    """What can be done about a job that ended: a password, another attempt, forgetting it.

    Args:
        where: the place on the page, for the keys of the widgets.
    """
    document = (
        here.application.knowledge.document(here.person, job.document_id)
        if job.document_id and job.status == "failed"
        else None
    )
    if document is not None and document.status == "needs_password":
        with st.form(f"password-{where}-{job.id}", border=False):
            password = st.text_input(t("jobs.password"), type="password", autocomplete="off")
            if st.form_submit_button(t("jobs.unlock")) and password:
                _retry(here, job, password)
    elif job.status != "done" and st.button(
        t("jobs.retry"),
        key=f"quiet-retry-{where}-{job.id}",
        icon=":material/refresh:",
        type="tertiary",
    ):
        _retry(here, job, None)
    if st.button(
        t("jobs.dismiss"),
        key=f"quiet-dismiss-{where}-{job.id}",
        icon=":material/done:",
        type="tertiary",
    ):
        with shown():
            here.application.knowledge.dismiss(here.person, job.id)
            st.rerun(scope="app")


def _retry(here: Here, job: JobInfo, password: str | None) -> None:
    with shown():
        here.application.knowledge.retry(here.person, job.id, password)
        st.rerun(scope="app")


def state_tag(status: str) -> str:
    """A status as a small bordered word."""
    kinds = {
        "indexed": "ok", "done": "ok", "failed": "bad", "needs_password": "warn",
        "quarantined": "warn",
    }  # fmt: skip
    kind = kinds.get(status, "")
    return f'<span class="zw-tag zw-{kind}">{escape(t("status." + status))}</span>'


def _bars(job: JobInfo) -> str:
    at = STAGES.index(job.stage) if job.stage in STAGES else -1
    shares = [1.0 if i < at else job.progress if i == at else 0.0 for i in range(len(STAGES))]
    bars = "".join(f'<span><i style="width:{share:.0%}"></i></span>' for share in shares)
    names = "".join(f"<span>{escape(t('stage.' + stage))}</span>" for stage in STAGES)
    now = t("stage." + job.stage) if job.stage else t("status.queued")
    spoken = escape(t("jobs.at", stage=now, share=f"{job.progress:.0%}"))
    detail = f'<div class="zw-row">{escape(plain(job.detail, 200))}</div>' if job.detail else ""
    return (
        f'<div class="zw-bars" role="img" aria-label="{spoken}">{bars}</div>'
        f'<div class="zw-stages" aria-hidden="true">{names}</div>{detail}'
    )


def _reason(job: JobInfo) -> str:
    return f'<div class="zw-row">{escape(plain(job.error, 400))}</div>' if job.error else ""
