"""The original of a document: page images with their blocks beside the text read from them."""

from __future__ import annotations

import re

import streamlit as st

from rag.ingest.flags import flag_text
from rag.types import DocumentInfo, Page
from ui.errors import shown
from ui.frame import Here
from ui.passage import passage_html
from ui.texts import language, t
from ui.words import escape, plain

LONGEST_TEXT = 200_000
"""Characters of a text that the page shows; more would stall a browser."""

_PLACES = re.compile(r"^<!-- .* -->\n*", re.MULTILINE)
"""Notes on pages in the Markdown: for programs, and for the saved file."""


def has_pages(document: DocumentInfo) -> bool:
    """Whether the document can be shown as pictures of its pages."""
    return document.media_type == "application/pdf" or document.media_type.startswith("image/")


def pages(here: Here, document: DocumentInfo, may_edit: bool) -> None:
    """One page: its picture with the blocks marked, and the text that was read from it."""
    del may_edit
    parsed = here.application.knowledge.pages(here.person, document.id)
    count = max(1, len(parsed), document.page_count)
    number = int(st.pagination(count, key=f"page-of-{document.id}")) if count > 1 else 1
    page = next((page for page in parsed if page.number == number), None)
    if not has_pages(document):
        text_of_page(page)
        return
    marked = st.toggle(t("original.blocks"), value=True, key="original-blocks")
    picture(here, document, number, page, marked)


def text(here: Here, document: DocumentInfo, may_edit: bool) -> None:
    """The whole text as Markdown, as it was read."""
    del may_edit
    markdown = here.application.curation.text(here.person, document.id)
    body = _PLACES.sub("", markdown).strip()
    if not body:
        st.html(f'<div class="zw-note">{escape(t("original.no_text"))}</div>')
        return
    st.download_button(
        t("original.save_text"),
        markdown,
        file_name=plain(document.name, 100).replace("/", "_") + ".md",
        mime="text/markdown",
        icon=":material/download:",
        on_click="ignore",
    )
    st.html(f'<div class="zw-passage">{passage_html(body[:LONGEST_TEXT])}</div>')
    if len(body) > LONGEST_TEXT:
        st.html(f'<div class="zw-note">{escape(t("original.cut", n=LONGEST_TEXT))}</div>')


def picture(
    here: Here,
    document: DocumentInfo,
    number: int,
    page: Page | None,
    marked: bool = True,
) -> None:
    """A page's picture with its blocks outlined, beside its text; on a narrow screen one under
    the other. A page that was not read is shown alone."""
    boxes = [block.bbox for block in page.blocks if block.bbox] if page and marked else []
    left, right = st.columns(2, gap="medium")
    with left, shown():
        image = here.application.curation.page_image(
            here.person, document.id, number, boxes, outlined=True
        )
        st.image(image, width="stretch", alt=t("source.alt", n=number))
    with right:
        text_of_page(page)


def text_of_page(page: Page | None) -> None:
    """How a page was read, and its text."""
    if page is None:
        return
    notes = [t(f"route.{page.route}")]
    if page.confidence is not None:
        notes.append(t("original.confidence", share=f"{page.confidence:.0%}"))
    notes += [flag_text(flag, language()) for flag in page.flags]
    st.html(f'<div class="zw-note">{escape(" · ".join(notes))}</div>')
    body = "\n\n".join(block.text for block in page.blocks)
    if body.strip():
        st.html(f'<div class="zw-passage">{passage_html(body[:LONGEST_TEXT])}</div>')
    else:
        st.html(f'<div class="zw-note">{escape(t("original.no_text"))}</div>')
