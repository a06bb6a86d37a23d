"""Places that a knowledge base follows: folders, web sites, databases."""

from __future__ import annotations

from typing import Any

import streamlit as st

from rag.ingest.sources.service import Removal
from rag.types import KnowledgeBase, Source, SourceChanges, SourceKind
from ui.errors import shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.texts import t
from ui.words import escape, moment, plain, said

POLL_S = 3.0
"""Seconds between two looks at what the sources brought."""

INTERVALS: dict[str, float] = {"minutes": 600.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
ICONS: dict[SourceKind, str] = {"folder": "folder", "web": "public", "sql": "database"}
BAD_ITEMS = 50
_PLACE: dict[SourceKind, str] = {"folder": "path", "web": "address", "sql": "url"}
"""The field of a source's configuration that says where it is."""
REMOVAL: tuple[Removal, ...] = ("hide", "keep", "remove")


def render(here: Here, base: KnowledgeBase, may_edit: bool) -> None:
    """The sources of a knowledge base, and new ones."""
    st.html(f'<div class="zw-note">{escape(t("sources.about"))}</div>')
    kinds = _kinds(here)
    if not may_edit or not kinds:
        st.html(f'<div class="zw-note">{escape(t("sources.sign_in"))}</div>')
        return
    with st.container(horizontal=True, gap="small"):
        for kind in kinds:
            _new(here, base, kind)
    drawn = _brought(here, base)

    @st.fragment(run_every=POLL_S)
    def listed() -> None:
        if _brought(here, base) != drawn:
            st.rerun(scope="app")  # the counts, the job strip and the list have changed, too
        found = here.application.sources.list(here.person, base.id)
        if not found:
            st.html(f'<div class="zw-note">{escape(t("sources.none"))}</div>')
        for source in found:
            _row(here, source)

    listed()


def _brought(here: Here, base: KnowledgeBase) -> tuple[object, ...]:
    """What the sources have brought so far; another value when a synchronisation arrived."""
    return tuple(
        (source.id, source.item_count, source.waiting_count, source.last_changes)
        for source in here.application.sources.list(here.person, base.id)
    )


def _kinds(here: Here) -> list[SourceKind]:
    """Folders and databases reach into the server: administrators alone add them; guests make
    the server fetch nothing."""
    if here.person.role == "admin":
        return ["web", "folder", "sql"]
    return ["web"] if here.person.role == "editor" else []


def _row(here: Here, source: Source) -> None:
    with st.container(key=f"row-source-{source.id}", gap="xxsmall"):
        kinds = {"ok": "ok", "failed": "bad"}
        state = t(f"sources.{source.status}") if source.enabled else t("sources.paused")
        parts = [
            t(f"sources.kind_{source.kind}"),
            plain(
                str(
                    source.config.get("path")
                    or source.config.get("address")
                    or source.config.get("url")
                    or ""
                ),
                120,
            ),
            t("sources.items", n=source.item_count),
        ]
        if source.waiting_count:
            parts.append(t("sources.waiting", n=source.waiting_count))
        if source.unfinished:
            parts.append(t("sources.unfinished", n=source.found_count))
        if source.last_run_at is not None:
            parts.append(t("sources.last", at=moment(source.last_run_at)))
        st.html(
            f"<div><b>{escape(plain(source.name, 90))}</b> "
            f'<span class="zw-tag zw-{kinds.get(source.status, "")}">{escape(state)}</span></div>'
            f'<div class="zw-row">{escape(" · ".join(part for part in parts if part))}</div>'
        )
        if source.error:
            st.html(f'<div class="zw-note zw-bad">{escape(said(source.error, 400))}</div>')
        if source.last_changes is not None:
            changes = _changes(source.last_changes)
            st.html(f'<div class="zw-row">{escape(changes)}</div>')
        _failures(here, source)
        with st.container(horizontal=True, gap="xsmall"):
            _deeds(here, source)


def _changes(changes: SourceChanges) -> str:
    counts = [
        t(f"sources.report_{name}", n=getattr(changes, name))
        for name in ("added", "changed", "moved", "removed", "failed")
        if getattr(changes, name)
    ]
    return t("sources.changes", at=moment(changes.at), what=t("list.join").join(counts))


def _failures(here: Here, source: Source) -> None:
    """What could not be taken, folded away."""
    bad = [item for item in here.application.sources.items(here.person, source.id) if item.error]
    if not bad:
        return
    with st.expander(t("sources.bad_items", n=len(bad))):
        for item in bad[:BAD_ITEMS]:
            st.html(
                f'<div class="zw-row"><b>{escape(plain(item.key, 160))}</b> '
                f"{escape(said(item.error, 200))}</div>"
            )


def _deeds(here: Here, source: Source) -> None:
    if _small("run", source, ":material/sync:"):
        with shown():
            here.application.sources.run_now(here.person, source.id)
            st.toast(t("sources.started"))
            st.rerun(scope="app")
    name, icon = ("pause", "pause") if source.enabled else ("resume", "play_arrow")
    if _small(name, source, f":material/{icon}:"):
        with shown():
            here.application.sources.update(here.person, source.id, enabled=not source.enabled)
            st.rerun(scope="app")
    pressed = _small("delete", source, ":material/delete:")

    @modal(f"delete-source-{source.id}", t("sources.delete_title"), pressed)
    def delete() -> None:
        documents = st.radio(
            t("sources.documents", n=source.item_count),
            REMOVAL,
            index=1,
            format_func=lambda key: t(f"sources.removed_{key}"),
            key=f"documents-of-{source.id}",
        )
        what = t("sources.delete_what", name=plain(source.name, 60))
        if confirm(what, t(f"sources.delete_{documents}"), t("sources.delete_verb")):
            with shown():
                here.application.sources.delete(here.person, source.id, documents)
                close()


def _small(name: str, source: Source, icon: str) -> bool:
    return st.button(
        t(f"sources.{name}"), key=f"quiet-{name}-{source.id}", icon=icon, type="tertiary"
    )


def _new(here: Here, base: KnowledgeBase, kind: SourceKind) -> None:
    pressed = st.button(
        t(f"sources.add_{kind}"), key=f"add-{kind}", icon=f":material/{ICONS[kind]}:"
    )

    @modal(f"add-{kind}", t(f"sources.add_{kind}"), pressed, width="medium")
    def add() -> None:
        with st.form(f"add-{kind}-form", border=False):
            name = st.text_input(t("bases.name"), max_chars=80)
            config, password = FORMS[kind](here)
            every = st.selectbox(
                t("sources.every"),
                list(INTERVALS),
                index=1,
                format_func=lambda key: t(f"sources.every_{key}"),
            )
            config["removal"] = st.selectbox(
                t("sources.removed"), REMOVAL, format_func=lambda key: t(f"sources.removed_{key}")
            )
            if st.form_submit_button(t("sources.create"), type="primary"):
                with shown():
                    here.application.sources.create(
                        here.person,
                        base.id,
                        kind,
                        plain(name),
                        config,
                        every_s=INTERVALS[every],
                        password=password,
                    )
                    close()


def _folder(here: Here) -> tuple[dict[str, Any], str]:
    roots = here.application.settings.current.sources.folder_roots
    allowed = t("list.join").join(roots) or t("sources.no_roots")
    st.html(f'<div class="zw-note">{escape(t("sources.roots", roots=allowed))}</div>')
    return {"path": st.text_input(t("sources.path"), max_chars=500).strip()}, ""


def _web(here: Here) -> tuple[dict[str, Any], str]:
    address = st.text_input(t("sources.url"), placeholder="https://", max_chars=2000).strip()
    depth = st.number_input(t("sources.depth"), 0, 10, 1)
    files = st.toggle(t("sources.files"), value=True)
    private = here.application.settings.current.sources.allow_private
    about = t("sources.web_about_private" if private else "sources.web_about")
    st.html(f'<div class="zw-note">{escape(about)}</div>')
    return {"address": address, "depth": int(depth), "files": files}, ""


def _sql(here: Here) -> tuple[dict[str, Any], str]:
    del here
    url = st.text_input(t("sources.sql_url"), placeholder="postgresql://user@host/db").strip()
    password = st.text_input(t("sources.sql_password"), type="password", autocomplete="off")
    query = st.text_area(t("sources.sql_query"), placeholder="SELECT …", height=120).strip()
    st.html(f'<div class="zw-note">{escape(t("sources.sql_about"))}</div>')
    return {"url": url, "query": query}, password


FORMS = {"folder": _folder, "web": _web, "sql": _sql}
