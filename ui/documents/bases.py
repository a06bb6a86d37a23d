"""Knowledge bases on the documents page: choose, create, rename, delete."""

from __future__ import annotations

import streamlit as st

from rag.types import KnowledgeBase
from ui import choices
from ui.errors import shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.texts import t
from ui.words import escape, plain

NAME_LENGTH = 80
DESCRIPTION_LENGTH = 300
_OPEN = "open-base"


def choose(here: Here) -> KnowledgeBase | None:
    """The list of knowledge bases; returns the chosen one (None while there is none)."""
    bases = here.application.knowledge.bases(here.person)
    by_id = {base.id: base for base in bases}
    # A widget's own state ends with its page; the address may be another person's link.
    asked = st.session_state.get(_OPEN) or st.query_params.get("b")
    first = asked if asked in by_id else choices.first_base(here.person, bases)
    st.session_state["chosen-base"] = first
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="base-bar"):
        chosen = st.selectbox(
            t("bases.choose"),
            list(by_id),
            format_func=lambda kb_id: plain(by_id[kb_id].name, 60),
            key="chosen-base",
            placeholder=t("bases.none"),
            disabled=not bases,
            on_change=_remember,
            args=(here,),
        )
        if here.application.knowledge.may_create(here.person):
            _new_button(here)
        if chosen in by_id and here.application.knowledge.may_edit(here.person, by_id[chosen]):
            _change_buttons(here, by_id[chosen])
    return by_id.get(chosen) if chosen else None


def _remember(here: Here) -> None:
    _open(here, st.session_state["chosen-base"])


def _open(here: Here, kb_id: str) -> None:
    choices.open_base(here.person, kb_id)
    st.session_state[_OPEN] = st.query_params["b"] = kb_id


def describe(base: KnowledgeBase) -> None:
    """Counts and description of the chosen knowledge base."""
    parts = [t("documents.counts", documents=base.document_count, chunks=base.chunk_count)]
    if base.description:
        parts.append(plain(base.description, 300))
    st.html(f'<div class="zw-note">{escape(" · ".join(parts))}</div>')


def _new_button(here: Here) -> None:
    pressed = st.button(t("bases.new"), key="new-base", icon=":material/add:")

    @modal("new-base", t("bases.new_title"), pressed)
    def create() -> None:
        with st.form("new-base-form", border=False):
            name = st.text_input(t("bases.name"), max_chars=NAME_LENGTH)
            about = st.text_area(t("bases.about"), max_chars=DESCRIPTION_LENGTH, height=90)
            if st.form_submit_button(t("bases.create"), type="primary"):
                with shown():
                    base = here.application.knowledge.create_base(
                        here.person, plain(name), about.strip()
                    )
                    _open(here, base.id)
                    close()


def _change_buttons(here: Here, base: KnowledgeBase) -> None:
    pressed = st.button(t("bases.rename"), key="rename-base", icon=":material/edit:")

    @modal(f"rename-{base.id}", t("bases.rename_title"), pressed)
    def rename() -> None:
        with st.form("rename-base-form", border=False):
            name = st.text_input(t("bases.name"), base.name, max_chars=NAME_LENGTH)
            if st.form_submit_button(t("bases.rename"), type="primary"):
                with shown():
                    here.application.knowledge.rename_base(here.person, base.id, plain(name))
                    close()

    pressed = st.button(t("bases.delete"), key="delete-base", icon=":material/delete:")

    @modal(f"delete-{base.id}", t("bases.delete_title"), pressed)
    def delete() -> None:
        what = t("bases.delete_what", name=plain(base.name, 60))
        goes = t("bases.delete_goes", documents=base.document_count, chunks=base.chunk_count)
        if confirm(what, goes, t("bases.delete_verb", name=plain(base.name, 20))):
            with shown():
                here.application.knowledge.delete_base(here.person, base.id)
                close()
