"""The passages of one or two searches as a table: a column for each stage, a row for each."""

from __future__ import annotations

from collections.abc import Sequence

from rag.lab import Experiment, Row
from rag.types import StageName
from ui.places import place
from ui.texts import t
from ui.texts.phrases import phrase
from ui.words import escape, plain

STAGES: tuple[StageName, ...] = ("sparse", "dense", "exact", "web", "fused", "reranked", "final")
EXCERPT = 90
MOST_ROWS = 40
"""Rows shown: those found and the best of those that were dropped. Chosen by us."""


def html_of(found: Sequence[Experiment]) -> str:
    """The table as HTML; all text of documents is escaped.

    Args:
        found: one search, or two of the same question to compare.
    """
    if len(found) == 1:
        return _wrapped(_stages(found[0]))
    return _wrapped(_compared(found[0], found[1]))


def named(row: Row) -> str:
    """A passage in one line: its final place, where it stands, and its first words."""
    place_found = row.places.get("final")
    front = f"{place_found}. " if place_found else ""
    return f"{front}{_where(row)} · {plain(row.chunk.text, 60)}"


def _where(row: Row) -> str:
    """Document, place in it, and the nearest heading."""
    chunk = row.chunk
    where = place(chunk.document_name, chunk.pages)
    parts = (chunk.document_name, where, *chunk.heading_path[-1:])
    return " · ".join(plain(part, 60) for part in parts if part)


def _wrapped(table: str) -> str:
    return f'<div class="zw-scroll" tabindex="0">{table}</div>'


def _stages(found: Experiment) -> str:
    shown = [name for name in STAGES if any(name in row.places for row in found.rows)]
    head = "".join(f"<th>{escape(t('lab.stage_' + name))}</th>" for name in shown)
    body = "".join(
        f'<tr class="{"" if "final" in row.places else "zw-dropped"}"><td>{_passage(row)}</td>'
        + "".join(f"<td>{_cell(row, name)}</td>" for name in shown)
        + "</tr>"
        for row in found.rows[:MOST_ROWS]
    )
    first = escape(t("lab.passage"))
    return f'<table class="zw-lab"><tr><th>{first}</th>{head}</tr>{body}</table>'


def _compared(first: Experiment, second: Experiment) -> str:
    rows = {row.chunk.id: row for row in (*second.rows, *first.rows) if "final" in row.places}
    left = {row.chunk.id: row for row in first.rows}
    right = {row.chunk.id: row for row in second.rows}

    def best(id_: str) -> int:
        return min(place for place in (_final(left.get(id_)), _final(right.get(id_))) if place)

    body = "".join(
        f"<tr><td>{_passage(rows[id_])}</td><td>{_final(left.get(id_)) or '–'}</td>"
        f"<td>{_final(right.get(id_)) or '–'}</td>"
        f"<td>{escape(_moved(_final(left.get(id_)), _final(right.get(id_))))}</td></tr>"
        for id_ in sorted(rows, key=best)
    )
    heads = ("lab.passage", "lab.setup_a", "lab.setup_b", "lab.moved")
    head = "".join(f"<th>{escape(t(key))}</th>" for key in heads)
    return f'<table class="zw-lab"><tr>{head}</tr>{body}</table>'


def _final(row: Row | None) -> int | None:
    return row.places.get("final") if row else None


def _moved(before: int | None, after: int | None) -> str:
    if before is None:
        return t("lab.new")
    if after is None:
        return t("lab.lost")
    if before == after:
        return "="
    return t("lab.up", n=before - after) if after < before else t("lab.down", n=after - before)


def _cell(row: Row, stage: StageName) -> str:
    place = row.places.get(stage)
    if place is None:
        return "–"
    return f"<b>{place}</b><br><small>{row.scores.get(stage, 0.0):.3f}</small>"


def _passage(row: Row) -> str:
    chunk = row.chunk
    mark = f' <span class="zw-tag">{escape(t("lab.used"))}</span>' if row.used else ""
    why = f'<div class="zw-note">{escape(plain(phrase(row.why), 300))}</div>' if row.why else ""
    return (
        f"<details><summary><b>{escape(_where(row))}</b>{mark}<br>"
        f"{escape(plain(chunk.text, EXCERPT))}</summary>"
        f'<div class="zw-passage">{escape(chunk.text)}</div></details>{why}'
    )
