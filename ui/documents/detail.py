"""One document: original pages, chunks, metadata, deletion."""

from __future__ import annotations

import streamlit as st

from rag.ingest.flags import flag_text
from rag.types import Chunk, DocumentInfo
from ui.documents.jobs import state_tag
from ui.documents.listing import summary
from ui.errors import shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.passage import passage_html
from ui.texts import has, language, t
from ui.words import day, escape, plain

PDF = "application/pdf"
CHUNKS_PER_PAGE = 20

LONGEST_TEXT = 200_000
"""Characters of a text that the page shows; more would stall a browser."""

PARTS = ("chunks", "original", "metadata")


def render(here: Here, document: DocumentInfo, may_edit: bool) -> None:
    """The document with its parts; only the chosen part is loaded."""
    if st.button(
        t("document.back"), key="quiet-back", icon=":material/arrow_back:", type="tertiary"
    ):
        leave()
    st.html(
        f'<h2 style="padding:.2rem 0">{escape(plain(document.title or document.name, 160))}</h2>'
        f'<div class="zw-row">{escape(plain(document.name, 200))} '
        f"{state_tag(document.status)}</div>"
        f'<div class="zw-row">{escape(summary(document))}</div>'
    )
    with st.container(horizontal=True, gap="small"):
        _download(here, document)
        if may_edit:
            _delete(here, document)
    part = st.segmented_control(
        t("document.part"),
        PARTS,
        default="chunks",
        required=True,
        format_func=lambda name: t(f"document.{name}"),
        key="document-part",
        label_visibility="collapsed",
    )
    with shown():
        {"chunks": _chunks, "original": _original, "metadata": _metadata}[part](here, document)


def leave() -> None:
    """Go back to the list."""
    st.query_params.pop("d", None)
    st.rerun()


def _download(here: Here, document: DocumentInfo) -> None:
    def content() -> bytes:
        _, path = here.application.knowledge.original(here.person, document.id)
        return path.read_bytes()

    st.download_button(
        t("document.download"),
        content,
        file_name=plain(document.name, 120).replace("/", "_"),
        icon=":material/download:",
        on_click="ignore",
    )


def _delete(here: Here, document: DocumentInfo) -> None:
    pressed = st.button(t("document.delete"), key="delete-document", icon=":material/delete:")

    @modal(f"delete-{document.id}", t("documents.delete_title"), pressed)
    def delete() -> None:
        name = f"《{plain(document.name, 60)}》"
        goes = t("documents.delete_goes", chunks=document.chunk_count)
        if confirm(name, goes, t("documents.delete_n", n=1)):
            with shown():
                here.application.knowledge.delete_documents(here.person, [document.id])
                st.query_params.pop("d", None)
                close()


def _chunks(here: Here, document: DocumentInfo) -> None:
    if not document.chunk_count:
        st.html(f'<div class="zw-note">{escape(t("document.no_chunks"))}</div>')
        return
    pages = -(-document.chunk_count // CHUNKS_PER_PAGE)
    page = int(st.pagination(pages, key=f"chunk-page-{document.id}")) if pages > 1 else 1
    chunks = here.application.knowledge.chunks(
        here.person, document.id, (page - 1) * CHUNKS_PER_PAGE, CHUNKS_PER_PAGE
    )
    for chunk in chunks:
        with st.container(border=True, gap="xxsmall"):
            st.html(_chunk_html(chunk))


def _chunk_html(chunk: Chunk) -> str:
    place = " · ".join(
        [
            t("document.chunk", n=chunk.ordinal + 1),
            t("evidence.page", n=chunk.pages[0]),
            *(plain(part, 60) for part in chunk.heading_path),
            t("document.characters", n=len(chunk.text)),
        ]
    )
    return (
        f'<article class="zw-card"><div class="zw-where">{escape(place)}</div>'
        f'<div class="zw-passage zw-whole">{passage_html(chunk.text)}</div></article>'
    )


def _original(here: Here, document: DocumentInfo) -> None:
    if document.media_type != PDF:
        pages = here.application.knowledge.pages(here.person, document.id)
        text = "\n\n".join(block.text for page in pages for block in page.blocks)
        st.html(f'<div class="zw-passage">{passage_html(text[:LONGEST_TEXT])}</div>')
        return
    count = max(1, document.page_count)
    page = int(st.pagination(count, key=f"page-of-{document.id}")) if count > 1 else 1
    image = here.application.knowledge.page_image(here.person, document.id, page, [])
    st.image(image, width="stretch", alt=t("source.alt", n=page))


def _metadata(here: Here, document: DocumentInfo) -> None:
    del here
    values = document.metadata.model_dump(exclude_none=True, exclude={"extra"})
    rows = [
        ("name", document.name),
        ("media_type", document.media_type),
        ("sha256", document.sha256),
    ]
    for name, value in {**values, **document.metadata.extra}.items():
        text = t("list.join").join(value) if isinstance(value, tuple | list) else str(value)
        if name.endswith("_date") and hasattr(value, "year"):
            text = value.isoformat()
        if text:
            rows.append((name, text))
    rows.append(("created_at", day(document.created_at)))
    if document.flags:
        flags = (flag_text(flag, language()) for flag in document.flags)
        rows.append(("flags", t("list.join").join(flags)))
    body = "".join(
        f"<tr><td>{escape(_field_name(name))}</td><td>{escape(plain(text, 500))}</td></tr>"
        for name, text in rows
    )
    st.html(f'<table class="zw-steps zw-pairs">{body}</table>')


def _field_name(name: str) -> str:
    return t(f"metadata.{name}") if has(f"metadata.{name}") else plain(name, 40)
