"""The probability that a line answers (`Piece.fit`) as a number for sums."""

from __future__ import annotations

import math

SURE = 6.0
"""Log odds from which a line fits fully, and below minus which not at all; chosen by us."""


def odds(fit: float | None) -> float:
    """Log odds over `SURE`, -1..1; 0 where no model has read the line."""
    if fit is None:
        return 0.0
    most = 1.0 / (1.0 + math.exp(-SURE))
    kept = min(max(fit, 1.0 - most), most)
    return math.log(kept / (1.0 - kept)) / SURE
