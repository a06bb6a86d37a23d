"""The retrieval lab: one question, every stage of its search, and saved test questions."""

from __future__ import annotations

import streamlit as st

from rag.access.policy import require_admin
from ui import frame
from ui.errors import shown
from ui.frame import Here
from ui.lab import cases, trial
from ui.texts import t

VIEWS = {"trial": trial.render, "cases": cases.render}


def page(here: Here) -> None:
    """Draw the chosen view, for administrators only."""
    frame.wide()
    require_admin(here.person)
    frame.heading(t("nav.search_lab"), t("lab.about"))
    view = st.segmented_control(
        t("lab.view"),
        list(VIEWS),
        default="trial",
        required=True,
        format_func=lambda name: t(f"lab.view_{name}"),
        key="lab-view",
        label_visibility="collapsed",
    )
    with shown():
        VIEWS[view](here)


page(frame.here())
