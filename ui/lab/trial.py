"""One question tried: what it was taken to mean, the plan, and the passages stage by stage."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from rag.lab import Experiment, Setup
from ui import choices
from ui.errors import shown
from ui.frame import Here
from ui.lab import setups, table
from ui.texts import has, t
from ui.texts.phrases import phrase
from ui.words import duration, escape, label, plain

LONGEST = 4000
_KEY = "lab-trial"


@dataclass(frozen=True)
class Trial:
    """What was asked of which knowledge bases, and what came of it under one or two setups."""

    question: str
    kb_ids: tuple[str, ...]
    setups: tuple[Setup, ...]
    found: tuple[Experiment, ...]


def render(here: Here) -> None:
    """The question and its setups, then what was found last."""
    bases = here.application.knowledge.bases(here.person)
    if not any(base.document_count for base in bases):
        st.html(f'<div class="zw-note">{escape(t("lab.empty"))}</div>')
        return
    names = {base.id: base.name for base in bases}
    tried: Trial | None = st.session_state.get(_KEY)
    asked = tried.kb_ids if tried else choices.asked_by_default(here.person, bases)
    if tried is not None and "lab-question" not in st.session_state:  # Back from the other view.
        st.session_state["lab-question"] = tried.question
        st.session_state["lab-compare"] = len(tried.setups) > 1
    question = st.text_input(
        t("lab.question"), key="lab-question", max_chars=LONGEST, placeholder=t("lab.placeholder")
    )
    kb_ids = st.multiselect(
        t("lab.bases"),
        list(names),
        default=[base.id for base in bases if base.id in asked],
        format_func=lambda kb_id: label(names.get(kb_id) or ""),
        key="lab-bases",
    )
    compared = st.toggle(t("lab.compare"), key="lab-compare")
    chosen = tuple(setups.chosen(here, compared))
    askable = bool(question.strip() and kb_ids)
    pressed = st.button(t("lab.run"), key="lab-run", type="primary", disabled=not askable)
    same = tried is not None and (tried.question, tried.kb_ids) == (question, tuple(kb_ids))
    if pressed or (tried is not None and same and tried.setups != chosen):
        with shown(), st.spinner(t("lab.running")):
            here.application.wait_ready()
            found = tuple(
                here.application.lab.run(here.person, question, kb_ids, setup) for setup in chosen
            )
            tried = Trial(question, tuple(kb_ids), chosen, found)
            st.session_state[_KEY] = tried
    if tried is not None:
        _result(here, tried)


def _result(here: Here, tried: Trial) -> None:
    first = tried.found[0]
    st.html(f'<div class="zw-day">{escape(plain(tried.question, 200))}</div>')
    st.html(_meaning(first))
    for name, found in zip("ab", tried.found, strict=False):
        prefix = t(f"lab.setup_{name}") + " · " if len(tried.found) > 1 else ""
        st.html(f'<div class="zw-note">{escape(prefix + _times(found))}</div>')
    if not any(found.rows for found in tried.found):
        st.html(f'<div class="zw-note">{escape(t("lab.nothing"))}</div>')
        return
    st.html(table.html_of(tried.found))
    _save(here, tried)


def _meaning(found: Experiment) -> str:
    """What the question was taken to mean and how it was searched for, as lines."""
    meaning, plan = found.understanding, found.plan
    lines = [t("lab.meaning", text=plain(meaning.standalone_question, 300))]
    if meaning.needs_clarification and meaning.clarification:
        lines.append(t("lab.asks_back", text=plain(phrase(meaning.clarification.question), 200)))
    name = f"lab.strategy_{plan.strategy}"
    lines.append(t("lab.plan", name=t(name) if has(name) else plan.strategy))
    lines += [plain(phrase(reason), 200) for reason in plan.reasons]
    lines += [t("lab.query", text=plain(query, 200)) for query in plan.queries[1:]]
    if found.retrieval.widened:
        lines.append(
            t("lab.widened", text=t("list.join").join(map(phrase, found.retrieval.widened)))
        )
    return "".join(f'<div class="zw-note">{escape(line)}</div>' for line in lines)


def _times(found: Experiment) -> str:
    parts = [
        f"{t('lab.time_' + name) if has('lab.time_' + name) else name} {duration(ms)}"
        for name, ms in found.retrieval.timings_ms.items()
        if ms >= 0.05
    ]
    return t("lab.times", all=duration(found.ms), parts=" · ".join(parts))


def _save(here: Here, tried: Trial) -> None:
    """The passages as boxes to tick, those that were dropped in a list to pick from."""
    rows = {row.chunk.id: row for found in reversed(tried.found) for row in found.rows}
    final = {row.chunk.id for found in tried.found for row in found.rows if "final" in row.places}
    with st.expander(t("lab.save_case"), icon=":material/bookmark_add:"):
        st.html(f'<div class="zw-note">{escape(t("lab.right"))}</div>')
        right = [
            id_
            for id_ in rows
            if id_ in final
            and st.checkbox(label(table.named(rows[id_]), 110), key=f"lab-right-{id_}")
        ]
        dropped = [id_ for id_ in rows if id_ not in final]
        if dropped:
            right += st.multiselect(
                t("lab.right_dropped"),
                dropped,
                format_func=lambda id_: label(table.named(rows[id_]), 110),
                placeholder=t("lab.right_pick"),
                max_selections=10,
                key="lab-right",
            )
        if st.button(t("lab.save"), key="lab-save", disabled=not right, type="primary"):
            with shown():
                here.application.lab.save_case(
                    here.person, tried.question, tried.kb_ids, [rows[id_].chunk for id_ in right]
                )
                st.toast(t("lab.saved"))
