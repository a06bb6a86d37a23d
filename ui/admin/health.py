"""Health: what the doctor found, and repair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from ui.errors import shown
from ui.frame import Here
from ui.texts import t
from ui.words import escape

_MARKS = {"ok": ("ok", "✓"), "info": ("", "i"), "warning": ("warn", "!"), "error": ("bad", "✕")}


def render(here: Here) -> None:
    """The section "health": check on demand, because it walks all rows."""
    st.html(f'<div class="zw-note">{escape(t("health.about"))}</div>')
    findings: Sequence[Any] | None = st.session_state.get("health-findings")
    with st.container(horizontal=True, gap="small"):
        if st.button(
            t("health.check"), key="health-check", icon=":material/stethoscope:", type="primary"
        ):
            with shown(), st.spinner(t("health.checking")):
                findings = here.application.doctor.check()
        if (
            findings
            and any(f.repairable for f in findings)
            and st.button(t("health.repair"), key="health-repair", icon=":material/build:")
        ):
            with shown(), st.spinner(t("health.repairing")):
                findings = here.application.doctor.repair()
                here.application.audit.record(here.person, "health.repair", "", "")
                st.toast(t("health.repaired"))
    st.session_state["health-findings"] = findings
    for finding in findings or ():
        kind, mark = _MARKS.get(finding.severity, ("", "i"))
        remedy = f"<p>{escape(finding.remedy)}</p>" if finding.remedy and kind != "ok" else ""
        st.html(
            f'<div class="zw-box zw-{"info" if kind in ("", "ok") else kind}"><p>'
            f'<span class="zw-tag zw-{kind}">{mark} '
            f"{escape(t('severity.' + finding.severity))}</span> "
            f"{escape(finding.message)}</p>{remedy}</div>"
        )
