"""The clock as the store sees it: passed in, so that tests need no waiting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the current time, aware."""


def utc_now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)
