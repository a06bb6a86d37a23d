"""Models: chat profiles in fallback order, the embedder, the reranker, their keys."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st
from pydantic import ValidationError

from rag.errors import SettingsError
from rag.settings import ChatProfile
from ui.admin import fields
from ui.errors import box, shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.texts import t
from ui.words import duration, escape, label, plain

EMBEDDER = {
    "bundled": ("kind", "batch_size", "threads"),
    "flagembedding": (
        "kind",
        "path",
        "query_instruction",
        "passage_instruction",
        "batch_size",
        "threads",
    ),
    "transformers": (
        "kind",
        "path",
        "pooling",
        "query_instruction",
        "passage_instruction",
        "batch_size",
        "threads",
    ),
    "openai": (
        "kind",
        "base_url",
        "model",
        "query_instruction",
        "passage_instruction",
        "batch_size",
    ),
}
RERANKER = {
    "local": ("kind", "candidates"),
    "features": ("kind", "candidates"),
    "flagembedding": ("kind", "path", "candidates"),
    "openai": ("kind", "base_url", "model", "candidates"),
    "none": ("kind",),
}


def render(here: Here) -> None:
    """The section "models"."""
    st.subheader(t("models.chat"), anchor=False)
    st.html(f'<div class="zw-note">{escape(t("models.chat_about"))}</div>')
    profiles = list(here.application.settings.current.chat.profiles)
    if not profiles:
        st.html(f'<div class="zw-box"><p>{escape(t("models.no_profile"))}</p></div>')
    for position, profile in enumerate(profiles):
        _profile(here, profiles, position, profile)
    pressed = st.button(t("models.add"), key="add-profile", icon=":material/add:")
    _edit(here, profiles, None, pressed)
    fields.section(here, "chat", ("understand_with_llm", "generate_with_llm", "summarise_with_llm"))

    st.subheader(t("models.embedder"), anchor=False)
    _by_kind(here, "embedder", EMBEDDER, t("models.embedder_note"))
    if here.application.settings.current.embedder.kind == "openai":
        _key(here, "embedder")

    st.subheader(t("models.reranker"), anchor=False)
    _by_kind(here, "reranker", RERANKER, t("models.reranker_note"))
    if here.application.settings.current.reranker.kind == "openai":
        _key(here, "reranker")


def _by_kind(here: Here, name: str, by_kind: dict[str, tuple[str, ...]], note: str) -> None:
    stamp = st.session_state.setdefault("settings-stamp", 0)
    current = getattr(here.application.settings.current, name).kind
    chosen = st.session_state.get(f"setting-{name}-kind-{stamp}", current)
    fields.section(here, name, by_kind.get(chosen, ("kind",)), note)


def _profile(here: Here, profiles: list[ChatProfile], position: int, profile: ChatProfile) -> None:
    has_key = here.application.secrets.has(f"chat:{profile.name}")
    with st.container(border=True, gap="xsmall"):
        state = t("models.enabled") if profile.enabled else t("models.disabled")
        kind = "ok" if profile.enabled else ""
        key_word = t("models.key_set") if has_key else t("models.key_missing")
        st.html(
            f"<div><b>{position + 1}. {escape(plain(profile.name))}</b> "
            f'<span class="zw-tag zw-{kind}">{escape(state)}</span></div>'
            f'<div class="zw-row">{escape(plain(profile.model, 80))} · '
            f"{escape(plain(profile.base_url, 120))} · {escape(key_word)}</div>"
        )
        with st.container(horizontal=True, gap="xsmall"):
            if _quiet("models.test", f"test-{position}", "network_check"):
                _test(here, profile)
            edit = _quiet("models.edit", f"edit-{position}", "edit")
            if position and _quiet("models.up", f"up-{position}", "arrow_upward"):
                moved = profiles.copy()
                moved[position - 1], moved[position] = moved[position], moved[position - 1]
                _store(here, moved)
            remove = _quiet("models.delete", f"delete-{position}", "delete")
        _edit(here, profiles, position, edit)
        _remove(here, profiles, position, remove)


def _quiet(text: str, key: str, icon: str) -> bool:
    return st.button(
        t(text), key=f"quiet-profile-{key}", icon=f":material/{icon}:", type="tertiary"
    )


def _test(here: Here, profile: ChatProfile) -> None:
    from rag.models.chat import ChatModel

    with shown(), st.spinner(t("models.testing", name=label(profile.name))):
        verdict = ChatModel([profile], here.application.secrets).test(profile)
        tried = t("models.tried", model=profile.model, url=profile.base_url)
        box(
            verdict.message,
            "" if verdict.ok else tried + t("models.took", time=duration(verdict.ms)),
            detail=verdict.detail,
            level="info" if verdict.ok else "bad",
        )


def _edit(here: Here, profiles: list[ChatProfile], position: int | None, pressed: bool) -> None:
    old = profiles[position] if position is not None else None

    title = t("models.edit_title") if old else t("models.add_title")

    @modal(f"profile-{position}", title, pressed, width="medium")
    def edit() -> None:
        with st.form("profile", border=False):
            values: dict[str, Any] = {
                "name": st.text_input(
                    t("models.name"), old.name if old else "", max_chars=60
                ).strip(),
                "base_url": st.text_input(
                    t("models.base_url"),
                    old.base_url if old else "",
                    placeholder="https://api.example.com/v1",
                    max_chars=500,
                ).strip(),
                "model": st.text_input(
                    t("models.model"), old.model if old else "", max_chars=200
                ).strip(),
            }
            has_key = bool(old and here.application.secrets.has(f"chat:{old.name}"))
            key = st.text_input(
                t("models.key"),
                type="password",
                autocomplete="off",
                placeholder=t("models.key_keep") if has_key else t("models.key_new"),
                max_chars=1000,
            )
            values |= _more(old)
            sent = st.form_submit_button(t("models.save"), type="primary")
        if sent:
            with shown():
                _accept(here, profiles, position, values, key.strip())
                close()


def _more(old: ChatProfile | None) -> dict[str, Any]:
    shown_fields = (
        "temperature",
        "max_tokens",
        "connect_timeout_s",
        "read_timeout_s",
        "total_timeout_s",
    )
    values: dict[str, Any] = {}
    with st.expander(t("models.more")):
        for name in shown_fields:
            info = ChatProfile.model_fields[name]
            value = getattr(old, name) if old else info.default
            values[name] = fields.number(t(f"models.{name}"), info, value, f"profile-{name}")
        values["enabled"] = st.toggle(t("models.use"), value=old.enabled if old else True)
    return values


def _accept(
    here: Here, profiles: list[ChatProfile], position: int | None, values: dict[str, Any], key: str
) -> None:
    try:
        profile = ChatProfile(**values)
    except ValidationError as error:
        raise _wrong(str(error.errors()[0]["loc"][0])) from error
    others = [p for i, p in enumerate(profiles) if i != position]
    if any(other.name == profile.name for other in others):
        raise SettingsError(
            "已经有同名的模型配置。",
            "请换一个名称。",
            message_en="Another profile has this name.",
            remedy_en="Choose another name.",
        )
    changed = profiles.copy()
    if position is None:
        changed.append(profile)
    else:
        changed[position] = profile
    old_name = profiles[position].name if position is not None else profile.name
    if old_name != profile.name and not key:
        key = here.application.secrets.get(f"chat:{old_name}")
    if key:
        _set_key(here, f"chat:{profile.name}", key)
    if old_name != profile.name:
        _set_key(here, f"chat:{old_name}", "")
    _save(here, changed)


def _wrong(field: str) -> SettingsError:
    names = {"name": "名称", "base_url": "接口地址", "model": "模型名"}
    remedies = {
        "base_url": (
            "地址以 http:// 或 https:// 开头，写到 /v1 为止。",
            "Start with http:// or https:// and end with /v1.",
        ),
    }
    remedy, remedy_en = remedies.get(field, ("请填写这一项。", "Fill in this field."))
    return SettingsError(
        f"“{names.get(field, field)}”不正确。",
        remedy,
        message_en=f"The field {field} is wrong.",
        remedy_en=remedy_en,
    )


def _remove(here: Here, profiles: list[ChatProfile], position: int, pressed: bool) -> None:
    profile = profiles[position]

    @modal(f"delete-profile-{position}", t("models.delete_title"), pressed)
    def remove() -> None:
        what = t("models.delete_what", name=plain(profile.name))
        if confirm(what, t("models.delete_goes"), t("models.delete_verb")):
            with shown():
                _set_key(here, f"chat:{profile.name}", "")
                _save(here, [p for i, p in enumerate(profiles) if i != position])
                close()


def _store(here: Here, profiles: list[ChatProfile]) -> None:
    with shown():
        _save(here, profiles)
        st.rerun()


def _save(here: Here, profiles: list[ChatProfile]) -> None:
    fields.save(here, "chat", {"profiles": [p.model_dump(mode="json") for p in profiles]})


def _key(here: Here, name: str) -> None:
    known = here.application.secrets.has(name)
    with st.form(f"key-{name}", clear_on_submit=True):
        value = st.text_input(
            t("models.key"),
            type="password",
            autocomplete="off",
            placeholder=t("models.key_keep") if known else t("models.key_new"),
            max_chars=1000,
        )
        if st.form_submit_button(t("models.key_save")) and re.search(r"\S", value):
            with shown():
                _set_key(here, name, value.strip())
                here.application.audit.record(here.person, "secret.set", name, "")
                st.toast(t("models.key_saved"))


def _set_key(here: Here, name: str, value: str) -> None:
    """Store a key (or remove it when empty); models that use it are built anew."""
    here.application.secrets.set(name, value)
    here.application.models.secret_changed(name)
