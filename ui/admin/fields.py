"""Settings as form fields: label, what it changes, default, reset, a mark when changed."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any, Literal, Union, get_args, get_origin

import streamlit as st
from pydantic.fields import FieldInfo

from rag.settings import Section, Settings
from rag.settings_layers import load_settings
from ui.errors import shown
from ui.frame import Here
from ui.texts import has, t
from ui.words import escape


def section(here: Here, name: str, fields: Sequence[str], note: str = "") -> None:
    """Fields of one settings section with a save button.

    Args:
        here: the services and the person.
        name: the section's name in Settings.
        fields: which fields, in this order.
        note: what a change of this section takes, shown below.
    """
    settings = here.application.settings.current
    current: Section = getattr(settings, name)
    below: Section = getattr(load_settings(settings.data), name)
    stored = here.application.catalog.settings.load().get(name, {})
    values = {
        field: _field(
            here, name, field, getattr(current, field), getattr(below, field), field in stored
        )
        for field in fields
    }
    changed = {field: value for field, value in values.items() if value != getattr(current, field)}
    if note:
        st.html(f'<div class="zw-note">{escape(note)}</div>')
    if st.button(
        t("settings.save_n", n=len(changed)) if changed else t("settings.save"),
        key=f"save-{name}-{fields[0]}",
        type="primary",
        disabled=not changed,
    ):
        with shown():
            save(here, name, changed)
            st.rerun()


def save(here: Here, name: str, changed: dict[str, Any]) -> Settings:
    """Store the changed fields, write the audit entry and say what took effect."""
    new = here.application.settings.update(name, changed)
    here.application.audit.record(here.person, "settings.change", name, ", ".join(changed))
    words = t("list.join").join(label_of(name, field) for field in changed)
    st.toast(t("settings.saved", fields=words))
    return new


def label_of(name: str, field: str) -> str:
    """A setting's label; its plain name where none is written."""
    key = f"setting.{name}.{field}"
    return t(key) if has(key) else field


def _field(here: Here, name: str, field: str, value: Any, default: Any, changed: bool) -> Any:
    info = type(getattr(here.application.settings.current, name)).model_fields[field]
    stamp = st.session_state.setdefault("settings-stamp", 0)
    key = f"setting-{name}-{field}-{stamp}"
    with st.container(gap="xxsmall"):
        chosen = _widget(label_of(name, field), info, value, key, f"{name}.{field}")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            about = (
                t(f"setting_about.{name}.{field}") if has(f"setting_about.{name}.{field}") else ""
            )
            mark = (
                f'<span class="zw-tag zw-warn">{escape(t("settings.changed"))}</span> '
                if changed
                else ""
            )
            shown_default = escape(t("settings.default", value=_shown(default, f"{name}.{field}")))
            st.html(
                f'<div class="zw-note">{mark}{escape(about)} {shown_default}</div>', width="content"
            )
            if changed and st.button(
                t("settings.reset"),
                key=f"quiet-reset-{key}",
                icon=":material/undo:",
                type="tertiary",
            ):
                with shown():
                    here.application.settings.reset(name, field)
                    here.application.audit.record(here.person, "settings.reset", name, field)
                    st.session_state["settings-stamp"] = stamp + 1
                    st.rerun()
    return chosen


def _widget(label: str, info: FieldInfo, value: Any, key: str, path: str) -> Any:
    kind = _plain_type(info.annotation)
    if get_origin(kind) is Literal:
        options = list(get_args(kind))
        return st.selectbox(
            label,
            options,
            index=options.index(value),
            key=key,
            format_func=lambda option: _shown(option, path),
        )
    if kind is bool:
        return st.toggle(label, value=value, key=key)
    if kind in (int, float):
        return number(label, info, value, key)
    if get_origin(kind) is tuple:
        lines = st.text_area(label, value="\n".join(value), key=key, max_chars=4000, height=90)
        return tuple(line.strip() for line in lines.splitlines() if line.strip())
    return st.text_input(label, value=value, key=key, max_chars=500).strip()


def number(label: str, info: FieldInfo, value: float, key: str) -> float:
    """A number field within the bounds of the setting."""
    kind = _plain_type(info.annotation)
    low, high = _bounds(info, kind)
    step = 1 if kind is int else 0.05 if high is not None and high <= 2 else 1.0
    chosen = st.number_input(
        label, min_value=low, max_value=high, value=kind(value), step=step, key=key
    )
    return kind(chosen if chosen is not None else value)


def _bounds(info: FieldInfo, kind: type) -> tuple[Any, Any]:
    low = high = None
    for bound in info.metadata:
        if getattr(bound, "ge", None) is not None:
            low = bound.ge
        elif getattr(bound, "gt", None) is not None:
            low = bound.gt + (1 if kind is int else 0.01)
        if getattr(bound, "le", None) is not None:
            high = bound.le
    return (None if low is None else kind(low)), (None if high is None else kind(high))


def _plain_type(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, types.UnionType):
        return next(arg for arg in get_args(annotation) if arg is not type(None))
    return annotation


def _shown(value: Any, path: str) -> str:
    if isinstance(value, bool):
        return t("settings.on") if value else t("settings.off")
    if isinstance(value, tuple):
        return t("list.join").join(value) or t("settings.empty")
    if isinstance(value, str):
        key = f"choice.{path}.{value}"
        return t(key) if value and has(key) else value or t("settings.empty")
    return f"{value:g}" if isinstance(value, float) else str(value)
