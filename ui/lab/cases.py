"""Saved test questions: run again, with the places of their right passages."""

from __future__ import annotations

import streamlit as st

from rag.lab import CaseResult
from rag.types import RetrievalCase
from ui.errors import shown
from ui.frame import Here, confirm
from ui.modal import close, modal
from ui.texts import t
from ui.words import day, escape, plain

_KEY = "lab-checked"


def render(here: Here) -> None:
    """The list with its results, and the button that runs all."""
    saved = here.application.lab.cases(here.person)
    if not saved:
        st.html(f'<div class="zw-note">{escape(t("lab.no_cases"))}</div>')
        return
    if st.button(t("lab.check", n=len(saved)), key="lab-check", type="primary"):
        _check(here, saved)
    results: dict[str, CaseResult] = st.session_state.get(_KEY, {})
    known = [results[case.id] for case in saved if case.id in results]
    if known:
        st.html(f'<div class="zw-day">{escape(_figures(known))}</div>')
    for case in saved:
        with st.container(border=True, gap="xxsmall"):
            st.html(_case(case, results.get(case.id)))
            _delete(here, case)


def _check(here: Here, saved: list[RetrievalCase]) -> None:
    results: dict[str, CaseResult] = {}
    with shown():
        here.application.wait_ready()
        bar = st.progress(0.0)
        for number, case in enumerate(saved, start=1):
            results[case.id] = here.application.lab.check(here.person, case)
            bar.progress(number / len(saved))
        bar.empty()
    st.session_state[_KEY] = results


def _figures(results: list[CaseResult]) -> str:
    places = [result.first for result in results]
    found = [place for place in places if place is not None]
    return t(
        "lab.figures",
        n=len(results),
        first=sum(place == 1 for place in found),
        found=len(found),
        mrr=f"{sum(1 / place for place in found) / len(results):.2f}",
    )


def _case(case: RetrievalCase, result: CaseResult | None) -> str:
    lines = []
    for number, passage in enumerate(case.expected):
        place = result.places[number] if result else None
        state = ""
        if result is not None:
            state = t("lab.place", n=place) if place else t("lab.not_found")
        text = f"{plain(passage.document, 60)} · {plain(passage.quote, 60)}"
        lines.append(f"{text} — {state}" if state else text)
    notes = "".join(f'<div class="zw-note">{escape(line)}</div>' for line in lines)
    by = " · ".join(part for part in (plain(case.created_by, 40), day(case.created_at)) if part)
    return f"<b>{escape(plain(case.question, 200))}</b> <small>{escape(by)}</small>{notes}"


def _delete(here: Here, case: RetrievalCase) -> None:
    pressed = st.button(
        t("lab.delete"), key=f"lab-delete-{case.id}", icon=":material/delete:", type="tertiary"
    )

    @modal(f"lab-delete-{case.id}", t("lab.delete_title"), pressed)
    def remove() -> None:
        if confirm(plain(case.question, 80), t("lab.delete_goes"), t("lab.delete")):
            with shown():
                here.application.lab.delete_case(here.person, case.id)
                close()
