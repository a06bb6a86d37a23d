"""Saved test questions: run again under one or two settings, with the places of their right
passages and the figures of all."""

from __future__ import annotations

import time
from dataclasses import dataclass

import streamlit as st

from rag.lab import CaseResult, Setup, figures
from rag.types import RetrievalCase
from ui.errors import shown
from ui.frame import Here, confirm
from ui.lab import setups
from ui.modal import close, modal
from ui.texts import t
from ui.words import day, duration, escape, plain

_KEY = "lab-checked"


@dataclass(frozen=True)
class Check:
    """The saved questions as one setup found them: case id → result, and how long it took."""

    results: dict[str, CaseResult]
    ms: float


def render(here: Here) -> None:
    """The list with its results, and the button that runs all."""
    saved = here.application.lab.cases(here.person)
    if not saved:
        st.html(f'<div class="zw-note">{escape(t("lab.no_cases"))}</div>')
        return
    compared = st.toggle(t("lab.compare"), key="lab-compare-cases")
    chosen = setups.chosen(here, compared, "cases-")
    if st.button(t("lab.check", n=len(saved)), key="lab-check", type="primary"):
        _check(here, saved, chosen)
    checks: list[Check] = st.session_state.get(_KEY, [])
    if checks:
        st.html(_figures(saved, checks))
    for case in saved:
        with st.container(border=True, gap="xxsmall"):
            st.html(_case(case, checks))
            _delete(here, case)


def _check(here: Here, saved: list[RetrievalCase], chosen: list[Setup]) -> None:
    st.session_state.pop(_KEY, None)
    checks = []
    with shown():
        here.application.wait_ready()
        bar = st.progress(0.0)
        for number, setup in enumerate(chosen):
            began, results = time.perf_counter(), {}
            for done, case in enumerate(saved, start=1):
                results[case.id] = here.application.lab.check(here.person, case, setup)
                bar.progress((number * len(saved) + done) / (len(saved) * len(chosen)))
            checks.append(Check(results, (time.perf_counter() - began) * 1000))
        bar.empty()
        st.session_state[_KEY] = checks


def _figures(saved: list[RetrievalCase], checks: list[Check]) -> str:
    """A row of figures for each setup."""
    heads = ("lab.setup_column", "lab.hit_at_1", "lab.recall", "lab.mrr", "lab.time")
    head = "".join(f"<th>{escape(t(key))}</th>" for key in heads)
    rows = ""
    for name, check in zip("ab", checks, strict=False):
        results = [check.results[case.id] for case in saved if case.id in check.results]
        if not results:
            continue
        said = figures(results)
        cells = (
            t(f"lab.setup_{name}") if len(checks) > 1 else t("lab.setup_one"),
            t("lab.share", share=f"{said.hit_at_1:.0%}", n=said.first, all=said.cases),
            t("lab.share", share=f"{said.recall:.0%}", n=said.found, all=said.expected),
            f"{said.mrr:.2f}",
            duration(check.ms),
        )
        rows += "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    table = f'<table class="zw-lab zw-figures"><tr>{head}</tr>{rows}</table>' if rows else ""
    return f'<div class="zw-scroll" tabindex="0">{table}</div>'


def _case(case: RetrievalCase, checks: list[Check]) -> str:
    found = [check.results.get(case.id) for check in checks]
    lines = []
    for number, passage in enumerate(case.expected):
        places = [result.places[number] for result in found if result is not None]
        states = [t("lab.place", n=place) if place else t("lab.not_found") for place in places]
        text = f"{plain(passage.document, 60)} · {plain(passage.quote, 60)}"
        lines.append(f"{text} — {' → '.join(states)}" if states else text)
    notes = "".join(f'<div class="zw-note">{escape(line)}</div>' for line in lines)
    by = " · ".join(part for part in (plain(case.created_by, 40), day(case.created_at)) if part)
    return f"<b>{escape(plain(case.question, 200))}</b> <small>{escape(by)}</small>{notes}"


def _delete(here: Here, case: RetrievalCase) -> None:
    pressed = st.button(
        t("lab.delete"),
        key=f"quiet-lab-delete-{case.id}",
        icon=":material/delete:",
        type="tertiary",
    )

    @modal(f"lab-delete-{case.id}", t("lab.delete_title"), pressed)
    def remove() -> None:
        if confirm(plain(case.question, 80), t("lab.delete_goes"), t("lab.delete")):
            with shown():
                here.application.lab.delete_case(here.person, case.id)
                close()
