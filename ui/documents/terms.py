"""The dictionary of a knowledge base: its terms with their synonyms, files of them, a trial."""

from __future__ import annotations

import streamlit as st

from rag.term_files import LONGEST, MOST_SYNONYMS, split_synonyms
from rag.terms import ImportPreview
from rag.types import KnowledgeBase, Term
from ui.errors import show, shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.texts import language, t
from ui.words import escape, label, plain

LISTED = 50
PREVIEWED = 20
"""Most terms on the page and most rows of each kind in a preview; the search finds the others."""
QUESTION_LENGTH = 300


def render(here: Here, base: KnowledgeBase, may_edit: bool) -> None:
    """The terms of the base, or those for all, with what one may do to them; then a trial."""
    st.html(f'<div class="zw-note">{escape(t("terms.about"))}</div>')
    scope = st.segmented_control(
        t("terms.scope"),
        ["base", "all"],
        default="base",
        required=True,
        format_func=lambda name: t(f"terms.scope_{name}"),
        key="terms-scope",
        label_visibility="collapsed",
    )
    kb_id = base.id if scope == "base" else None
    editable = may_edit if kb_id else here.application.dictionary.may_edit(here.person, None)
    if not kb_id:
        note = t("terms.for_all" if editable else "terms.for_all_read")
        st.html(f'<div class="zw-note">{escape(note)}</div>')
    terms = here.application.dictionary.terms(here.person, kb_id)
    with st.container(horizontal=True, gap="small", key="terms-bar"):
        if editable:
            _add(here, kb_id)
            _import(here, kb_id)
        if terms:
            _export(here, base, kb_id)
    if not terms:
        _empty(editable)
    with st.expander(t("terms.try"), icon=":material/quiz:", expanded=not terms):
        _trial(here, base)
    if terms:
        _list(here, terms, editable)


def _empty(editable: bool) -> None:
    lines = [f"<p><b>{escape(t('terms.none'))}</b></p>", f"<p>{escape(t('terms.example'))}</p>"]
    if editable:
        lines.append(f"<p>{escape(t('terms.begin'))}</p>")
    st.html(f'<div class="zw-box zw-info">{"".join(lines)}</div>')


def _list(here: Here, terms: list[Term], editable: bool) -> None:
    words = st.text_input(
        t("terms.search"),
        key="terms-search",
        icon=":material/search:",
        placeholder=t("terms.search_hint"),
        max_chars=LONGEST,
    )
    wanted = plain(words or "").lower()
    found = [
        term for term in terms if any(wanted in w.lower() for w in (term.text, *term.synonyms))
    ]
    if not found:
        st.html(f'<div class="zw-note">{escape(t("terms.none_found"))}</div>')
        return
    st.html(f'<div class="zw-day">{escape(t("terms.count", n=len(found)))}</div>')
    for term in found[:LISTED]:
        _row(here, term, editable)
    if len(found) > LISTED:
        st.html(f'<div class="zw-note">{escape(t("terms.more", n=len(found) - LISTED))}</div>')


def _row(here: Here, term: Term, editable: bool) -> None:
    with st.container(
        key=f"row-term-{term.id}", horizontal=True, vertical_alignment="center", gap="small"
    ):
        others = _joined(term.synonyms) or t("terms.no_synonyms")
        st.html(f'<div class="zw-row"><b>{escape(plain(term.text))}</b><br>{escape(others)}</div>')
        if not editable:
            return
        name = label(term.text, LONGEST)
        edit = st.button(
            t("terms.edit"),
            key=f"quiet-edit-{term.id}",
            icon=":material/edit:",
            type="tertiary",
            help=t("terms.edit_one", name=name),
        )
        delete = st.button(
            t("terms.delete"),
            key=f"quiet-delete-{term.id}",
            icon=":material/delete:",
            type="tertiary",
            help=t("terms.delete_one", name=name),
        )

    @modal(f"edit-term-{term.id}", t("terms.edit_title"), edit)
    def change() -> None:
        _form(here, term.kb_id, term)

    @modal(f"delete-term-{term.id}", t("terms.delete_title"), delete)
    def remove() -> None:
        what = f"{plain(term.text)}：{_joined(term.synonyms)}" if term.synonyms else term.text
        verb = t("terms.delete_one", name=plain(term.text, 20))
        if confirm(plain(what, 200), t("terms.delete_goes"), verb):
            with shown():
                here.application.dictionary.remove(here.person, [term.id])
                st.toast(t("terms.deleted", name=label(term.text)))
                close()


def _add(here: Here, kb_id: str | None) -> None:
    pressed = st.button(t("terms.add"), key="add-term", icon=":material/add:")

    @modal("add-term", t("terms.add_title"), pressed)
    def add() -> None:
        _form(here, kb_id, None)


def _form(here: Here, kb_id: str | None, term: Term | None) -> None:
    """The fields of a new term, or of one that is there."""
    key = term.id if term else "new"
    with st.form(f"term-form-{key}", border=False):
        text = st.text_input(
            t("terms.term"), term.text if term else "", placeholder=t("terms.term_hint")
        )
        others = st.text_area(
            t("terms.synonyms"),
            _joined(term.synonyms) if term else "",
            placeholder=t("terms.synonyms_hint"),
            help=t("terms.synonyms_help", n=MOST_SYNONYMS),
            height=110,
        )
        if st.form_submit_button(t("terms.save"), type="primary"):
            with shown():
                saved = here.application.dictionary.save(
                    here.person, kb_id, text, split_synonyms(others), term.id if term else None
                )
                st.toast(t("terms.saved", name=label(saved.text)))
                close()


def _export(here: Here, base: KnowledgeBase, kb_id: str | None) -> None:
    name = plain(base.name, 40) if kb_id else t("terms.scope_all")
    st.download_button(
        t("terms.export"),
        lambda: here.application.dictionary.export(here.person, kb_id),
        file_name=f"{t('terms.file')} {name}.csv".replace("/", "_"),
        mime="text/csv",
        key="export-terms",
        icon=":material/download:",
        on_click="ignore",
    )


def _import(here: Here, kb_id: str | None) -> None:
    pressed = st.button(t("terms.import"), key="import-terms", icon=":material/upload:")

    @modal("import-terms", t("terms.import_title"), pressed, width="medium")
    def bring() -> None:
        st.html(f'<div class="zw-note">{escape(t("terms.import_about"))}</div>')
        file = st.file_uploader(t("terms.import_file"), type=["csv", "txt", "tsv"])
        replace = st.toggle(t("terms.replace"), help=t("terms.replace_help"))
        if file is None:
            return
        try:
            preview = here.application.dictionary.preview_import(
                here.person, kb_id, file.getvalue(), replace=replace
            )
        except Exception as error:
            show(error)
            return
        count = len(preview.added) + len(preview.changed)
        _summary(preview)
        if count and st.button(t("terms.apply", n=count), type="primary", key="apply-import"):
            with shown():
                done = here.application.dictionary.apply_import(here.person, kb_id, preview)
                st.toast(t("terms.imported", n=done))
                close()
        _preview(preview)


def _summary(preview: ImportPreview) -> None:
    st.html(
        f'<div class="zw-day">{escape(_counts(preview))}</div>'
        if preview.added or preview.changed
        else f'<div class="zw-note">{escape(t("terms.nothing_new") + " " + _counts(preview))}</div>'
    )


def _preview(preview: ImportPreview) -> None:
    """What of the file cannot be used, what it adds and what it changes."""
    english = language() == "en"
    bad = [
        " · ".join(
            part
            for part in (
                t("terms.line", n=row.line) if row.line else "",
                plain(row.text, 60),
                row.error.message_en if english else row.error.message,
            )
            if part
        )
        for row in preview.bad
    ]
    _lines(t("terms.bad", n=len(bad)), bad, "zw-bad")
    added = [_line(entry.text, entry.synonyms) for entry in preview.added]
    _lines(t("terms.added", n=len(added)), added)
    changed = [
        f"{_line(change.entry.text, change.entry.synonyms)}"
        f"（{t('terms.before', text=_joined(change.before) or t('terms.no_synonyms'))}）"
        for change in preview.changed
    ]
    _lines(t("terms.changed", n=len(changed)), changed)


def _counts(preview: ImportPreview) -> str:
    kinds = ("added", "changed", "unchanged", "bad")
    return " · ".join(
        t(f"terms.{kind}", n=len(getattr(preview, kind)))
        for kind in kinds
        if getattr(preview, kind)
    )


def _lines(title: str, lines: list[str], colour: str = "") -> None:
    if not lines:
        return
    with st.expander(title, expanded=bool(colour) or len(lines) <= PREVIEWED):
        rows = [f'<div class="zw-row {colour}">{escape(line)}</div>' for line in lines[:PREVIEWED]]
        if len(lines) > PREVIEWED:
            more = t("terms.more_rows", n=len(lines) - PREVIEWED)
            rows.append(f'<div class="zw-note">{escape(more)}</div>')
        st.html("".join(rows))


def _trial(here: Here, base: KnowledgeBase) -> None:
    """What a typed question becomes; nothing is searched."""
    question = st.text_input(
        t("terms.try_label"),
        key="terms-question",
        placeholder=t("terms.try_hint"),
        max_chars=QUESTION_LENGTH,
    )
    if not question or not question.strip():
        return
    found = here.application.dictionary.trial(here.person, [base.id], question)
    if not found.names:
        st.html(f'<div class="zw-note" role="status">{escape(t("terms.try_nothing"))}</div>')
        return
    lines = []
    for one in found.names:
        others = _joined(one.others)
        text = t("terms.try_found", word=plain(one.word), others=others) if others else ""
        lines.append(text or t("terms.try_whole", word=plain(one.word)))
    lines += [t("terms.try_question", text=plain(asked, 200)) for asked in found.questions]
    rows = "".join(f'<div class="zw-row">{escape(line)}</div>' for line in lines)
    st.html(f'<div role="status">{rows}</div>')


def _line(text: str, synonyms: tuple[str, ...]) -> str:
    return f"{plain(text)}：{_joined(synonyms)}" if synonyms else plain(text)


def _joined(words: tuple[str, ...]) -> str:
    return "、".join(plain(word) for word in words)
