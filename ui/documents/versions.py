"""The versions of a document, newest first; an earlier one can be brought back."""

from __future__ import annotations

import streamlit as st

from rag.types import DocumentInfo, DocumentVersion
from ui.documents import following
from ui.errors import shown
from ui.frame import Here
from ui.modal import close, modal
from ui.places import counted
from ui.texts import t
from ui.words import day, escape


def render(here: Here, document: DocumentInfo, may_edit: bool) -> None:
    """One row per version."""
    found = here.application.curation.versions(here.person, document.id)
    if not found:
        st.html(f'<div class="zw-note">{escape(t("versions.none"))}</div>')
        return
    for version in sorted(found, key=lambda v: -v.version):
        with st.container(key=f"row-version-{version.version}", gap="xxsmall"):
            _row(here, document, version, may_edit)


def _row(here: Here, document: DocumentInfo, version: DocumentVersion, may_edit: bool) -> None:
    current = version.version == document.version
    tag = f' <span class="zw-tag zw-ok">{escape(t("versions.current"))}</span>' if current else ""
    parts = (
        day(version.published_at),
        counted(document.name, version.page_count),
        t("documents.chunks", n=version.chunk_count),
        version.sha256[:12],
    )
    line = " · ".join(part for part in parts if part)
    st.html(
        f"<div><b>{escape(t('documents.version', n=version.version))}</b>{tag}</div>"
        f'<div class="zw-row">{escape(line)}</div>'
    )
    if current or not may_edit or version.sha256 == document.sha256:
        return
    if not version.kept:
        st.html(f'<div class="zw-note">{escape(t("versions.gone"))}</div>')
        return
    pressed = st.button(
        t("versions.restore"),
        key=f"quiet-restore-{version.version}",
        icon=":material/restore:",
        type="tertiary",
    )

    @modal(f"restore-{document.id}-{version.version}", t("versions.restore_title"), pressed)
    def restore() -> None:
        note = t("versions.restore_note", n=version.version)
        st.html(f'<div class="zw-note">{escape(note)}</div>')
        if st.button(t("versions.restore_verb", n=version.version), type="primary"):
            with shown():
                job = here.application.curation.restore(here.person, document.id, version.version)
                following.begin(document, job)
                close()
