"""Turns the typed `SearchFilter` into Milvus's filter language: the only place that does.

Values come from questions and documents. They enter as JSON string literals, so that quotes
and backslashes in them stay data, and never into a `like` pattern with a wildcard of theirs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from rag.types import SearchFilter

TEXT_BYTES = {
    "region": 256,
    "document_type": 128,
    "organisation": 512,
    "product": 512,
}
"""Widths of the text fields in bytes of UTF-8 (a Milvus server counts bytes). Longer values
are cut alike when they are stored and when they are asked for."""

UNSPECIFIED_YEAR = 0
"""What is stored for "no year"; "no text" is the empty string."""
LAST_YEAR = 9999
"""The last year of a `date`."""

_WILDCARDS = frozenset("%_\\")


def search_expression(condition: SearchFilter, kb_ids: Sequence[str] = ()) -> str:
    """The conditions joined by `and`; empty when there are none.

    Args:
        condition: its `kb_ids` are ignored here; collections are chosen by them.
        kb_ids: knowledge bases to tell apart within one collection.
    """
    parts = [
        one_of("kb_id", kb_ids),
        one_of("document_id", condition.document_ids),
        _regions(condition.regions, condition.include_unspecified),
        _years(condition.years, condition.include_unspecified),
        one_of("document_type", condition.document_types),
        one_of("organisation", condition.organisations),
        one_of("product", condition.products),
    ]
    return " and ".join(part for part in parts if part)


def equals(field: str, value: str) -> str:
    """`field == "value"`."""
    return f"{field} == {literal(value)}"


def literal(value: str) -> str:
    """A string literal that holds exactly this value."""
    return json.dumps(value, ensure_ascii=False)


def clip(field: str, value: str) -> str:
    """The value as it is stored: without NUL, cut to the field's width in whole characters."""
    plain = value.replace("\0", "").encode("utf-8", "ignore")
    return plain[: TEXT_BYTES.get(field, len(plain))].decode("utf-8", "ignore")


def stored_year(year: int) -> int:
    """The year as it is stored: what is no year of the calendar counts as none."""
    return int(year) if 1 <= year <= LAST_YEAR else UNSPECIFIED_YEAR


def one_of(field: str, values: Iterable[str]) -> str:
    """`field in ["value", …]`; empty for no values."""
    distinct = list(dict.fromkeys(clip(field, value) for value in values))
    if not distinct:
        return ""
    if len(distinct) == 1:
        return equals(field, distinct[0])
    return f"{field} in [{', '.join(literal(value) for value in distinct)}]"


def region_terms(
    regions: Sequence[str], include_unspecified: bool
) -> tuple[dict[str, None], dict[str, None]]:
    """What a region condition lets pass: exact values, and beginnings of values. A region
    matches itself, the places inside it, and the places that it lies in: rules of 浙江 hold
    in 浙江/杭州."""
    exact: dict[str, None] = {}
    inside: dict[str, None] = {}
    for region in (clip("region", region) for region in regions):
        levels = region.split("/")
        exact.update(("/".join(levels[: depth + 1]), None) for depth in range(len(levels)))
        if not _WILDCARDS & set(region):
            inside[f"{region}/"] = None
    if include_unspecified:
        exact[""] = None
    return exact, inside


def _regions(regions: Sequence[str], include_unspecified: bool) -> str:
    if not regions:
        return ""
    exact, inside = region_terms(regions, include_unspecified)
    within = (f"region like {literal(f'{beginning}%')}" for beginning in inside)
    return f"({' or '.join((one_of('region', exact), *within))})"


def _years(years: tuple[int, int] | None, include_unspecified: bool) -> str:
    if years is None:
        return ""
    first, last = int(years[0]), int(years[1])
    within = f"(year >= {first} and year <= {last})"
    return f"({within} or year == {UNSPECIFIED_YEAR})" if include_unspecified else within
