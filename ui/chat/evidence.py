"""Evidence cards under an answer, and the dialog that shows a citation in its source."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from rag.errors import NotFound
from rag.types import Answer, Citation
from ui.documents.original import has_pages
from ui.errors import box, shown
from ui.frame import Here
from ui.modal import modal
from ui.passage import passage_html, quote_html
from ui.places import PICTURED, place
from ui.texts import t
from ui.words import escape, plain

_OPEN_CARDS = 4
"""Cards shown at once; further ones fold away. Chosen by us."""


def render(here: Here, answer: Answer, message_id: str) -> None:
    """The cards of an answer's citations, in the order of their numbers."""
    if not answer.citations:
        return
    st.html(f'<div class="zw-day">{escape(t("evidence.heading"))}</div>')
    for citation in answer.citations[:_OPEN_CARDS]:
        _card(here, citation, message_id)
    rest = answer.citations[_OPEN_CARDS:]
    if rest:
        with st.expander(t("evidence.more", n=len(rest))):
            for citation in rest:
                _card(here, citation, message_id)


def anchor(message_id: str) -> str:
    """Prefix of the element ids of a message's cards."""
    return f"evidence-{message_id}"


def where(citation: Citation) -> str:
    """Page and heading path of a citation in one line; the address of a web page."""
    if citation.url:
        return plain(citation.url, 120)
    at = place(citation.document, citation.pages or (citation.page,))
    parts = (at, *(plain(part, 60) for part in citation.heading_path))
    return " · ".join(part for part in parts if part)


def _card(here: Here, citation: Citation, message_id: str) -> None:
    text = citation.text or citation.quote
    with st.container(border=True, key=f"card-{message_id}-{citation.n}", gap="xxsmall"):
        st.html(
            f'<article class="zw-card" id="{escape(anchor(message_id))}-{citation.n}">'
            f'<header><span class="zw-chip">{citation.n}</span>'
            f"<b>{escape(plain(citation.document, 120))}</b></header>"
            f'<div class="zw-where">{escape(where(citation))}</div>'
            f'<div class="zw-passage">{quote_html(text, citation.char_span)}</div></article>'
        )
        if citation.url:
            st.link_button(
                t("evidence.open_web"),
                citation.url,
                icon=":material/open_in_new:",
                type="tertiary",
            )
            return
        pressed = st.button(
            t(
                "evidence.open_page"
                if citation.document.lower().endswith(PICTURED)
                else "evidence.open"
            ),
            key=f"quiet-source-{message_id}-{citation.n}",
            icon=":material/menu_book:",
            type="tertiary",
        )
    _dialog(here, citation, f"source-{message_id}-{citation.n}", pressed)


def _dialog(here: Here, citation: Citation, key: str, pressed: bool) -> None:
    @modal(key, t("source.title"), pressed, width="medium")
    def source() -> None:
        st.html(
            f'<div class="zw-card"><header><b>{escape(plain(citation.document, 200))}</b></header>'
            f'<div class="zw-where">{escape(where(citation))}</div></div>'
        )
        with shown():
            _source(here, citation)


def _source(here: Here, citation: Citation) -> None:
    try:
        document = here.application.knowledge.document(here.person, citation.document_id)
    except NotFound:
        box(t("source.gone"), t("source.gone_remedy"), level="warn")
        _passages((), citation.text or citation.quote, citation, ())
        return
    if has_pages(document):
        boxes = [bbox for page, bbox in citation.bboxes if page == citation.page]
        with shown():
            image = here.application.curation.page_image(
                here.person, document.id, citation.page, boxes
            )
            st.image(image, width="stretch", alt=t("source.alt", n=citation.page))
    chunks = here.application.catalog.chunks
    chunk = chunks.get([citation.chunk_id]).get(citation.chunk_id)
    if chunk is None or chunk.document_id != document.id:
        box(t("source.changed"), t("source.changed_remedy"), level="info")
        _passages((), citation.text or citation.quote, citation, ())
        return
    if chunk.edited:
        st.html(f'<div class="zw-note">{escape(t("source.edited"))}</div>')
    around = chunks.neighbours(chunk.id, 1, 1)
    before = [other.text for other in around if other.ordinal < chunk.ordinal]
    after = [other.text for other in around if other.ordinal > chunk.ordinal]
    _passages(before, chunk.text, citation, after)


def _passages(before: Sequence[str], text: str, citation: Citation, after: Sequence[str]) -> None:
    span = citation.char_span if text[slice(*citation.char_span)] == citation.quote else (0, 0)
    shown_text = quote_html(text, span, around=len(text)) if span[1] else passage_html(text)
    parts = [f'<div class="zw-passage zw-dim">{passage_html(other)}</div>' for other in before]
    parts.append(f'<div class="zw-passage">{shown_text}</div>')
    parts += [f'<div class="zw-passage zw-dim">{passage_html(other)}</div>' for other in after]
    st.html(f"<div>{''.join(parts)}</div>")
