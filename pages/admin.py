"""The admin page: models, search, answers, prompts, users, documents, health."""

from __future__ import annotations

import streamlit as st

from rag.access.policy import require_admin
from ui import frame
from ui.admin import fields, health, models, prompts, users
from ui.errors import show, shown
from ui.frame import Here
from ui.texts import t

SECTIONS = ("models", "retrieval", "answer", "prompts", "users", "ingest", "health")
RETRIEVAL = (
    "top_k",
    "dense_candidates",
    "sparse_candidates",
    "fusion",
    "dense_weight",
    "rrf_k",
    "context_tokens",
    "near_duplicate",
)
ANSWER = ("refuse_below", "hedge_below", "verify")
INGEST = (
    "max_file_mb",
    "max_pages",
    "max_unpacked_mb",
    "chunk_strategy",
    "chunk_tokens",
    "chunk_overlap",
    "questions_per_chunk",
    "ocr",
    "ocr_dpi",
    "ocr_threads",
    "page_timeout_s",
    "keep_versions",
    "workers",
)
WEB_SEARCH = ("enabled", "url", "max_results", "timeout_s", "engines", "language")
SOURCES = (
    "folder_roots",
    "folder_every_s",
    "allow_private",
    "user_agent",
    "max_pages",
    "max_rows",
)


def page(here: Here) -> None:
    """Draw the chosen section; the role is checked again here."""
    require_admin(here.person)
    frame.heading(t("nav.admin"), t("admin.about"))
    chosen = st.segmented_control(
        t("admin.section"),
        SECTIONS,
        default="models",
        required=True,
        format_func=lambda name: t(f"admin.{name}"),
        key="admin-section",
        label_visibility="collapsed",
    )
    with shown():
        _section(here, chosen)


def _section(here: Here, name: str) -> None:
    if name == "models":
        models.render(here)
    elif name == "retrieval":
        fields.section(here, "retrieval", RETRIEVAL, t("admin.next_question"))
        st.divider()
        fields.section(here, "web_search", WEB_SEARCH, t("admin.next_question"))
    elif name == "answer":
        fields.section(here, "answer", ANSWER, t("admin.next_question"))
    elif name == "prompts":
        prompts.render(here)
    elif name == "users":
        users.render(here)
    elif name == "ingest":
        fields.section(here, "ingest", INGEST, t("admin.next_upload"))
        st.divider()
        fields.section(here, "sources", SOURCES, t("admin.next_sync"))
    elif name == "health":
        health.render(here)


try:
    page(frame.here())
except Exception as error:
    show(error)
