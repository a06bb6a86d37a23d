"""The documents page: knowledge bases, uploads, jobs, documents and their chunks."""

from __future__ import annotations

import streamlit as st

from rag.errors import NotFound
from rag.types import DocumentInfo
from ui import frame
from ui.documents import bases, cleanup, detail, failed, jobs, listing, sources, terms, upload
from ui.errors import shown
from ui.frame import Here
from ui.texts import t
from ui.words import escape

VIEWS = {
    "list": listing.render,
    "sources": sources.render,
    "terms": terms.render,
    "failed": failed.render,
    "cleanup": cleanup.render,
}


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
        upload.render(here, chosen)
    else:
        st.html(f'<div class="zw-note">{escape(t("documents.read_only"))}</div>')
    with shown():
        jobs.render(here, chosen.id)
    view = st.segmented_control(
        t("documents.view"),
        list(VIEWS),
        default="list",
        required=True,
        format_func=lambda name: t(f"documents.view_{name}"),
        key="documents-view",
        label_visibility="collapsed",
    )
    with shown():
        VIEWS[view](here, chosen, may_edit)


def _document(here: Here) -> DocumentInfo | None:
    """The document that the address names; one that became another's new version is that."""
    asked = st.query_params.get("d")
    if not asked:
        return None
    found = _found(here, asked) or _found(here, detail.replaced_by(asked))
    if found is None:
        del st.query_params["d"]
        st.toast(t("documents.gone"))
        return None
    if found.id != asked:
        st.query_params["d"] = found.id
        if found.new_version_of is None:
            st.toast(t("document.now_current"))
    return found


def _found(here: Here, document_id: str | None) -> DocumentInfo | None:
    if document_id is None:
        return None
    try:
        return here.application.knowledge.document(here.person, document_id)
    except NotFound:
        return None


page(frame.here())
