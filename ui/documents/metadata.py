"""What a document says about itself: shown, and corrected by editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from rag.ingest.flags import flag_text
from rag.types import DocumentInfo
from ui.errors import shown
from ui.frame import Here
from ui.texts import has, language, t
from ui.words import day, escape, plain

FIELDS = (
    "title", "author", "organisation", "document_number", "document_type", "region", "year",
    "publish_date", "effective_date", "expiry_date", "product", "language", "keywords", "summary",
)  # fmt: skip
LONGEST = 2000


def render(here: Here, document: DocumentInfo, may_edit: bool) -> None:
    """The fields, in a form for editors; then what is known about the file."""
    values = {name: _shown(getattr(document.metadata, name)) for name in FIELDS}
    options = here.application.curation.options(here.person, document.id)
    if may_edit:
        _form(here, document, values, options.metadata)
        _table(document, {})
    else:
        _table(document, values)


def _form(
    here: Here, document: DocumentInfo, values: Mapping[str, str], edited: Mapping[str, Any]
) -> None:
    st.html(f'<div class="zw-note">{escape(t("metadata.about"))}</div>')
    with st.form(f"metadata-{document.id}", border=False):
        columns = st.columns(2)
        written: dict[str, str] = {}
        for position, name in enumerate(FIELDS):
            mark = t("metadata.edited") if name in edited else ""
            title = f"{_field_name(name)}{mark}"
            if name == "summary":
                written[name] = st.text_area(title, values[name], max_chars=LONGEST, height=110)
            else:
                hint = t("metadata.date_hint") if name.endswith("_date") else None
                written[name] = columns[position % 2].text_input(
                    title, values[name], max_chars=300, placeholder=hint
                )
        saved = st.form_submit_button(t("metadata.save"), type="primary")
    if saved:
        changed = {n: v.strip() for n, v in written.items() if v.strip() != values[n]}
        if changed:
            _save(here, document, changed)
    if edited and st.button(
        t("metadata.reset"), key="reset-metadata", icon=":material/undo:", type="tertiary"
    ):
        _save(here, document, dict.fromkeys(edited))


def _save(here: Here, document: DocumentInfo, changed: Mapping[str, Any]) -> None:
    with shown():
        with st.spinner(t("chunk.working")):
            here.application.curation.edit_metadata(here.person, document.id, dict(changed))
        st.toast(t("metadata.saved"))
        st.rerun()


def _table(document: DocumentInfo, values: Mapping[str, str]) -> None:
    rows = [
        ("name", document.name),
        ("media_type", document.media_type),
        ("sha256", document.sha256),
        ("source", document.metadata.source or ""),
        *values.items(),
        *document.metadata.extra.items(),
        ("created_at", day(document.created_at)),
    ]
    if document.flags:
        flags = (flag_text(flag, language()) for flag in document.flags)
        rows.append(("flags", t("list.join").join(flags)))
    body = "".join(
        f"<tr><td>{escape(_field_name(name))}</td><td>{escape(plain(text, 500))}</td></tr>"
        for name, text in rows
        if text
    )
    st.html(f'<table class="zw-steps zw-pairs">{body}</table>')


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple | list):
        return t("list.join").join(str(part) for part in value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _field_name(name: str) -> str:
    return t(f"metadata.{name}") if has(f"metadata.{name}") else plain(name, 40)
