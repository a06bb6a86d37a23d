"""The fields of a setup: under which settings and by which strategy the lab searches."""

from __future__ import annotations

from typing import Any, get_args

import streamlit as st

from rag.lab import Setup
from rag.settings import RetrievalSettings
from rag.types import Strategy
from ui.admin.fields import label_of
from ui.frame import Here
from ui.texts import t

STRATEGIES: tuple[Strategy, ...] = tuple(
    name for name in get_args(Strategy) if name not in ("clarify", "no_retrieval", "hyde", "web")
)
"""Those that can be tried without a chat model or a web search."""


def chosen(here: Here, compared: bool, prefix: str = "") -> list[Setup]:
    """One setup, or two to compare, each with its fields folded away.

    Args:
        compared: whether there are two.
        prefix: keeps the fields apart from those of another view.
    """
    found = []
    for name in ("a", "b") if compared else ("a",):
        with st.expander(t(f"lab.setup_{name}") if compared else t("lab.setup"), expanded=compared):
            found.append(fields(here, f"{prefix}{name}"))
    return found


def fields(here: Here, name: str) -> Setup:
    """The fields of one setup, beginning with the current settings.

    Args:
        name: keeps the setups apart.
    """
    now = here.application.settings.current.retrieval
    columns = st.columns(3)
    strategy = columns[0].selectbox(
        t("lab.strategy"),
        [None, *STRATEGIES],
        format_func=lambda value: t(f"lab.strategy_{value or 'auto'}"),
        key=f"lab-strategy-{name}",
    )
    fusion = columns[1].selectbox(
        label_of("retrieval", "fusion"),
        ["weighted", "rrf"],
        index=("weighted", "rrf").index(now.fusion),
        format_func=lambda value: t(f"choice.retrieval.fusion.{value}"),
        key=f"lab-fusion-{name}",
    )
    weight = columns[2].slider(
        label_of("retrieval", "dense_weight"),
        0.0,
        1.0,
        now.dense_weight,
        0.05,
        key=f"lab-weight-{name}",
    )
    numbers = st.columns(4)
    values: dict[str, Any] = {"fusion": fusion, "dense_weight": weight}
    for column, field, most in zip(
        numbers, ("dense_candidates", "sparse_candidates", "top_k"), (500, 500, 50), strict=False
    ):
        values[field] = int(
            column.number_input(
                label_of("retrieval", field),
                1,
                most,
                getattr(now, field),
                key=f"lab-{field}-{name}",
            )
        )
    rerank = numbers[3].toggle(t("lab.rerank"), value=True, key=f"lab-rerank-{name}")
    settings = RetrievalSettings.model_validate(now.model_dump() | values)
    return Setup(retrieval=settings, rerank=rerank, strategy=strategy)
