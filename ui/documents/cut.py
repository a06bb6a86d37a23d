"""How a document is cut: the strategy and why, another one tried before it is applied."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from rag.types import ChunkPreview, ChunkStrategy, DocumentInfo
from ui.documents import following
from ui.documents.cards import card_html
from ui.errors import box, shown
from ui.frame import Here
from ui.modal import close, modal
from ui.texts import language, t
from ui.words import escape, plain

PREVIEWED = 30
"""Pieces of a preview that are shown; the figures count all of them."""

CHARACTERS_PER_TOKEN = 1.7
"""Measured with the bundled model: 300 Chinese characters are about 176 tokens."""

STRATEGIES: tuple[ChunkStrategy, ...] = get_args(ChunkStrategy)


def render(here: Here, document: DocumentInfo, may_edit: bool) -> None:
    """One line on how it was cut, and the way to another cut."""
    parts = [t("cut.as", name=t(f"strategy.{document.strategy}"))]
    if document.strategy_reason and language() == "zh":
        parts.append(plain(document.strategy_reason, 200))
    st.html(f'<div class="zw-note">{escape(" · ".join(parts))}</div>')
    if not may_edit or not document.page_count:
        return
    pressed = st.button(t("cut.change"), key="change-cut", icon=":material/content_cut:")

    @modal(f"cut-{document.id}", t("cut.title"), pressed, width="large")
    def change() -> None:
        _change(here, document)


def _change(here: Here, document: DocumentInfo) -> None:
    settings = here.application.settings.current.ingest
    options = here.application.curation.options(here.person, document.id)
    left, middle, right = st.columns(3)
    strategy = left.selectbox(
        t("cut.strategy"),
        STRATEGIES,
        index=STRATEGIES.index(options.strategy or settings.chunk_strategy),
        format_func=lambda name: t(f"strategy.{name}"),
        key="cut-strategy",
    )
    tokens = middle.number_input(
        t("cut.tokens"),
        20,
        2000,
        options.chunk_tokens or settings.chunk_tokens,
        step=50,
        key="cut-tokens",
    )
    shares = [share / 100 for share in range(0, 51, 5)]
    wanted = settings.chunk_overlap if options.chunk_overlap is None else options.chunk_overlap
    overlap = right.select_slider(
        t("cut.overlap"),
        shares,
        value=min(shares, key=lambda share: abs(share - wanted)),
        format_func=lambda share: f"{share:.0%}",
        key="cut-overlap",
    )
    length = t("cut.length", n=int(tokens), zh=_characters(tokens))
    about = t("list.space").join((t(f"strategy_about.{strategy}"), length))
    st.html(f'<div class="zw-note">{escape(about)}</div>')
    with shown():
        with st.spinner(t("cut.trying")):
            preview = here.application.curation.preview(
                here.person, document.id, strategy, int(tokens), overlap
            )
        _figures(preview)
        if st.button(t("cut.apply", n=_count(preview)), key="apply-cut", type="primary"):
            chosen = options.model_copy(
                update={
                    "strategy": strategy,
                    "chunk_tokens": int(tokens),
                    "chunk_overlap": overlap,
                }
            )
            job = here.application.curation.reprocess(here.person, document.id, chosen)
            following.begin(document, job)
            close()
        for chunk in preview.chunks[:PREVIEWED]:
            with st.container(border=True, gap="xxsmall"):
                st.html(card_html(chunk))
        if len(preview.chunks) > PREVIEWED:
            more = t("cut.more", n=len(preview.chunks) - PREVIEWED)
            st.html(f'<div class="zw-note">{escape(more)}</div>')


def _characters(tokens: float) -> int:
    """About how many Chinese characters a length in tokens is, to the nearest ten."""
    return round(tokens * CHARACTERS_PER_TOKEN / 10) * 10


def _count(preview: ChunkPreview) -> int:
    return sum(chunk.indexed for chunk in preview.chunks)


def _figures(preview: ChunkPreview) -> None:
    lengths = [len(chunk.text) for chunk in preview.chunks if chunk.indexed]
    parts = [t("cut.as", name=t(f"strategy.{preview.strategy}"))]
    if preview.reason and language() == "zh":
        parts.append(plain(preview.reason, 200))
    if lengths:
        mean = round(sum(lengths) / len(lengths))
        parts.append(
            t("cut.figures", n=len(lengths), mean=mean, low=min(lengths), high=max(lengths))
        )
    st.html(f'<div class="zw-note">{escape(" · ".join(parts))}</div>')
    if preview.lost_edits:
        box(t("cut.lost", n=preview.lost_edits), t("cut.lost_remedy"), level="warn")
