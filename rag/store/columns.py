"""Column types of the catalog that behave alike on all databases."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from rag.types import Told


class UtcDateTime(sa.types.TypeDecorator[datetime]):
    """An aware time, stored as naive UTC so that all databases compare it alike."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:  # noqa: ARG002
        """Aware → naive UTC."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:  # noqa: ARG002
        """Naive UTC → aware."""
        return None if value is None else value.replace(tzinfo=UTC)


def storable(value: str) -> str:
    """The text without what no database takes: NUL, and halves of surrogate pairs (file names
    in another encoding have them). Both become U+FFFD, so that it is seen."""
    if "\0" in value:
        value = value.replace("\0", "\ufffd")
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


class PlainText(sa.types.TypeDecorator[str]):
    """Text of any length, made storable."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:  # noqa: ARG002
        """See `storable`."""
        return None if value is None else storable(value)


class PlainString(sa.types.TypeDecorator[str]):
    """Text of limited length, made storable."""

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:  # noqa: ARG002
        """See `storable`."""
        return None if value is None else storable(value)


_BETWEEN = "\x1e"
"""Between a Chinese text and its English one in a column (the record separator of ASCII)."""


class ToldText(sa.types.TypeDecorator[str]):
    """What people are told, in both languages; a text without English is kept as it is."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:  # noqa: ARG002
        """Both texts as one."""
        if value is None:
            return None
        both = (value, value.en) if isinstance(value, Told) and value.en else (value,)
        return _BETWEEN.join(storable(text).replace(_BETWEEN, " ") for text in both)

    def process_result_value(self, value: str | None, dialect: Any) -> Told | None:  # noqa: ARG002
        """Both texts again."""
        return None if value is None else Told(*value.split(_BETWEEN, 1))
