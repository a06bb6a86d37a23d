"""Uploading files or a whole folder to a knowledge base."""

from __future__ import annotations

import streamlit as st

from rag.types import KnowledgeBase
from ui.errors import box, show
from ui.frame import Here
from ui.texts import t
from ui.words import escape, label, plain

KINDS = ("files", "folder")
_REPORT = "upload-report"


def render(here: Here, base: KnowledgeBase) -> None:
    """The drop zone; what was sent is queued at once and the zone emptied."""
    kind = st.segmented_control(
        t("upload.kind"),
        KINDS,
        default="files",
        required=True,
        format_func=lambda name: t(f"upload.{name}"),
        key="upload-kind",
        label_visibility="collapsed",
    )
    limit = here.application.settings.current.ingest.max_file_mb
    with st.form("upload", clear_on_submit=True):
        files = st.file_uploader(
            t("upload.label", name=label(base.name, 40)),
            accept_multiple_files="directory" if kind == "folder" else True,
            key=f"upload-{kind}",
            max_upload_size=limit,
        )
        st.html(f'<div class="zw-note">{escape(t("upload.formats", limit=limit))}</div>')
        sent = st.form_submit_button(t("upload.send"), icon=":material/upload:", type="primary")
    if not sent:
        _tell(st.session_state.pop(_REPORT, None))
        return
    if not files:
        box(t("upload.nothing"), t("upload.nothing_remedy"), level="warn")
        return
    queued, failed = 0, []
    for file in files:
        if _is_clutter(file.name):
            continue
        try:
            here.application.knowledge.upload(here.person, base.id, file.name, file)
            queued += 1
        except Exception as error:
            failed.append((file.name, error))
    st.session_state[_REPORT] = (queued, failed)
    st.rerun()


def _is_clutter(name: str) -> bool:
    """What systems leave in folders beside documents (.DS_Store, Thumbs.db, ~$lock files)."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return last.startswith((".", "~$")) or last.lower() in ("thumbs.db", "desktop.ini")


def _tell(report: tuple[int, list[tuple[str, Exception]]] | None) -> None:
    if report is None:
        return
    queued, failed = report
    if queued:
        st.toast(t("upload.queued", n=queued))
    for name, error in failed:
        st.html(f'<div class="zw-row"><b>{escape(plain(name, 120))}</b></div>')
        show(error)
