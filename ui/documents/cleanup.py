"""Hiding or removing many documents at once by date, source or kind, with what goes first."""

from __future__ import annotations

from datetime import date
from typing import Any

import streamlit as st

from rag.types import DocumentInfo, KnowledgeBase
from ui.documents.listing import summary
from ui.errors import shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.texts import t
from ui.words import escape, plain

LISTED = 50


def render(here: Here, base: KnowledgeBase, may_edit: bool) -> None:
    """The filters, what they select, and the two deeds."""
    if not may_edit:
        st.html(f'<div class="zw-note">{escape(t("documents.read_only"))}</div>')
        return
    st.html(f'<div class="zw-note">{escape(t("cleanup.about"))}</div>')
    filters = _filters(here, base)
    if not filters:
        st.html(f'<div class="zw-note">{escape(t("cleanup.choose"))}</div>')
        return
    found = here.application.curation.select(here.person, base.id, **filters)
    st.html(f'<div class="zw-day">{escape(t("cleanup.found", n=len(found)))}</div>')
    if not found:
        return
    with st.container(horizontal=True, gap="small"):
        _hide(here, [d for d in found if not d.hidden])
        _show(here, [d for d in found if d.hidden])
        _remove(here, found)
    for document in found[:LISTED]:
        notes = [summary(document)]
        if document.metadata.expiry_date:
            notes.append(t("cleanup.expires", day=document.metadata.expiry_date.isoformat()))
        if document.hidden:
            notes.append(t("tag.hidden"))
        st.html(
            f'<div class="zw-row"><b>{escape(plain(document.title or document.name, 90))}</b><br>'
            f"{escape(' · '.join(notes))}</div>"
        )
    if len(found) > LISTED:
        st.html(f'<div class="zw-note">{escape(t("cleanup.more", n=len(found) - LISTED))}</div>')


def _filters(here: Here, base: KnowledgeBase) -> dict[str, Any]:
    """The chosen filters as `Curation.select` takes them; empty when none is set."""
    documents = here.application.knowledge.documents(here.person, base.id)
    sources = {
        source.id: source.name for source in here.application.sources.list(here.person, base.id)
    }
    types = sorted({d.metadata.document_type for d in documents if d.metadata.document_type})
    regions = sorted({d.metadata.region for d in documents if d.metadata.region})
    columns = st.columns(3)
    expired: date | None = columns[0].date_input(
        t("cleanup.expired_before"), value=None, key="cleanup-expired", format="YYYY-MM-DD"
    )
    older: date | None = columns[1].date_input(
        t("cleanup.older_than"), value=None, key="cleanup-older", format="YYYY-MM-DD"
    )
    words = columns[2].text_input(t("cleanup.name"), key="cleanup-name", max_chars=80)
    columns = st.columns(3)
    document_type = columns[0].selectbox(
        t("metadata.document_type"), ["", *types], key="cleanup-type", format_func=_any
    )
    region = columns[1].selectbox(
        t("metadata.region"), ["", *regions], key="cleanup-region", format_func=_any
    )
    source = columns[2].selectbox(
        t("metadata.source"),
        ["", *sources],
        key="cleanup-source",
        format_func=lambda key: plain(sources.get(key, ""), 40) or t("documents.all"),
    )
    chosen = {
        "expired_before": expired,
        "older_than": older,
        "name_contains": plain(words or ""),
        "document_type": document_type,
        "region": region,
        "source_id": source,
    }
    return {name: value for name, value in chosen.items() if value}


def _any(value: str) -> str:
    return plain(value, 40) or t("documents.all")


def _hide(here: Here, documents: list[DocumentInfo]) -> None:
    if documents and st.button(
        t("cleanup.hide", n=len(documents)), key="hide-found", icon=":material/visibility_off:"
    ):
        _set_hidden(here, documents, True)


def _show(here: Here, documents: list[DocumentInfo]) -> None:
    if documents and st.button(
        t("cleanup.show", n=len(documents)), key="show-found", icon=":material/visibility:"
    ):
        _set_hidden(here, documents, False)


def _set_hidden(here: Here, documents: list[DocumentInfo], hidden: bool) -> None:
    with shown():
        bar = st.progress(0.0)

        def progress(done: float) -> None:
            bar.progress(done)

        here.application.curation.hide(here.person, [d.id for d in documents], hidden, progress)
        st.toast(t("cleanup.hidden" if hidden else "cleanup.shown", n=len(documents)))
        st.rerun()


def _remove(here: Here, documents: list[DocumentInfo]) -> None:
    verb = t("documents.delete_n", n=len(documents))
    pressed = st.button(verb, key="remove-found", icon=":material/delete:")

    @modal("remove-found", t("documents.delete_title"), pressed)
    def remove() -> None:
        names = t("list.join").join(f"《{plain(d.name, 40)}》" for d in documents[:5])
        if len(documents) > 5:
            names += t("documents.and_more", n=len(documents))
        chunks = sum(document.chunk_count for document in documents)
        if confirm(names, t("documents.delete_goes", chunks=chunks), verb):
            with shown():
                here.application.curation.remove(here.person, [d.id for d in documents])
                st.toast(t("documents.deleted", n=len(documents)))
                close()
