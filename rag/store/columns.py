"""Column types of the catalog that behave alike on all databases."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa


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
