"""The quality gate's verdict: each problem page beside its picture, and what to do about it.

Decisions are collected and carried out together, so that a document is read again once.
"""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from rag.ingest.flags import flag_text
from rag.types import DocumentInfo, Page, PageDecision, PageRoute, QualityIssue
from ui.documents import following
from ui.documents.original import has_pages, picture, text_of_page
from ui.documents.states import verdict_on
from ui.errors import shown
from ui.frame import Here
from ui.modal import close, modal
from ui.places import place, unit_of
from ui.texts import has, language, t
from ui.words import escape, plain

PAGES_AT_ONCE = 5
ROUTES: tuple[PageRoute, ...] = ("native", "scanned", "mixed", "complex", "abnormal")
LONGEST_PAGE = 60_000
EDITOR_HEIGHT = 560
"""Pixels of a page beside its correction; chosen by us for a window of 800."""


def render(here: Here, document: DocumentInfo, may_edit: bool) -> None:
    """The verdict, the figures behind it and the pages to look at."""
    quality = document.quality
    numbers = _pages_with(quality.issues, ("warning", "error"))
    noted = [n for n in _pages_with(quality.issues, ("info",)) if n not in numbers]
    verdict = [verdict_on(document)]
    if unit_of(document.name):
        of = max(document.page_count, len(numbers))
        verdict.append(t("quality.score", n=len(numbers), of=of))
    st.html(
        f'<div class="zw-row"><b>{escape(verdict[0])}</b>'
        f"{escape(''.join(f' · {part}' for part in verdict[1:]))}</div>"
    )
    _figures(quality.measures)
    _list(issue for issue in quality.issues if issue.page is None)
    if may_edit and document.status == "quarantined":
        _accept_all(here, document)
    options = here.application.curation.options(here.person, document.id)
    pending = _pending(document)
    if may_edit:
        _decided(here, document, options.decisions)
    words = t("quality.pages", n=len(numbers)) if numbers else t("quality.no_pages")
    st.html(f'<div class="zw-day">{escape(words)}</div>')
    if noted and st.toggle(t("quality.noted", n=len(noted)), key=f"noted-{document.id}"):
        numbers = sorted({*numbers, *noted})
    at = 1
    if len(numbers) > PAGES_AT_ONCE:
        at = int(st.pagination(-(-len(numbers) // PAGES_AT_ONCE), key=f"problems-{document.id}"))
    parsed = {
        page.number: page for page in here.application.knowledge.pages(here.person, document.id)
    }
    for number in numbers[(at - 1) * PAGES_AT_ONCE : at * PAGES_AT_ONCE]:
        issues = [issue for issue in quality.issues if issue.page == number]
        with st.container(border=True, gap="small", key=f"problem-{document.id}-{number}"):
            _problem(here, document, number, parsed.get(number), issues)
            if may_edit:
                _choices(here, document, number, parsed.get(number), pending)


def apply_bar(here: Here, document: DocumentInfo) -> bool:
    """The choices that are not carried out yet, with the button that does; False for none."""
    pending = _pending(document)
    if not pending:
        return False
    words = t("list.join").join(_decision(document, pending[n]) for n in sorted(pending)[:6])
    with st.container(border=True, gap="xsmall", key="pending-decisions"):
        st.html(f'<div class="zw-row">{escape(words)}</div>')
        with st.container(horizontal=True, gap="small"):
            if st.button(t("quality.apply", n=len(pending)), key="apply-decisions", type="primary"):
                options = here.application.curation.options(here.person, document.id)
                kept = [d for d in options.decisions if d.page not in pending]
                _carry_out(here, document, [*kept, *pending.values()])
            if st.button(t("quality.drop_all"), key="quiet-drop-all", type="tertiary"):
                pending.clear()
                st.rerun()
    return True


def _pages_with(issues: Iterable[QualityIssue], severities: tuple[str, ...]) -> list[int]:
    found = {i.page for i in issues if i.page is not None and i.severity in severities}
    return sorted(found)


def _problem(
    here: Here,
    document: DocumentInfo,
    number: int,
    page: Page | None,
    issues: list[QualityIssue],
) -> None:
    st.html(f'<div class="zw-row"><b>{escape(_place(document, number))}</b></div>')
    _list(issues)
    if has_pages(document):
        picture(here, document, number, page)
    else:
        text_of_page(page)


def _list(issues: Iterable[QualityIssue]) -> None:
    items = "".join(
        f'<li><span class="zw-tag {_LEVELS[issue.severity]}">'
        f"{escape(t(f'severity_of.{issue.severity}'))}</span> {escape(_words(issue))}</li>"
        for issue in issues
    )
    if items:
        st.html(f'<ul class="zw-note">{items}</ul>')


_LEVELS = {"info": "", "warning": "zw-warn", "error": "zw-bad"}


def _words(issue: QualityIssue) -> str:
    words = flag_text(issue.code, language())
    colon = ": " if language() == "en" else "："
    return f"{words}{colon}{plain(issue.detail, 160)}" if issue.detail else words


def _figures(measures: dict[str, float]) -> None:
    rows = "".join(
        f"<tr><td>{escape(t(f'measure.{name}'))}</td><td>{escape(_figure(name, value))}</td></tr>"
        for name, value in measures.items()
        if has(f"measure.{name}")
    )
    if rows:
        st.html(f'<table class="zw-steps zw-pairs">{rows}</table>')


def _figure(name: str, value: float) -> str:
    if name.endswith(("ratio", "confidence", "share", "coverage")):
        return f"{value:.1%}"
    return f"{value:g}"


def _pending(document: DocumentInfo) -> dict[int, PageDecision]:
    """What was chosen on this page and is not carried out yet."""
    kept: dict[int, PageDecision] = st.session_state.setdefault(f"decisions-{document.id}", {})
    return kept


def _accept_all(here: Here, document: DocumentInfo) -> None:
    st.html(f'<div class="zw-note">{escape(t("quality.accept_note"))}</div>')
    if st.button(t("quality.accept_all"), key="accept-document", icon=":material/check:"):
        with shown():
            job = here.application.curation.accept(here.person, document.id)
            st.session_state.pop(f"decisions-{document.id}", None)
            following.begin(document, job)
            st.rerun()


def _decided(here: Here, document: DocumentInfo, decisions: tuple[PageDecision, ...]) -> None:
    """Decisions in force, each of which can be taken back."""
    if not decisions:
        return
    with st.expander(t("quality.decided", n=len(decisions))):
        for decision in decisions:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.html(f'<div class="zw-row">{escape(_decision(document, decision))}</div>')
                if st.button(
                    t("quality.take_back"),
                    key=f"quiet-undo-{document.id}-{decision.page}",
                    icon=":material/undo:",
                    type="tertiary",
                ):
                    rest = [other for other in decisions if other.page != decision.page]
                    _carry_out(here, document, rest)


def _decision(document: DocumentInfo, decision: PageDecision) -> str:
    deed = t(f"decision.{decision.action}")
    if decision.action == "reparse" and decision.route:
        deed += f"（{t(f'route.{decision.route}')}）"
    return f"{_place(document, decision.page)} · {deed}"


def _place(document: DocumentInfo, number: int) -> str:
    return place(document.name, (number,)) or t("place.whole")


def _choices(
    here: Here,
    document: DocumentInfo,
    number: int,
    page: Page | None,
    pending: dict[int, PageDecision],
) -> None:
    """What can be done about one page; choosing again takes the choice back."""
    key = f"{document.id}-{number}"
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        for action, icon in (("accept", ":material/check:"), ("exclude", ":material/block:")):
            # A callback runs before the page, so that a quick next click can't cut it off.
            st.button(
                t(f"decision.{action}"),
                key=f"quiet-{action}-{key}",
                icon=icon,
                on_click=pending.__setitem__,
                args=(number, PageDecision(page=number, action=action)),
            )
        if has_pages(document):
            route = st.menu_button(
                t("decision.reparse"),
                list(ROUTES),
                key=f"again-{key}",
                icon=":material/refresh:",
                format_func=lambda name: t(f"route.{name}"),
            )
            if route:
                pending[number] = PageDecision(page=number, action="reparse", route=route)
                st.rerun()
        pressed = st.button(
            t("decision.correct"), key=f"quiet-correct-{key}", icon=":material/edit:"
        )
    _correct(here, document, number, page, pending, pressed)
    if number in pending:
        with st.container(horizontal=True, vertical_alignment="center"):
            chosen = t("quality.chosen", what=_decision(document, pending[number]))
            st.html(f'<div class="zw-note zw-warn">{escape(chosen)}</div>')
            st.button(
                t("quality.take_back"),
                key=f"quiet-drop-{key}",
                type="tertiary",
                on_click=pending.__delitem__,
                args=(number,),
            )


def _correct(
    here: Here,
    document: DocumentInfo,
    number: int,
    page: Page | None,
    pending: dict[int, PageDecision],
    pressed: bool,
) -> None:
    @modal(f"correct-{document.id}-{number}", t("decision.correct_title"), pressed, width="large")
    def correct() -> None:
        st.html(f'<div class="zw-note">{escape(t("decision.correct_note"))}</div>')
        before = pending.get(number)
        text = before.text if before and before.text else _markdown(page)
        writing = st.container()
        if has_pages(document):
            seen, writing = st.columns(2, gap="medium")
            # A page is higher than the window: it scrolls beside the text.
            with seen.container(height=EDITOR_HEIGHT, border=True, key="page-beside"), shown():
                image = here.application.curation.page_image(here.person, document.id, number)
                st.image(image, width="stretch", alt=t("source.alt", n=number))
        with writing, st.form(f"correct-form-{document.id}-{number}", border=False):
            written = st.text_area(
                t("chunk.text"),
                text,
                height=EDITOR_HEIGHT - 90,
                max_chars=LONGEST_PAGE,
            )
            if st.form_submit_button(t("decision.correct_keep"), type="primary"):
                pending[number] = PageDecision(page=number, action="correct", text=written)
                close()


def _markdown(page: Page | None) -> str:
    if page is None:
        return ""
    lines = []
    for block in page.blocks:
        head = "#" * min(block.level or 1, 6) + " " if block.kind == "heading" else ""
        lines.append(head + block.text)
    return "\n\n".join(lines)


def _carry_out(here: Here, document: DocumentInfo, decisions: list[PageDecision]) -> None:
    with shown():
        job = here.application.curation.decide(here.person, document.id, decisions)
        st.session_state.pop(f"decisions-{document.id}", None)
        following.begin(document, job)
        st.rerun()
