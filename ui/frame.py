"""What every page shares: styles, sidebar head and foot, the state of the start."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rag.types import Person
from ui import choices, runtime, visitor
from ui.errors import show
from ui.texts import LANGUAGE_COOKIE, LANGUAGES, language, set_language, t
from ui.words import escape, label, plain

if TYPE_CHECKING:
    from rag.application import Application

THEMES = {"system": "System", "light": "Light", "dark": "Dark"}
"""Our word for a theme → Streamlit's."""

OPEN_WAIT_S = 1.0
"""How long the first page waits for the data directory before it shows that it is opening."""


@dataclass(frozen=True)
class Here:
    """The services and the person that a page works for."""

    application: Application
    person: Person


def here() -> Here:
    """The services and the person; only called on pages that `ready_to_show` let through."""
    application = runtime.start().application
    assert application is not None
    return Here(application, visitor.person(application))


def style() -> None:
    """Put our styles on the page, with the words that CSS has to show."""
    words = {"--zw-drop-hint": t("upload.drop"), "--zw-pick": t("upload.pick")}
    # JSON's quoting is CSS's for plain texts; "<" cannot close the style element.
    values = "".join(
        f"{name}:{json.dumps(text, ensure_ascii=False)};" for name, text in words.items()
    )
    st.html(f"<style>{_css()} :root{{{values.replace('<', '')}}}</style>")


def ready_to_show() -> bool:
    """Whether the application is open; else shows why not yet (and looks again by itself)."""
    state = runtime.start()
    state.opened.wait(OPEN_WAIT_S)
    if state.application is not None:
        st.session_state["default_language"] = state.application.settings.current.interface.language
        return True
    if state.failure is not None:
        show(state.failure)
        if st.button(t("start.retry"), type="primary"):
            runtime.retry()
            st.rerun()
        return False

    @st.fragment(run_every=0.5)
    def wait() -> None:
        if runtime.start().opened.is_set():
            st.rerun(scope="app")
        st.html(_live(t("start.opening")))

    wait()
    return False


def sidebar_head(pages: dict[str, st.Page]) -> None:
    """Name of the product and links to the pages this person may open."""
    with st.sidebar:
        st.html(f'<div class="zw-brand">知问<small>{escape(t("brand.tagline"))}</small></div>')
        with st.container(horizontal=True, gap="small"):
            for name, page in pages.items():
                st.page_link(page, label=t(f"nav.{name}"))


def sidebar_foot(at: Here) -> None:
    """State of the models, language switch, who is signed in."""
    with st.sidebar:
        choices.remember(at.person)
        _remember_language()
        _models_state()
        st.divider()
        with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
            _language_switch()
            _theme_menu()
        if at.person.role == "guest":
            st.html(f'<div class="zw-note">{escape(t("foot.guest"))}</div>')
        else:
            st.html(
                f'<div class="zw-note">{escape(plain(at.person.name, 60))} · '
                f"{escape(t('role.' + at.person.role))}</div>"
            )
            if st.button(
                t("foot.sign_out"), key="quiet-sign-out", icon=":material/logout:", type="tertiary"
            ):
                visitor.sign_out(at.application)


def heading(text: str, note: str = "") -> None:
    """A page's heading with one line on what the page is for."""
    st.title(text, anchor=False)
    if note:
        st.html(f'<div class="zw-note">{escape(note)}</div>')


def wide() -> None:
    """Use a wider column than the reading column, for lists and forms."""
    st.html('<div class="zw-wide" hidden></div>')


def confirm(title: str, message: str, verb: str) -> bool:
    """The inside of a confirmation: what goes, and a button that names the deed."""
    st.html(
        f'<div class="zw-box zw-warn"><p><b>{escape(title)}</b></p><p>{escape(message)}</p></div>'
    )
    return st.button(label(verb), key="confirm-deed", type="primary", icon=":material/delete:")


def _language_switch() -> None:
    st.segmented_control(
        t("foot.language"),
        list(LANGUAGES),
        default=language(),
        required=True,
        format_func=LANGUAGES.__getitem__,
        key="language-switch",
        label_visibility="collapsed",
        on_change=_switch_language,
    )


def _theme_menu() -> None:
    """Light, dark or as the system; Streamlit keeps the choice per page in the browser."""
    chosen = st.menu_button(
        t("foot.theme"),
        list(THEMES),
        key="menu-theme",
        icon=":material/contrast:",
        type="tertiary",
        format_func=lambda name: t(f"foot.{name}"),
    )
    if chosen:
        visitor.run_script(
            "for (const page of v.pages.split(' ').concat(window.location.pathname))"
            " localStorage.setItem(`stActiveTheme-${page}-v2`, JSON.stringify(v.theme));"
            " window.location.reload();",
            theme=THEMES[chosen],
            pages="/ /chat /documents /search_lab /admin /sign_in",
        )


def _models_state() -> None:
    state = runtime.start()
    if state.ready and state.error is None:
        return
    if state.error is not None:
        show(state.error)
        if st.button(t("start.retry"), key="retry-models", icon=":material/refresh:"):
            runtime.retry()
            st.rerun()
        return

    @st.fragment(run_every=1.0)
    def warming() -> None:
        now = runtime.start()
        if now.ready or now.error is not None:
            st.rerun(scope="app")
        stage = now.application.stage if now.application and language() == "zh" else ""
        st.html(_live(t("start.models") + (f"（{stage}）" if stage else "")))

    warming()


def _live(word: str) -> str:
    return f'<div class="zw-live" role="status"><span class="zw-pulse"></span>{escape(word)}</div>'


def _remember_language() -> None:
    """Let the browser keep the language that was switched to here. On every run, because one
    that is drawn anew at once never reaches the browser."""
    if st.session_state.get("remember-language"):
        visitor.run_script(
            "document.cookie = `${v.name}=${v.code};path=/;max-age=15552000;samesite=lax`;",
            name=LANGUAGE_COOKIE,
            code=language(),
        )


def _switch_language() -> None:
    chosen = st.session_state.get("language-switch")
    if chosen:
        set_language(chosen)
        st.session_state["remember-language"] = True


@cache
def _css() -> str:
    return (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
