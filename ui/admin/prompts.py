"""Prompts: the text of each LLM step, a preview with sample values, reset."""

from __future__ import annotations

import streamlit as st

from rag.prompts import Prompt, fill, load_prompt, prompt_names, prompt_text
from ui.errors import shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.texts import has, t
from ui.words import escape, plain

LONGEST_PROMPT = 20_000
"""Characters of an edited prompt; chosen by us."""


def render(here: Here) -> None:
    """The section "prompts"."""
    st.html(f'<div class="zw-note">{escape(t("prompts.about"))}</div>')
    overrides = here.application.catalog.prompts.load()
    names = prompt_names()
    if not names:
        return
    name = st.selectbox(
        t("prompts.choose"),
        names,
        format_func=lambda n: _title(n) + (t("prompts.changed") if n in overrides else ""),
        key="prompt-name",
    )
    shipped = load_prompt(name)
    text = overrides.get(name, prompt_text(name))
    st.html(f'<div class="zw-note">{escape(plain(shipped.purpose, 300))}</div>')
    stamp = st.session_state.setdefault("prompt-stamp", 0)
    edited = st.text_area(
        t("prompts.text"), text, height=360, key=f"prompt-{name}-{stamp}", max_chars=LONGEST_PROMPT
    )
    places = t("list.join").join(f"{{{{{place}}}}}" for place in sorted(shipped.places))
    st.html(f'<div class="zw-note">{escape(t("prompts.places", places=places))}</div>')
    with st.container(horizontal=True, gap="small"):
        if st.button(t("prompts.save"), type="primary", disabled=edited == text, key="save-prompt"):
            with shown():
                load_prompt(name, {name: edited})
                here.application.catalog.prompts.save(name, edited)
                here.application.audit.record(here.person, "prompt.change", name, "")
                st.toast(t("prompts.saved"))
                st.rerun()
        preview = st.button(
            t("prompts.preview"), icon=":material/visibility:", key="preview-prompt"
        )
        if name in overrides:
            pressed = st.button(t("prompts.reset"), key="reset-prompt", icon=":material/undo:")
            _reset(here, name, pressed)
    if preview:
        with shown():
            _preview(load_prompt(name, {name: edited}))


def _title(name: str) -> str:
    return t(f"prompt.{name}") if has(f"prompt.{name}") else name


def _preview(prompt: Prompt) -> None:
    values = {place: t("prompts.sample", place=place) for place in prompt.places}
    for heading, template in (("prompts.system", prompt.system), ("prompts.user", prompt.template)):
        if template.strip():
            st.html(f'<div class="zw-day">{escape(t(heading))}</div>')
            st.code(fill(template, values), language=None, wrap_lines=True)


def _reset(here: Here, name: str, pressed: bool) -> None:
    @modal(f"reset-{name}", t("prompts.reset_title"), pressed)
    def reset() -> None:
        what = t("prompts.reset_what", name=_title(name))
        if confirm(what, t("prompts.reset_goes"), t("prompts.reset")):
            with shown():
                here.application.catalog.prompts.reset(name)
                here.application.audit.record(here.person, "prompt.reset", name, "")
                st.session_state["prompt-stamp"] = st.session_state.get("prompt-stamp", 0) + 1
                close()
