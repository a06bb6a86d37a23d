"""Users and rights: accounts, their roles, what visitors without an account may do."""

from __future__ import annotations

import streamlit as st

from ui.admin import fields
from ui.errors import shown
from ui.frame import Here, confirm
from ui.texts import t
from ui.words import escape, plain

ROLES = ("member", "editor", "admin")
NAME_LENGTH = 60
PASSWORD_LENGTH = 200


def render(here: Here) -> None:
    """The section "users"."""
    accounts = here.application.accounts
    for account in accounts.list(here.person):
        with st.container(
            horizontal=True, vertical_alignment="center", key=f"row-account-{account.id}"
        ):
            disabled = getattr(account, "disabled", False)
            state = t("users.disabled") if disabled else t(f"role.{account.role}")
            st.html(
                f"<div><b>{escape(plain(account.name, 60))}</b> "
                f'<span class="zw-tag">{escape(state)}</span></div>'
            )
            if (
                account.id != here.person.id
                and not disabled
                and st.button(
                    t("users.disable"),
                    key=f"quiet-disable-{account.id}",
                    icon=":material/block:",
                    type="tertiary",
                )
            ):
                _disable(here, account.id, account.name)
    if st.button(t("users.add"), key="add-user", icon=":material/person_add:"):
        _add(here)
    st.subheader(t("users.guests"), anchor=False)
    fields.section(here, "interface", ("guests", "guest_uploads", "language"))


def _add(here: Here) -> None:
    @st.dialog(t("users.add_title"))
    def dialog() -> None:
        with st.form("add-user-form", border=False):
            name = st.text_input(t("sign_in.name"), max_chars=NAME_LENGTH, autocomplete="off")
            role = st.selectbox(t("users.role"), ROLES, format_func=lambda r: t(f"role_about.{r}"))
            password = st.text_input(
                t("users.password"),
                type="password",
                max_chars=PASSWORD_LENGTH,
                autocomplete="new-password",
            )
            sent = st.form_submit_button(t("users.create"), type="primary")
        if sent:
            with shown():
                here.application.accounts.create(here.person, plain(name), password, role)
                st.rerun()

    dialog()


def _disable(here: Here, account_id: str, name: str) -> None:
    @st.dialog(t("users.disable_title"))
    def dialog() -> None:
        shown_name = plain(name, 60)
        if confirm(
            t("users.disable_what", name=shown_name), t("users.disable_goes"), t("users.disable")
        ):
            with shown():
                here.application.accounts.disable(here.person, account_id)
                st.rerun()

    dialog()
