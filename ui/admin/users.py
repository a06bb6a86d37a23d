"""Users and rights: accounts, their roles, what visitors without an account may do."""

from __future__ import annotations

import streamlit as st

from rag.store.people import Account, AccountRole
from ui.admin import fields
from ui.errors import shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.texts import t
from ui.words import escape, plain

ROLES: tuple[AccountRole, ...] = ("member", "editor", "admin")
NAME_LENGTH = 60
PASSWORD_LENGTH = 200


def render(here: Here) -> None:
    """The section "users"."""
    for account in here.application.accounts.list(here.person):
        _account(here, account)
    pressed = st.button(t("users.add"), key="add-user", icon=":material/person_add:")
    _add(here, pressed)
    st.subheader(t("users.guests"), anchor=False)
    fields.section(here, "interface", ("guests", "guest_uploads", "language"))


def _account(here: Here, account: Account) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", key=f"row-account-{account.id}"
    ):
        state = t("users.disabled") if account.disabled else t(f"role.{account.role}")
        st.html(
            f"<div><b>{escape(plain(account.name, 60))}</b> "
            f'<span class="zw-tag">{escape(state)}</span></div>'
        )
        edit = _quiet("users.edit", account, "edit")
        other = account.id != here.person.id
        disable = other and not account.disabled and _quiet("users.disable", account, "block")
        if account.disabled and _quiet("users.enable", account, "check"):
            with shown():
                here.application.accounts.enable(here.person, account.id)
                st.rerun()
    _edit(here, account, edit)
    _disable(here, account, disable)


def _quiet(text: str, account: Account, icon: str) -> bool:
    return st.button(
        t(text), key=f"quiet-{icon}-{account.id}", icon=f":material/{icon}:", type="tertiary"
    )


def _add(here: Here, pressed: bool) -> None:
    @modal("add-user", t("users.add_title"), pressed)
    def add() -> None:
        with st.form("add-user-form", border=False):
            name = st.text_input(t("sign_in.name"), max_chars=NAME_LENGTH, autocomplete="off")
            role = _role("member")
            password = _password(t("users.password"))
            sent = st.form_submit_button(t("users.create"), type="primary")
        if sent:
            with shown():
                here.application.accounts.create(here.person, plain(name), password, role)
                close()


def _edit(here: Here, account: Account, pressed: bool) -> None:
    @modal(f"edit-user-{account.id}", t("users.edit_title"), pressed)
    def edit() -> None:
        st.html(f"<b>{escape(plain(account.name, 60))}</b>")
        with st.form("edit-user-form", border=False):
            role = _role(account.role)
            password = _password(t("users.new_password"))
            sent = st.form_submit_button(t("users.save"), type="primary")
        if sent:
            with shown():
                if role != account.role:
                    here.application.accounts.set_role(here.person, account.id, role)
                if password:
                    here.application.accounts.set_password(here.person, account.id, password)
                close()


def _role(current: AccountRole) -> AccountRole:
    return st.selectbox(
        t("users.role"),
        ROLES,
        index=ROLES.index(current),
        format_func=lambda role: t(f"role_about.{role}"),
    )


def _password(text: str) -> str:
    return st.text_input(
        text, type="password", max_chars=PASSWORD_LENGTH, autocomplete="new-password"
    )


def _disable(here: Here, account: Account, pressed: bool) -> None:
    @modal(f"disable-{account.id}", t("users.disable_title"), pressed)
    def disable() -> None:
        what = t("users.disable_what", name=plain(account.name, 60))
        if confirm(what, t("users.disable_goes"), t("users.disable")):
            with shown():
                here.application.accounts.disable(here.person, account.id)
                close()
