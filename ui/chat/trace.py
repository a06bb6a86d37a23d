"""The step trace: one folded line that opens to what each step found and how long it took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from rag.types import Answer, StepFinished, StepRecord
from ui.texts import has, t
from ui.texts.phrases import phrase
from ui.words import duration, escape, plain

_SHOWN_HITS = 6


def step_name(step: str) -> str:
    """A step's name for people."""
    return t(f"step.{step}") if has(f"step.{step}") else step


def render(answer: Answer) -> None:
    """The folded trace of a finished answer."""
    if not answer.steps:
        return
    total = answer.timings_ms.get("total") or sum(record.ms for record in answer.steps)
    label = t("trace.label", steps=len(answer.steps), time=duration(total))
    if answer.citations:
        label += t("trace.found", n=len(answer.citations))
    with st.expander(label, type="compact"):
        st.html(steps_html(answer.steps))
        if answer.model and answer.model != "extractive":
            used = t("trace.model", model=plain(answer.model, 80))
            tokens = sum(answer.tokens.get(name, 0) for name in ("input_tokens", "output_tokens"))
            used += t("trace.tokens", n=tokens) if tokens else ""
            st.html(f'<div class="zw-note">{escape(used)}</div>')


def steps_html(steps: Sequence[StepRecord | StepFinished]) -> str:
    """A table of steps: name, what it found, time."""
    rows = "".join(
        f"<tr><td>{escape(step_name(record.step))}</td>"
        f"<td>{escape(plain(phrase(record.summary), 300))}{_details(record.details)}</td>"
        f"<td>{escape(duration(record.ms))}</td></tr>"
        for record in steps
    )
    return f'<table class="zw-steps">{rows}</table>'


def _details(details: dict[str, Any]) -> str:
    lines = _understanding(details.get("understanding")) + _plan(details.get("plan"))
    lines += [phrase(str(note)) for note in details.get("notes") or ()]
    lines += [_hit(hit) for hit in details.get("hits") or ()][:_SHOWN_HITS]
    if not lines:
        return ""
    return "<ul>" + "".join(f"<li>{escape(plain(line, 200))}</li>" for line in lines) + "</ul>"


def _understanding(value: Any) -> list[str]:
    if not isinstance(value, dict):
        return []
    intent = str(value.get("intent", ""))
    lines = [t("trace.intent", name=t(f"intent.{intent}") if has(f"intent.{intent}") else intent)]
    for slot, found in (value.get("slots") or {}).items():
        if found:
            texts = [v.get("text", "") if isinstance(v, dict) else str(v) for v in found]
            name = t(f"slot.{slot}") if has(f"slot.{slot}") else slot
            lines.append(t("trace.slot", name=name, value=t("list.join").join(texts)))
    return lines + [phrase(str(note)) for note in value.get("notes") or ()]


def _plan(value: Any) -> list[str]:
    return [str(query) for query in value.get("queries", ())] if isinstance(value, dict) else []


def _hit(hit: dict[str, Any]) -> str:
    scores = " · ".join(
        f"{t('score.' + name) if has('score.' + name) else name} {score:.2f}"
        for name, score in (hit.get("scores") or {}).items()
    )
    return f"{hit.get('document', '')} — {plain(str(hit.get('preview', '')), 40)} ({scores})"
