"""The documents page: knowledge bases, uploads, jobs, documents and their chunks."""

from __future__ import annotations

import streamlit as st

from rag.errors import NotFound
from rag.types import DocumentInfo, KnowledgeBase
from ui import frame
from ui.documents import bases, detail, jobs, listing
from ui.errors import box, show, shown
from ui.frame import Here
from ui.texts import t
from ui.words import escape, label, plain


def page(here: Here) -> None:
    """Draw the list of a knowledge base, or the document that the address names."""
    frame.wide()
    document = _document(here)
    if document is not None:
        base = next(
            b for b in here.application.knowledge.bases(here.person) if b.id == document.kb_id
        )
        detail.render(here, document, here.application.knowledge.may_edit(here.person, base))
        return
    frame.heading(t("nav.documents"), t("documents.about"))
    chosen = bases.choose(here)
    if chosen is None:
        st.html(f'<div class="zw-note">{escape(t("bases.first"))}</div>')
        return
    bases.describe(chosen)
    may_edit = here.application.knowledge.may_edit(here.person, chosen)
    if may_edit:
        _upload(here, chosen)
    else:
        st.html(f'<div class="zw-note">{escape(t("documents.read_only"))}</div>')
    with shown():
        jobs.render(here, chosen.id)
    with shown():
        listing.render(here, chosen, may_edit)


def _document(here: Here) -> DocumentInfo | None:
    document_id = st.query_params.get("d")
    if not document_id:
        return None
    try:
        return here.application.knowledge.document(here.person, document_id)
    except NotFound:
        del st.query_params["d"]
        return None


def _upload(here: Here, base: KnowledgeBase) -> None:
    limit = here.application.settings.current.ingest.max_file_mb
    with st.form("upload", clear_on_submit=True):
        files = st.file_uploader(
            t("upload.label", name=label(base.name, 40)),
            accept_multiple_files=True,
            key="upload-files",
            max_upload_size=limit,
        )
        st.html(f'<div class="zw-note">{escape(t("upload.formats", limit=limit))}</div>')
        sent = st.form_submit_button(t("upload.send"), icon=":material/upload:", type="primary")
    if not sent:
        _report(st.session_state.pop("upload-report", None))
        return
    if not files:
        box(t("upload.nothing"), t("upload.nothing_remedy"), level="warn")
        return
    queued, failed = 0, []
    for file in files:
        try:
            here.application.knowledge.upload(here.person, base.id, file.name, file)
            queued += 1
        except Exception as error:
            failed.append((file.name, error))
    st.session_state["upload-report"] = (queued, failed)
    st.rerun()


def _report(report: tuple[int, list[tuple[str, Exception]]] | None) -> None:
    if report is None:
        return
    queued, failed = report
    if queued:
        st.toast(t("upload.queued", n=queued))
    for name, error in failed:
        st.html(f'<div class="zw-row"><b>{escape(plain(name, 120))}</b></div>')
        show(error)


page(frame.here())
