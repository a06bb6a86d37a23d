"""Embedding in batches of similar length, in any order, given back in the order asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rag.models.embedder import Progress

if TYPE_CHECKING:
    import numpy as np


def embed_in_batches(
    texts: Sequence[str],
    size: int,
    embed: Callable[[list[str]], np.ndarray],
    dimension: int,
    progress: Progress | None = None,
) -> np.ndarray:
    """Call `embed` with up to `size` texts of similar length at a time.

    Args:
        texts: what to embed.
        size: most texts in one call.
        embed: gives float [n, dimension]; need not be normalised.
        dimension: length of a vector, for the empty result.
        progress: told how many are done.

    Returns:
        float32 [n, dimension], each row of length 1, in the order of `texts`.
    """
    import numpy as np

    vectors = np.zeros((len(texts), dimension), np.float32)
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        vectors[chosen] = unit_rows(embed([texts[index] for index in chosen]))
        if progress:
            progress(start + len(chosen))
    return vectors


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """Rows scaled to length 1; a row of zeros becomes the first axis, so that it has a length."""
    import numpy as np

    rows = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not lengths.all():
        rows = rows.copy()
        rows[lengths[:, 0] == 0, 0] = 1.0
        lengths[lengths == 0] = 1.0
    return rows / lengths


def identifier(*parts: str) -> str:
    """A fingerprint from parts: ASCII letters, digits and underscores only."""
    return re.sub(r"[^A-Za-z0-9]+", "_", "_".join(part for part in parts if part)).strip("_")
