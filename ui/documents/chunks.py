"""The chunks of a document as cards with their place; editing, splitting, merging, switching."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from rag.types import Chunk, DocumentInfo
from ui.documents import cut
from ui.documents.cards import card_html
from ui.documents.original import has_pages
from ui.errors import box, shown
from ui.frame import Here
from ui.modal import close, modal
from ui.texts import t
from ui.words import escape

CHUNKS_PER_PAGE = 20
SPLIT_MARK = "---"
LONGEST_CHUNK = 20_000
"""Characters that the editing field takes; a chunk is a few hundred."""


def render(here: Here, document: DocumentInfo, may_edit: bool) -> None:
    """How the document was cut, and the pieces."""
    cut.render(here, document, may_edit)
    if not document.chunk_count:
        st.html(f'<div class="zw-note">{escape(t("document.no_chunks"))}</div>')
        return
    pages = -(-document.chunk_count // CHUNKS_PER_PAGE)
    page = int(st.pagination(pages, key=f"chunk-page-{document.id}")) if pages > 1 else 1
    found = here.application.knowledge.chunks(
        here.person, document.id, (page - 1) * CHUNKS_PER_PAGE, CHUNKS_PER_PAGE + 1
    )
    for position, chunk in enumerate(found[:CHUNKS_PER_PAGE]):
        following = found[position + 1] if position + 1 < len(found) else None
        with st.container(border=True, gap="xxsmall", key=f"chunk-{chunk.id}"):
            st.html(card_html(chunk))
            with st.container(horizontal=True, gap="xsmall"):
                if has_pages(document) and chunk.bboxes:
                    _place(here, document, chunk)
                if may_edit and chunk.indexed:
                    _edit(here, chunk)
                    _split(here, chunk)
                    if following is not None and following.indexed:
                        _merge(here, chunk, following)
                    _switch(here, chunk)
                    if chunk.edited:
                        _reset(here, chunk)


def _place(here: Here, document: DocumentInfo, chunk: Chunk) -> None:
    pressed = _small("place", chunk, ":material/pin_drop:")

    @modal(f"place-{chunk.id}", t("chunk.place"), pressed, width="medium")
    def place() -> None:
        for page in dict.fromkeys(number for number, _ in chunk.bboxes):
            boxes = [bbox for number, bbox in chunk.bboxes if number == page]
            with shown():
                image = here.application.curation.page_image(here.person, document.id, page, boxes)
                st.image(image, width="stretch", alt=t("source.alt", n=page))


def _edit(here: Here, chunk: Chunk) -> None:
    pressed = _small("edit", chunk, ":material/edit:")

    @modal(f"edit-{chunk.id}", t("chunk.edit_title"), pressed, width="large")
    def edit() -> None:
        st.html(f'<div class="zw-note">{escape(t("chunk.edit_note"))}</div>')
        with st.form(f"edit-form-{chunk.id}", border=False):
            written = st.text_area(t("chunk.text"), chunk.text, height=360, max_chars=LONGEST_CHUNK)
            if st.form_submit_button(t("chunk.save"), type="primary"):
                if not written.strip():
                    box(t("chunk.empty"), t("chunk.empty_remedy"), level="warn")
                else:
                    _do(
                        lambda: here.application.curation.edit_chunk(
                            here.person, chunk.id, written
                        ),
                        "chunk.saved",
                    )


def _split(here: Here, chunk: Chunk) -> None:
    pressed = _small("split", chunk, ":material/content_cut:")

    @modal(f"split-{chunk.id}", t("chunk.split_title"), pressed, width="large")
    def split() -> None:
        st.html(f'<div class="zw-note">{escape(t("chunk.split_note", mark=SPLIT_MARK))}</div>')
        with st.form(f"split-form-{chunk.id}", border=False):
            written = st.text_area(
                t("chunk.text"), chunk.text, height=360, max_chars=LONGEST_CHUNK + 200
            )
            if st.form_submit_button(t("chunk.split"), type="primary"):
                positions = split_positions(chunk.text, written)
                if not positions:
                    box(
                        t("chunk.no_mark", mark=SPLIT_MARK), t("chunk.no_mark_remedy"), level="warn"
                    )
                else:
                    _do(
                        lambda: here.application.curation.split_chunk(
                            here.person, chunk.id, positions
                        ),
                        "chunk.split_done",
                    )


def split_positions(text: str, marked: str) -> list[int]:
    """Where the lines of the split mark stand in `text`; empty when there is none inside it,
    or when anything else was changed."""
    positions: list[int] = []
    place = 0
    for line in marked.replace("\r\n", "\n").split("\n"):
        if line.strip() == SPLIT_MARK and not text.startswith(line, place):
            positions.append(place)
            continue
        bare = line.strip()
        found = text.find(bare, place)
        if found < 0 or text[place:found].strip():
            return []
        place = found + len(bare)
    if text[place:].strip():
        return []
    return [p for p in dict.fromkeys(positions) if text[:p].strip() and text[p:].strip()]


def _merge(here: Here, chunk: Chunk, following: Chunk) -> None:
    if _small("merge", chunk, ":material/merge:"):
        _do(
            lambda: here.application.curation.merge_chunks(here.person, [chunk.id, following.id]),
            "chunk.merged",
        )


def _switch(here: Here, chunk: Chunk) -> None:
    name = "switch_off" if chunk.enabled else "switch_on"
    icon = ":material/toggle_off:" if chunk.enabled else ":material/toggle_on:"
    if _small(name, chunk, icon):
        _do(
            lambda: here.application.curation.switch_chunk(
                here.person, chunk.id, not chunk.enabled
            ),
            f"chunk.{name}_done",
        )


def _reset(here: Here, chunk: Chunk) -> None:
    if _small("reset", chunk, ":material/undo:"):
        _do(
            lambda: here.application.curation.reset_chunk(here.person, chunk.id),
            "chunk.reset_done",
        )


def _small(name: str, chunk: Chunk, icon: str) -> bool:
    return st.button(t(f"chunk.{name}"), key=f"quiet-{name}-{chunk.id}", icon=icon, type="tertiary")


def _do(deed: Callable[[], object], done: str) -> None:
    """Carry out a change; an error stays in view with what was typed."""
    with shown():
        with st.spinner(t("chunk.working")):
            deed()
        st.toast(t(done))
        close()
