"""The job strip: what is being read, how far each stage is, cancel, retry."""

from __future__ import annotations

from datetime import datetime
from typing import get_args

import streamlit as st

from rag.errors import NotFound
from rag.types import DocumentInfo, JobInfo, JobStage
from ui.documents.states import ACTIVE, job_state, state_tag
from ui.errors import shown
from ui.frame import Here
from ui.texts import t
from ui.words import escape, plain, said

POLL_S = 0.7
"""Seconds between two looks at running jobs."""

SHOWN_JOBS = 8
SHOWN_ENDED = 3
"""Lines of jobs at work, and of jobs that ended with something to tell; chosen by us."""
STAGES: tuple[str, ...] = get_args(JobStage)
_URGENCY = {"needs_password": 0, "failed": 0, "quarantined": 1, "done": 2, "cancelled": 3}

Told = tuple[JobInfo, DocumentInfo | None]
"""A job and the document that it is about, where that is (still) there."""


def render(
    here: Here, kb_id: str, document_id: str | None = None, without: frozenset[str] = frozenset()
) -> None:
    """Jobs of one knowledge base, or of one document in it; looks again by itself while some
    are running.

    Args:
        without: ids of jobs that another part of the page shows.
    """
    found = [job for job in _jobs(here, kb_id, document_id) if job.id not in without]
    waiting = {job.id for job in found if job.status in ACTIVE}
    if not found:
        return

    @st.fragment(run_every=POLL_S if waiting else None)
    def strip() -> None:
        now = [job for job in _jobs(here, kb_id, document_id) if job.id not in without]
        active = sorted((job for job in now if job.status in ACTIVE), key=_turn)
        if {job.id for job in active} != waiting:
            st.rerun(scope="app")  # the document list has changed, too
        _active(here, active)
        _ended(here, [job for job in now if job.status not in ACTIVE])

    strip()


def told(here: Here, kb_id: str) -> frozenset[str]:
    """Documents whose failure the strip already tells."""
    return frozenset(job.document_id for job in _jobs(here, kb_id) if job.document_id)


def _jobs(here: Here, kb_id: str, document_id: str | None = None) -> list[JobInfo]:
    """Jobs worth a line, newest first: running ones, those that ended badly, those with
    something to tell. Of a document's, a later one makes the earlier ones' ends stale."""
    found, later = [], set()
    for job in here.application.knowledge.jobs(here.person):
        if job.kb_id != kb_id or document_id not in (None, job.document_id):
            continue
        if job.status in ACTIVE or (job.document_id not in later and _tells(here, job)):
            found.append(job)
        if job.document_id:
            later.add(job.document_id)
    return found


def _tells(here: Here, job: JobInfo) -> bool:
    """Whether an end is worth a line: no success without a note, nor a note on a document that
    was dealt with since."""
    if job.status != "done":
        return True
    if not job.error:
        return False
    document = document_of(here, job)
    return (
        document is None
        or document.status == "quarantined"
        or document.updated_at <= job.updated_at
    )


def _turn(job: JobInfo) -> tuple[bool, datetime]:
    """Sorts the running ones first, then those that wait, in the order of their coming."""
    return job.status != "running", job.created_at


def _active(here: Here, active: list[JobInfo]) -> None:
    if active:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            counted = escape(t("jobs.active", n=len(active)))
            st.html(f'<div class="zw-day">{counted}</div>', width="content")
            if len(active) > 1:
                _cancel_all(here, active)
    for job in active[:SHOWN_JOBS]:
        _at_work(here, job)
    if len(active) > SHOWN_JOBS:
        more = t("jobs.more", n=len(active) - SHOWN_JOBS)
        st.html(f'<div class="zw-note">{escape(more)}</div>')


def _ended(here: Here, ended: list[JobInfo]) -> None:
    """The most urgent ends, the others on demand, and one button that clears them all away."""
    every = sorted(
        ((job, document_of(here, job)) for job in ended),
        key=lambda told: _URGENCY.get(job_state(*told), 0),
    )
    shown_count = st.session_state.get("shown-ended", SHOWN_ENDED)
    for job, document in every[:shown_count]:
        with st.container(key=f"row-job-{job.id}", gap="xxsmall"):
            st.html(
                f"<div><b>{escape(plain(job.name, 90))}</b> "
                f"{state_tag(job_state(job, document))}</div>{_reason(job)}"
            )
            again(here, job, document)
    if len(every) < 2:
        return
    with st.container(horizontal=True, gap="small"):
        if len(every) > shown_count and _small(
            "show-ended", t("jobs.show_ended", n=len(every) - shown_count), "expand_more"
        ):
            st.session_state["shown-ended"] = shown_count + 20
            st.rerun(scope="app")
        if _small("dismiss-ended", t("jobs.dismiss_all", n=len(every)), "done_all"):
            for job in ended:
                with shown():
                    here.application.knowledge.dismiss(here.person, job.id)
            st.session_state.pop("shown-ended", None)
            st.rerun(scope="app")


def document_of(here: Here, job: JobInfo) -> DocumentInfo | None:
    """The document that a job is about, its new version where that waits to be accepted; None
    before there is one, and after it is gone."""
    if not job.document_id:
        return None
    try:
        document = here.application.knowledge.document(here.person, job.document_id)
    except NotFound:
        return None
    if job.status != "done" or not job.error:
        return document
    return here.application.catalog.documents.new_version(document.id) or document


def _cancel_all(here: Here, jobs: list[JobInfo]) -> None:
    if _small("cancel-all", t("jobs.cancel_all"), "close"):
        for job in jobs:
            with shown():
                here.application.knowledge.cancel(here.person, job.id)
        st.rerun(scope="app")


def _at_work(here: Here, job: JobInfo) -> None:
    name = f"{escape(plain(job.name, 90))} {state_tag(job.status)}"
    if job.status == "queued":
        with st.container(
            key=f"row-job-{job.id}", horizontal=True, vertical_alignment="center", gap="small"
        ):
            st.html(f"<div>{name}</div>{_reason(job)}")
            cancel(here, job)
        return
    with st.container(key=f"row-job-{job.id}", gap="xxsmall"):
        st.html(f"<div><b>{name}</b></div>{bars(job)}")
        cancel(here, job)


def cancel(here: Here, job: JobInfo) -> None:
    """The button that ends a job."""
    if _small(f"cancel-{job.id}", t("jobs.cancel"), "close"):
        with shown():
            here.application.knowledge.cancel(here.person, job.id)
            st.rerun(scope="app")


def again(here: Here, job: JobInfo, document: DocumentInfo | None, where: str = "strip") -> None:
    """What can be done about a job that ended: a password, another attempt, opening what has
    to be looked at, forgetting it.

    Args:
        where: the place on the page, for the keys of the widgets.
    """
    state = job_state(job, document)
    if state == "needs_password":
        with st.form(f"password-{where}-{job.id}", border=False):
            password = st.text_input(t("jobs.password"), type="password", autocomplete="off")
            if st.form_submit_button(t("jobs.unlock")) and password:
                _retry(here, job, password)
    with st.container(horizontal=True, gap="xsmall"):
        if state in ("failed", "cancelled") and _small(
            f"retry-{where}-{job.id}", t("jobs.retry"), "refresh"
        ):
            _retry(here, job, None)
        if (
            state == "quarantined"
            and document is not None
            and st.query_params.get("d") != document.id
            and _small(f"look-{where}-{job.id}", t("jobs.look"), "fact_check")
        ):
            st.query_params["d"] = document.id
            st.rerun(scope="app")
        if _small(f"dismiss-{where}-{job.id}", t("jobs.dismiss"), "done"):
            with shown():
                here.application.knowledge.dismiss(here.person, job.id)
                st.rerun(scope="app")


def _retry(here: Here, job: JobInfo, password: str | None) -> None:
    with shown():
        here.application.knowledge.retry(here.person, job.id, password)
        st.rerun(scope="app")


def _reason(job: JobInfo) -> str:
    return f'<div class="zw-row">{escape(said(job.error, 400))}</div>' if job.error else ""


def _small(key: str, words: str, icon: str) -> bool:
    return st.button(words, key=f"quiet-{key}", icon=f":material/{icon}:", type="tertiary")


def bars(job: JobInfo) -> str:
    """A running job's stages as bars with their names."""
    at = STAGES.index(job.stage) if job.stage in STAGES else -1
    shares = [1.0 if i < at else job.progress if i == at else 0.0 for i in range(len(STAGES))]
    drawn = "".join(f'<span><i style="width:{share:.0%}"></i></span>' for share in shares)
    names = "".join(f"<span>{escape(t('stage.' + stage))}</span>" for stage in STAGES)
    now = t("stage." + job.stage) if job.stage else t("status.queued")
    spoken = escape(t("jobs.at", stage=now, share=f"{job.progress:.0%}"))
    detail = f'<div class="zw-row">{escape(said(job.detail, 200))}</div>' if job.detail else ""
    return (
        f'<div class="zw-bars" role="img" aria-label="{spoken}">{drawn}</div>'
        f'<div class="zw-stages" aria-hidden="true">{names}</div>{detail}'
    )
