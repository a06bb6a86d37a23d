"""One document: its head with what can be done, and its parts, problem pages first."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from rag.errors import NotFound
from rag.types import DocumentInfo
from ui.documents import chunks, following, jobs, metadata, original, quality, versions
from ui.documents.listing import summary
from ui.documents.states import document_tags
from ui.errors import shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.texts import t
from ui.words import escape, plain, said

Part = Callable[[Here, DocumentInfo, bool], None]

PARTS: dict[str, Part] = {
    "original": original.pages,
    "text": original.text,
    "chunks": chunks.render,
    "metadata": metadata.render,
    "quality": quality.render,
    "versions": versions.render,
}

_REPLACES = "replaces"
"""A new version shown here, which is no document of its own any more once it is accepted, and
the document that it then is the content of."""
_PART = "part"
"""The part in the address, so that a reload stays with it."""


def render(here: Here, document: DocumentInfo, may_edit: bool) -> None:
    """The document with its parts; only the chosen part is loaded."""
    if st.button(
        t("document.back"), key="quiet-back", icon=":material/arrow_back:", type="tertiary"
    ):
        leave()
    newer = here.application.catalog.documents.new_version(document.id)
    st.html(
        f'<h2 style="padding:.2rem 0">{escape(plain(document.title or document.name, 160))}</h2>'
        f'<div class="zw-row">{escape(plain(document.name, 200))} '
        f"{document_tags(document, newer is not None)}</div>"
        f'<div class="zw-row">{escape(summary(document))}</div>'
    )
    _notices(here, document, newer)
    followed = following.job_of(here, document)
    with shown():
        apart = frozenset({followed.id} if followed else ())
        jobs.render(here, document.kb_id, document.id, apart)
    with st.container(horizontal=True, gap="small"):
        _download(here, document)
        if may_edit:
            _read_again(here, document)
            _hide(here, document)
            _delete(here, document)
    part = st.segmented_control(
        t("document.part"),
        list(PARTS),
        default=_first_part(document),
        required=True,
        format_func=lambda name: t(f"document.{name}"),
        key="document-part",
        label_visibility="collapsed",
    )
    if st.query_params.get(_PART) != part:
        st.query_params[_PART] = part
    with shown():
        PARTS[part](here, document, may_edit)
    with st.container(key="foot", gap="small"), shown():
        chosen = part == "quality" and may_edit and quality.apply_bar(here, document)
        following.render(here, document, followed, result=not chosen)


def replaced_by(document_id: str) -> str | None:
    """The document whose content the new version became that was shown here; None for others."""
    new_version, current = st.session_state.get(_REPLACES, ("", None))
    if new_version != document_id:
        return None
    del st.session_state[_REPLACES]
    following.move(document_id, current)
    return str(current)


def leave() -> None:
    """Go back to the list."""
    for name in ("d", _PART):
        st.query_params.pop(name, None)
    st.rerun()


def _first_part(document: DocumentInfo) -> str:
    asked = st.query_params.get(_PART)
    if asked in PARTS:
        return asked
    return "quality" if document.quality.status == "quarantined" else "chunks"


def _notices(here: Here, document: DocumentInfo, newer: DocumentInfo | None) -> None:
    """What an editor must know before anything else.

    Args:
        newer: the new version of it that waits to be accepted.
    """
    if document.new_version_of is not None:
        st.session_state[_REPLACES] = (document.id, document.new_version_of)
        _notice(t("document.new_version"), "warn")
        _open_button("current", document.new_version_of)
    elif document.status == "quarantined":
        _notice(t("document.quarantined"), "warn")
    if document.error and document.new_version_of is None:
        _notice(said(document.error, 400), "bad")
    if newer is not None:
        _notice(t("document.has_new_version"), "warn")
        _open_button("new_version", newer.id)
    if document.orphan_edits:
        _notice(t("document.orphan_edits", n=document.orphan_edits), "warn")
    if document.superseded_by:
        try:
            later = here.application.knowledge.document(here.person, document.superseded_by)
        except NotFound:
            return
        title = plain(later.title or later.name, 80)
        _notice(t("document.superseded", name=title), "warn")
        _open_button("newer", later.id)


def _open_button(name: str, document_id: str) -> None:
    if st.button(t(f"document.open_{name}"), key=f"quiet-{name}", type="tertiary"):
        st.query_params["d"] = document_id
        st.rerun()


def _notice(message: str, level: str) -> None:
    st.html(f'<div class="zw-box zw-{level}" role="status"><p>{escape(message)}</p></div>')


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


def _read_again(here: Here, document: DocumentInfo) -> None:
    if st.button(t("document.reprocess"), key="reprocess-document", icon=":material/refresh:"):
        with shown():
            options = here.application.curation.options(here.person, document.id)
            job = here.application.curation.reprocess(here.person, document.id, options)
            following.begin(document, job)
            st.rerun()


def _hide(here: Here, document: DocumentInfo) -> None:
    verb = "show" if document.hidden else "hide"
    icon = ":material/visibility:" if document.hidden else ":material/visibility_off:"
    if st.button(t(f"document.{verb}"), key="hide-document", icon=icon):
        with shown():
            here.application.curation.hide(here.person, [document.id], not document.hidden)
            st.toast(t(f"document.{verb}_done"))
            st.rerun()


def _delete(here: Here, document: DocumentInfo) -> None:
    pressed = st.button(t("document.delete"), key="delete-document", icon=":material/delete:")

    @modal(f"delete-{document.id}", t("documents.delete_title"), pressed)
    def delete() -> None:
        name = f"《{plain(document.name, 60)}》"
        goes = t("documents.delete_goes", chunks=document.chunk_count)
        if confirm(name, goes, t("documents.delete_n", n=1)):
            with shown():
                here.application.knowledge.delete_documents(here.person, [document.id])
                for name in ("d", _PART):
                    st.query_params.pop(name, None)
                close()
