"""The chat page's sidebar: new conversation, search, the list by day, knowledge bases."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from rag.types import Conversation, KnowledgeBase
from ui import choices
from ui.errors import shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.texts import t
from ui.words import day_group, escape, label, plain

SHOWN = 30
"""Conversations listed at first; "more" adds as many again. Chosen by us."""

ACTIONS = ("rename", "export", "delete")


def render(here: Here, current: Conversation | None) -> None:
    """Draw the conversation list; choosing one changes the query string and reruns."""
    with st.sidebar:
        if st.button(t("chat.new"), key="new-conversation", icon=":material/add:", width="stretch"):
            leave()
        query = st.text_input(
            t("chat.search"),
            key="conversation-search",
            placeholder=t("chat.search"),
            label_visibility="collapsed",
            icon=":material/search:",
            max_chars=80,
        )
        with shown():
            _list(here, current, plain(query))


def leave() -> None:
    """Go to an empty conversation."""
    st.query_params.pop("c", None)
    st.rerun()


def _list(here: Here, current: Conversation | None, query: str) -> None:
    conversations = list(here.application.conversations.list(here.person, query))
    if not conversations:
        st.html(
            f'<div class="zw-note">{escape(t("chat.none_found" if query else "chat.none"))}</div>'
        )
        return
    limit = st.session_state.setdefault("conversations-shown", SHOWN)
    for group, members in groupby(conversations[:limit], key=lambda c: day_group(c.updated_at)):
        st.html(f'<div class="zw-day">{escape(group)}</div>')
        for conversation in members:
            _entry(here, conversation, current is not None and conversation.id == current.id)
    if len(conversations) > limit and st.button(
        t("chat.more", n=len(conversations) - limit), key="quiet-more", type="tertiary"
    ):
        st.session_state["conversations-shown"] = limit + SHOWN
        st.rerun()


def _entry(here: Here, conversation: Conversation, current: bool) -> None:
    title = conversation.title or t("chat.untitled")
    key = f"{'current' if current else 'entry'}-{conversation.id}"
    with st.container(horizontal=True, wrap=False, gap=None, vertical_alignment="center", key=key):
        if st.button(label(title), key=f"open-{conversation.id}", type="tertiary", width="stretch"):
            st.query_params["c"] = conversation.id
            st.rerun()
        action = st.menu_button(
            t("chat.actions"),
            ACTIONS,
            key=f"menu-{conversation.id}",
            icon=":material/more_horiz:",
            type="tertiary",
            format_func=lambda name: t(f"chat.{name}"),
        )
    _rename(here, conversation, action == "rename")
    _export(here, conversation, action == "export")
    _delete(here, conversation, action == "delete", current)


def _rename(here: Here, conversation: Conversation, pressed: bool) -> None:
    @modal(f"rename-{conversation.id}", t("chat.rename_title"), pressed)
    def rename() -> None:
        with st.form("rename-conversation", border=False):
            title = st.text_input(t("chat.title"), conversation.title, max_chars=80)
            if st.form_submit_button(t("chat.rename"), type="primary"):
                with shown():
                    here.application.conversations.rename(conversation.id, here.person, title)
                    close()


def _export(here: Here, conversation: Conversation, pressed: bool) -> None:
    @modal(f"export-{conversation.id}", t("chat.export_title"), pressed)
    def export() -> None:
        with shown():
            text = here.application.conversations.export(conversation.id, here.person)
            st.html(f'<div class="zw-note">{escape(t("chat.export_note"))}</div>')
            st.download_button(
                t("chat.export_save"),
                text,
                file_name=f"{plain(conversation.title, 40) or 'zhiwen'}.md".replace("/", "_"),
                mime="text/markdown",
                type="primary",
                on_click="ignore",
            )


def _delete(here: Here, conversation: Conversation, pressed: bool, current: bool) -> None:
    @modal(f"delete-{conversation.id}", t("chat.delete_title"), pressed)
    def delete() -> None:
        title = plain(conversation.title, 60) or t("chat.untitled")
        what = t("chat.delete_what", title=title)
        if confirm(what, t("chat.delete_note"), t("chat.delete_verb")):
            with shown():
                here.application.conversations.delete(conversation.id, here.person)
                if current:
                    st.query_params.pop("c", None)
                close()


def pick_knowledge(
    here: Here, bases: list[KnowledgeBase], current: Conversation | None
) -> list[str]:
    """Checkboxes of the knowledge bases; returns the ids that questions are asked of."""
    with st.sidebar:
        st.html(f'<div class="zw-day">{escape(t("chat.bases"))}</div>')
        if not bases:
            st.html(f'<div class="zw-note">{escape(t("chat.no_bases"))}</div>')
            return []
        place = current.id if current else "new"
        before = set(current.kb_ids) if current else choices.asked_by_default(here.person, bases)
        chosen = [
            base.id
            for base in bases
            if st.checkbox(
                label(t("chat.base", name=plain(base.name, 40), n=base.document_count)),
                value=base.id in before,
                key=f"base-{place}-{base.id}",
                on_change=_tick,
                args=(here, base.id, f"base-{place}-{base.id}"),
            )
        ]
    if current is not None and set(chosen) != before:
        with shown():
            here.application.conversations.set_kbs(current.id, here.person, chosen)
    return chosen


def _tick(here: Here, kb_id: str, key: str) -> None:
    choices.tick(here.person, kb_id, bool(st.session_state[key]))
