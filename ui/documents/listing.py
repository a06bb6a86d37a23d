"""The list of documents: filter, open, choose several, delete."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from rag.ingest.places import shown_name
from rag.types import DocumentInfo, DocumentStatus, KnowledgeBase
from ui.documents import jobs
from ui.documents.states import document_tags
from ui.errors import shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.places import counted
from ui.texts import t
from ui.words import day, escape, label, plain, said, size

PAGE_SIZE = 20
SAMPLES, GUEST = "samples", "guest-"
"""How the catalog names the shipped samples' and a visitor's uploads."""

_ORDER = {
    "failed": 0, "needs_password": 0, "quarantined": 0, "queued": 1, "processing": 1,
    "cancelled": 2,
}  # fmt: skip


def render(here: Here, base: KnowledgeBase, may_edit: bool) -> None:
    """The documents of a knowledge base, problems first, then newest first."""
    told = jobs.told(here, base.id)
    documents = here.application.knowledge.documents(here.person, base.id)
    if not documents:
        st.html(f'<div class="zw-note">{escape(t("documents.none"))}</div>')
        return
    found = _filtered(documents)
    if not found:
        st.html(f'<div class="zw-note">{escape(t("documents.none_found"))}</div>')
        return
    page = _page_number(len(found))
    shown_documents = found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    newer = {d.new_version_of for d in documents if d.new_version_of}
    chosen = [d for d in shown_documents if _row(d, may_edit, told, d.id in newer)]
    if chosen:
        _delete_chosen(here, chosen)


def _filtered(documents: list[DocumentInfo]) -> list[DocumentInfo]:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        words = st.text_input(
            t("documents.filter"),
            key="document-filter",
            icon=":material/search:",
            placeholder=t("documents.filter_hint"),
            max_chars=80,
        )
        present = [s for s in get_args(DocumentStatus) if any(d.status == s for d in documents)]
        status = st.selectbox(
            t("documents.status"),
            ["", *present],
            key="document-status",
            format_func=lambda value: t(f"status.{value}") if value else t("documents.all"),
        )
    wanted = plain(words or "").lower()
    found = [
        document
        for document in documents
        if (not status or document.status == status) and wanted in _words_of(document)
    ]
    return sorted(found, key=lambda d: (_place(d), -d.updated_at.timestamp()))


def _place(document: DocumentInfo) -> int:
    """Problems first, then what is under way, then what was read with doubts."""
    doubtful = document.quality.status == "warnings"
    return _ORDER.get(document.status, 3 if doubtful else 4)


def _words_of(document: DocumentInfo) -> str:
    """What the filter looks into: names, and what the document says about itself."""
    facts = document.metadata
    parts = (
        document.name, document.title, document.uploaded_by, facts.author, facts.organisation,
        facts.document_number, facts.document_type, facts.region, facts.product, facts.source,
        str(facts.year or ""), *facts.keywords,
    )  # fmt: skip
    return " ".join(part for part in parts if part).lower()


def _page_number(count: int) -> int:
    pages = -(-count // PAGE_SIZE)
    st.html(f'<div class="zw-day">{escape(t("documents.found", n=count))}</div>')
    return int(st.pagination(pages, key="document-page")) if pages > 1 else 1


def _row(
    document: DocumentInfo, may_edit: bool, told: frozenset[str], has_new_version: bool
) -> bool:
    """One document; returns whether it is ticked."""
    with st.container(key=f"row-document-{document.id}", gap="xxsmall"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="xsmall"):
            ticked = may_edit and st.checkbox(
                t("documents.tick", name=label(document.name, 40)),
                key=f"tick-{document.id}",
                label_visibility="collapsed",
            )
            if st.button(
                label(shown_name(document.name, document.title, document.metadata.source), 90),
                key=f"open-document-{document.id}",
                type="tertiary",
                icon=":material/description:",
                width="stretch",
            ):
                st.query_params["d"] = document.id
                st.rerun()
            st.html(document_tags(document, has_new_version), width="content")
        st.html(f'<div class="zw-row">{escape(summary(document))}</div>')
        if document.error and document.id not in told:
            level = "bad" if document.new_version_of is None else "warn"
            st.html(f'<div class="zw-note zw-{level}">{escape(said(document.error, 300))}</div>')
    return bool(ticked)


def summary(document: DocumentInfo) -> str:
    """Pages, chunks, size, date and uploader in one line."""
    pages = counted(document.name, document.page_count)
    parts = [pages] if pages else []
    if document.chunk_count:
        parts.append(t("documents.chunks", n=document.chunk_count))
    parts += [size(document.size), day(document.updated_at)]
    if document.version > 1:
        parts.append(t("documents.version", n=document.version))
    if document.uploaded_by:
        parts.append(_uploader(document.uploaded_by))
    return " · ".join(parts)


def _delete_chosen(here: Here, chosen: list[DocumentInfo]) -> None:
    verb = t("documents.delete_n", n=len(chosen))
    pressed = st.button(verb, key="delete-documents", icon=":material/delete:", type="primary")

    @modal("delete-documents", t("documents.delete_title"), pressed)
    def delete() -> None:
        names = t("list.join").join(f"《{plain(d.name, 40)}》" for d in chosen[:5])
        if len(chosen) > 5:
            names += t("documents.and_more", n=len(chosen))
        chunks = sum(document.chunk_count for document in chosen)
        if confirm(names, t("documents.delete_goes", chunks=chunks), verb):
            with shown():
                ids = [document.id for document in chosen]
                here.application.knowledge.delete_documents(here.person, ids)
                st.toast(t("documents.deleted", n=len(ids)))
                close()


def _uploader(name: str) -> str:
    if name == SAMPLES:
        return t("documents.by_samples")
    return t("role.guest") if name.startswith(GUEST) else plain(name, 40)
