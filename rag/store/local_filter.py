"""Which rows of a segment a search may find: the typed `SearchFilter` as a mask.

It answers as Milvus does to `rag.store.expression.search_expression` of the same filter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag.store.expression import UNSPECIFIED_YEAR, clip, region_terms
from rag.store.local_segment import Segment
from rag.types import SearchFilter


def allowed(
    segment: Segment, condition: SearchFilter, kb_ids: Sequence[str] = ()
) -> np.ndarray | None:
    """bool [n], or None where every row passes.

    Args:
        condition: its `kb_ids` are ignored here; indexes are chosen by them.
        kb_ids: knowledge bases to tell apart within one index.
    """
    mask: np.ndarray | None = None
    for name, values in (
        ("kb_id", kb_ids),
        ("document_id", condition.document_ids),
        ("document_type", condition.document_types),
        ("organisation", condition.organisations),
        ("product", condition.products),
    ):
        if values:
            known = frozenset(clip(name, value) for value in values)
            mask = _both(mask, segment.holding(name, known.__contains__))
    if condition.regions:
        exact, inside = region_terms(condition.regions, condition.include_unspecified)
        wanted, within = frozenset(exact), tuple(inside)
        passing = segment.holding("region", lambda r: r in wanted or r.startswith(within))
        mask = _both(mask, passing)
    if condition.years is not None:
        first, last = condition.years
        years = (segment.year >= int(first)) & (segment.year <= int(last))
        if condition.include_unspecified:
            years |= segment.year == UNSPECIFIED_YEAR
        mask = _both(mask, years)
    return mask


def _both(mask: np.ndarray | None, other: np.ndarray) -> np.ndarray:
    return other if mask is None else mask & other
