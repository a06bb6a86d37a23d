"""Signing in, and creating the first administrator with the one-time setup code."""

from __future__ import annotations

import streamlit as st

from ui import frame, visitor
from ui.errors import box, shown
from ui.frame import Here
from ui.texts import t

NAME_LENGTH = 60
PASSWORD_LENGTH = 200


def page(here: Here) -> None:
    """The setup form while there is no administrator, else the sign-in form."""
    if here.application.accounts.setup_needed():
        _setup(here)
    else:
        _sign_in(here)


def _setup(here: Here) -> None:
    frame.heading(t("setup.title"), t("setup.about"))
    with st.form("setup"):
        code = st.text_input(t("setup.code"), max_chars=80, autocomplete="off")
        name = st.text_input(t("sign_in.name"), max_chars=NAME_LENGTH, autocomplete="username")
        password = _password(t("setup.password"), "new-password")
        again = _password(t("setup.again"), "new-password")
        sent = st.form_submit_button(t("setup.create"), type="primary")
    if sent and password != again:
        box(t("setup.differ"), t("setup.differ_remedy"), level="warn")
    elif sent:
        with shown():
            here.application.accounts.create_admin(code.strip(), name, password)
            visitor.sign_in(here.application, name, password, page="admin")


def _sign_in(here: Here) -> None:
    frame.heading(t("sign_in.title"), t("sign_in.about"))
    with st.form("sign-in"):
        name = st.text_input(t("sign_in.name"), max_chars=NAME_LENGTH, autocomplete="username")
        password = _password(t("sign_in.password"), "current-password")
        sent = st.form_submit_button(t("sign_in.send"), type="primary")
    if sent:
        with shown():
            visitor.sign_in(here.application, name, password)


def _password(label: str, autocomplete: str) -> str:
    return st.text_input(
        label, type="password", max_chars=PASSWORD_LENGTH, autocomplete=autocomplete
    )


page(frame.here())
